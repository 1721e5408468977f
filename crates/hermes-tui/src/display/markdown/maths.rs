//! Simple formulas as the characters that Unicode has for them: `$x^2 \le \alpha$` is x² ≤ α.
//!
//! Only what comes out right is changed. A formula with a word that is not in the tables here, or with a small letter that Unicode
//! does not have, stays as it was written, dollar signs and all; so does what only looks like one (`$5 and $6`).

/// Longest formula within a line; a dollar sign without a partner that near is a dollar sign.
const MAX_FORMULA: usize = 400;
/// How deep braces may stand in braces.
const MAX_DEPTH: usize = 8;

/// Words that stand for a sign.
const SIGNS: &[(&str, &str)] = &[
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("delta", "δ"),
    ("epsilon", "ε"),
    ("varepsilon", "ε"),
    ("zeta", "ζ"),
    ("eta", "η"),
    ("theta", "θ"),
    ("iota", "ι"),
    ("kappa", "κ"),
    ("lambda", "λ"),
    ("mu", "μ"),
    ("nu", "ν"),
    ("xi", "ξ"),
    ("pi", "π"),
    ("rho", "ρ"),
    ("sigma", "σ"),
    ("tau", "τ"),
    ("phi", "φ"),
    ("varphi", "φ"),
    ("chi", "χ"),
    ("psi", "ψ"),
    ("omega", "ω"),
    ("Gamma", "Γ"),
    ("Delta", "Δ"),
    ("Theta", "Θ"),
    ("Lambda", "Λ"),
    ("Xi", "Ξ"),
    ("Pi", "Π"),
    ("Sigma", "Σ"),
    ("Phi", "Φ"),
    ("Psi", "Ψ"),
    ("Omega", "Ω"),
    ("le", "≤"),
    ("leq", "≤"),
    ("ge", "≥"),
    ("geq", "≥"),
    ("ne", "≠"),
    ("neq", "≠"),
    ("approx", "≈"),
    ("equiv", "≡"),
    ("sim", "∼"),
    ("propto", "∝"),
    ("ll", "≪"),
    ("gg", "≫"),
    ("times", "×"),
    ("cdot", "·"),
    ("div", "÷"),
    ("pm", "±"),
    ("mp", "∓"),
    ("ast", "∗"),
    ("circ", "∘"),
    ("oplus", "⊕"),
    ("otimes", "⊗"),
    ("sum", "∑"),
    ("prod", "∏"),
    ("int", "∫"),
    ("partial", "∂"),
    ("nabla", "∇"),
    ("infty", "∞"),
    ("in", "∈"),
    ("notin", "∉"),
    ("subset", "⊂"),
    ("subseteq", "⊆"),
    ("supset", "⊃"),
    ("cup", "∪"),
    ("cap", "∩"),
    ("setminus", "∖"),
    ("emptyset", "∅"),
    ("forall", "∀"),
    ("exists", "∃"),
    ("neg", "¬"),
    ("land", "∧"),
    ("wedge", "∧"),
    ("lor", "∨"),
    ("vee", "∨"),
    ("to", "→"),
    ("rightarrow", "→"),
    ("leftarrow", "←"),
    ("mapsto", "↦"),
    ("Rightarrow", "⇒"),
    ("implies", "⇒"),
    ("iff", "⇔"),
    ("Leftrightarrow", "⇔"),
    ("ldots", "…"),
    ("dots", "…"),
    ("cdots", "⋯"),
    ("prime", "′"),
    ("hbar", "ℏ"),
    ("ell", "ℓ"),
    ("Re", "ℜ"),
    ("Im", "ℑ"),
    ("angle", "∠"),
    ("perp", "⊥"),
    ("parallel", "∥"),
    ("mid", "∣"),
    ("langle", "⟨"),
    ("rangle", "⟩"),
    ("lfloor", "⌊"),
    ("rfloor", "⌋"),
    ("lceil", "⌈"),
    ("rceil", "⌉"),
    ("degree", "°"),
    ("quad", "  "),
    ("qquad", "    "),
    ("left", ""),
    ("right", ""),
    ("sin", "sin"),
    ("cos", "cos"),
    ("tan", "tan"),
    ("log", "log"),
    ("ln", "ln"),
    ("exp", "exp"),
    ("lim", "lim"),
    ("max", "max"),
    ("min", "min"),
    ("det", "det"),
    ("gcd", "gcd"),
    ("mod", "mod"),
];

/// Words whose braces are just text.
const TEXT: &[&str] = &["text", "mathrm", "mathbf", "mathit", "operatorname", "textbf"];
const HOLLOW: &[(&str, &str)] =
    &[("R", "ℝ"), ("N", "ℕ"), ("Z", "ℤ"), ("Q", "ℚ"), ("C", "ℂ"), ("P", "ℙ"), ("E", "𝔼")];

const RAISED: &[(char, char)] = &[
    ('0', '⁰'),
    ('1', '¹'),
    ('2', '²'),
    ('3', '³'),
    ('4', '⁴'),
    ('5', '⁵'),
    ('6', '⁶'),
    ('7', '⁷'),
    ('8', '⁸'),
    ('9', '⁹'),
    ('+', '⁺'),
    ('-', '⁻'),
    ('=', '⁼'),
    ('(', '⁽'),
    (')', '⁾'),
    ('a', 'ᵃ'),
    ('b', 'ᵇ'),
    ('c', 'ᶜ'),
    ('d', 'ᵈ'),
    ('e', 'ᵉ'),
    ('f', 'ᶠ'),
    ('g', 'ᵍ'),
    ('h', 'ʰ'),
    ('i', 'ⁱ'),
    ('j', 'ʲ'),
    ('k', 'ᵏ'),
    ('l', 'ˡ'),
    ('m', 'ᵐ'),
    ('n', 'ⁿ'),
    ('o', 'ᵒ'),
    ('p', 'ᵖ'),
    ('r', 'ʳ'),
    ('s', 'ˢ'),
    ('t', 'ᵗ'),
    ('u', 'ᵘ'),
    ('v', 'ᵛ'),
    ('w', 'ʷ'),
    ('x', 'ˣ'),
    ('y', 'ʸ'),
    ('z', 'ᶻ'),
    ('T', 'ᵀ'),
    ('′', '′'),
];
const LOWERED: &[(char, char)] = &[
    ('0', '₀'),
    ('1', '₁'),
    ('2', '₂'),
    ('3', '₃'),
    ('4', '₄'),
    ('5', '₅'),
    ('6', '₆'),
    ('7', '₇'),
    ('8', '₈'),
    ('9', '₉'),
    ('+', '₊'),
    ('-', '₋'),
    ('=', '₌'),
    ('(', '₍'),
    (')', '₎'),
    ('a', 'ₐ'),
    ('e', 'ₑ'),
    ('h', 'ₕ'),
    ('i', 'ᵢ'),
    ('j', 'ⱼ'),
    ('k', 'ₖ'),
    ('l', 'ₗ'),
    ('m', 'ₘ'),
    ('n', 'ₙ'),
    ('o', 'ₒ'),
    ('p', 'ₚ'),
    ('r', 'ᵣ'),
    ('s', 'ₛ'),
    ('t', 'ₜ'),
    ('u', 'ᵤ'),
    ('v', 'ᵥ'),
    ('x', 'ₓ'),
];

/// The formula that a text begins with: how many bytes it takes with its marks, and what it looks like.
pub(super) fn formula(text: &str) -> Option<(usize, String)> {
    let near = &text[..text.floor_char_boundary(MAX_FORMULA)];
    for (open, close) in [("$$", "$$"), ("\\(", "\\)"), ("\\[", "\\]")] {
        if let Some(inner) = near.strip_prefix(open) {
            let inner = inner.split_once(close)?.0;
            let length = open.len() + inner.len() + close.len();
            return drawn(inner).filter(|drawn| !drawn.is_empty()).map(|drawn| (length, drawn));
        }
    }
    let inner = near.strip_prefix('$')?;
    // Money is written with a blank before the next sign, or a digit after it.
    let end = inner.find('$')?;
    let (inner, after) = (&inner[..end], &inner[end + 1..]);
    let is_tight = !inner.starts_with(char::is_whitespace) && !inner.ends_with(char::is_whitespace);
    let is_letter = inner.len() == 1 && inner.chars().all(|letter| letter.is_ascii_alphabetic());
    let is_formula = is_letter || inner.contains(['\\', '^', '_', '=', '<', '>']);
    if !is_tight || !is_formula || after.starts_with(|next: char| next.is_alphanumeric()) {
        return None;
    }
    drawn(inner).map(|drawn| (inner.len() + 2, drawn))
}

/// A formula in signs; nothing if it holds something that has none.
pub(super) fn drawn(formula: &str) -> Option<String> {
    let mut reader = Reader { rest: formula.trim(), depth: 0 };
    let drawn = reader.until_end(None)?;
    Some(drawn.split_whitespace().collect::<Vec<_>>().join(" "))
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl Reader<'_> {
    /// Everything up to a closing brace, or to the end.
    fn until_end(&mut self, close: Option<char>) -> Option<String> {
        let mut drawn = String::new();
        loop {
            let Some(next) = self.rest.chars().next() else {
                return close.is_none().then_some(drawn);
            };
            match next {
                '}' => {
                    self.rest = &self.rest[1..];
                    return (close == Some('}')).then_some(drawn);
                }
                '^' => drawn.push_str(&self.small(RAISED, '^')?),
                '_' => drawn.push_str(&self.small(LOWERED, '_')?),
                // Columns of a matrix.
                '&' => return None,
                _ => drawn.push_str(&self.unit()?),
            }
        }
    }

    /// One character, one word or one pair of braces.
    fn unit(&mut self) -> Option<String> {
        let next = self.rest.chars().next()?;
        self.rest = &self.rest[next.len_utf8()..];
        match next {
            '{' => self.braces(),
            '\\' => self.word(),
            '~' => Some(" ".to_owned()),
            other => Some(other.to_string()),
        }
    }

    /// What stands up to the closing brace.
    fn braces(&mut self) -> Option<String> {
        self.depth += 1;
        let inner = (self.depth <= MAX_DEPTH).then(|| self.until_end(Some('}'))).flatten();
        self.depth -= 1;
        inner
    }

    fn argument(&mut self) -> Option<String> {
        self.rest = self.rest.trim_start();
        self.unit()
    }

    /// What follows a backslash.
    fn word(&mut self) -> Option<String> {
        let end = self.rest.find(|next: char| !next.is_ascii_alphabetic());
        let (name, after) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        if name.is_empty() {
            let sign = after.chars().next()?;
            self.rest = &after[sign.len_utf8()..];
            return match sign {
                ',' | ';' | ':' | ' ' => Some(" ".to_owned()),
                '!' => Some(String::new()),
                '{' | '}' | '%' | '$' | '&' | '#' | '_' => Some(sign.to_string()),
                '|' => Some("‖".to_owned()),
                _ => None,
            };
        }
        self.rest = after;
        if let Some((_, sign)) = SIGNS.iter().find(|(known, _)| *known == name) {
            return Some((*sign).to_owned());
        }
        if TEXT.contains(&name) {
            return self.argument();
        }
        match name {
            "frac" | "dfrac" | "tfrac" => {
                let (above, below) = (self.argument()?, self.argument()?);
                Some(format!("{}/{}", joined(&above), joined(&below)))
            }
            "sqrt" => Some(format!("√{}", joined(&self.argument()?))),
            "mathbb" => {
                let letter = self.argument()?;
                HOLLOW
                    .iter()
                    .find(|(known, _)| *known == letter)
                    .map(|(_, sign)| (*sign).to_owned())
            }
            _ => None,
        }
    }

    /// A small text above or below the line.
    fn small(&mut self, table: &[(char, char)], mark: char) -> Option<String> {
        self.rest = &self.rest[1..];
        let is_braced = self.rest.starts_with('{');
        let text = self.argument()?;
        let small: Option<String> = text
            .chars()
            .filter(|letter| *letter != ' ')
            .map(|letter| table.iter().find(|(known, _)| *known == letter).map(|(_, small)| *small))
            .collect();
        match small {
            Some(small) if !small.is_empty() => Some(small),
            _ if is_braced && !text.is_empty() => Some(format!("{mark}{}", joined(&text))),
            _ => None,
        }
    }
}

/// A part of a formula that has to stay together.
fn joined(text: &str) -> String {
    let is_one =
        text.chars().all(char::is_alphanumeric) || text.starts_with('(') && text.ends_with(')');
    if is_one { text.to_owned() } else { format!("({text})") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn simple_formulas_become_signs() {
        for (written, expected) in [
            (r"$E = mc^2$", "E = mc²"),
            (r"\(\alpha \le \sqrt{2}\)", "α ≤ √2"),
            (r"$$\sum_{i=1}^n x_i$$", "∑ᵢ₌₁ⁿ xᵢ"),
            (r"$\frac{a+b}{2}$", "(a+b)/2"),
            (r"$x \in \mathbb{R}$", "x ∈ ℝ"),
            (r"$\lim_{x \to 0} f(x)$", "lim_(x → 0) f(x)"),
            (r"\[a \times b\]", "a × b"),
            (r"$n$", "n"),
            (r"$O(n \log n)$", "O(n log n)"),
            (r"$\text{if } x^{10} > 0$", "if x¹⁰ > 0"),
        ] {
            assert_eq!(formula(written), Some((written.len(), expected.to_owned())), "{written}");
        }
    }

    #[test]
    fn money_variables_and_what_has_no_signs_stay_as_they_are() {
        for written in [
            "$5 and $6",
            "$5-$6",
            "$HOME_DIR and $PATH",
            "$A_B$C",
            r"$\unknown{x}$",
            "$x^Q$",
            r"$\begin{matrix} a & b \end{matrix}$",
            "$ x = 1 $",
            "$x_{$",
            "$",
            "$$",
            "$$$$",
            r"\(",
        ] {
            assert_eq!(formula(written), None, "{written}");
        }
    }

    proptest! {
        #[test]
        fn nothing_breaks(text in r"[\\$^_{}a-z0-9 &α()]{0,60}") {
            if let Some((length, _)) = formula(&text) {
                prop_assert!(text.is_char_boundary(length));
            }
        }
    }
}
