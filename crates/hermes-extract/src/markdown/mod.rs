//! The chosen part of a page as Markdown.
//!
//! Blocks are written one after the other into a [`Flow`]; text between them gathers in a [`Line`] until the next block
//! begins. Elements that only group (`div`, `section`, an `a` around a whole card) write into the flow they stand in, so
//! that nothing is copied for them; quotes, lists and cells have flows of their own.

mod code;
mod inline;
mod line;
mod links;
mod lists;
mod table;

use url::Url;

use crate::dom::{Dom, NodeId};
pub(crate) use line::Line;

/// How deep quotes and lists are shown inside each other; what is deeper stands on the last level.
const DEEPEST: usize = 12;

/// Nodes of an element looked at for its first letters.
const LOOKED_AT: usize = 64;

/// Elements that begin a line of their own.
pub(crate) const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "center",
    "details",
    "dd",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "html",
    "legend",
    "li",
    "listing",
    "main",
    "menu",
    "nav",
    "ol",
    "p",
    "plaintext",
    "pre",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
    "xmp",
    "caption",
];

/// Something that stands by itself.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Block {
    Text(String),
    List(String),
    Rule,
    Other(String),
}

/// Blocks in the making.
#[derive(Default)]
pub(crate) struct Flow {
    blocks: Vec<Block>,
    line: Line,
    /// The address of a link around several blocks, until the first of them takes it.
    link: Option<String>,
    depth: usize,
}

/// Writes parts of one page.
pub(crate) struct Writer<'d> {
    dom: &'d Dom,
    dropped: &'d [bool],
    base: &'d Url,
    /// Nodes with a block somewhere below them.
    holds_block: Vec<bool>,
}

impl<'d> Writer<'d> {
    pub(crate) fn new(dom: &'d Dom, dropped: &'d [bool], base: &'d Url) -> Self {
        let mut holds_block = vec![false; dom.len()];
        let order: Vec<NodeId> = dom.subtree(0).collect();
        for &id in order.iter().rev() {
            if dropped[id] {
                holds_block[id] = false;
            } else if (holds_block[id] || dom.is(id, BLOCKS))
                && let Some(parent) = dom.parent(id)
            {
                holds_block[parent] = true;
            }
        }
        Self { dom, dropped, base, holds_block }
    }

    /// The Markdown of an element's inside.
    pub(crate) fn write(&self, heading: Option<NodeId>, root: NodeId) -> String {
        let mut flow = Flow::default();
        if let Some(heading) = heading {
            self.block(heading, "h1", &mut flow);
        }
        if self.dom.is(root, BLOCKS)
            && !self.dom.is(root, &["body", "div", "main", "article", "section", "html"])
        {
            self.node(root, &mut flow);
        } else {
            self.children(root, &mut flow);
        }
        flow.end();
        joined(flow.blocks)
    }

    fn is_dropped(&self, id: NodeId) -> bool {
        self.dropped[id]
    }

    fn children(&self, id: NodeId, flow: &mut Flow) {
        let apart = self.sets_apart(id);
        for child in self.dom.children(id) {
            if apart && self.says_something(child) {
                flow.line.seam();
            }
            self.node(child, flow);
        }
    }

    /// Whether what stands in an element side by side is set apart by styles: it holds no words of its own, only elements.
    pub(super) fn sets_apart(&self, id: NodeId) -> bool {
        const HOLDERS: &[&str] = &[
            "div",
            "li",
            "header",
            "footer",
            "section",
            "article",
            "main",
            "aside",
            "nav",
            "label",
            "figcaption",
            "fieldset",
            "address",
            "summary",
        ];
        const PARTS: &[&str] = &["time", "a", "label", "img", "button", "bdi"];
        let dom = self.dom;
        let holder = dom.is(id, HOLDERS);
        if !holder && !dom.is(id, &["span"]) {
            return false;
        }
        let (mut elements, mut letters, mut parts) = (0, 0, false);
        for child in dom.children(id).filter(|&child| !self.is_dropped(child)) {
            if let Some(text) = dom.text(child) {
                if !text.trim().is_empty() {
                    return false;
                }
                continue;
            }
            if dom.is(child, &["wbr", "sup", "sub", "br", "rt", "rp"]) {
                return false;
            }
            elements += 1;
            parts |= dom.is(child, PARTS);
            // Letters that move one by one are still one word.
            letters += usize::from(self.is_one_letter(child));
        }
        elements >= 2 && letters < 2 && (holder || parts)
    }

    /// Whether an element holds words; pictures touch each other as they please.
    pub(super) fn says_something(&self, id: NodeId) -> bool {
        self.dom.tag(id).is_some()
            && self
                .dom
                .subtree(id)
                .take(LOOKED_AT)
                .any(|below| self.dom.text(below).is_some_and(|text| !text.trim().is_empty()))
    }

    fn is_one_letter(&self, id: NodeId) -> bool {
        let mut letters = self
            .dom
            .subtree(id)
            .take(LOOKED_AT)
            .filter_map(|below| self.dom.text(below))
            .flat_map(str::chars);
        letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
    }

    fn node(&self, id: NodeId, flow: &mut Flow) {
        if self.is_dropped(id) {
            return;
        }
        let Some(tag) = self.dom.tag(id) else {
            if let Some(text) = self.dom.text(id) {
                flow.line.text(text);
            }
            return;
        };
        if BLOCKS.contains(&tag) || self.dom.attr(id, "role") == Some("heading") {
            self.block(id, tag, flow);
        } else if tag == "a" && self.holds_block[id] && !self.says_something(id) {
            // A picture that leads somewhere, in boxes that only hold it.
            flow.end();
            self.inline(id, tag, &mut flow.line, inline::Marks::default());
            flow.end();
        } else if tag == "a" && self.holds_block[id] {
            flow.end();
            let outer = flow.link.take();
            flow.link = self.link_of(id);
            self.children(id, flow);
            flow.end();
            flow.link = outer;
        } else if tag == "math" && self.dom.attr(id, "display") == Some("block") {
            flow.end();
            let formula = self.formula(id);
            if !formula.is_empty() {
                flow.blocks.push(Block::Other(format!("$$\n{formula}\n$$")));
            }
        } else if tag == "code" && !self.holds_block[id] && self.is_lines_of_code(id) {
            flow.end();
            flow.push_code(self.fenced(id));
        } else if self.holds_block[id] {
            self.children(id, flow);
        } else {
            self.inline(id, tag, &mut flow.line, inline::Marks::default());
        }
    }

    fn block(&self, id: NodeId, tag: &str, flow: &mut Flow) {
        flow.end();
        match tag {
            "hr" => flow.blocks.push(Block::Rule),
            "pre" | "listing" | "xmp" | "plaintext" => flow.push_code(self.fenced(id)),
            "ul" | "ol" | "menu" | "dir" => self.list(id, tag == "ol", flow),
            "dl" => self.definitions(id, flow),
            "li" => self.stray_item(id, flow),
            "table" => self.table(id, flow),
            "blockquote" => self.quote(id, flow),
            _ => match self.heading_level(id, tag) {
                Some(level) => self.heading(id, level, flow),
                None => self.children(id, flow),
            },
        }
        flow.end();
    }

    fn heading_level(&self, id: NodeId, tag: &str) -> Option<usize> {
        if let ["h", digit] = [tag.get(..1)?, tag.get(1..)?]
            && let Ok(level @ 1..=6) = digit.parse()
        {
            return Some(level);
        }
        if self.dom.attr(id, "role") != Some("heading") {
            return None;
        }
        let level = self.dom.attr(id, "aria-level").and_then(|level| level.trim().parse().ok());
        Some(level.unwrap_or(2).clamp(1, 6))
    }

    fn heading(&self, id: NodeId, level: usize, flow: &mut Flow) {
        if self.dom.subtree(id).any(|below| {
            self.dom.is(below, &["table", "ul", "ol", "pre", "blockquote"])
                && !self.is_dropped(below)
        }) {
            // A heading that was never closed, with the rest of the page inside.
            self.children(id, flow);
            return;
        }
        let text = self.heading_text(id);
        if text.is_empty() {
            return;
        }
        let text = match flow.link.take() {
            Some(link) if !text.contains("](") => format!("[{text}]({link})"),
            _ => text,
        };
        flow.blocks.push(Block::Other(format!("{} {text}", "#".repeat(level))));
    }

    /// The words of a heading on one line, without the marks it has anyway.
    pub(crate) fn heading_text(&self, id: NodeId) -> String {
        let mut line = Line::default();
        self.flat(id, &mut line, inline::Marks::in_heading());
        line.one_line()
    }

    /// The words of a heading without any marks.
    pub(crate) fn plain_heading(&self, id: NodeId) -> String {
        let mut text = String::new();
        let mut walk = self.dom.subtree(id);
        while let Some(below) = walk.next() {
            if self.is_dropped(below) || self.dom.is(below, &["a"]) && self.is_self_link(below) {
                walk.leave(below);
            } else if let Some(letters) = self.dom.text(below) {
                text.push_str(letters);
            } else if self.dom.is(below, &["br"]) {
                text.push(' ');
            }
        }
        text.retain(|letter| !matches!(letter, '\u{ad}' | '\u{200b}' | '\u{feff}'));
        crate::title::collapsed(&text)
    }

    fn quote(&self, id: NodeId, flow: &mut Flow) {
        if flow.depth >= DEEPEST {
            return self.children(id, flow);
        }
        let blocks = self.inner(id, flow.depth);
        let text = joined(blocks);
        if !text.is_empty() {
            let quoted: Vec<String> = text
                .lines()
                .map(|line| if line.is_empty() { ">".to_owned() } else { format!("> {line}") })
                .collect();
            flow.blocks.push(Block::Other(quoted.join("\n")));
        }
    }

    /// The blocks inside an element, in a flow of their own.
    fn inner(&self, id: NodeId, depth: usize) -> Vec<Block> {
        let mut flow = Flow { depth: depth + 1, ..Flow::default() };
        self.children(id, &mut flow);
        flow.end();
        flow.blocks
    }
}

impl Flow {
    /// Ends the text at hand.
    fn end(&mut self) {
        if self.line.is_empty() {
            return;
        }
        let line = std::mem::take(&mut self.line);
        for text in line.paragraphs() {
            let fits = !text.contains("](") && !text.contains('\n');
            let text = match self.link.take_if(|_| fits) {
                Some(link) => format!("[{text}]({link})"),
                None => text,
            };
            self.blocks.push(Block::Text(text));
        }
    }

    fn push_code(&mut self, code: Option<String>) {
        if let Some(code) = code {
            self.blocks.push(Block::Other(code));
        }
    }
}

impl Block {
    fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::List(text) | Self::Other(text) => text,
            Self::Rule => "---",
        }
    }
}

/// Blocks with blank lines between them; rules at the ends and twice in a row say nothing.
pub(crate) fn joined(blocks: Vec<Block>) -> String {
    let mut text = String::new();
    let mut rule = false;
    for block in blocks {
        if block == Block::Rule {
            rule = !text.is_empty();
            continue;
        }
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        if std::mem::take(&mut rule) {
            text.push_str("---\n\n");
        }
        text.push_str(block.text());
    }
    text
}

/// Every line but the first moved to the right; empty ones stay empty.
fn indented(text: &str, by: usize) -> String {
    let blanks = " ".repeat(by);
    let mut out = String::with_capacity(text.len());
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            out.push('\n');
            if !line.is_empty() {
                out.push_str(&blanks);
            }
        }
        out.push_str(line);
    }
    out
}
