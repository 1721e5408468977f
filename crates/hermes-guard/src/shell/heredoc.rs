//! Bodies of heredocs.

use std::borrow::Cow;

use super::scan::{ParseResult, Parser};
use super::tree::{Heredoc, PartKind, Quoting, ShellWord, Span, WordPart};

impl<'a> Parser<'a> {
    /// Notes that a body follows at the next end of line.
    pub(super) fn expect_heredoc(&mut self, target: &ShellWord<'a>, strip_tabs: bool) -> usize {
        let index = self.heredocs.len();
        self.heredocs.push(Heredoc {
            span: Span::new(self.pos, self.pos),
            delimiter: target.literal().unwrap_or(Cow::Borrowed(target.text)),
            quoted: target.is_quoted(),
            strip_tabs,
            closed: false,
            parts: Vec::new(),
        });
        self.pending.push(index);
        index
    }

    /// Reads the bodies that begin here, in the order of their operators. A body that never ends
    /// reaches to the end of the text, as it does for a shell.
    pub(super) fn read_heredocs(&mut self) -> ParseResult<()> {
        for index in std::mem::take(&mut self.pending) {
            let span = self.heredoc_body(index);
            let parts = match self.heredocs[index].quoted {
                true => vec![WordPart {
                    span,
                    quoting: Quoting::Single,
                    kind: PartKind::Literal(Cow::Borrowed(self.text(span.start, span.end))),
                }],
                false => self.within(span, |parser| {
                    let mut parts = Vec::new();
                    parser.expandable(&mut parts, None)?;
                    Ok(parts)
                })?,
            };
            let heredoc = &mut self.heredocs[index];
            (heredoc.span, heredoc.parts) = (span, parts);
        }
        Ok(())
    }

    /// Steps over a body and the line that ends it.
    fn heredoc_body(&mut self, index: usize) -> Span {
        let start = self.pos;
        let Heredoc { delimiter, strip_tabs, .. } = &self.heredocs[index];
        while self.pos < self.end {
            let line_start = self.pos;
            let rest = &self.bytes[line_start..self.end];
            let len = memchr::memchr(b'\n', rest);
            let mut line = &rest[..len.unwrap_or(rest.len())];
            self.pos = len.map_or(self.end, |len| line_start + len + 1);
            if *strip_tabs {
                while let [b'\t', inner @ ..] = line {
                    line = inner;
                }
            }
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line == delimiter.as_bytes() {
                self.heredocs[index].closed = true;
                return Span::new(start, line_start);
            }
        }
        Span::new(start, self.end)
    }
}
