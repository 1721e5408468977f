//! A JSON validator.
//!
//! Accepts what common readers accept: any nesting (kept on the heap), duplicate keys, lone
//! surrogates, and the words `NaN`, `Infinity`, `-Infinity` that many writers emit. In
//! [`JsonDialect::Comments`] also `//` and `/* */` comments and trailing commas.

use super::{SyntaxVerdict, text};

/// How strictly JSON is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonDialect {
    /// No comments, no trailing commas.
    Strict,
    /// Both are fine, as in editors' settings files.
    Comments,
}

/// Checks one JSON document.
pub(super) fn check(text: &str, dialect: JsonDialect) -> SyntaxVerdict {
    match Reader::new(text, dialect).document() {
        Ok(()) => SyntaxVerdict::Ok,
        Err(fault) => {
            let error = text::error_at("JSONDecodeError", text, fault.offset, fault.message);
            SyntaxVerdict::Errors(vec![error])
        }
    }
}

/// Whether comments stand in a JSON text, as far as it can be read.
pub(super) fn has_comments(content: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(content) else { return false };
    let mut reader = Reader::new(text.trim_start_matches('\u{feff}'), JsonDialect::Comments);
    // Broken JSON with comments is still JSON with comments.
    let _ = reader.document();
    reader.saw_comment
}

struct Fault {
    offset: usize,
    message: &'static str,
}

type Outcome = Result<(), Fault>;

#[derive(Clone, Copy)]
enum Open {
    Object,
    Array,
}

struct Reader<'t> {
    bytes: &'t [u8],
    at: usize,
    dialect: JsonDialect,
    open: Vec<Open>,
    saw_comment: bool,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, dialect: JsonDialect) -> Reader<'t> {
        Reader { bytes: text.as_bytes(), at: 0, dialect, open: Vec::new(), saw_comment: false }
    }

    /// One value with nothing but space around it.
    fn document(&mut self) -> Outcome {
        loop {
            self.value()?;
            if !self.close_or_continue()? {
                return Ok(());
            }
        }
    }

    /// A scalar or empty container; or the opening of a container up to its first value.
    fn value(&mut self) -> Outcome {
        loop {
            self.space()?;
            match self.peek() {
                Some(b'{') => {
                    self.at += 1;
                    self.space()?;
                    self.open.push(Open::Object);
                    if self.peek() == Some(b'}') {
                        return Ok(());
                    }
                    self.key()?;
                }
                Some(b'[') => {
                    self.at += 1;
                    self.space()?;
                    self.open.push(Open::Array);
                    if self.peek() == Some(b']') {
                        return Ok(());
                    }
                }
                _ => return self.scalar(),
            }
        }
    }

    /// After a value: closes what is complete. `true` if another value follows, `false` at the
    /// end of the document.
    fn close_or_continue(&mut self) -> Result<bool, Fault> {
        loop {
            self.space()?;
            let Some(open) = self.open.last().copied() else {
                return match self.peek() {
                    None => Ok(false),
                    Some(_) => Err(self.fault("more text after the end of the document")),
                };
            };
            let (end, missing) = match open {
                Open::Object => (b'}', "expected ',' or '}'"),
                Open::Array => (b']', "expected ',' or ']'"),
            };
            match self.peek() {
                Some(byte) if byte == end => {
                    self.at += 1;
                    self.open.pop();
                }
                Some(b',') => {
                    let comma = self.at;
                    self.at += 1;
                    self.space()?;
                    if self.peek() == Some(end) {
                        if self.dialect == JsonDialect::Strict {
                            let message = "trailing comma before a closing bracket";
                            return Err(Fault { offset: comma, message });
                        }
                        continue;
                    }
                    if matches!(open, Open::Object) {
                        self.key()?;
                    }
                    return Ok(true);
                }
                None => return Err(self.fault("the text ends inside an object or array")),
                Some(_) => return Err(self.fault(missing)),
            }
        }
    }

    /// `"name":`
    fn key(&mut self) -> Outcome {
        if self.peek() != Some(b'"') {
            return Err(self.fault("expected a key in double quotes"));
        }
        self.string()?;
        self.space()?;
        if self.peek() != Some(b':') {
            return Err(self.fault("expected ':' after a key"));
        }
        self.at += 1;
        Ok(())
    }

    fn scalar(&mut self) -> Outcome {
        if self.peek() == Some(b'"') {
            return self.string();
        }
        for word in ["true", "false", "null", "NaN", "Infinity", "-Infinity"] {
            if self.bytes[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return self.scalar_end();
            }
        }
        if matches!(self.peek(), Some(b'-' | b'0'..=b'9')) {
            self.number()?;
            return self.scalar_end();
        }
        Err(self.fault("expected a value"))
    }

    /// `truex` and `01` are one word, and a wrong one.
    fn scalar_end(&self) -> Outcome {
        match self.peek() {
            Some(byte) if byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_' => {
                Err(self.fault("not a valid number or word"))
            }
            _ => Ok(()),
        }
    }

    fn number(&mut self) -> Outcome {
        self.at += usize::from(self.peek() == Some(b'-'));
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Outcome {
        let count = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return Err(self.fault("expected a digit"));
        }
        self.at += count;
        Ok(())
    }

    fn string(&mut self) -> Outcome {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(0..0x20) => {
                    return Err(self.fault("raw control character in a string (write it escaped)"));
                }
                Some(_) => self.at += 1,
                None => return Err(Fault { offset: start, message: "the string never ends" }),
            }
        }
    }

    fn escape(&mut self) -> Outcome {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let hex = self.bytes.get(self.at + 2..self.at + 6).unwrap_or_default();
                if hex.len() < 4 || !hex.iter().all(u8::is_ascii_hexdigit) {
                    return Err(self.fault("\\u needs four hexadecimal digits"));
                }
                self.at += 6;
            }
            _ => return Err(self.fault("unknown escape in a string (a backslash is written \\\\)")),
        }
        Ok(())
    }

    /// Space and, where allowed, comments.
    fn space(&mut self) -> Outcome {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b'/') => self.comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn comment(&mut self) -> Outcome {
        let body = &self.bytes[self.at + 1..];
        let length = match body.first() {
            Some(b'/') => body.iter().position(|byte| *byte == b'\n').unwrap_or(body.len()),
            Some(b'*') => match body[1..].windows(2).position(|pair| pair == b"*/") {
                Some(end) => end + 3,
                None => return Err(self.fault("the comment never ends")),
            },
            _ => return Err(self.fault("expected a value")),
        };
        if self.dialect == JsonDialect::Strict {
            return Err(self.fault("JSON has no comments"));
        }
        self.saw_comment = true;
        self.at += 1 + length;
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn fault(&self, message: &'static str) -> Fault {
        Fault { offset: self.at, message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str, dialect: JsonDialect) -> Option<String> {
        match check(text, dialect) {
            SyntaxVerdict::Ok => None,
            SyntaxVerdict::Errors(errors) => Some(errors[0].to_string()),
            SyntaxVerdict::Skipped(reason) => panic!("{reason}"),
        }
    }

    #[test]
    fn accepts_what_readers_accept() {
        let cases = [
            "{}",
            "[]",
            " [ ] ",
            "null",
            "-0.5e+10",
            "\"\\u00e9\\ud800 \u{7f}é\"",
            "{\"a\": [1, {\"b\": []}, {}], \"a\": NaN}",
            "[Infinity, -Infinity, 0, -1, 1E5, true, false]\r\n",
        ];
        for text in cases {
            assert_eq!(message(text, JsonDialect::Strict), None, "{text}");
        }
    }

    #[test]
    fn names_each_fault_and_its_place() {
        let cases = [
            ("", "expected a value (line 1, column 1)"),
            ("{\"a\": 1,\n}", "trailing comma before a closing bracket (line 1, column 8)"),
            ("[1,]", "trailing comma before a closing bracket (line 1, column 3)"),
            ("{\n  a: 1}", "expected a key in double quotes (line 2, column 3)"),
            ("{\"a\" 1}", "expected ':' after a key (line 1, column 6)"),
            ("{\"a\": }", "expected a value (line 1, column 7)"),
            ("[1 2]", "expected ',' or ']' (line 1, column 4)"),
            ("{\"a\": 1 \"b\": 2}", "expected ',' or '}' (line 1, column 9)"),
            ("{\"a\": [1}", "expected ',' or ']' (line 1, column 9)"),
            ("{\"a\": 1", "the text ends inside an object or array (line 1, column 8)"),
            ("{} x", "more text after the end of the document (line 1, column 4)"),
            ("[01]", "not a valid number or word (line 1, column 3)"),
            ("[1.]", "expected a digit (line 1, column 4)"),
            ("[-]", "expected a digit (line 1, column 3)"),
            ("[truex]", "not a valid number or word (line 1, column 6)"),
            ("'a'", "expected a value (line 1, column 1)"),
            ("[\"a]", "the string never ends (line 1, column 2)"),
            (
                "[\"a\nb\"]",
                "raw control character in a string (write it escaped) (line 1, column 4)",
            ),
            (
                "\"C:\\d\"",
                "unknown escape in a string (a backslash is written \\\\) (line 1, column 4)",
            ),
            ("\"\\u12g4\"", "\\u needs four hexadecimal digits (line 1, column 2)"),
            ("[1] // a", "JSON has no comments (line 1, column 5)"),
            ("[1] / a", "expected a value (line 1, column 5)"),
        ];
        for (text, expected) in cases {
            let found = message(text, JsonDialect::Strict).unwrap_or_default();
            assert_eq!(found, format!("JSONDecodeError: {expected}"), "{text}");
        }
    }

    #[test]
    fn comments_and_trailing_commas_by_dialect() {
        let text = "// a\n{ /* b, */ \"a\": [1, /**/], // \"\n \"b\": \"//\",\n}\n//";
        assert_eq!(message(text, JsonDialect::Comments), None);
        assert!(has_comments(text.as_bytes()));
        assert!(message("[1,,]", JsonDialect::Comments).is_some());
        assert!(message("[1] /* a", JsonDialect::Comments).is_some());
    }

    #[test]
    fn finds_comments_even_in_broken_text() {
        assert!(has_comments(b"\xef\xbb\xbf{ // c\n a }"));
        assert!(!has_comments(b"{\"u\": \"http://x\"}"));
        assert!(!has_comments(b"\xff // c"));
    }

    #[test]
    fn any_depth_is_fine() {
        let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
        assert_eq!(message(&deep, JsonDialect::Strict), None);
    }
}
