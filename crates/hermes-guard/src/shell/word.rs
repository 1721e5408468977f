//! Words and quotes.

use std::borrow::Cow;

use super::Error;
use super::context::WordContext;
use super::expansion::Dollar;
use super::scan::{ParseResult, Parser};
use super::tree::{PartKind, Quoting, ShellWord, Span, SubstitutionStyle, WordPart};

impl<'a> Parser<'a> {
    /// A word, empty when none begins here.
    pub(super) fn word(&mut self, place: WordContext) -> ParseResult<ShellWord<'a>> {
        let start = self.pos;
        let outer = place.quoting();
        let mut parts = Vec::new();
        let mut run = start;
        let mut group = 0_u32;
        while let Some(byte) = self.peek() {
            match byte {
                b'\'' if outer == Quoting::None => {
                    self.literal(&mut parts, run, outer)?;
                    self.single_quotes(&mut parts)?;
                }
                b'"' => {
                    self.literal(&mut parts, run, outer)?;
                    self.double_quotes(&mut parts)?;
                }
                b'\\' => {
                    self.literal(&mut parts, run, outer)?;
                    self.escape(&mut parts)?;
                }
                b'$' => {
                    let at = self.pos;
                    let dollar = self.dollar(outer)?;
                    if matches!(dollar, Dollar::Itself) {
                        continue;
                    }
                    self.literal_until(&mut parts, run, at, outer)?;
                    if let Dollar::Part(part) = dollar {
                        self.push(&mut parts, part)?;
                    }
                }
                b'`' => {
                    self.literal(&mut parts, run, outer)?;
                    let part = self.backticks(outer)?;
                    self.push(&mut parts, part)?;
                }
                b'<' | b'>' if self.peek_at(1) == Some(b'(') && outer == Quoting::None => {
                    self.literal(&mut parts, run, outer)?;
                    let part = self.process_substitution(byte)?;
                    self.push(&mut parts, part)?;
                }
                // Patterns such as `!(a|b)`.
                b'(' if group > 0 || self.opens_pattern(place, run) => {
                    group += 1;
                    self.pos += 1;
                    continue;
                }
                b')' if group > 0 => {
                    group -= 1;
                    self.pos += 1;
                    continue;
                }
                _ if group > 0 && !matches!(byte, b'\n' | b';') => {
                    self.pos += 1;
                    continue;
                }
                _ if place.ends_at(byte, self.peek_at(1)) => break,
                _ => {
                    self.pos += 1;
                    continue;
                }
            }
            run = self.pos;
        }
        if group > 0 {
            return Err(Error::Unclosed { what: "a pattern in brackets", at: start });
        }
        if !parts.is_empty() {
            self.literal(&mut parts, run, outer)?;
        }
        if self.pos > start {
            self.count_word()?;
        }
        Ok(self.word_from(start, parts))
    }

    fn opens_pattern(&self, place: WordContext, run: usize) -> bool {
        !matches!(place, WordContext::Braces { .. })
            && self.pos > run
            && matches!(self.bytes[self.pos - 1], b'?' | b'*' | b'+' | b'@' | b'!')
    }

    pub(super) fn push(
        &mut self,
        parts: &mut Vec<WordPart<'a>>,
        part: WordPart<'a>,
    ) -> ParseResult<()> {
        parts.push(part);
        self.count_part()
    }

    /// The text from `run` to here, if there is any.
    pub(super) fn literal(
        &mut self,
        parts: &mut Vec<WordPart<'a>>,
        run: usize,
        quoting: Quoting,
    ) -> ParseResult<()> {
        self.literal_until(parts, run, self.pos, quoting)
    }

    pub(super) fn literal_until(
        &mut self,
        parts: &mut Vec<WordPart<'a>>,
        run: usize,
        end: usize,
        quoting: Quoting,
    ) -> ParseResult<()> {
        if run >= end {
            return Ok(());
        }
        let kind = PartKind::Literal(Cow::Borrowed(self.text(run, end)));
        self.push(parts, WordPart { span: Span::new(run, end), quoting, kind })
    }

    fn single_quotes(&mut self, parts: &mut Vec<WordPart<'a>>) -> ParseResult<()> {
        let open = self.pos;
        let inside = &self.bytes[open + 1..self.end];
        let Some(len) = memchr::memchr(b'\'', inside) else {
            return Err(Error::Unclosed { what: "a single quote", at: open });
        };
        let span = Span::new(open + 1, open + 1 + len);
        let kind = PartKind::Literal(Cow::Borrowed(self.text(span.start, span.end)));
        self.pos = span.end + 1;
        self.quoted(open, Quoting::Single);
        self.push(parts, WordPart { span, quoting: Quoting::Single, kind })
    }

    pub(super) fn double_quotes(&mut self, parts: &mut Vec<WordPart<'a>>) -> ParseResult<()> {
        let open = self.pos;
        let before = parts.len();
        self.pos += 1;
        self.expandable(parts, Some(b'"'))?;
        if self.peek() != Some(b'"') {
            return Err(Error::Unclosed { what: "a double quote", at: open });
        }
        if parts.len() == before {
            let (span, kind) =
                (Span::new(self.pos, self.pos), PartKind::Literal(Cow::Borrowed("")));
            self.push(parts, WordPart { span, quoting: Quoting::Double, kind })?;
        }
        self.pos += 1;
        self.quoted(open, Quoting::Double);
        Ok(())
    }

    /// Text in which only `$`, backticks and backslashes are special: double quotes and heredocs.
    pub(super) fn expandable(
        &mut self,
        parts: &mut Vec<WordPart<'a>>,
        closer: Option<u8>,
    ) -> ParseResult<()> {
        let quoting = Quoting::Double;
        let mut run = self.pos;
        while let Some(byte) = self.peek() {
            match byte {
                _ if Some(byte) == closer => break,
                b'\\' => {
                    let next = self.peek_at(1);
                    let joined = self.continuation_len();
                    if joined > 0 {
                        self.literal(parts, run, quoting)?;
                        self.pos += joined;
                        run = self.pos;
                    } else if matches!(next, Some(b'$' | b'`' | b'\\')) || next == closer {
                        self.literal(parts, run, quoting)?;
                        run = self.pos + 1;
                        self.pos = (self.pos + 2).min(self.end);
                    } else {
                        self.pos += 1;
                    }
                }
                b'$' => {
                    let at = self.pos;
                    if let Dollar::Part(part) = self.dollar(quoting)? {
                        self.literal_until(parts, run, at, quoting)?;
                        self.push(parts, part)?;
                        run = self.pos;
                    }
                }
                b'`' => {
                    self.literal(parts, run, quoting)?;
                    let part = self.backticks(quoting)?;
                    self.push(parts, part)?;
                    run = self.pos;
                }
                _ => self.pos += 1,
            }
        }
        self.literal(parts, run, quoting)
    }

    /// A backslash with what it protects.
    fn escape(&mut self, parts: &mut Vec<WordPart<'a>>) -> ParseResult<()> {
        let joined = self.continuation_len();
        if joined > 0 {
            self.pos += joined;
            return Ok(());
        }
        let start = self.pos + 1;
        let len = self.source.get(start..self.end).and_then(|rest| rest.chars().next());
        self.pos = start + len.map_or(0, char::len_utf8);
        // At the very end a backslash means itself.
        let from = if self.pos > start { start } else { start - 1 };
        self.literal(parts, from, Quoting::Escaped)
    }

    fn process_substitution(&mut self, direction: u8) -> ParseResult<WordPart<'a>> {
        let start = self.pos;
        self.pos += 1;
        let style = match direction {
            b'<' => SubstitutionStyle::Input,
            _ => SubstitutionStyle::Output,
        };
        self.substitution(start, style, Quoting::None)
    }
}
