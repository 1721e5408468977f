//! Values: one pass over the text, recursive but capped in depth.
//!
//! The reader keeps two facts beside its position. Where the last string ended, to notice text
//! that goes on right behind it: that is what an unescaped quote looks like. And how many
//! containers of each kind are open, to know whether a wrong closing bracket could belong to an
//! outer one.

use serde_json::{Map, Value};

use super::MAX_DEPTH;
use super::chars::{is_padding, is_quote};
use super::error::ArgumentError;
use super::number;

type Outcome<T> = Result<T, ArgumentError>;

/// What a closing bracket of the wrong kind is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mismatch {
    /// The innermost container's closer, miswritten.
    Miswritten,
    /// The closer of the nearest container of its kind; those within lack theirs.
    ClosesOuter,
}

pub(super) struct Reader<'t> {
    text: &'t str,
    at: usize,
    end: usize,
    policy: Mismatch,
    open_objects: usize,
    open_lists: usize,
    /// Where the last string ended, until a comma or bracket follows it.
    pub(super) string_end: Option<usize>,
    /// How many brackets were missing, surplus or wrong.
    pub(super) corrections: usize,
    /// Where the first wrong bracket stands.
    pub(super) mismatch: Option<usize>,
}

/// What stands before the current place in a container.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Its opening bracket.
    Open,
    /// A comma.
    Comma,
    /// A value.
    Value,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    Object,
    List,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str, policy: Mismatch) -> Self {
        Self {
            text,
            at: 0,
            end: text.len(),
            policy,
            open_objects: 0,
            open_lists: 0,
            string_end: None,
            corrections: 0,
            mismatch: None,
        }
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..self.end]
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn advance(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Drop characters from both ends of what is left.
    pub(super) fn trim(&mut self, drop: fn(char) -> bool) {
        self.end = self.at + self.rest().trim_end_matches(drop).len();
        self.at = self.end - self.rest().trim_start_matches(drop).len();
    }

    /// Drop a suffix of what is left.
    pub(super) fn strip_end(&mut self, suffix: &str) {
        if let Some(kept) = self.rest().strip_suffix(suffix) {
            self.end = self.at + kept.len();
        }
    }

    /// The position of a byte offset, for people: characters from 1.
    pub(super) fn character(&self, offset: usize) -> usize {
        self.text[..offset].chars().count() + 1
    }

    pub(super) fn here(&self) -> usize {
        self.character(self.at)
    }

    pub(super) fn malformed(&self, problem: &'static str) -> ArgumentError {
        ArgumentError::Malformed { at: self.here(), problem }
    }

    /// The error for text that stands behind a string, if a string came last.
    pub(super) fn after_string(&self) -> Option<ArgumentError> {
        self.string_end.map(|_| ArgumentError::UnescapedQuote { at: self.here() })
    }

    pub(super) fn truncated(&self, offset: usize, unfinished: &'static str) -> ArgumentError {
        ArgumentError::Truncated { at: self.character(offset), unfinished }
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Skip padding and comments inside a container.
    fn skip(&mut self) -> Outcome<()> {
        loop {
            let rest = self.rest();
            self.at = self.end - rest.trim_start_matches(is_padding).len();
            let rest = self.rest();
            let (body, terminator) = match rest {
                _ if rest.starts_with("//") || rest.starts_with('#') => (1, "\n"),
                _ if rest.starts_with("/*") => (2, "*/"),
                _ => return Ok(()),
            };
            // A comment that swallows the rest would swallow closers, or be a cut-off one.
            let Some(length) = rest[body..].find(terminator) else {
                return Err(self
                    .after_string()
                    .unwrap_or_else(|| self.truncated(self.at, "the comment")));
            };
            let comment = &rest[..body + length];
            if self.string_end == Some(self.at)
                || self.string_end.is_some() && comment.contains(is_quote)
            {
                return Err(ArgumentError::UnescapedQuote { at: self.here() });
            }
            self.advance(body + length + terminator.len());
        }
    }

    /// Read any value that begins here.
    pub(super) fn value(&mut self) -> Outcome<Value> {
        self.string_end = None;
        match self.peek() {
            Some('{') => self.nested(Container::Object),
            Some('[') => self.nested(Container::List),
            Some(c) if is_quote(c) => self.string(c).map(Value::String),
            Some('0'..='9' | '+' | '-' | '.') => self.number(),
            Some(c) if is_identifier_start(c) => self.word(),
            _ => Err(self.malformed("a value is missing")),
        }
    }

    fn nested(&mut self, container: Container) -> Outcome<Value> {
        if self.open_objects + self.open_lists >= MAX_DEPTH {
            return Err(ArgumentError::TooDeep { at: self.here() });
        }
        let start = self.at;
        self.advance(1);
        *self.open(container) += 1;
        let value = match container {
            Container::Object => self.object(start).map(Value::Object),
            Container::List => self.list(start).map(Value::Array),
        };
        *self.open(container) -= 1;
        self.string_end = None;
        value
    }

    fn open(&mut self, container: Container) -> &mut usize {
        match container {
            Container::Object => &mut self.open_objects,
            Container::List => &mut self.open_lists,
        }
    }

    fn object(&mut self, start: usize) -> Outcome<Map<String, Value>> {
        let mut fields = Map::new();
        let mut before = Before::Open;
        while self.next_entry(Container::Object, start, &mut before)? {
            let key_at = self.at;
            let key = match self.peek() {
                Some(c) if is_quote(c) => self.string(c)?,
                Some(c) if is_identifier_start(c) && self.string_end.is_none() => {
                    self.run(is_identifier).to_owned()
                }
                _ => return Err(self.unexpected("a key is missing")),
            };
            self.skip()?;
            match self.peek() {
                Some(':') => self.advance(1),
                Some(',' | '}' | ']') => return Err(self.malformed("a colon is missing")),
                Some(_) => return Err(self.unexpected("a colon is missing")),
                None => return Err(self.truncated(key_at, "the key")),
            }
            self.string_end = None;
            self.skip()?;
            if self.rest().is_empty() {
                return Err(self.truncated(key_at, "the key"));
            }
            let value = self.value()?;
            fields.insert(key, value);
        }
        Ok(fields)
    }

    fn list(&mut self, start: usize) -> Outcome<Vec<Value>> {
        let mut items = Vec::new();
        let mut before = Before::Open;
        while self.next_entry(Container::List, start, &mut before)? {
            let continues = self.peek().is_some_and(|c| is_quote(c) || matches!(c, '{' | '['));
            if self.string_end.is_some() && !continues {
                return Err(self.unexpected("a comma is missing"));
            }
            items.push(self.value()?);
        }
        Ok(items)
    }

    /// Go to the next entry of a container. Answers false when the container is closed, by a
    /// bracket or by the end of the text.
    fn next_entry(
        &mut self,
        container: Container,
        start: usize,
        before: &mut Before,
    ) -> Outcome<bool> {
        loop {
            self.skip()?;
            match self.peek() {
                Some(',') => {
                    self.advance(1);
                    self.string_end = None;
                    *before = Before::Comma;
                }
                Some(bracket @ ('}' | ']')) => {
                    self.close(container, bracket);
                    return Ok(false);
                }
                Some(_) if self.string_end == Some(self.at) => {
                    return Err(ArgumentError::UnescapedQuote { at: self.here() });
                }
                Some(_) => {
                    *before = Before::Value;
                    return Ok(true);
                }
                None if *before == Before::Value => {
                    self.corrections += 1;
                    return Ok(false);
                }
                None => {
                    let what = match container {
                        Container::Object => "the object",
                        Container::List => "the list",
                    };
                    return Err(self.truncated(start, what));
                }
            }
        }
    }

    /// Close a container at a bracket, which may be the wrong one.
    fn close(&mut self, container: Container, bracket: char) {
        let (right, outer) = match container {
            Container::Object => (bracket == '}', self.open_lists),
            Container::List => (bracket == ']', self.open_objects),
        };
        if !right {
            self.corrections += 1;
            self.mismatch.get_or_insert(self.at);
            if self.policy == Mismatch::ClosesOuter && outer > 0 {
                return; // left for the outer container
            }
        }
        self.advance(1);
    }

    /// Skip closers, and padding, when nothing is open any more. A parenthesis counts as one:
    /// calls are written `tool({…})`.
    pub(super) fn surplus_closers(&mut self) {
        let rest = self.rest();
        let kept = rest.trim_start_matches(|c| is_padding(c) || matches!(c, '}' | ']' | ')'));
        let dropped = &rest[..rest.len() - kept.len()];
        self.corrections += dropped.matches(['}', ']']).count();
        self.advance(dropped.len());
    }

    /// The error for a character that does not belong here: behind a string, the string probably
    /// did not end where it seemed to.
    fn unexpected(&self, problem: &'static str) -> ArgumentError {
        self.after_string().unwrap_or_else(|| self.malformed(problem))
    }

    fn number(&mut self) -> Outcome<Value> {
        let start = self.at;
        let token = self.run(number::belongs);
        match number::read(token) {
            number::Reading::Number(number)
                if !(token.ends_with('.') && self.rest().is_empty()) =>
            {
                Ok(Value::Number(number))
            }
            number::Reading::Bad => Err(self.bad_number(start, token)),
            number::Reading::Unfinished if !self.rest().is_empty() => {
                Err(self.bad_number(start, token))
            }
            _ => Err(self.truncated(start, "the number")),
        }
    }

    fn word(&mut self) -> Outcome<Value> {
        let start = self.at;
        match self.run(is_identifier) {
            "true" | "True" => Ok(Value::Bool(true)),
            "false" | "False" => Ok(Value::Bool(false)),
            "null" | "None" => Ok(Value::Null),
            word if matches!(word.to_ascii_lowercase().as_str(), "nan" | "inf" | "infinity") => {
                Err(self.bad_number(start, word))
            }
            _ if self.rest().is_empty() => Err(self.truncated(start, "the value")),
            _ => {
                let at = self.character(start);
                Err(ArgumentError::Malformed { at, problem: "an unquoted word stands as a value" })
            }
        }
    }

    fn bad_number(&self, start: usize, token: &str) -> ArgumentError {
        const SHOWN: usize = 40;
        let found = token.chars().take(SHOWN).collect();
        ArgumentError::BadNumber { at: self.character(start), found }
    }

    fn run(&mut self, belongs: fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.advance(length);
        &rest[..length]
    }
}

fn is_identifier_start(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '$')
}

fn is_identifier(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}
