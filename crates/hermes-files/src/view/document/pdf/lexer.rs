//! Bytes into objects.
//!
//! The same notation is used everywhere in a PDF: for objects in the file, inside of packed streams,
//! in the instructions of a page and in the tables of a font. The lexer reads it from any position
//! and makes no copy of the input. Nesting is limited, so the stack is safe; the size of one object
//! is limited, so memory is; and every call moves forward, so that callers that go on until the end
//! get there. A number followed by another and an `R` is a reference; whether such an object exists
//! is not its concern.

use super::object::{Dict, Object};

/// Arrays and dictionaries nested deeper than this are damage.
const MAX_DEPTH: usize = 64;
/// So are objects made of more parts than this.
const MAX_PARTS: usize = 500_000;

/// Reads objects one after another. Always ends, always moves forward, never fails for good: after
/// damage it goes on behind it.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    /// Where the next object begins.
    pub(super) position: usize,
    /// How many values, those inside of others included, were read so far.
    pub(super) parts: usize,
    most_parts: usize,
}

impl<'a> Lexer<'a> {
    pub(super) const fn new(bytes: &'a [u8], position: usize) -> Self {
        Self { bytes, position, parts: 0, most_parts: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.position..).unwrap_or_default()
    }

    fn take_while(&mut self, accept: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = self.rest();
        let end = rest.iter().position(|byte| !accept(*byte)).unwrap_or(rest.len());
        self.position += end;
        &rest[..end]
    }

    /// Goes past white space and comments.
    pub(super) fn skip_space(&mut self) {
        loop {
            self.take_while(is_space);
            if self.peek() != Some(b'%') {
                return;
            }
            self.take_while(|byte| byte != b'\n' && byte != b'\r');
        }
    }

    /// Goes past a word if it comes next.
    pub(super) fn accept(&mut self, word: &[u8]) -> bool {
        let found = self.rest().starts_with(word);
        self.position += if found { word.len() } else { 0 };
        found
    }

    /// The next object; `None` at the end and on damage.
    pub(super) fn object(&mut self) -> Option<Object> {
        self.most_parts = self.parts + MAX_PARTS;
        self.nested(0)
    }

    fn nested(&mut self, depth: usize) -> Option<Object> {
        self.skip_space();
        self.parts += 1;
        if depth > MAX_DEPTH || self.parts > self.most_parts {
            return None;
        }
        match self.peek()? {
            b'/' => Some(Object::Name(self.read_name())),
            b'(' => self.read_literal().map(Object::Text),
            b'[' => {
                self.position += 1;
                self.read_array(depth)
            }
            b'<' if self.accept(b"<<") => self.read_dict(depth),
            b'<' => Some(Object::Text(self.read_hex())),
            b'+' | b'-' | b'.' | b'0'..=b'9' => Some(self.read_number()),
            b')' | b'>' | b']' | b'{' | b'}' => {
                self.position += 1;
                None
            }
            _ => {
                let word = self.take_while(is_regular);
                Some(match word {
                    b"true" => Object::Number(1.0),
                    b"false" => Object::Number(0.0),
                    b"null" => Object::Null,
                    _ => Object::Operator(latin(word)),
                })
            }
        }
    }

    fn read_array(&mut self, depth: usize) -> Option<Object> {
        let mut items = Vec::new();
        loop {
            self.skip_space();
            if self.accept(b"]") {
                return Some(Object::Array(items));
            }
            match self.nested(depth + 1)? {
                Object::Operator(_) => return None,
                item => items.push(item),
            }
        }
    }

    fn read_dict(&mut self, depth: usize) -> Option<Object> {
        let mut dict = Dict::new();
        loop {
            self.skip_space();
            if self.accept(b">>") {
                return Some(Object::Dict(Box::new(dict)));
            }
            if self.peek()? != b'/' {
                return None;
            }
            let key = self.read_name();
            match self.nested(depth + 1)? {
                Object::Operator(_) => return None,
                value => dict.insert(key, value),
            };
        }
    }

    fn read_name(&mut self) -> String {
        self.position += 1;
        let raw = self.take_while(is_regular);
        let mut name = Vec::with_capacity(raw.len());
        let mut at = 0;
        while let Some(&byte) = raw.get(at) {
            let escaped = match raw.get(at + 1..at + 3) {
                Some(&[high, low]) if byte == b'#' => hex_digit(high).zip(hex_digit(low)),
                _ => None,
            };
            name.push(escaped.map_or(byte, |(high, low)| high << 4 | low));
            at += if escaped.is_some() { 3 } else { 1 };
        }
        latin(&name)
    }

    fn read_hex(&mut self) -> Vec<u8> {
        self.position += 1;
        let raw = self.take_while(|byte| byte != b'>');
        self.position += 1;
        let digits: Vec<u8> = raw.iter().copied().filter_map(hex_digit).collect();
        digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).unwrap_or(&0)).collect()
    }

    fn read_literal(&mut self) -> Option<Vec<u8>> {
        self.position += 1;
        let mut text = Vec::new();
        let mut open = 1_usize;
        loop {
            let byte = self.peek()?;
            self.position += 1;
            match byte {
                b'(' => open += 1,
                b')' if open == 1 => return Some(text),
                b')' => open -= 1,
                b'\\' => {
                    text.extend(self.read_escape()?);
                    continue;
                }
                _ => {}
            }
            text.push(byte);
        }
    }

    /// What follows a backslash; nothing when it joins two lines.
    fn read_escape(&mut self) -> Option<Option<u8>> {
        let byte = self.peek()?;
        self.position += 1;
        Some(Some(match byte {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'b' => 8,
            b'f' => 12,
            b'\r' => {
                self.accept(b"\n");
                return Some(None);
            }
            b'\n' => return Some(None),
            b'0'..=b'7' => {
                let mut code = byte - b'0';
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.peek() else { break };
                    code = code.wrapping_shl(3) | (digit - b'0');
                    self.position += 1;
                }
                code
            }
            other => other,
        }))
    }

    /// A number, or a reference when it is followed by another and `R`.
    fn read_number(&mut self) -> Object {
        let raw = self.take_while(is_regular);
        let text = std::str::from_utf8(raw).unwrap_or_default();
        let number: f64 = text.parse().unwrap_or(0.0);
        if let Ok(id) = text.parse::<u32>() {
            let mut ahead = self.clone();
            ahead.take_while(is_space);
            let generation = ahead.take_while(|byte| byte.is_ascii_digit());
            let space = ahead.take_while(is_space);
            let is_reference = !generation.is_empty() && !space.is_empty();
            if is_reference && ahead.take_while(is_regular) == b"R" {
                *self = ahead;
                return Object::Reference(id);
            }
        }
        // "inf" and "nan" are no numbers here, but damaged ones can overflow to them.
        Object::Number(if number.is_finite() { number } else { 0.0 })
    }
}

/// One character a byte.
pub(super) fn latin(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 12 | 0)
}

const fn is_regular(byte: u8) -> bool {
    let is_delimiter =
        matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%');
    !is_space(byte) && !is_delimiter
}

pub(super) fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn one(text: &str) -> Option<Object> {
        Lexer::new(text.as_bytes(), 0).object()
    }

    #[test]
    fn reads_each_kind_of_value() {
        assert_eq!(one(" -1.5 "), Some(Object::Number(-1.5)));
        assert_eq!(one("12 0 R"), Some(Object::Reference(12)));
        assert_eq!(one("12 0 RG"), Some(Object::Number(12.0)));
        assert_eq!(one("/A#20b"), Some(Object::Name("A b".into())));
        assert_eq!(one("% note\n<48 6>"), Some(Object::Text(b"H`".into())));
        assert_eq!(one("(a(b)\\)\\101\\\n\\n)"), Some(Object::Text(b"a(b))A\n".into())));
        assert_eq!(one("Tj"), Some(Object::Operator("Tj".into())));
        let Some(Object::Dict(dict)) = one("<</K[1 null true]/L<<>>>>") else { panic!() };
        assert_eq!(dict["K"].array().map(<[_]>::len), Some(3));
        assert!(dict["L"].dict().is_some());
    }

    #[test]
    fn damage_gives_nothing() {
        for text in ["", "(open", "[1 2", "<</K", "<</K obj>>", "]", &"[".repeat(500)] {
            assert_eq!(one(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn always_reaches_the_end(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut lexer = Lexer::new(&bytes, 0);
            while lexer.position < bytes.len() {
                let before = lexer.position;
                lexer.object();
                prop_assert!(lexer.position > before);
            }
        }
    }
}
