//! Lists, chains and pipelines.

use super::scan::{ParseResult, Parser};
use super::tree::{Chain, CommandList, Connector, ListItem, Pipeline, Span, Terminator};

/// What may stand behind a list and belongs to whoever asked for it.
#[derive(Clone, Copy)]
pub(super) struct ListEnd {
    pub(super) keywords: &'static [&'static str],
    pub(super) closer: Option<u8>,
    pub(super) arm: Arm,
}

/// Whether the list is the body of a `case` arm, which `;;` ends.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Arm {
    No,
    Yes,
}

impl ListEnd {
    pub(super) const END: Self = Self { keywords: &[], closer: None, arm: Arm::No };
    pub(super) const PAREN: Self = Self { keywords: &[], closer: Some(b')'), arm: Arm::No };

    pub(super) const fn keywords(keywords: &'static [&'static str]) -> Self {
        Self { keywords, closer: None, arm: Arm::No }
    }
}

/// Words that only make sense inside something.
pub(crate) const CLOSERS: &[&str] = &["then", "do", "done", "fi", "else", "elif", "esac", "}"];

impl<'a> Parser<'a> {
    /// The whole text. Items are handed over line by line, so an error keeps the lines before it.
    pub(super) fn top_level(&mut self, root: &mut CommandList<'a>) -> ParseResult<()> {
        let mut line = Vec::new();
        loop {
            self.skip_lines()?;
            if self.pos >= self.end {
                root.items.append(&mut line);
                return Ok(());
            }
            if let Some(found) = self.misplaced(ListEnd::END) {
                return self.unexpected(found);
            }
            let item = self.item(ListEnd::END)?;
            let ends_line = matches!(item.terminator, Terminator::Newline | Terminator::End);
            line.push(item);
            if ends_line {
                root.items.append(&mut line);
            }
        }
    }

    /// A list up to, and without, what ends it.
    pub(super) fn list(&mut self, until: ListEnd) -> ParseResult<CommandList<'a>> {
        let mut items = Vec::new();
        self.skip_lines()?;
        let start = self.pos;
        loop {
            self.skip_lines()?;
            if self.pos >= self.end || self.ends_list(until) {
                return Ok(CommandList { span: Span::new(start, self.pos), items });
            }
            if let Some(found) = self.misplaced(until) {
                return self.unexpected(found);
            }
            items.push(self.item(until)?);
        }
    }

    fn ends_list(&self, until: ListEnd) -> bool {
        (until.closer.is_some() && self.peek() == until.closer)
            || (until.arm == Arm::Yes && self.looking_at(";;") | self.looking_at(";&"))
            || self.keyword(until.keywords).is_some()
    }

    fn misplaced(&self, until: ListEnd) -> Option<&'static str> {
        match self.peek()? {
            b')' => Some(")"),
            b';' | b'&' | b'|' if !self.looking_at("&>") => Some("operator"),
            _ => self.keyword(CLOSERS).filter(|word| !until.keywords.contains(word)),
        }
    }

    fn item(&mut self, until: ListEnd) -> ParseResult<ListItem<'a>> {
        let chain = self.chain()?;
        self.skip_blanks();
        let start = self.pos;
        let terminator = match self.peek() {
            None => Terminator::End,
            Some(b'\n' | b'\r') => {
                self.newline()?;
                Terminator::Newline
            }
            Some(b'&') => {
                self.pos += 1;
                Terminator::Background
            }
            Some(b';') if !self.ends_list(until) => {
                self.pos += 1;
                Terminator::Semicolon
            }
            Some(_) if self.ends_list(until) => Terminator::End,
            Some(b'(') => return self.unexpected("("),
            Some(b')') => return self.unexpected(")"),
            // `if (a) then`: a bracket ends a command as well as a separator does.
            Some(_) if self.keyword(CLOSERS).is_some() => Terminator::End,
            Some(_) => return self.unexpected("word"),
        };
        let end = match terminator {
            Terminator::End => start,
            Terminator::Newline => start + 1,
            _ => self.pos,
        };
        Ok(ListItem { chain, terminator, terminator_span: Span::new(start, end) })
    }

    fn chain(&mut self) -> ParseResult<Chain<'a>> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            let connector = match (self.peek(), self.peek_at(1)) {
                (Some(b'&'), Some(b'&')) => Connector::And,
                (Some(b'|'), Some(b'|')) => Connector::Or,
                _ => break,
            };
            let at = Span::new(self.pos, self.pos + 2);
            self.pos += 2;
            self.skip_lines()?;
            rest.push((connector, at, self.pipeline()?));
        }
        let end = rest.last().map_or(first.span.end, |(_, _, last)| last.span.end);
        Ok(Chain { span: Span::new(first.span.start, end), first, rest })
    }

    fn pipeline(&mut self) -> ParseResult<Pipeline<'a>> {
        let start = self.pos;
        let (mut negated, mut timed) = (false, false);
        loop {
            self.skip_blanks();
            if self.keyword(&["!"]).is_some() {
                self.pos += 1;
                negated = !negated;
            } else if self.keyword(&["time"]).is_some() {
                let mark = self.mark();
                self.pos += 4;
                self.skip_blanks();
                for option in ["-p", "--"] {
                    if self.keyword(&[option]).is_some() {
                        self.pos += 2;
                        self.skip_blanks();
                    }
                }
                // With other options it is the program of that name.
                if self.peek() == Some(b'-') {
                    self.rewind(&mark)?;
                    break;
                }
                timed = true;
            } else {
                break;
            }
        }
        let mut commands = Vec::with_capacity(1);
        if !((timed || negated) && self.at_end_of_command()) {
            commands.push(self.command()?);
        }
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'|') || self.peek_at(1) == Some(b'|') {
                break;
            }
            self.pos += if self.peek_at(1) == Some(b'&') { 2 } else { 1 };
            self.skip_lines()?;
            commands.push(self.command()?);
        }
        let end = commands.last().map_or(self.pos, |last| command_end(last));
        Ok(Pipeline { span: Span::new(start, end), negated, timed, commands })
    }

    /// `time` and `!` may stand alone.
    fn at_end_of_command(&self) -> bool {
        matches!(self.peek(), None | Some(b'\n' | b'\r' | b';' | b'&' | b')'))
            && !self.looking_at("&>")
    }
}

/// Where a command ends, redirections included.
fn command_end(command: &super::ShellCommand<'_>) -> usize {
    match command {
        super::ShellCommand::Simple(simple) => simple.span.end,
        super::ShellCommand::Compound(compound) => {
            compound.redirects.last().map_or(compound.span.end, |last| last.span.end)
        }
    }
}
