//! An answer as a tree.

use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// Deeper nesting than this is flattened: no person writes it, and no platform shows it.
const MAX_DEPTH: usize = 16;

/// A parsed answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// From top to bottom.
    pub blocks: Vec<DocumentBlock>,
}

/// What stands below each other.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum DocumentBlock {
    Paragraph(Vec<Inline>),
    Heading { level: u8, text: Vec<Inline> },
    Code { language: String, text: String },
    Quote(Vec<DocumentBlock>),
    List { start: Option<u64>, items: Vec<ListPoint> },
    Table(TableBlock),
    Rule,
}

/// What stands behind one bullet or number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListPoint {
    /// Whether it is ticked, if it can be.
    pub checked: Option<bool>,
    /// What it says.
    pub blocks: Vec<DocumentBlock>,
}

/// Rows of cells below a header; rows may be shorter than it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableBlock {
    /// The first row.
    pub header: Vec<Vec<Inline>>,
    /// The others.
    pub rows: Vec<Vec<Vec<Inline>>>,
    /// Which columns are set to the right.
    pub right: Vec<bool>,
}

/// What stands beside each other.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Inline {
    Text(String),
    Code(String),
    Strong(Vec<Inline>),
    Emphasis(Vec<Inline>),
    Strike(Vec<Inline>),
    Link { url: String, text: Vec<Inline> },
    Image { url: String, alt: String },
    SoftBreak,
    HardBreak,
}

impl Document {
    /// Parses Markdown. Everything is some document: what is no markup is text.
    #[must_use]
    pub fn parse(markdown: &str) -> Self {
        let options =
            Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
        let mut builder = Builder::default();
        for event in Parser::new_ext(markdown, options) {
            builder.take(event);
        }
        Self { blocks: builder.finish() }
    }

    /// A document that says this and nothing else, without any markup.
    #[must_use]
    pub fn literal(text: &str) -> Self {
        let mut inlines = Vec::new();
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                inlines.push(Inline::HardBreak);
            }
            inlines.push(Inline::Text(line.to_owned()));
        }
        Self { blocks: vec![DocumentBlock::Paragraph(inlines)] }
    }
}

/// The words of inlines, without their looks.
pub(super) fn words(inlines: &[Inline]) -> String {
    let mut text = String::new();
    collect_words(inlines, &mut text);
    text
}

fn collect_words(inlines: &[Inline], text: &mut String) {
    for inline in inlines {
        match inline {
            Inline::Text(more) | Inline::Code(more) => text.push_str(more),
            Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Strike(inner) => {
                collect_words(inner, text);
            }
            Inline::Link { text: inner, .. } => collect_words(inner, text),
            Inline::Image { alt, .. } => text.push_str(alt),
            Inline::SoftBreak | Inline::HardBreak => text.push(' '),
        }
    }
}

/// Something that is open while events are read.
#[derive(Debug)]
enum Open {
    Paragraph,
    Heading(u8),
    Code {
        language: String,
        text: String,
    },
    Quote(Vec<DocumentBlock>),
    List {
        start: Option<u64>,
        items: Vec<ListPoint>,
    },
    Item {
        checked: Option<bool>,
        blocks: Vec<DocumentBlock>,
    },
    Table(TableBlock),
    Head,
    Row(Vec<Vec<Inline>>),
    Cell,
    Strong,
    Emphasis,
    Strike,
    Link(String),
    Image(String),
    /// Too deep or of no use here: what is inside joins what is around it.
    Through,
}

#[derive(Default)]
struct Builder {
    blocks: Vec<DocumentBlock>,
    open: Vec<Open>,
    /// Inlines of what is open, innermost last.
    inlines: Vec<Vec<Inline>>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(text) => self.inline(Inline::Code(text.into_string())),
            // Tags of HTML are shown as they are written: nobody here draws them.
            Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::SoftBreak => self.inline(Inline::SoftBreak),
            Event::HardBreak => self.inline(Inline::HardBreak),
            Event::Rule => self.block(DocumentBlock::Rule),
            Event::TaskListMarker(is_checked) => {
                let item = self.open.iter_mut().rev().find_map(|open| match open {
                    Open::Item { checked, .. } => Some(checked),
                    _ => None,
                });
                if let Some(checked) = item {
                    *checked = Some(is_checked);
                }
            }
            Event::FootnoteReference(text) => self.text(&text),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        if self.open.len() >= MAX_DEPTH {
            self.open.push(Open::Through);
            return;
        }
        // Text may stand in an item or quote without a paragraph around it.
        let is_block = matches!(
            tag,
            Tag::Paragraph
                | Tag::Heading { .. }
                | Tag::BlockQuote(_)
                | Tag::CodeBlock(_)
                | Tag::List(_)
                | Tag::Item
                | Tag::Table(_)
                | Tag::HtmlBlock
        );
        if is_block {
            self.flush();
        }
        let open = match tag {
            Tag::Paragraph | Tag::HtmlBlock => Open::Paragraph,
            Tag::Heading { level, .. } => Open::Heading(level as u8),
            Tag::BlockQuote(_) => Open::Quote(Vec::new()),
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => {
                        info.split([' ', ',']).next().unwrap_or_default().to_owned()
                    }
                    CodeBlockKind::Indented => String::new(),
                };
                Open::Code { language, text: String::new() }
            }
            Tag::List(start) => Open::List { start, items: Vec::new() },
            Tag::Item => Open::Item { checked: None, blocks: Vec::new() },
            Tag::Table(alignment) => {
                let right = alignment.iter().map(|one| *one == Alignment::Right).collect();
                Open::Table(TableBlock { right, ..TableBlock::default() })
            }
            Tag::TableHead => Open::Head,
            Tag::TableRow => Open::Row(Vec::new()),
            Tag::TableCell => Open::Cell,
            Tag::Strong => Open::Strong,
            Tag::Emphasis => Open::Emphasis,
            Tag::Strikethrough => Open::Strike,
            Tag::Link { dest_url, .. } => Open::Link(dest_url.into_string()),
            Tag::Image { dest_url, .. } => Open::Image(dest_url.into_string()),
            _ => Open::Through,
        };
        if matches!(
            open,
            Open::Paragraph
                | Open::Heading(_)
                | Open::Item { .. }
                | Open::Quote(_)
                | Open::Cell
                | Open::Strong
                | Open::Emphasis
                | Open::Strike
                | Open::Link(_)
                | Open::Image(_)
        ) {
            self.inlines.push(Vec::new());
        }
        if matches!(open, Open::Head) {
            self.open.push(Open::Row(Vec::new()));
            return;
        }
        self.open.push(open);
    }

    fn end(&mut self, tag: TagEnd) {
        if matches!(tag, TagEnd::Item | TagEnd::BlockQuote(_)) {
            self.flush();
        }
        let Some(open) = self.open.pop() else { return };
        let inner = |this: &mut Self| this.inlines.pop().unwrap_or_default();
        match open {
            Open::Through | Open::Head => {}
            Open::Paragraph => {
                let text = inner(self);
                if !text.is_empty() {
                    self.block(DocumentBlock::Paragraph(text));
                }
            }
            Open::Heading(level) => {
                let text = inner(self);
                self.block(DocumentBlock::Heading { level, text });
            }
            Open::Code { language, text } => self.block(DocumentBlock::Code { language, text }),
            Open::Quote(blocks) => {
                inner(self);
                self.block(DocumentBlock::Quote(blocks));
            }
            Open::List { start, items } => self.block(DocumentBlock::List { start, items }),
            Open::Item { checked, blocks } => {
                inner(self);
                if let Some(Open::List { items, .. }) = self.open.last_mut() {
                    items.push(ListPoint { checked, blocks });
                }
            }
            Open::Table(table) => self.block(DocumentBlock::Table(table)),
            Open::Row(cells) => {
                let is_head = matches!(tag, TagEnd::TableHead);
                if let Some(Open::Table(table)) = self.open.last_mut() {
                    if is_head {
                        table.header = cells;
                    } else {
                        table.rows.push(cells);
                    }
                }
            }
            Open::Cell => {
                let text = inner(self);
                if let Some(Open::Row(cells)) = self.open.last_mut() {
                    cells.push(text);
                }
            }
            Open::Strong => {
                let text = inner(self);
                self.inline(Inline::Strong(text));
            }
            Open::Emphasis => {
                let text = inner(self);
                self.inline(Inline::Emphasis(text));
            }
            Open::Strike => {
                let text = inner(self);
                self.inline(Inline::Strike(text));
            }
            Open::Link(url) => {
                let text = inner(self);
                self.inline(Inline::Link { url, text });
            }
            Open::Image(url) => {
                let alt = words(&inner(self));
                self.inline(Inline::Image { url, alt });
            }
        }
    }

    fn text(&mut self, text: &str) {
        let code = self.open.iter_mut().rev().find_map(|open| match open {
            Open::Code { text, .. } => Some(text),
            _ => None,
        });
        match code {
            Some(code) => code.push_str(text),
            None => self.inline(Inline::Text(text.to_owned())),
        }
    }

    fn inline(&mut self, inline: Inline) {
        if self.inlines.is_empty() {
            self.block(DocumentBlock::Paragraph(vec![inline]));
            return;
        }
        if let Some(place) = self.inlines.last_mut() {
            match (place.last_mut(), inline) {
                (Some(Inline::Text(before)), Inline::Text(more)) => before.push_str(&more),
                (_, inline) => place.push(inline),
            }
        }
    }

    /// What stands directly in an item or a quote becomes a paragraph of it.
    fn flush(&mut self) {
        let holds_blocks = matches!(self.open.last(), Some(Open::Item { .. } | Open::Quote(_)));
        if !holds_blocks {
            return;
        }
        if let Some(text) = self.inlines.last_mut().map(std::mem::take)
            && !text.is_empty()
        {
            self.block(DocumentBlock::Paragraph(text));
        }
    }

    fn block(&mut self, block: DocumentBlock) {
        let place = self.open.iter_mut().rev().find_map(|open| match open {
            Open::Quote(blocks) | Open::Item { blocks, .. } => Some(blocks),
            _ => None,
        });
        place.unwrap_or(&mut self.blocks).push(block);
    }

    fn finish(mut self) -> Vec<DocumentBlock> {
        while !self.open.is_empty() {
            self.end(TagEnd::Paragraph);
        }
        self.blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Inline {
        Inline::Text(text.to_owned())
    }

    #[test]
    fn stars_between_numbers_are_stars() {
        let document = Document::parse("2 * 3 * 4 and snake_case_name");
        assert_eq!(
            document.blocks,
            [DocumentBlock::Paragraph(vec![text("2 * 3 * 4 and snake_case_name")])]
        );
    }

    #[test]
    fn lists_tables_and_code_keep_their_parts() {
        let document = Document::parse(
            "1. one\n2. two\n   - [x] in\n\n~~~rust x\n  a\n~~~\n\n|a|b|\n|-|-:|\n|1|2|\n",
        );
        let [
            DocumentBlock::List { start: Some(1), items },
            DocumentBlock::Code { language, text: code },
            DocumentBlock::Table(table),
        ] = document.blocks.as_slice()
        else {
            panic!("{document:?}")
        };
        assert_eq!(items.len(), 2);
        let Some(DocumentBlock::List { items: inner, .. }) = items[1].blocks.get(1) else {
            panic!("{items:?}")
        };
        assert_eq!(inner[0].checked, Some(true));
        assert_eq!((language.as_str(), code.as_str()), ("rust", "  a\n"));
        assert_eq!(table.header, [vec![text("a")], vec![text("b")]]);
        assert_eq!((table.rows.len(), table.right.as_slice()), (1, [false, true].as_slice()));
    }
}
