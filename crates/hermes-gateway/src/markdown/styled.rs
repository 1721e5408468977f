//! Text beside ranges that say how it looks. No marks, hence nothing to escape and nothing that can break.

use super::document::{Document, DocumentBlock, Inline, ListPoint, words};
use super::table::{aligned, as_lines};
use super::{Rendered, TableBlock};

/// The widest table that is shown in columns; narrower than a telephone held upright.
const MAX_TABLE: usize = 40;

/// How a range of text looks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum StyleKind {
    Bold,
    Italic,
    Strike,
    Code,
    Pre { language: String },
    Link { url: String },
    Quote,
}

/// A range of text that looks different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StyleSpan {
    /// Where it begins.
    pub start: usize,
    /// How long it is.
    pub length: usize,
    /// How it looks.
    pub kind: StyleKind,
}

/// Text with ranges, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StyledText {
    /// What is read, without a mark in it.
    pub text: String,
    /// Ranges, outer ones before those inside them.
    pub spans: Vec<StyleSpan>,
}

impl StyledText {
    /// The ranges counted in UTF-16 units.
    #[must_use]
    pub fn utf16_spans(&self) -> Vec<StyleSpan> {
        let units = |bytes: usize| -> usize {
            let before = self.text.get(..bytes).unwrap_or(&self.text);
            before.chars().map(char::len_utf16).sum()
        };
        self.spans
            .iter()
            .map(|span| {
                let start = units(span.start);
                let length = units(span.start + span.length) - start;
                StyleSpan { start, length, kind: span.kind.clone() }
            })
            .filter(|span| span.length > 0)
            .collect()
    }

    /// As a message whose ranges count UTF-16 units.
    #[must_use]
    pub fn into_rendered(self) -> Rendered {
        let spans = self.utf16_spans();
        Rendered { text: self.text, spans, html: None }
    }
}

/// What becomes of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Links {
    /// A range of their text.
    Ranges,
    /// Their address behind their text.
    Spelt,
}

/// A document as text with ranges.
#[must_use]
pub fn styled(document: &Document) -> StyledText {
    write(document, Links::Ranges)
}

pub(super) fn write(document: &Document, links: Links) -> StyledText {
    let mut writer = Writer { out: StyledText::default(), indent: 0, links, quotes: 0 };
    writer.blocks(&document.blocks, "\n\n");
    let kept = writer.out.text.trim_end().len();
    writer.out.text.truncate(kept);
    for span in &mut writer.out.spans {
        span.length = span.length.min(kept.saturating_sub(span.start));
    }
    writer.out.spans.retain(|span| span.length > 0);
    writer.out.spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.length)));
    writer.out
}

struct Writer {
    out: StyledText,
    indent: usize,
    links: Links,
    quotes: usize,
}

impl Writer {
    fn push(&mut self, text: &str) {
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                self.line();
            }
            self.out.text.push_str(line);
        }
    }

    /// A new line, with what stands before it here.
    fn line(&mut self) {
        self.out.text.push('\n');
        if self.links == Links::Spelt {
            for _ in 0..self.quotes {
                self.out.text.push_str("> ");
            }
        }
        for _ in 0..self.indent {
            self.out.text.push(' ');
        }
    }

    fn span(&mut self, kind: StyleKind, write: impl FnOnce(&mut Self)) {
        let start = self.out.text.len();
        write(self);
        let length = self.out.text.len() - start;
        if length > 0 {
            self.out.spans.push(StyleSpan { start, length, kind });
        }
    }

    fn blocks(&mut self, blocks: &[DocumentBlock], between: &str) {
        for (at, block) in blocks.iter().enumerate() {
            if at > 0 {
                self.push(between);
            }
            self.block(block);
        }
    }

    fn block(&mut self, block: &DocumentBlock) {
        match block {
            DocumentBlock::Paragraph(text) => self.inlines(text),
            DocumentBlock::Heading { text, .. } => {
                self.span(StyleKind::Bold, |this| this.inlines(text));
            }
            DocumentBlock::Code { language, text } => {
                let kind = StyleKind::Pre { language: language.clone() };
                // Nothing is put between the lines of code, wherever it stands.
                self.span(kind, |this| this.out.text.push_str(text.trim_end_matches('\n')));
            }
            DocumentBlock::Quote(blocks) => {
                if self.links == Links::Spelt {
                    self.out.text.push_str("> ");
                }
                self.quotes += 1;
                self.span(StyleKind::Quote, |this| this.blocks(blocks, "\n"));
                self.quotes -= 1;
            }
            DocumentBlock::List { start, items } => self.list(*start, items),
            DocumentBlock::Table(table) => self.table(table),
            DocumentBlock::Rule => self.push("———"),
        }
    }

    fn list(&mut self, start: Option<u64>, items: &[ListPoint]) {
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.line();
            }
            let mark = match (item.checked, start) {
                (Some(true), _) => "☑ ".to_owned(),
                (Some(false), _) => "☐ ".to_owned(),
                (None, Some(first)) => format!("{}. ", first.saturating_add(at as u64)),
                (None, None) => "• ".to_owned(),
            };
            self.push(&mark);
            let deeper = mark.chars().count();
            self.indent += deeper;
            self.blocks(&item.blocks, "\n");
            self.indent -= deeper;
        }
    }

    fn table(&mut self, table: &TableBlock) {
        match aligned(table, MAX_TABLE) {
            Some(text) => {
                let kind = StyleKind::Pre { language: String::new() };
                self.span(kind, |this| this.out.text.push_str(&text));
            }
            None => {
                for (at, (head, cell)) in as_lines(table).into_iter().enumerate() {
                    if at > 0 {
                        self.line();
                    }
                    match head {
                        Some(head) => {
                            self.span(StyleKind::Bold, |this| this.push(&head));
                            self.push(": ");
                            self.inlines(&cell);
                        }
                        None => self.inlines(&cell),
                    }
                }
            }
        }
    }

    fn inlines(&mut self, inlines: &[Inline]) {
        for inline in inlines {
            match inline {
                Inline::Text(text) => self.push(text),
                Inline::Code(text) => self.span(StyleKind::Code, |this| this.push(text)),
                Inline::Strong(inner) => self.span(StyleKind::Bold, |this| this.inlines(inner)),
                Inline::Emphasis(inner) => self.span(StyleKind::Italic, |this| this.inlines(inner)),
                Inline::Strike(inner) => self.span(StyleKind::Strike, |this| this.inlines(inner)),
                Inline::Link { url, text } => self.link(url, text),
                Inline::Image { url, alt } => {
                    let shown = if alt.is_empty() { url } else { alt };
                    self.link(url, &[Inline::Text(shown.clone())]);
                }
                Inline::SoftBreak | Inline::HardBreak => self.line(),
            }
        }
    }

    fn link(&mut self, url: &str, text: &[Inline]) {
        let shown = words(text);
        let says_itself = shown == url || format!("mailto:{shown}") == url;
        match self.links {
            _ if says_itself => self.push(&shown),
            Links::Ranges if is_web(url) => {
                self.span(StyleKind::Link { url: url.to_owned() }, |this| this.inlines(text));
            }
            Links::Ranges | Links::Spelt => {
                self.inlines(text);
                if !url.is_empty() {
                    self.push(&format!(" ({url})"));
                }
            }
        }
    }
}

fn is_web(url: &str) -> bool {
    ["http://", "https://", "tg://", "mailto:"].iter().any(|begin| url.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_count_utf16_units_and_code_is_untouched() {
        let markdown = "😀 **bold _both_** `a*b` [x](https://e.org)\n\n```py\n  if x:\n    y\n```";
        let message = styled(&Document::parse(markdown)).into_rendered();
        assert_eq!(message.text, "😀 bold both a*b x\n\n  if x:\n    y");
        let units: Vec<u16> = message.text.encode_utf16().collect();
        let of = |kind: &StyleKind| {
            let span = message.spans.iter().find(|span| span.kind == *kind).unwrap();
            String::from_utf16(&units[span.start..span.start + span.length]).unwrap()
        };
        assert_eq!(of(&StyleKind::Bold), "bold both");
        assert_eq!(of(&StyleKind::Italic), "both");
        assert_eq!(of(&StyleKind::Code), "a*b");
        assert_eq!(of(&StyleKind::Link { url: "https://e.org".into() }), "x");
        assert_eq!(of(&StyleKind::Pre { language: "py".into() }), "  if x:\n    y");
    }

    #[test]
    fn lists_are_indented_and_wide_tables_become_lines() {
        let text = styled(&Document::parse("- a\n  - b\n- [x] c")).text;
        assert_eq!(text, "• a\n  • b\n☑ c");
        let wide = format!("|Name|What|\n|-|-|\n|n|{}|", "w".repeat(60));
        let message = styled(&Document::parse(&wide));
        assert_eq!(message.text, format!("Name: n\nWhat: {}", "w".repeat(60)));
        let narrow = styled(&Document::parse("|a|n|\n|-|-:|\n|xx|7|\n|y|10|"));
        assert_eq!(narrow.text, "a  │  n\n───┼───\nxx │  7\ny  │ 10");
    }

    proptest::proptest! {
        #[test]
        fn ranges_are_always_inside_the_text(markdown in "[ -~\n*_`~#>|😀é-]{0,200}") {
            let message = styled(&Document::parse(&markdown));
            let whole = message.text.encode_utf16().count();
            for span in message.utf16_spans() {
                proptest::prop_assert!(span.length > 0 && span.start + span.length <= whole);
            }
        }
    }
}
