//! Compound commands.

use std::borrow::Cow;

use super::Error;
use super::context::WordContext;
use super::list::{Arm, ListEnd};
use super::scan::{ParseResult, Parser, ends_word, name_len};
use super::tree::{
    CaseArm, CommandList, Compound, CompoundKind, Pipeline, Redirect, ShellCommand, Span,
};

impl<'a> Parser<'a> {
    /// One stage of a pipeline.
    pub(super) fn command(&mut self) -> ParseResult<ShellCommand<'a>> {
        let start = self.pos;
        let Some(kind) = self.compound()? else { return self.simple() };
        let span = Span::new(start, self.pos);
        let redirects = match kind {
            CompoundKind::Function { .. } | CompoundKind::Coproc(_) => Vec::new(),
            _ => self.redirects()?,
        };
        Ok(ShellCommand::Compound(Box::new(Compound { span, kind, redirects })))
    }

    /// One command as a pipeline of its own: what a function or a coprocess runs.
    pub(super) fn alone(&mut self) -> ParseResult<Box<Pipeline<'a>>> {
        let commands = vec![self.command()?];
        let span = Span::new(commands[0].span().start, self.pos);
        Ok(Box::new(Pipeline { span, negated: false, timed: false, commands }))
    }

    fn redirects(&mut self) -> ParseResult<Vec<Redirect<'a>>> {
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(redirects),
            }
        }
    }

    fn compound(&mut self) -> ParseResult<Option<CompoundKind<'a>>> {
        const OPENERS: &[&str] =
            &["if", "for", "while", "until", "case", "select", "function", "coproc", "{", "[["];
        if self.peek() == Some(b'(') {
            return self.nested(Self::brackets).map(Some);
        }
        let Some(word) = self.keyword(OPENERS) else { return Ok(None) };
        self.count_command()?;
        self.nested(|parser| {
            let start = parser.pos;
            parser.pos += word.len();
            match word {
                "if" => parser.conditional(),
                "for" | "select" => parser.for_loop(start),
                "while" | "until" => parser.while_loop(),
                "case" => parser.case(start),
                "function" => parser.function_word(),
                "coproc" => parser.coproc(),
                "{" => parser.group(start),
                _ => parser.test(start),
            }
        })
        .map(Some)
    }

    /// `(( … ))`, or a subshell, which may begin with another one.
    fn brackets(&mut self) -> ParseResult<CompoundKind<'a>> {
        self.count_command()?;
        let start = self.pos;
        if self.looking_at("((") {
            let mark = self.mark();
            self.pos += 2;
            match self.arithmetic(start) {
                Ok(parts) => return Ok(CompoundKind::Arithmetic(parts)),
                Err(error @ Error::TooMuch { .. }) => return Err(error),
                Err(_) => self.rewind(&mark)?,
            }
        }
        self.pos += 1;
        let list = self.commands(ListEnd::PAREN)?;
        self.close(b')', start, "a subshell")?;
        Ok(CompoundKind::Subshell(list))
    }

    /// A list that a shell takes for an error when it is empty.
    fn commands(&mut self, until: ListEnd) -> ParseResult<CommandList<'a>> {
        let list = self.list(until)?;
        self.must_have_command(&list);
        Ok(list)
    }

    pub(super) fn close(&mut self, closer: u8, at: usize, what: &'static str) -> ParseResult<()> {
        if self.peek() != Some(closer) {
            return Err(Error::Unclosed { what, at });
        }
        self.pos += 1;
        Ok(())
    }

    fn group(&mut self, start: usize) -> ParseResult<CompoundKind<'a>> {
        let list = self.commands(ListEnd::keywords(&["}"]))?;
        self.close(b'}', start, "a group")?;
        Ok(CompoundKind::Group(list))
    }

    fn conditional(&mut self) -> ParseResult<CompoundKind<'a>> {
        let mut branches = Vec::new();
        let mut otherwise = None;
        loop {
            let condition = self.commands(ListEnd::keywords(&["then"]))?;
            self.take_keyword("then")?;
            let body = self.commands(ListEnd::keywords(&["elif", "else", "fi"]))?;
            branches.push((condition, body));
            if self.keyword(&["elif"]).is_some() {
                self.pos += 4;
                continue;
            }
            if self.keyword(&["else"]).is_some() {
                self.pos += 4;
                otherwise = Some(self.commands(ListEnd::keywords(&["fi"]))?);
            }
            self.take_keyword("fi")?;
            return Ok(CompoundKind::If { branches, otherwise });
        }
    }

    fn while_loop(&mut self) -> ParseResult<CompoundKind<'a>> {
        let condition = self.commands(ListEnd::keywords(&["do"]))?;
        let body = self.loop_body()?;
        Ok(CompoundKind::While { condition, body })
    }

    fn loop_body(&mut self) -> ParseResult<CommandList<'a>> {
        self.skip_lines()?;
        if self.keyword(&["{"]).is_some() {
            let start = self.pos;
            self.pos += 1;
            let body = self.commands(ListEnd::keywords(&["}"]))?;
            self.close(b'}', start, "the body of a loop")?;
            return Ok(body);
        }
        self.take_keyword("do")?;
        let body = self.commands(ListEnd::keywords(&["done"]))?;
        self.take_keyword("done")?;
        Ok(body)
    }

    fn for_loop(&mut self, start: usize) -> ParseResult<CompoundKind<'a>> {
        self.skip_blanks();
        if self.looking_at("((") {
            self.pos += 2;
            let head = self.arithmetic(start)?;
            self.skip_blanks();
            self.skip_semicolon();
            let body = self.loop_body()?;
            return Ok(CompoundKind::ArithmeticFor { head, body });
        }
        let name = name_len(&self.bytes[self.pos..self.end]);
        let variable = self.text(self.pos, self.pos + name);
        if variable.is_empty() {
            return self.unexpected("name of a loop's variable");
        }
        self.pos += name;
        self.skip_lines()?;
        let mut items = None;
        if self.keyword(&["in"]).is_some() {
            self.pos += 2;
            let mut words = Vec::new();
            loop {
                self.skip_blanks();
                let word = self.word(WordContext::Argument)?;
                if word.text.is_empty() {
                    break;
                }
                words.push(word);
            }
            items = Some(words);
        }
        self.skip_semicolon();
        let body = self.loop_body()?;
        Ok(CompoundKind::For { variable, items, body })
    }

    fn skip_semicolon(&mut self) {
        if self.peek() == Some(b';') {
            self.pos += 1;
        }
    }

    fn case(&mut self, start: usize) -> ParseResult<CompoundKind<'a>> {
        self.skip_blanks();
        let subject = self.word(WordContext::Argument)?;
        self.take_keyword("in")?;
        let mut arms = Vec::new();
        loop {
            self.skip_lines()?;
            if self.pos >= self.end {
                return Err(Error::Unclosed { what: "case", at: start });
            }
            if self.keyword(&["esac"]).is_some() {
                self.pos += 4;
                return Ok(CompoundKind::Case { subject, arms });
            }
            arms.push(self.case_arm(start)?);
        }
    }

    fn case_arm(&mut self, start: usize) -> ParseResult<CaseArm<'a>> {
        if self.peek() == Some(b'(') {
            self.pos += 1;
        }
        let mut patterns = Vec::new();
        loop {
            self.skip_blanks();
            let pattern = self.word(WordContext::Argument)?;
            if pattern.text.is_empty() {
                return self.unexpected("pattern of a case");
            }
            patterns.push(pattern);
            self.skip_blanks();
            match self.peek() {
                Some(b'|') => self.pos += 1,
                Some(b')') => break,
                Some(_) => return self.unexpected("pattern of a case"),
                None => return Err(Error::Unclosed { what: "case", at: start }),
            }
        }
        self.pos += 1;
        let body = self.list(ListEnd { keywords: &["esac"], closer: None, arm: Arm::Yes })?;
        for end in [";;&", ";;", ";&"] {
            if self.looking_at(end) {
                self.pos += end.len();
                break;
            }
        }
        Ok(CaseArm { patterns, body })
    }

    fn function_word(&mut self) -> ParseResult<CompoundKind<'a>> {
        self.skip_blanks();
        let name = self.word(WordContext::Argument)?.literal().unwrap_or_default();
        self.skip_blanks();
        if self.peek() == Some(b'(') {
            self.pos += 1;
            self.skip_blanks();
            self.close(b')', self.pos, "the brackets of a function")?;
        }
        self.skip_lines()?;
        let body = self.alone()?;
        Ok(CompoundKind::Function { name: Cow::Owned(name.into_owned()), body })
    }

    fn coproc(&mut self) -> ParseResult<CompoundKind<'a>> {
        self.skip_blanks();
        // A name is only allowed before a compound command.
        let name = name_len(&self.bytes[self.pos..self.end]);
        if name > 0 && self.peek_at(name).is_some_and(ends_word) {
            let mark = self.mark();
            self.pos += name;
            self.skip_blanks();
            if self.peek() != Some(b'(') && self.keyword(&["{", "if", "while", "for"]).is_none() {
                self.rewind(&mark)?;
            }
        }
        Ok(CompoundKind::Coproc(self.alone()?))
    }

    fn test(&mut self, start: usize) -> ParseResult<CompoundKind<'a>> {
        let mut words = Vec::new();
        loop {
            self.skip_test_blanks()?;
            if self.keyword(&["]]"]).is_some() {
                self.pos += 2;
                return Ok(CompoundKind::Test(words));
            }
            match self.peek() {
                None => return Err(Error::Unclosed { what: "[[", at: start }),
                Some(b'<' | b'>') if self.peek_at(1) == Some(b'(') => {}
                Some(b'(' | b')' | b'<' | b'>' | b'&' | b'|') => {
                    self.pos += 1;
                    continue;
                }
                Some(_) => {}
            }
            words.push(self.word(WordContext::Test)?);
        }
    }

    /// Blanks in `[[ … ]]`, where `#` begins no comment that a pattern could not.
    fn skip_test_blanks(&mut self) -> ParseResult<()> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.pos += 1,
                Some(b'\\') if self.continuation_len() > 0 => self.pos += self.continuation_len(),
                _ if self.newline()? => {}
                Some(b'\r') => self.pos += 1,
                _ => return Ok(()),
            }
        }
    }
}
