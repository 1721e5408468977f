//! The parser's place in the text, its budgets, and what lies between words.

use super::tree::{CommandList, Quoted, Quoting, ShellWord, Span};
use super::{Error, ParseLimits, ShellScript};

pub(super) type ParseResult<T> = Result<T, Error>;

/// Bytes that may be read a second time because a first reading was wrong, beyond the text itself.
const SPARE_WORK: usize = 4_096;

pub(super) struct Parser<'a> {
    pub(super) source: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) pos: usize,
    /// Where the text ends for what is being read (backticks and heredocs are read in place).
    pub(super) end: usize,
    limits: ParseLimits,
    pub(super) parts: u32,
    words: u32,
    commands: u32,
    depth: u32,
    reread: usize,
    /// Heredocs whose bodies begin at the next end of line.
    pub(super) pending: Vec<usize>,
    pub(super) heredocs: Vec<super::Heredoc<'a>>,
    pub(super) comments: Vec<Span>,
    pub(super) quotes: Vec<Quoted>,
    missing_command: Option<usize>,
}

/// What to return to when a reading turns out wrong.
pub(super) struct ParserMark {
    pos: usize,
    depth: u32,
    pending: usize,
    heredocs: usize,
    comments: usize,
    quotes: usize,
    missing_command: Option<usize>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(source: &'a str, limits: ParseLimits) -> Self {
        Self {
            source,
            bytes: source.as_bytes(),
            pos: 0,
            end: source.len(),
            limits,
            parts: 0,
            words: 0,
            commands: 0,
            depth: 0,
            reread: 0,
            pending: Vec::new(),
            heredocs: Vec::new(),
            comments: Vec::new(),
            quotes: Vec::new(),
            missing_command: None,
        }
    }

    /// Reads line by line, as a shell does: what was complete before an error has been run by then.
    pub(super) fn script(mut self) -> ShellScript<'a> {
        let mut root = CommandList::default();
        let error = self.top_level(&mut root).err();
        root.span = match (root.items.first(), root.items.last()) {
            (Some(first), Some(last)) => {
                Span::new(first.chain.span.start, last.terminator_span.end)
            }
            _ => Span::default(),
        };
        ShellScript {
            source: self.source,
            root,
            heredocs: self.heredocs,
            comments: self.comments,
            quotes: self.quotes,
            missing_command: self.missing_command,
            error,
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        (self.pos < self.end).then(|| self.bytes[self.pos])
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<u8> {
        let at = self.pos + ahead;
        (at < self.end).then(|| self.bytes[at])
    }

    pub(super) fn looking_at(&self, text: &str) -> bool {
        self.bytes[self.pos..self.end].starts_with(text.as_bytes())
    }

    pub(super) fn text(&self, start: usize, end: usize) -> &'a str {
        self.source.get(start..end).unwrap_or_default()
    }

    pub(super) fn unexpected<T>(&self, what: &'static str) -> ParseResult<T> {
        Err(Error::Unexpected { what, at: self.pos })
    }

    /// The length of an end of line here: `\n`, or `\r\n` as pasted text has it.
    pub(super) fn newline_len(&self) -> usize {
        match (self.peek(), self.peek_at(1)) {
            (Some(b'\n'), _) => 1,
            (Some(b'\r'), Some(b'\n')) => 2,
            _ => 0,
        }
    }

    /// The length of a backslash with the end of line it hides.
    pub(super) fn continuation_len(&self) -> usize {
        match (self.peek(), self.peek_at(1), self.peek_at(2)) {
            (Some(b'\\'), Some(b'\n'), _) => 2,
            (Some(b'\\'), Some(b'\r'), Some(b'\n')) => 3,
            _ => 0,
        }
    }

    /// Skips blanks, joined lines and a comment. Stops at the end of the line.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.pos += 1,
                Some(b'\\') => match self.continuation_len() {
                    0 => return,
                    len => self.pos += len,
                },
                // A carriage return at the very end is left over from another system's line end.
                Some(b'\r') if self.pos + 1 == self.end => self.pos += 1,
                Some(b'#') => {
                    let line = &self.bytes[self.pos..self.end];
                    let len = memchr::memchr(b'\n', line).unwrap_or(line.len());
                    self.comments.push(Span::new(self.pos, self.pos + len));
                    self.pos += len;
                }
                _ => return,
            }
        }
    }

    /// Steps over an end of line and over the heredocs that begin behind it.
    pub(super) fn newline(&mut self) -> ParseResult<bool> {
        let len = self.newline_len();
        if len == 0 {
            return Ok(false);
        }
        self.pos += len;
        if !self.pending.is_empty() {
            self.read_heredocs()?;
        }
        Ok(true)
    }

    /// Skips blanks, comments and ends of lines.
    pub(super) fn skip_lines(&mut self) -> ParseResult<()> {
        loop {
            self.skip_blanks();
            if !self.newline()? {
                return Ok(());
            }
        }
    }

    /// The reserved word here, if one of these stands alone.
    pub(super) fn keyword(&self, among: &[&'static str]) -> Option<&'static str> {
        let rest = &self.bytes[self.pos..self.end];
        among.iter().copied().find(|word| {
            rest.starts_with(word.as_bytes())
                && rest.get(word.len()).is_none_or(|&next| ends_word(next))
        })
    }

    pub(super) fn take_keyword(&mut self, word: &'static str) -> ParseResult<()> {
        self.skip_lines()?;
        if self.keyword(&[word]).is_none() {
            let at = self.pos;
            return Err(match self.peek() {
                None => Error::Unclosed { what: "a compound command", at },
                Some(_) => Error::Unexpected { what: "word inside a compound command", at },
            });
        }
        self.pos += word.len();
        Ok(())
    }

    /// Goes one level deeper for the time of a closure.
    pub(super) fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> ParseResult<T>,
    ) -> ParseResult<T> {
        let limit = self.limits.depth;
        if self.depth >= limit {
            return Err(Error::TooMuch { what: "levels", limit, at: self.pos });
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// Reads a part of the text as if nothing stood behind it.
    pub(super) fn within<T>(
        &mut self,
        span: Span,
        read: impl FnOnce(&mut Self) -> ParseResult<T>,
    ) -> ParseResult<T> {
        let outside = (self.pos, self.end, std::mem::take(&mut self.pending));
        (self.pos, self.end) = (span.start, span.end);
        let read = self.nested(read);
        (self.pos, self.end, self.pending) = outside;
        read
    }

    pub(super) fn mark(&self) -> ParserMark {
        ParserMark {
            pos: self.pos,
            depth: self.depth,
            pending: self.pending.len(),
            heredocs: self.heredocs.len(),
            comments: self.comments.len(),
            quotes: self.quotes.len(),
            missing_command: self.missing_command,
        }
    }

    /// Forgets everything read since the mark.
    pub(super) fn rewind(&mut self, mark: &ParserMark) -> ParseResult<()> {
        self.reread += self.pos.saturating_sub(mark.pos);
        if self.reread > self.bytes.len() + SPARE_WORK {
            return Err(Error::TooMuch { what: "ambiguous brackets", limit: 1, at: self.pos });
        }
        self.pos = mark.pos;
        self.depth = mark.depth;
        self.pending.truncate(mark.pending);
        self.heredocs.truncate(mark.heredocs);
        self.comments.truncate(mark.comments);
        self.quotes.truncate(mark.quotes);
        self.missing_command = mark.missing_command;
        Ok(())
    }

    /// Notes a list without any command where there must be one.
    pub(super) fn must_have_command(&mut self, list: &CommandList<'a>) {
        if list.items.is_empty() {
            self.missing_command.get_or_insert(self.pos);
        }
    }

    pub(super) fn count_command(&mut self) -> ParseResult<()> {
        self.commands += 1;
        self.within_budget(self.commands, self.limits.commands, "commands")
    }

    pub(super) fn count_word(&mut self) -> ParseResult<()> {
        self.words += 1;
        self.within_budget(self.words, self.limits.words, "words")
    }

    pub(super) fn count_part(&mut self) -> ParseResult<()> {
        self.parts += 1;
        self.within_budget(self.parts, self.limits.parts, "pieces of words")
    }

    fn within_budget(&self, used: u32, limit: u32, what: &'static str) -> ParseResult<()> {
        match used <= limit {
            true => Ok(()),
            false => Err(Error::TooMuch { what, limit, at: self.pos }),
        }
    }

    pub(super) fn quoted(&mut self, start: usize, quoting: Quoting) {
        self.quotes.push(Quoted { span: Span::new(start, self.pos), quoting });
    }

    /// A word that ends where the parser stands.
    pub(super) fn word_from(
        &mut self,
        start: usize,
        parts: Vec<super::WordPart<'a>>,
    ) -> ShellWord<'a> {
        ShellWord { span: Span::new(start, self.pos), text: self.text(start, self.pos), parts }
    }
}

/// Whether a byte ends an unquoted word.
pub(super) fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}

/// The length of a variable's name at the beginning of a text.
pub(super) fn name_len(bytes: &[u8]) -> usize {
    match bytes.first() {
        Some(first) if first.is_ascii_alphabetic() || *first == b'_' => bytes
            .iter()
            .position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
            .unwrap_or(bytes.len()),
        _ => 0,
    }
}
