//! A strict reader of Python literals, for lists and dictionaries that a model printed the way
//! Python does: `['a', 'b']`, `{'deep': True, 'limit': None}`.
//!
//! It reads lists, dictionaries with text keys, quoted text, decimal numbers, `True`, `False` and
//! `None`. Everything else (tuples, sets, prefixed or joined strings, other words) fails, and the
//! caller keeps the text.

use serde_json::{Map, Number, Value};

use super::MAX_DEPTH;

/// Read text that is, completely, one literal.
pub(super) fn parse(text: &str) -> Option<Value> {
    let mut reader = Reader { rest: text, depth: 0 };
    let value = reader.value()?;
    reader.skip_space();
    reader.rest.is_empty().then_some(value)
}

struct Reader<'t> {
    rest: &'t str,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    /// Take one character, after space, if it is the one expected.
    fn take(&mut self, expected: char) -> bool {
        self.skip_space();
        match self.rest.strip_prefix(expected) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn value(&mut self) -> Option<Value> {
        self.skip_space();
        match self.rest.chars().next()? {
            '[' => self.nested(Self::list),
            '{' => self.nested(Self::dictionary),
            quote @ ('\'' | '"') => self.text(quote).map(Value::String),
            '0'..='9' | '.' | '+' | '-' => self.number(),
            _ => self.word(),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Option<Value>) -> Option<Value> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        self.rest = &self.rest[1..];
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn list(&mut self) -> Option<Value> {
        let mut items = Vec::new();
        while !self.take(']') {
            items.push(self.value()?);
            if !self.take(',') {
                return self.take(']').then_some(Value::Array(items));
            }
        }
        Some(Value::Array(items))
    }

    fn dictionary(&mut self) -> Option<Value> {
        let mut fields = Map::new();
        while !self.take('}') {
            let Value::String(key) = self.value()? else {
                return None;
            };
            if !self.take(':') {
                return None;
            }
            fields.insert(key, self.value()?);
            if !self.take(',') {
                return self.take('}').then_some(Value::Object(fields));
            }
        }
        Some(Value::Object(fields))
    }

    fn word(&mut self) -> Option<Value> {
        match self.run(|c| c.is_alphanumeric() || c == '_') {
            "True" => Some(Value::Bool(true)),
            "False" => Some(Value::Bool(false)),
            "None" => Some(Value::Null),
            _ => None,
        }
    }

    /// Python's numbers are JSON's, plus a sign `+` and a dot at either end; zeros in front are
    /// refused there too.
    fn number(&mut self) -> Option<Value> {
        let token = self.run(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-' | '_'));
        let token = token.strip_prefix('+').unwrap_or(token);
        if let Ok(number) = serde_json::from_str::<Number>(token) {
            return Some(Value::Number(number));
        }
        let decimal = token.contains('.')
            && token.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
        let double: f64 = decimal.then(|| token.parse().ok())??;
        Number::from_f64(double).map(Value::Number)
    }

    fn run(&mut self, belongs: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let (token, rest) = self.rest.split_at(end);
        self.rest = rest;
        token
    }

    fn text(&mut self, quote: char) -> Option<String> {
        self.rest = &self.rest[1..];
        let mut text = String::new();
        loop {
            let end = self.rest.find([quote, '\\', '\n', '\r'])?;
            text.push_str(&self.rest[..end]);
            let special = self.rest[end..].chars().next()?;
            self.rest = &self.rest[end + 1..];
            match special {
                '\\' => self.escape(&mut text)?,
                closed if closed == quote => return Some(text),
                _ => return None, // a plain string does not span lines
            }
        }
    }

    fn escape(&mut self, text: &mut String) -> Option<()> {
        let escaped = self.rest.chars().next()?;
        self.rest = &self.rest[escaped.len_utf8()..];
        match escaped {
            '\\' | '\'' | '"' => text.push(escaped),
            'n' => text.push('\n'),
            'r' => text.push('\r'),
            't' => text.push('\t'),
            'a' => text.push('\u{7}'),
            'b' => text.push('\u{8}'),
            'v' => text.push('\u{b}'),
            'f' => text.push('\u{c}'),
            '\n' => {} // a continued line
            'x' => text.push(self.code(2)?),
            'u' => text.push(self.code(4)?),
            'U' => text.push(self.code(8)?),
            '0'..='7' => return None, // octal: nobody means it
            other => text.extend(['\\', other]),
        }
        Some(())
    }

    fn code(&mut self, digits: usize) -> Option<char> {
        let hex =
            self.rest.get(..digits).filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()))?;
        self.rest = &self.rest[digits..];
        char::from_u32(u32::from_str_radix(hex, 16).ok()?)
    }
}
