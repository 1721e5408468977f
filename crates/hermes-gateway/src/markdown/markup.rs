//! A document in the marks of a platform: `*bold*` here, `**bold**` there.

use super::document::{Document, DocumentBlock, Inline, ListPoint, words};
use super::table::{aligned, as_lines};

/// The widest table that is shown in columns.
const MAX_TABLE: usize = 60;

/// The marks of a platform.
#[derive(Clone, Copy, Debug)]
pub struct MarkupRules {
    /// Around bold text.
    pub bold: &'static str,
    /// Around text in italics.
    pub italic: &'static str,
    /// Around text that is struck out.
    pub strike: &'static str,
    /// Makes text harmless that is no markup. Not applied to code unless `escapes_code`.
    pub escape: fn(&str) -> String,
    /// Whether code is escaped as well.
    pub escapes_code: bool,
    /// A link of an address and a text that is escaped already.
    pub link: fn(&str, &str) -> String,
    /// Whether headings keep their number signs; otherwise they are bold.
    pub keeps_headings: bool,
    /// Whether code blocks say their language.
    pub names_languages: bool,
    /// What stands before a point of a list.
    pub bullet: &'static str,
}

impl MarkupRules {
    /// Markdown itself.
    pub const MARKDOWN: Self = Self {
        bold: "**",
        // An underscore within a word would be none.
        italic: "*",
        strike: "~~",
        escape: escape_markdown,
        escapes_code: false,
        link: |url, text| format!("[{text}]({url})"),
        keeps_headings: true,
        names_languages: true,
        bullet: "- ",
    };
}

/// Text that Markdown would take for marks, made to be shown as it is. Addresses and underscores within words stay.
fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, word) in text.split(' ').enumerate() {
        if at > 0 {
            out.push(' ');
        }
        if word.starts_with("http://") || word.starts_with("https://") {
            out.push_str(word);
            continue;
        }
        let mut before = ' ';
        let mut letters = word.chars().peekable();
        while let Some(letter) = letters.next() {
            let is_inside = before.is_alphanumeric()
                && letters.peek().is_some_and(|next| next.is_alphanumeric());
            let is_mark = match letter {
                '*' | '~' | '`' | '|' | '\\' => true,
                '_' => !is_inside,
                _ => false,
            };
            if is_mark {
                out.push('\\');
            }
            out.push(letter);
            before = letter;
        }
    }
    out
}

/// A document in a platform's marks.
#[must_use]
pub fn markup(document: &Document, rules: &MarkupRules) -> String {
    let mut writer = Writer { out: String::new(), rules, before: String::new() };
    writer.blocks(&document.blocks, "\n\n");
    writer.out.trim_end().to_owned()
}

struct Writer<'a> {
    out: String,
    rules: &'a MarkupRules,
    /// What stands before each further line here.
    before: String,
}

impl Writer<'_> {
    fn push(&mut self, text: &str) {
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                self.out.push('\n');
                self.out.push_str(&self.before);
            }
            self.out.push_str(line);
        }
    }

    fn within(&mut self, more: &str, write: impl FnOnce(&mut Self)) {
        let kept = self.before.len();
        self.before.push_str(more);
        write(self);
        self.before.truncate(kept);
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
            DocumentBlock::Heading { level, text } if self.rules.keeps_headings => {
                self.push(&format!("{} ", "#".repeat(usize::from(*level))));
                self.inlines(text);
            }
            DocumentBlock::Heading { text, .. } => {
                let shown = (self.rules.escape)(&words(text));
                self.marked(self.rules.bold, &shown);
            }
            DocumentBlock::Code { language, text } => self.code(language, text),
            DocumentBlock::Quote(blocks) => {
                self.push("> ");
                self.within("> ", |this| this.blocks(blocks, "\n"));
            }
            DocumentBlock::List { start, items } => self.list(*start, items),
            DocumentBlock::Table(table) => match aligned(table, MAX_TABLE) {
                Some(text) => self.code("", &text),
                None => {
                    for (at, (head, cell)) in as_lines(table).into_iter().enumerate() {
                        if at > 0 {
                            self.push("\n");
                        }
                        if let Some(head) = head {
                            let shown = (self.rules.escape)(&head);
                            self.marked(self.rules.bold, &shown);
                            self.push(": ");
                        }
                        self.inlines(&cell);
                    }
                }
            },
            DocumentBlock::Rule => self.push("———"),
        }
    }

    fn code(&mut self, language: &str, text: &str) {
        // Longer than any run of backticks inside, so that it ends where it should.
        let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        let language = if self.rules.names_languages { language } else { "" };
        let text = match self.rules.escapes_code {
            true => (self.rules.escape)(text),
            false => text.to_owned(),
        };
        self.push(&format!("{fence}{language}\n"));
        self.push(text.trim_end_matches('\n'));
        self.push(&format!("\n{fence}"));
    }

    fn list(&mut self, start: Option<u64>, items: &[ListPoint]) {
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.push("\n");
            }
            let mark = match (item.checked, start) {
                (Some(true), _) => "☑ ".to_owned(),
                (Some(false), _) => "☐ ".to_owned(),
                (None, Some(first)) => format!("{}. ", first.saturating_add(at as u64)),
                (None, None) => self.rules.bullet.to_owned(),
            };
            self.push(&mark);
            let deeper = " ".repeat(mark.chars().count());
            self.within(&deeper, |this| this.blocks(&item.blocks, "\n"));
        }
    }

    fn marked(&mut self, mark: &str, text: &str) {
        // A mark beside a blank is no mark.
        let core = text.trim();
        match core.is_empty() {
            true => self.push(text),
            false => {
                let (lead, trail) = text.split_once(core).unwrap_or_default();
                self.push(&format!("{lead}{mark}{core}{mark}{trail}"));
            }
        }
    }

    fn inner(&mut self, inlines: &[Inline]) -> String {
        let kept = std::mem::take(&mut self.out);
        self.inlines(inlines);
        std::mem::replace(&mut self.out, kept)
    }

    fn inlines(&mut self, inlines: &[Inline]) {
        for inline in inlines {
            match inline {
                Inline::Text(text) => self.push(&(self.rules.escape)(text)),
                Inline::Code(text) => {
                    let text = match self.rules.escapes_code {
                        true => (self.rules.escape)(text),
                        false => text.clone(),
                    };
                    let fence = if text.contains('`') { "``" } else { "`" };
                    self.push(&format!("{fence}{text}{fence}"));
                }
                Inline::Strong(inner) => {
                    let text = self.inner(inner);
                    self.marked_raw(self.rules.bold, &text);
                }
                Inline::Emphasis(inner) => {
                    let text = self.inner(inner);
                    self.marked_raw(self.rules.italic, &text);
                }
                Inline::Strike(inner) => {
                    let text = self.inner(inner);
                    self.marked_raw(self.rules.strike, &text);
                }
                Inline::Link { url, text } => {
                    let shown = self.inner(text);
                    let link = match shown == *url {
                        true => shown,
                        false => (self.rules.link)(url, &shown),
                    };
                    self.out.push_str(&link);
                }
                Inline::Image { url, alt } => {
                    let alt = if alt.is_empty() { url } else { alt };
                    let link = (self.rules.link)(url, &(self.rules.escape)(alt));
                    self.out.push_str(&link);
                }
                Inline::SoftBreak | Inline::HardBreak => self.push("\n"),
            }
        }
    }

    /// Text that has its indentation already.
    fn marked_raw(&mut self, mark: &str, text: &str) {
        self.out.push_str(&format!("{mark}{text}{mark}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_gets_its_own_marks_and_code_stays() {
        let slack = MarkupRules {
            bold: "*",
            italic: "_",
            strike: "~",
            escape: |text| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"),
            escapes_code: true,
            link: |url, text| format!("<{url}|{text}>"),
            keeps_headings: false,
            names_languages: false,
            bullet: "• ",
        };
        let document = Document::parse(
            "# T\n\n**a** _b_ ~~c~~ <!here> [l](https://e.org)\n\n- x\n  - y\n\n```rs\n  a && b\n```",
        );
        assert_eq!(
            markup(&document, &slack),
            "*T*\n\n*a* _b_ ~c~ &lt;!here&gt; <https://e.org|l>\n\n• x\n  • y\n\n```\n  a &amp;&amp; b\n```"
        );
        assert!(markup(&document, &MarkupRules::MARKDOWN).contains("```rs\n  a && b\n```"));
        let sum = Document::parse("2 * 3 snake_case https://e.org/a_b_ **x** 2*3*4");
        let shown = "2 \\* 3 snake_case https://e.org/a_b_ **x** 2*3*4";
        assert_eq!(markup(&sum, &MarkupRules::MARKDOWN), shown);
    }
}
