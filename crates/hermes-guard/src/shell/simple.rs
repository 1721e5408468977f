//! Simple commands, assignments and redirections.

use std::borrow::Cow;

use super::context::WordContext;
use super::scan::{ParseResult, Parser, name_len};
use super::tree::{
    AssignedValue, Redirect, RedirectKind, ShellCommand, ShellWord, SimpleCommand, Span,
    VariableAssignment,
};
use super::{Compound, CompoundKind};

impl<'a> Parser<'a> {
    /// A simple command, or the definition of a function, which begins like one.
    pub(super) fn simple(&mut self) -> ParseResult<ShellCommand<'a>> {
        self.count_command()?;
        let start = self.pos;
        let mut command = SimpleCommand::default();
        let mut end = start;
        loop {
            self.skip_blanks();
            if self.pos >= self.end {
                break;
            }
            if let Some(redirect) = self.redirect()? {
                end = self.pos;
                command.redirects.push(redirect);
                continue;
            }
            if let Some(assignment) = self.assignment(command.words.is_empty())? {
                end = self.pos;
                command.assignments.push(assignment);
                continue;
            }
            if self.newline_len() > 0 {
                break;
            }
            let word = self.word(WordContext::Argument)?;
            if word.text.is_empty() {
                break;
            }
            end = self.pos;
            let first = command.words.is_empty();
            command.words.push(word);
            if first && command.assignments.is_empty() && self.at_function_brackets() {
                let name = command.words[0].literal().unwrap_or_default();
                return self.function(start, name);
            }
        }
        if end == start {
            return match self.peek() {
                None => Err(super::Error::Unclosed { what: "a list of commands", at: self.pos }),
                Some(_) => self.unexpected("operator"),
            };
        }
        command.span = Span::new(start, end);
        Ok(ShellCommand::Simple(command))
    }

    /// `()` directly behind a word.
    fn at_function_brackets(&self) -> bool {
        let rest = &self.bytes[self.pos..self.end];
        let mut visible = rest.iter().filter(|byte| !matches!(byte, b' ' | b'\t'));
        visible.next() == Some(&b'(') && visible.next() == Some(&b')')
    }

    fn function(&mut self, start: usize, name: Cow<'a, str>) -> ParseResult<ShellCommand<'a>> {
        let closing = memchr::memchr(b')', &self.bytes[self.pos..self.end]).unwrap_or_default();
        self.pos += closing + 1;
        self.skip_lines()?;
        let body = self.nested(Self::alone)?;
        Ok(ShellCommand::Compound(Box::new(Compound {
            span: Span::new(start, self.pos),
            kind: CompoundKind::Function { name, body },
            redirects: Vec::new(),
        })))
    }

    /// `name=…` before the command word; `name=(…)` anywhere.
    fn assignment(&mut self, before_command: bool) -> ParseResult<Option<VariableAssignment<'a>>> {
        let start = self.pos;
        let rest = &self.bytes[start..self.end];
        let name = name_len(rest);
        if name == 0 {
            return Ok(None);
        }
        let mut at = name;
        let indexed = rest.get(at) == Some(&b'[');
        if indexed {
            match index_len(&rest[at..]) {
                Some(len) => at += len,
                None => return Ok(None),
            }
        }
        let append = rest.get(at) == Some(&b'+');
        at += usize::from(append);
        if rest.get(at) != Some(&b'=') {
            return Ok(None);
        }
        let list = rest.get(at + 1) == Some(&b'(');
        if !list && !before_command {
            return Ok(None);
        }
        self.pos += at + 1;
        let value = match list {
            true => AssignedValue::Array(self.array()?),
            false => AssignedValue::Scalar(self.word(WordContext::Argument)?),
        };
        let span = Span::new(start, self.pos);
        let name = self.text(start, start + name);
        Ok(Some(VariableAssignment { span, name, indexed, append, value }))
    }

    fn array(&mut self) -> ParseResult<Vec<ShellWord<'a>>> {
        let open = self.pos;
        self.pos += 1;
        let mut words = Vec::new();
        loop {
            self.skip_lines()?;
            match self.peek() {
                None => {
                    return Err(super::Error::Unclosed { what: "a list in brackets", at: open });
                }
                Some(b')') => {
                    self.pos += 1;
                    return Ok(words);
                }
                Some(_) => {}
            }
            let word = self.word(WordContext::Argument)?;
            if word.text.is_empty() {
                return self.unexpected("operator in a list");
            }
            words.push(word);
        }
    }

    /// A redirection with its descriptor and target.
    pub(super) fn redirect(&mut self) -> ParseResult<Option<Redirect<'a>>> {
        let start = self.pos;
        let fd_len = self.descriptor_len();
        self.pos += fd_len;
        let Some((kind, len)) = self.operator() else {
            self.pos = start;
            return Ok(None);
        };
        let fd = (fd_len > 0).then(|| self.text(start, start + fd_len));
        self.pos += len;
        let strip_tabs = kind == RedirectKind::Heredoc && self.peek() == Some(b'-');
        self.pos += usize::from(strip_tabs);
        self.skip_blanks();
        let target = self.word(WordContext::Argument)?;
        if target.text.is_empty() {
            return self.unexpected("end of a redirection");
        }
        let heredoc =
            (kind == RedirectKind::Heredoc).then(|| self.expect_heredoc(&target, strip_tabs));
        Ok(Some(Redirect { span: Span::new(start, self.pos), fd, kind, target, heredoc }))
    }

    /// `2` in `2>`, `{name}` in `{name}>`.
    fn descriptor_len(&self) -> usize {
        let rest = &self.bytes[self.pos..self.end];
        let len = match rest.first() {
            Some(b'0'..=b'9') => rest.iter().take_while(|byte| byte.is_ascii_digit()).count(),
            Some(b'{') => match name_len(&rest[1..]) {
                0 => 0,
                name if rest.get(name + 1) == Some(&b'}') => name + 2,
                _ => 0,
            },
            _ => 0,
        };
        match rest.get(len) {
            Some(b'<' | b'>') => len,
            _ => 0,
        }
    }

    fn operator(&self) -> Option<(RedirectKind, usize)> {
        use RedirectKind as Kind;
        let at = |ahead| self.peek_at(ahead).unwrap_or_default();
        match (self.peek()?, at(1), at(2)) {
            (b'<' | b'>', b'(', _) => None, // process substitution: part of a word
            (b'<', b'<', b'<') => Some((Kind::HereString, 3)),
            (b'<', b'<', _) => Some((Kind::Heredoc, 2)),
            (b'<', b'&', _) => Some((Kind::DuplicateIn, 2)),
            (b'<', b'>', _) => Some((Kind::ReadWrite, 2)),
            (b'<', ..) => Some((Kind::Read, 1)),
            (b'>', b'>', _) => Some((Kind::Append, 2)),
            (b'>', b'|', _) => Some((Kind::Clobber, 2)),
            (b'>', b'&', _) => Some((Kind::DuplicateOut, 2)),
            (b'>', ..) => Some((Kind::Write, 1)),
            (b'&', b'>', b'>') => Some((Kind::AppendBoth, 3)),
            (b'&', b'>', _) => Some((Kind::WriteBoth, 2)),
            _ => None,
        }
    }
}

/// Longer texts in brackets are no index; looking for the end of one must not take long.
const MAX_INDEX: usize = 200;

/// The length of `[…]` before an assignment's `=`.
fn index_len(bytes: &[u8]) -> Option<usize> {
    let bytes = &bytes[..bytes.len().min(MAX_INDEX)];
    let close = bytes.iter().position(|byte| matches!(byte, b']' | b'\n'))?;
    let next = bytes.get(close + 1)?;
    (bytes[close] == b']' && matches!(next, b'=' | b'+')).then_some(close + 1)
}
