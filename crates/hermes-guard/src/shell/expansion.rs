//! Everything that begins with `$`, and backticks.

use std::borrow::Cow;

use super::context::WordContext;
use super::list::ListEnd;
use super::scan::{ParseResult, Parser, name_len};
use super::tree::{
    Parameter, ParameterOperation, PartKind, Quoting, Span, Substitution, SubstitutionStyle,
    WordPart,
};
use super::{Error, escapes};

/// What a `$` turned out to be.
pub(super) enum Dollar<'a> {
    /// Nothing special. The parser stands behind it.
    Itself,
    /// An expansion.
    Part(WordPart<'a>),
    /// The dollar of `$"…"`, which vanishes. The parser stands at the quote.
    Translated,
}

impl<'a> Parser<'a> {
    pub(super) fn dollar(&mut self, quoting: Quoting) -> ParseResult<Dollar<'a>> {
        let start = self.pos;
        let kind = match self.peek_at(1) {
            Some(b'(') if self.peek_at(2) == Some(b'(') => {
                return self.dollar_brackets(quoting).map(Dollar::Part);
            }
            Some(b'(') => {
                self.pos += 1;
                let part = self.substitution(start, SubstitutionStyle::Dollar, quoting)?;
                return Ok(Dollar::Part(part));
            }
            Some(b'{') => {
                self.pos += 2;
                let parameter = self.nested(|parser| parser.braces(start, quoting))?;
                PartKind::Parameter(Box::new(parameter))
            }
            Some(b'\'') if quoting == Quoting::None => {
                return self.ansi_quotes().map(Dollar::Part);
            }
            Some(b'"') if quoting == Quoting::None => {
                self.pos += 1;
                return Ok(Dollar::Translated);
            }
            Some(_) => {
                let len = self.name_at(start + 1);
                self.pos += 1 + len;
                if len == 0 {
                    return Ok(Dollar::Itself);
                }
                PartKind::Parameter(Box::new(Parameter {
                    name: self.text(start + 1, self.pos),
                    index: None,
                    indirect: false,
                    operation: ParameterOperation::Value,
                    arguments: Vec::new(),
                }))
            }
            None => {
                self.pos += 1;
                return Ok(Dollar::Itself);
            }
        };
        Ok(Dollar::Part(WordPart { span: Span::new(start, self.pos), quoting, kind }))
    }

    /// The length of a parameter's name without braces.
    fn name_at(&self, at: usize) -> usize {
        let rest = &self.bytes[at.min(self.end)..self.end];
        match rest.first() {
            Some(b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => 1,
            _ => name_len(rest),
        }
    }

    /// `$((…))`, or `$( (…) … )`.
    fn dollar_brackets(&mut self, quoting: Quoting) -> ParseResult<WordPart<'a>> {
        let start = self.pos;
        let mark = self.mark();
        self.pos += 3;
        match self.nested(|parser| parser.arithmetic(start)) {
            Ok(inside) => {
                let kind = PartKind::Arithmetic(inside);
                Ok(WordPart { span: Span::new(start, self.pos), quoting, kind })
            }
            Err(error @ Error::TooMuch { .. }) => Err(error),
            Err(_) => {
                self.rewind(&mark)?;
                self.pos += 1;
                self.substitution(start, SubstitutionStyle::Dollar, quoting)
            }
        }
    }

    /// A list in brackets. The parser stands at the opening one.
    pub(super) fn substitution(
        &mut self,
        start: usize,
        style: SubstitutionStyle,
        quoting: Quoting,
    ) -> ParseResult<WordPart<'a>> {
        self.pos += 1;
        let list = self.nested(|parser| {
            let list = parser.list(ListEnd::PAREN)?;
            parser.close(b')', start, "a substitution")?;
            Ok(list)
        })?;
        let inside = Substitution { style, list, escaped: None };
        let kind = PartKind::Substitution(Box::new(inside));
        Ok(WordPart { span: Span::new(start, self.pos), quoting, kind })
    }

    /// Backticks. Their end is the next unescaped one, whatever stands between.
    pub(super) fn backticks(&mut self, quoting: Quoting) -> ParseResult<WordPart<'a>> {
        let start = self.pos;
        let mut at = start + 1;
        let mut escaped = false;
        loop {
            let rest = &self.bytes[at.min(self.end)..self.end];
            let Some(len) = memchr::memchr2(b'`', b'\\', rest) else {
                return Err(Error::Unclosed { what: "a backtick", at: start });
            };
            at += len;
            if self.bytes[at] == b'`' {
                break;
            }
            escaped |= unescapes(rest.get(len + 1).copied(), quoting);
            at += 2;
        }
        let span = Span::new(start + 1, at);
        let style = SubstitutionStyle::Backticks;
        let inside = match escaped {
            true => {
                let text = without_escapes(self.text(span.start, span.end), quoting);
                Substitution { style, list: super::CommandList::default(), escaped: Some(text) }
            }
            false => {
                let list = self.within(span, |parser| parser.list(ListEnd::END))?;
                Substitution { style, list, escaped: None }
            }
        };
        self.pos = at + 1;
        let kind = PartKind::Substitution(Box::new(inside));
        Ok(WordPart { span: Span::new(start, self.pos), quoting, kind })
    }

    /// Arithmetic behind `((`, as the expansions inside it.
    pub(super) fn arithmetic(&mut self, start: usize) -> ParseResult<Vec<WordPart<'a>>> {
        let mut parts = Vec::new();
        let mut open = 0_usize;
        loop {
            match self.peek() {
                None => return Err(Error::Unclosed { what: "arithmetic", at: start }),
                Some(b'(') => open += 1,
                Some(b')') if open > 0 => open -= 1,
                Some(b')') if self.peek_at(1) == Some(b')') => {
                    self.pos += 2;
                    return Ok(parts);
                }
                Some(b')') => return self.unexpected(") in arithmetic"),
                Some(b'\\') => self.pos = (self.pos + 1).min(self.end - 1),
                Some(b'"') => {
                    self.double_quotes(&mut parts)?;
                    continue;
                }
                Some(b'$') => {
                    if let Dollar::Part(part) = self.dollar(Quoting::Double)? {
                        self.push(&mut parts, part)?;
                    }
                    continue;
                }
                Some(b'`') => {
                    let part = self.backticks(Quoting::Double)?;
                    self.push(&mut parts, part)?;
                    continue;
                }
                Some(_) => {}
            }
            self.pos += 1;
        }
    }

    fn ansi_quotes(&mut self) -> ParseResult<WordPart<'a>> {
        let start = self.pos;
        let mut at = start + 2;
        loop {
            let rest = &self.bytes[at.min(self.end)..self.end];
            let Some(len) = memchr::memchr2(b'\'', b'\\', rest) else {
                return Err(Error::Unclosed { what: "a single quote", at: start });
            };
            at += len;
            if self.bytes[at] == b'\'' {
                break;
            }
            at += 2;
        }
        let span = Span::new(start + 2, at);
        self.pos = at + 1;
        self.quoted(start, Quoting::Ansi);
        let text: Cow<'a, str> = escapes::decode(self.text(span.start, span.end));
        Ok(WordPart { span, quoting: Quoting::Ansi, kind: PartKind::Literal(text) })
    }

    /// `${…}`. The parser stands behind the brace.
    fn braces(&mut self, start: usize, quoting: Quoting) -> ParseResult<Parameter<'a>> {
        let mut parameter = Parameter {
            name: "",
            index: None,
            indirect: false,
            operation: ParameterOperation::Value,
            arguments: Vec::new(),
        };
        match (self.peek(), self.peek_at(1)) {
            (Some(b'#'), Some(next)) if next != b'}' => {
                parameter.operation = ParameterOperation::Length;
                self.pos += 1;
            }
            (Some(b'!'), Some(next)) if next != b'}' => {
                parameter.indirect = true;
                self.pos += 1;
            }
            _ => {}
        }
        let at = self.pos;
        let digits = self.bytes[at..self.end].iter().take_while(|byte| byte.is_ascii_digit());
        self.pos += match digits.count() {
            0 => self.name_at(at),
            digits => digits,
        };
        parameter.name = self.text(at, self.pos);
        if self.peek() == Some(b'[') {
            let rest = &self.bytes[self.pos..self.end];
            if let Some(len) = memchr::memchr2(b']', b'\n', rest).filter(|len| rest[*len] == b']') {
                parameter.index = Some(self.text(self.pos + 1, self.pos + len));
                self.pos += len + 1;
            }
        }
        if self.peek() != Some(b'}') {
            let (operation, stop) = self.operation();
            if parameter.operation != ParameterOperation::Length {
                parameter.operation = operation;
            }
            let first = self.word(WordContext::Braces { stop, quoting })?;
            parameter.arguments.push(first);
            if stop != b'}' && self.peek() == Some(stop) {
                self.pos += 1;
                let second = self.word(WordContext::Braces { stop: b'}', quoting })?;
                parameter.arguments.push(second);
            }
        }
        self.close(b'}', start, "${")?;
        Ok(parameter)
    }

    /// The operator in braces, and what separates its two words if it has two.
    fn operation(&mut self) -> (ParameterOperation, u8) {
        const TABLE: &[(&str, ParameterOperation, u8)] = &[
            (":-", ParameterOperation::Default, b'}'),
            (":=", ParameterOperation::Default, b'}'),
            (":+", ParameterOperation::Alternative, b'}'),
            (":?", ParameterOperation::Require, b'}'),
            ("-", ParameterOperation::Default, b'}'),
            ("=", ParameterOperation::Default, b'}'),
            ("+", ParameterOperation::Alternative, b'}'),
            ("?", ParameterOperation::Require, b'}'),
            ("##", ParameterOperation::LongPrefix, b'}'),
            ("#", ParameterOperation::ShortPrefix, b'}'),
            ("%%", ParameterOperation::LongSuffix, b'}'),
            ("%", ParameterOperation::ShortSuffix, b'}'),
            ("//", ParameterOperation::ReplaceAll, b'/'),
            ("/", ParameterOperation::ReplaceOne, b'/'),
            ("^^", ParameterOperation::Upper, b'}'),
            ("^", ParameterOperation::UpperFirst, b'}'),
            (",,", ParameterOperation::Lower, b'}'),
            (",", ParameterOperation::LowerFirst, b'}'),
            (":", ParameterOperation::Cut, b':'),
        ];
        for (text, operation, stop) in TABLE {
            if self.looking_at(text) {
                self.pos += text.len();
                return (*operation, *stop);
            }
        }
        (ParameterOperation::Other, b'}')
    }
}

/// Whether backticks remove a backslash before this byte.
fn unescapes(next: Option<u8>, quoting: Quoting) -> bool {
    match next {
        Some(b'$' | b'`' | b'\\') => true,
        Some(b'"') => quoting == Quoting::Double,
        _ => false,
    }
}

fn without_escapes(text: &str, quoting: Quoting) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let next = rest.as_bytes().get(at + 1).copied();
        let keep = usize::from(!unescapes(next, quoting));
        plain.push_str(&rest[..at + keep]);
        let mut behind = rest[at + 1..].chars();
        plain.extend(behind.next());
        rest = behind.as_str();
    }
    plain.push_str(rest);
    plain
}
