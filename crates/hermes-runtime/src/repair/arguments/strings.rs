//! Quoted text: delimiters and escapes.

use super::chars::{closers, is_quote};
use super::error::ArgumentError;
use super::reader::Reader;

impl Reader<'_> {
    /// Read the string that begins here with the given quote.
    pub(super) fn string(&mut self, open: char) -> Result<String, ArgumentError> {
        let start = self.position();
        let closers = closers(open);
        self.advance(open.len_utf8());
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let special = rest.char_indices().find(|(_, c)| *c == '\\' || closers.contains(c));
            let Some((length, special)) = special else { break };
            text.push_str(&rest[..length]);
            self.advance(length + special.len_utf8());
            if special != '\\' {
                self.string_end = Some(self.position());
                return Ok(text);
            }
            let Some(escaped) = self.rest().chars().next() else { break };
            self.advance(escaped.len_utf8());
            self.escape(escaped, &mut text);
        }
        Err(self.truncated(start, "the string"))
    }

    /// Write what an escape stands for. JSON's escapes and escaped quotes have their meaning;
    /// all others are kept with their backslash, being paths and patterns more often than not.
    fn escape(&mut self, escaped: char, text: &mut String) {
        match escaped {
            '\\' | '/' => text.push(escaped),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'n' => text.push('\n'),
            'r' => text.push('\r'),
            't' => text.push('\t'),
            'u' => match hex4(self.rest()) {
                Some(unit) => {
                    self.advance(4);
                    let low = self.rest().strip_prefix("\\u").and_then(hex4);
                    let pair = low.and_then(|low| {
                        char::decode_utf16([unit, low]).next().and_then(Result::ok)
                    });
                    let alone = char::from_u32(unit.into());
                    if alone.is_none() && pair.is_some() {
                        self.advance(6);
                    }
                    text.push(alone.or(pair).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                None => text.push_str("\\u"),
            },
            quote if is_quote(quote) => text.push(quote),
            other => text.extend(['\\', other]),
        }
    }
}

fn hex4(text: &str) -> Option<u16> {
    let digits = text.get(..4).filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u16::from_str_radix(digits, 16).ok()
}
