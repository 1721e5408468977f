//! What the page's own styles hide.
//!
//! Not a style engine: only the properties that make text invisible are read, from `style` attributes and from the
//! sheets inside the page, with the cascade of CSS (weight of the selector, then order). Rules behind conditions (`@media`
//! and the like) count only where they are for every screen.

use std::collections::HashMap;

use crate::dom::{Dom, NodeId};

/// Most rules that are kept; a page has a handful that hide anything.
const MOST_RULES: usize = 2_000;
/// Most parts of one selector; longer ones are left out.
const MOST_PARTS: usize = 6;

/// How the properties of one rule make an element vanish. What is not said is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Looks {
    display_none: Option<bool>,
    invisible: Option<bool>,
    /// No size, no opacity, or outside of the screen.
    out_of_sight: Option<bool>,
}

impl Looks {
    pub(crate) fn hides(self) -> bool {
        [self.display_none, self.invisible, self.out_of_sight].contains(&Some(true))
    }

    fn says_nothing(self) -> bool {
        self == Self::default()
    }

    fn overlay(&mut self, other: Self) {
        self.display_none = other.display_none.or(self.display_none);
        self.invisible = other.invisible.or(self.invisible);
        self.out_of_sight = other.out_of_sight.or(self.out_of_sight);
    }
}

/// Reads declarations, such as the value of a `style` attribute.
pub(crate) fn looks(declarations: &str) -> Looks {
    let mut looks = Looks::default();
    let (mut away, mut placed, mut clipped, mut tiny) = (false, false, false, 0);
    let (mut ink, mut paper, mut cut_out) = (None, None, false);
    for declaration in declarations.split(';') {
        let Some((name, value)) = declaration.split_once(':') else { continue };
        let name = name.trim().to_ascii_lowercase();
        let value = value.to_ascii_lowercase().replace("!important", "");
        let value = value.trim();
        match name.as_str() {
            "display" => looks.display_none = Some(value == "none"),
            "visibility" => looks.invisible = Some(matches!(value, "hidden" | "collapse")),
            "content-visibility" if value == "hidden" => looks.invisible = Some(true),
            "opacity" => looks.out_of_sight = Some(number(value) == Some(0.0)),
            "font-size" if is_no_size(value) => looks.out_of_sight = Some(true),
            "position" => placed = matches!(value, "absolute" | "fixed"),
            "left" | "right" | "top" | "margin-left" | "margin-top" | "text-indent"
                if number(value).is_some_and(|at| at <= -500.0) =>
            {
                away = true;
                placed |= name.starts_with("margin") || name.starts_with("text");
            }
            "transform" => {
                away |= value.contains("translate") && value.contains("-9");
                placed |= away;
                if value.replace(' ', "").contains("scale(0)") {
                    looks.out_of_sight = Some(true);
                }
            }
            "clip" => clipped = value.contains("rect(0") || value.contains("rect(1px"),
            "clip-path" => {
                let shut = ["inset(50%", "inset(100%", "circle(0", "polygon(0 0, 0 0"];
                if shut.iter().any(|form| value.starts_with(form)) {
                    looks.out_of_sight = Some(true);
                }
            }
            "height" | "width" | "max-height" | "max-width"
                if number(value).is_some_and(|size| size <= 1.0) && !value.ends_with('%') =>
            {
                tiny += 1;
                clipped |= number(value) == Some(0.0) && name.ends_with("height");
            }
            "overflow" if value.starts_with("hidden") => tiny += 1,
            "color" => ink = Some(value.replace(' ', "")),
            // Letters cut out of a picture behind them are seen.
            "background-clip" | "-webkit-background-clip" => cut_out |= value.contains("text"),
            "background" | "background-color" => paper = Some(value.replace(' ', "")),
            _ => {}
        }
    }
    let shut = (clipped && (placed || tiny >= 2)) || tiny >= 3;
    let no_ink = !cut_out && ink.as_deref().is_some_and(is_no_colour);
    if away && placed || shut || no_ink || ink.is_some() && ink == paper {
        looks.out_of_sight = Some(true);
    }
    looks
}

/// A colour that lets everything through, without blanks.
fn is_no_colour(value: &str) -> bool {
    value == "transparent"
        || (value.starts_with("rgba(") || value.starts_with("hsla("))
            && (value.ends_with(",0)") || value.ends_with(",0.0)"))
}

fn is_no_size(value: &str) -> bool {
    let relative = value.ends_with("em") || value.ends_with('%');
    number(value).is_some_and(|size| size == 0.0 || size <= 1.0 && !relative)
}

fn number(value: &str) -> Option<f64> {
    let end = value
        .find(|letter: char| !letter.is_ascii_digit() && !matches!(letter, '.' | '-' | '+'))
        .unwrap_or(value.len());
    value[..end].parse().ok()
}

/// One simple test of a selector part.
#[derive(Debug, PartialEq, Eq)]
enum Test {
    Tag(String),
    Class(String),
    Id(String),
    Attribute(String, Option<String>),
}

/// An element description, and whether the next part to its left is the parent itself.
#[derive(Debug)]
struct Part {
    tests: Vec<Test>,
    child: bool,
}

#[derive(Debug)]
struct Rule {
    /// From the element outwards.
    parts: Vec<Part>,
    weight: (bool, u32),
    looks: Looks,
}

/// The rules of a page's own sheets that hide something, or show it again.
#[derive(Debug, Default)]
pub(crate) struct Sheet {
    rules: Vec<Rule>,
    /// Rules by the class, name or tag that the element itself must have.
    by_class: HashMap<String, Vec<usize>>,
    by_id: HashMap<String, Vec<usize>>,
    by_tag: HashMap<String, Vec<usize>>,
}

impl Sheet {
    /// Collects what the `style` elements of a page say.
    pub(crate) fn of(dom: &Dom) -> Self {
        let mut sheet = Self::default();
        for id in dom.subtree(0).filter(|&id| dom.is(id, &["style"])) {
            let media = dom.attr(id, "media").unwrap_or_default();
            if for_every_screen(media) {
                let text: String = dom.children(id).filter_map(|child| dom.text(child)).collect();
                sheet.read(&without_comments(&text));
            }
        }
        if sheet.rules.iter().all(|rule| !rule.looks.hides()) {
            return Self::default();
        }
        sheet
    }

    fn read(&mut self, css: &str) {
        let mut rest = css;
        while let Some(open) = rest.find('{') {
            let prelude = rest[..open].rsplit(['}', ';']).next().unwrap_or_default().trim();
            rest = &rest[open + 1..];
            if let Some(at_rule) = prelude.strip_prefix('@') {
                let keeps = at_rule.starts_with("media") && for_every_screen(&at_rule[5..])
                    || at_rule.starts_with("layer");
                if !keeps {
                    rest = beyond_block(rest);
                }
                continue;
            }
            let close = rest.find('}').unwrap_or(rest.len());
            self.add(prelude, &rest[..close]);
            rest = rest.get(close + 1..).unwrap_or_default();
        }
    }

    fn add(&mut self, selectors: &str, declarations: &str) {
        let looks = looks(declarations);
        if looks.says_nothing() {
            return;
        }
        let important = declarations.contains("!important");
        for selector in selectors.split(',') {
            let Some((parts, weight)) = parse_selector(selector) else { continue };
            if self.rules.len() >= MOST_RULES {
                return;
            }
            let number = self.rules.len();
            let Some(first) = parts.first() else { continue };
            let tests = &first.tests;
            if let Some(Test::Id(name)) = tests.iter().find(|test| matches!(test, Test::Id(_))) {
                self.by_id.entry(name.clone()).or_default().push(number);
            } else if let Some(Test::Class(class)) =
                tests.iter().find(|test| matches!(test, Test::Class(_)))
            {
                self.by_class.entry(class.clone()).or_default().push(number);
            } else if let Some(Test::Tag(tag)) =
                tests.iter().find(|test| matches!(test, Test::Tag(_)))
            {
                self.by_tag.entry(tag.clone()).or_default().push(number);
            } else {
                continue;
            }
            self.rules.push(Rule { parts, weight: (important, weight), looks });
        }
    }

    /// What the sheets and the element's own style say of it.
    pub(crate) fn looks_of(&self, dom: &Dom, id: NodeId) -> Looks {
        let mut all = Looks::default();
        if !self.rules.is_empty() {
            let mut matching: Vec<usize> = Vec::new();
            let classes = dom.attr(id, "class").unwrap_or_default();
            let lists = classes
                .split_ascii_whitespace()
                .filter_map(|class| self.by_class.get(class))
                .chain(dom.attr(id, "id").and_then(|name| self.by_id.get(name)))
                .chain(dom.tag(id).and_then(|tag| self.by_tag.get(tag)));
            for &number in lists.flatten() {
                if matches(dom, id, &self.rules[number].parts) {
                    matching.push(number);
                }
            }
            matching.sort_by_key(|&number| (self.rules[number].weight, number));
            for number in matching {
                all.overlay(self.rules[number].looks);
            }
        }
        if let Some(style) = dom.attr(id, "style") {
            all.overlay(looks(style));
        }
        all
    }
}

fn matches(dom: &Dom, id: NodeId, parts: &[Part]) -> bool {
    let Some((first, mut outer)) = parts.split_first() else { return false };
    if !passes(dom, id, &first.tests) {
        return false;
    }
    let mut must_be_parent = first.child;
    let mut here = dom.parent(id);
    // Greedy from the inside out: exact but for selectors that mix both kinds of steps in unusual ways.
    while let Some((part, further)) = outer.split_first() {
        let Some(candidate) = here else { return false };
        here = dom.parent(candidate);
        if passes(dom, candidate, &part.tests) {
            must_be_parent = part.child;
            outer = further;
        } else if must_be_parent {
            return false;
        }
    }
    true
}

fn passes(dom: &Dom, id: NodeId, tests: &[Test]) -> bool {
    tests.iter().all(|test| match test {
        Test::Tag(tag) => tag == "*" || dom.tag(id) == Some(tag),
        Test::Id(name) => dom.attr(id, "id") == Some(name),
        Test::Class(class) => dom
            .attr(id, "class")
            .is_some_and(|all| all.split_ascii_whitespace().any(|one| one == class)),
        Test::Attribute(name, None) => dom.attr(id, name).is_some(),
        Test::Attribute(name, Some(value)) => dom.attr(id, name) == Some(value),
    })
}

/// The parts of a selector from the element outwards, and its weight. Nothing for what is beyond us.
fn parse_selector(selector: &str) -> Option<(Vec<Part>, u32)> {
    let spaced = selector.replace('>', " > ");
    let mut parts: Vec<Part> = Vec::new();
    let mut weight = 0;
    let mut child = false;
    for word in spaced.split_ascii_whitespace() {
        if word == ">" {
            child = true;
            continue;
        }
        if matches!(word, "+" | "~") || word.contains([':', '+', '~', '\\']) {
            return None;
        }
        let tests = parse_part(word)?;
        weight += tests
            .iter()
            .map(|test| match test {
                Test::Id(_) => 10_000,
                Test::Class(_) | Test::Attribute(..) => 100,
                Test::Tag(_) => 1,
            })
            .sum::<u32>();
        // The step that leads to this part belongs to it once the order is turned around.
        parts.push(Part { tests, child });
        child = false;
    }
    if parts.is_empty() || parts.len() > MOST_PARTS {
        return None;
    }
    parts.reverse();
    Some((parts, weight))
}

fn parse_part(word: &str) -> Option<Vec<Test>> {
    let mut tests = Vec::new();
    let mut rest = word;
    while !rest.is_empty() {
        let (kind, body) = match rest.as_bytes()[0] {
            kind @ (b'.' | b'#' | b'[') => (kind, &rest[1..]),
            _ => (b' ', rest),
        };
        if kind == b'[' {
            let end = body.find(']')?;
            let (name, value) = match body[..end].split_once('=') {
                Some((name, value)) => (name, Some(value.trim_matches(['"', '\'']).to_owned())),
                None => (&body[..end], None),
            };
            if name.ends_with(['^', '$', '*', '~', '|']) {
                return None;
            }
            tests.push(Test::Attribute(name.trim().to_ascii_lowercase(), value));
            rest = &body[end + 1..];
            continue;
        }
        let end = body.find(['.', '#', '[']).unwrap_or(body.len());
        let name = body[..end].to_owned();
        if name.is_empty() {
            return None;
        }
        tests.push(match kind {
            b'.' => Test::Class(name),
            b'#' => Test::Id(name),
            _ => Test::Tag(name.to_ascii_lowercase()),
        });
        rest = &body[end..];
    }
    Some(tests)
}

fn for_every_screen(media: &str) -> bool {
    let media = media.trim().to_ascii_lowercase();
    matches!(media.as_str(), "" | "all" | "screen" | "only screen")
}

fn without_comments(css: &str) -> String {
    let mut plain = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(start) = rest.find("/*") {
        plain.push_str(&rest[..start]);
        rest = rest[start + 2..].find("*/").map_or("", |end| &rest[start + 2 + end + 2..]);
    }
    plain.push_str(rest);
    plain
}

/// What follows the block whose opening brace was just passed.
fn beyond_block(css: &str) -> &str {
    let mut depth = 1;
    for (at, byte) in css.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &css[at + 1..];
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_that_hide_are_told_from_those_that_do_not() {
        for style in [
            "display:none",
            "color:red; DISPLAY : none !important",
            "visibility: hidden",
            "font-size:0",
            "font-size: 0px",
            "font-size:1px",
            "position:absolute;left:-9999px",
            "position: absolute; top: -10000em",
            "text-indent:-9999px",
            "opacity:0",
            "opacity: 0.0",
            "clip-path: inset(50%)",
            "position:absolute;clip:rect(0,0,0,0)",
            "width:1px;height:1px;overflow:hidden",
            "height:0;overflow:hidden",
            "color:#fff;background:#fff",
            "transform: translateX(-9999px)",
        ] {
            assert!(looks(style).hides(), "{style}");
        }
        for style in [
            "",
            "display:block",
            "opacity:0.5",
            "font-size:12px",
            "font-size:1em",
            "font-size:1rem",
            "font-size:100%",
            "margin-left:-20px",
            "position:absolute;left:0",
            "height:1px",
            "width:0",
            "color:#000;background:#fff",
            "overflow:hidden",
            "max-width:100%",
        ] {
            assert!(!looks(style).hides(), "{style}");
        }
    }

    fn hidden(css: &str, body: &str) -> bool {
        let dom = Dom::parse(&format!("<style>{css}</style><body class=b>{body}"));
        let sheet = Sheet::of(&dom);
        let id = dom.subtree(0).find(|&id| dom.attr(id, "id") == Some("x")).unwrap();
        sheet.looks_of(&dom, id).hides()
    }

    #[test]
    fn sheets_of_the_page_count_with_their_cascade() {
        let x = "<div class='a c'><p id=x class='t u'>x</p></div>";
        assert!(hidden(".t{display:none}", x));
        assert!(hidden("p.t , q {color:red;display:none}", x));
        assert!(hidden("#x{visibility:hidden}", x));
        assert!(hidden(".a .t{position:absolute;left:-999px}", x));
        assert!(hidden("div > p{font-size:0}", x));
        assert!(hidden("/* } */ @import 'x'; .t{display:none}", x));
        assert!(hidden("@media screen{.t{display:none}}", x));
        assert!(hidden("p[id=x]{display:none}", x));
        assert!(!hidden("@media print{.t{display:none}}", x));
        assert!(!hidden("@media (max-width:3px){.t{display:none}} .u{color:red}", x));
        assert!(!hidden(".t{display:none} .t.u{display:block}", x));
        assert!(!hidden(".t{display:none} .t{display:block}", x));
        assert!(hidden(".t{display:none!important} .t.u{display:block}", x));
        assert!(!hidden(".t:hover{display:none}", x));
        assert!(!hidden("body > p{display:none}", x));
        assert!(!hidden(".none .t{display:none}", x));
    }
}
