//! What stands inside a line: emphasis, code, links, pictures, formulas.

use super::{BLOCKS, Line, Writer};
use crate::dom::NodeId;
use crate::words::words;

/// Which marks are open around what is written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    strong: bool,
    emphasis: bool,
    strike: bool,
    link: bool,
    heading: bool,
}

impl Marks {
    /// Headings are strong by themselves, and links to themselves are no links there.
    pub(super) fn in_heading() -> Self {
        Self { strong: true, heading: true, ..Self::default() }
    }
}

/// What stands for a link to the place where it stands.
const SELF_LINKS: &[&str] = &[
    "",
    "#",
    "##",
    "¶",
    "§",
    "🔗",
    "⚓",
    "∞",
    "link",
    "permalink",
    "anchor",
    "[link]",
    "\u{f0c1}",
    "(#)",
    "top",
    "source",
    "[source]",
];
/// What leads from a note back to where it was called.
const BACK_LINKS: &[&str] = &["^", "↑", "↩", "↩\u{fe0e}", "↵", "⏎", "⤴", "back"];

impl Writer<'_> {
    /// Everything below an element on one line; blocks inside end with a break.
    pub(super) fn flat(&self, id: NodeId, line: &mut Line, marks: Marks) {
        let apart = self.sets_apart(id);
        for child in self.dom.children(id) {
            if self.is_dropped(child) {
                continue;
            }
            if apart && self.says_something(child) {
                line.seam();
            }
            match self.dom.tag(child) {
                None => line.text(self.dom.text(child).unwrap_or_default()),
                Some("pre") => {
                    let code = self.code_text(child);
                    line.soft_break();
                    line.raw(&quoted_code(code.trim()));
                    line.soft_break();
                }
                Some("hr") => line.soft_break(),
                Some(tag) if BLOCKS.contains(&tag) => {
                    line.soft_break();
                    self.flat(child, line, marks);
                    line.soft_break();
                }
                Some(tag) => self.inline(child, tag, line, marks),
            }
        }
    }

    pub(super) fn inline(&self, id: NodeId, tag: &str, line: &mut Line, marks: Marks) {
        match tag {
            "br" => line.line_break(),
            "b" | "strong" if !marks.strong => {
                let marks = Marks { strong: true, ..marks };
                line.marked("**", &self.part(id, marks));
            }
            "em" | "i" if !marks.emphasis && !marks.heading => {
                if !self.is_icon(id) {
                    let marks = Marks { emphasis: true, ..marks };
                    line.marked("*", &self.part(id, marks));
                }
            }
            "del" | "s" | "strike" if !marks.strike => {
                let marks = Marks { strike: true, ..marks };
                line.marked("~~", &self.part(id, marks));
            }
            "code" | "kbd" | "samp" | "tt" => self.inline_code(id, line),
            "a" => self.anchor(id, line, marks),
            "img" => self.picture(id, line),
            "math" => {
                let formula = self.formula(id);
                if !formula.is_empty() {
                    line.raw(&format!("${formula}$"));
                }
            }
            "q" => {
                line.raw("\u{201c}");
                line.plain(&self.part(id, marks));
                line.raw("\u{201d}");
            }
            // Who is quoted stands on a line of its own, or in front of the words.
            "cite"
                if self
                    .dom
                    .ancestors(id)
                    .take(2)
                    .any(|outer| self.dom.is(outer, &["blockquote"])) =>
            {
                self.flat(id, line, marks);
                line.seam();
            }
            "sup" => self.superscript(id, line, marks),
            "rt" => self.reading(id, line, marks),
            "input" => {
                line.raw(if self.dom.attr(id, "checked").is_some() { "[x]" } else { "[ ]" });
                line.blank();
            }
            "span" | "i" if self.is_icon(id) => {}
            _ => self.flat(id, line, marks),
        }
    }

    fn part(&self, id: NodeId, marks: Marks) -> Line {
        let mut part = Line::default();
        self.flat(id, &mut part, marks);
        part
    }

    /// Pictures drawn with letters of a font, whose text is the name of the picture.
    fn is_icon(&self, id: NodeId) -> bool {
        self.dom.attr(id, "class").is_some_and(|classes| {
            classes.split_ascii_whitespace().any(|class| {
                class.starts_with("material-icons") || class.starts_with("material-symbols")
            })
        })
    }

    fn inline_code(&self, id: NodeId, line: &mut Line) {
        // A picture or a table inside is no code, whatever the element says.
        if self.dom.subtree(id).any(|below| self.dom.is(below, &["img"])) {
            return self.flat(id, line, Marks::default());
        }
        let code = self.code_text(id);
        let words: Vec<&str> = code.split_whitespace().collect();
        let inner = if code.contains('\n') { words.join(" ") } else { code.trim().to_owned() };
        if code.starts_with(char::is_whitespace) {
            line.blank();
        }
        line.raw(&quoted_code(&inner));
        if code.ends_with(char::is_whitespace) {
            line.blank();
        }
    }

    fn anchor(&self, id: NodeId, line: &mut Line, marks: Marks) {
        if self.calls_a_note(id) {
            let number = self.part(id, Marks::in_heading()).one_line();
            return line.raw(&format!("[{}]", number.trim_matches(['[', ']'])));
        }
        if self.is_self_link(id) {
            return;
        }
        let part = self.part(id, Marks { link: true, ..marks });
        // Up to the post that is quoted.
        if self.dom.parent(id).is_some_and(|outer| self.dom.is(outer, &["cite"]))
            && BACK_LINKS.contains(&part.one_line().as_str())
        {
            return;
        }
        let to_itself =
            self.dom.attr(id, "href").and_then(|href| href.strip_prefix('#')).is_some_and(
                |place| {
                    marks.heading
                        || !place.is_empty()
                            && std::iter::once(id)
                                .chain(self.dom.ancestors(id).take(3))
                                .any(|around| self.dom.attr(around, "id") == Some(place))
                },
            );
        let target = self.link_of(id);
        if target.is_none()
            && self.dom.attr(id, "href").is_some()
            && !part.one_line().chars().any(|letter| letter.is_alphanumeric() || letter == '!')
        {
            // A mark that folds something.
            return;
        }
        match target {
            Some(address) if !marks.link && !to_itself => line.linked(&address, &part),
            _ => line.plain(&part),
        }
    }

    /// Whether a link is the number of a note below the text.
    fn calls_a_note(&self, id: NodeId) -> bool {
        let named = words(self.dom, id);
        let named_so =
            named.iter().any(|word| matches!(word.as_str(), "footnote" | "fnref" | "noteref"))
                && named
                    .iter()
                    .any(|word| matches!(word.as_str(), "anchor" | "ref" | "fnref" | "noteref"));
        named_so
            && self.dom.attr(id, "href").is_some_and(|href| href.starts_with('#'))
            && !self.dom.ancestors(id).take(2).any(|outer| self.dom.is(outer, &["sup"]))
            && self
                .dom
                .subtree(id)
                .filter_map(|below| self.dom.text(below))
                .flat_map(str::chars)
                .all(|letter| letter.is_ascii_digit() || "[]* ".contains(letter))
    }

    /// Marks beside headings and notes that lead to themselves or back.
    pub(super) fn is_self_link(&self, id: NodeId) -> bool {
        let Some(href) = self.dom.attr(id, "href") else { return false };
        let text: String = self.dom.subtree(id).filter_map(|below| self.dom.text(below)).collect();
        let text = text.trim();
        if self.dom.subtree(id).any(|below| self.dom.is(below, &["img"])) {
            return false;
        }
        let named = words(self.dom, id);
        let is_named = |word: &str| named.iter().any(|name| name == word);
        let leads_to_source = self.dom.children(id).any(|child| {
            self.dom.attr(child, "class").is_some_and(|class| class.contains("viewcode-link"))
        });
        if leads_to_source
            || is_named("viewcode")
            || is_named("headerlink") && text.chars().count() <= 2
        {
            return true;
        }
        let fragment = href.starts_with('#')
            || self.base.join(href).is_ok_and(|url| {
                url.fragment().is_some()
                    && url.path() == self.base.path()
                    && url.host() == self.base.host()
            });
        if !fragment {
            return false;
        }
        let lower = text.to_lowercase();
        let mark = SELF_LINKS.contains(&lower.as_str()) || BACK_LINKS.contains(&text);
        let named_so =
            ["anchor", "permalink", "hash", "headerlink"].iter().any(|word| is_named(word))
                && (text.chars().count() <= 2
                    || lower.starts_with("permalink")
                    || lower.starts_with("direct link")
                    || lower.starts_with("link to"));
        let words_so = lower.starts_with("permalink to")
            || lower.starts_with("direct link to")
            || lower.starts_with("link to this");
        (mark || named_so || words_so) && !(lower == "top" || lower == "link")
            || mark
                && self
                    .dom
                    .ancestors(id)
                    .take(2)
                    .any(|parent| self.dom.is(parent, &["h1", "h2", "h3", "h4", "h5", "h6", "dt"]))
    }

    /// Digits above the line are kept as such; calls of notes are numbers in brackets.
    fn superscript(&self, id: NodeId, line: &mut Line, marks: Marks) {
        let note = self.dom.subtree(id).any(|below| {
            self.dom.is(below, &["a"])
                && self.dom.attr(below, "href").is_some_and(|href| href.starts_with('#'))
        });
        let part = self.part(id, Marks { link: true, strong: true, emphasis: true, ..marks });
        let text = part.one_line();
        if note {
            let number = text.trim_matches(['[', ']']);
            if !number.is_empty() && !BACK_LINKS.contains(&number) {
                line.raw(&format!("[{number}]"));
            }
            return;
        }
        let raised: Option<String> = text.chars().map(raised).collect();
        match raised {
            Some(raised) if !raised.is_empty() => line.raw(&raised),
            _ => line.plain(&part),
        }
    }

    /// How a word is read, in brackets behind it, unless the page has brackets of its own.
    fn reading(&self, id: NodeId, line: &mut Line, marks: Marks) {
        let own = self.dom.previous_sibling(id).is_some_and(|before| self.dom.is(before, &["rp"]));
        if own {
            return self.flat(id, line, marks);
        }
        line.raw("(");
        line.plain(&self.part(id, marks));
        line.raw(")");
    }

    /// A formula as it was typed, or the text of its parts.
    pub(super) fn formula(&self, id: NodeId) -> String {
        let typed = self.dom.subtree(id).find(|&below| {
            self.dom.is(below, &["annotation"])
                && self.dom.attr(below, "encoding").is_some_and(|kind| kind.contains("tex"))
        });
        let text: String = match (typed, self.dom.attr(id, "alttext")) {
            (Some(typed), _) => {
                self.dom.subtree(typed).filter_map(|below| self.dom.text(below)).collect()
            }
            (None, Some(text)) => text.to_owned(),
            (None, None) => self.dom.subtree(id).filter_map(|below| self.dom.text(below)).collect(),
        };
        let text = crate::title::collapsed(&text);
        match text.strip_prefix("{\\displaystyle ").and_then(|inner| inner.strip_suffix('}')) {
            Some(inner) => inner.trim().to_owned(),
            None => text,
        }
    }
}

/// Code between enough back-ticks.
pub(super) fn quoted_code(code: &str) -> String {
    if code.is_empty() {
        return String::new();
    }
    let ticks = "`".repeat(longest_run(code) + 1);
    let pad = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{code}{pad}{ticks}")
}

/// The longest run of back-ticks.
pub(super) fn longest_run(code: &str) -> usize {
    code.split(|letter| letter != '`').map(str::len).max().unwrap_or_default()
}

fn raised(letter: char) -> Option<char> {
    Some(match letter {
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        '+' => '⁺',
        '-' | '−' | '–' => '⁻',
        _ => return None,
    })
}
