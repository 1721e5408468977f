//! YAML as it was written.
//!
//! A reader that turns scalars into booleans, numbers and dates has thrown away what `version: 1.10` and `name: yes`
//! said. This one builds nodes from the parser's events and keeps the text of every scalar, how it was quoted and where
//! it stands; [`YamlNode::to_json`] gives the usual meaning to those that want it.
//!
//! Types are those every YAML reader knows; a tag that would make an object of some programming language is an error,
//! and so are a key that is there twice, nesting beyond [`MAX_DEPTH`], and aliases that stand for more than
//! [`MAX_ALIAS_VALUES`] values.

mod json;

use std::collections::{HashMap, HashSet};
use std::fmt;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, Tag};

/// Deepest nesting read.
pub const MAX_DEPTH: usize = 64;

/// Most values that all aliases of a document may stand for.
pub const MAX_ALIAS_VALUES: usize = 10_000;

/// The tags of the YAML type repository that stand for plain data.
const PLAIN_TAGS: [&str; 13] = [
    "str",
    "int",
    "float",
    "bool",
    "null",
    "seq",
    "map",
    "set",
    "omap",
    "pairs",
    "binary",
    "timestamp",
    "merge",
];

/// A value with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct YamlNode {
    /// Line in the document, counted from 1.
    pub line: usize,
    /// Scalar, list or mapping.
    pub value: YamlValue,
}

/// The three shapes of YAML.
#[derive(Clone, Debug, PartialEq)]
pub enum YamlValue {
    /// A text as written.
    Scalar {
        /// Without quotes and escapes.
        text: String,
        /// How it is to be understood.
        style: YamlStyle,
    },
    /// A list.
    Sequence(Vec<YamlNode>),
    /// A mapping, in order; keys are texts.
    Mapping(Vec<(String, YamlNode)>),
}

/// How a scalar is to be understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YamlStyle {
    /// Without quotes: may be a number, a boolean, a date.
    Plain,
    /// A text whatever it looks like.
    Text,
    /// Bytes, in base64.
    Binary,
}

/// What is wrong with a block of YAML, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlProblem {
    /// Line in the document, counted from 1.
    pub line: usize,
    /// Column, counted from 1.
    pub column: usize,
    /// In words.
    pub found: String,
}

impl fmt::Display for YamlProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.found)
    }
}

impl YamlNode {
    /// The text of a scalar as written; a plain `null`, `~` or nothing is none.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            YamlValue::Scalar { text, style: YamlStyle::Plain } if json::is_null(text) => None,
            YamlValue::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Whether nothing is said.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self.value, YamlValue::Scalar { .. }) && self.text().is_none()
    }

    /// The value of a key of a mapping.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&YamlNode> {
        self.entries().iter().find(|(known, _)| known == key).map(|(_, node)| node)
    }

    /// The entries of a mapping; of anything else, none.
    #[must_use]
    pub fn entries(&self) -> &[(String, YamlNode)] {
        match &self.value {
            YamlValue::Mapping(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a list; of anything else, none.
    #[must_use]
    pub fn items(&self) -> &[YamlNode] {
        match &self.value {
            YamlValue::Sequence(items) => items,
            _ => &[],
        }
    }

    fn count(&self) -> usize {
        1 + match &self.value {
            YamlValue::Scalar { .. } => 0,
            YamlValue::Sequence(items) => items.iter().map(YamlNode::count).sum(),
            YamlValue::Mapping(entries) => entries.iter().map(|(_, node)| node.count()).sum(),
        }
    }
}

/// Reads one document. `first_line` is the line of the whole file that the text begins on.
///
/// # Errors
/// When it is not YAML, or more than this reader takes.
pub fn parse(text: &str, first_line: usize) -> Result<YamlNode, YamlProblem> {
    let mut reader = Reader {
        events: Parser::new_from_str(text),
        offset: first_line.saturating_sub(1),
        anchors: HashMap::new(),
        aliased: 0,
    };
    let empty = YamlNode { line: first_line, value: YamlValue::plain("") };
    let document = match reader.next()? {
        Some((Event::StreamEnd, _)) | None => empty,
        Some((event, span)) => reader.node(event, span, 0)?,
    };
    match reader.next()? {
        Some((Event::StreamEnd, _)) | None => Ok(document),
        Some((_, span)) => {
            Err(reader.problem(span, "a second document begins here; there may be one only"))
        }
    }
}

impl YamlValue {
    fn plain(text: &str) -> Self {
        Self::Scalar { text: text.to_owned(), style: YamlStyle::Plain }
    }
}

struct Reader<'a> {
    events: Parser<'a, granit_parser::StrInput<'a>>,
    offset: usize,
    anchors: HashMap<usize, YamlNode>,
    aliased: usize,
}

impl<'a> Reader<'a> {
    /// The next event that is about data.
    fn next(&mut self) -> Result<Option<(Event<'a>, Span)>, YamlProblem> {
        loop {
            match self.events.next() {
                None => return Ok(None),
                Some(Err(error)) => return Err(self.scan_problem(&error)),
                Some(Ok((
                    Event::StreamStart
                    | Event::DocumentStart(..)
                    | Event::DocumentEnd
                    | Event::Comment(..),
                    _,
                ))) => {}
                Some(Ok(event)) => return Ok(Some(event)),
            }
        }
    }

    fn child(&mut self, depth: usize, end: &Event<'_>) -> Result<Option<YamlNode>, YamlProblem> {
        match self.next()? {
            Some((event, _)) if event == *end => Ok(None),
            Some((event, span)) => self.node(event, span, depth).map(Some),
            None => Ok(None),
        }
    }

    fn node(
        &mut self,
        event: Event<'a>,
        span: Span,
        depth: usize,
    ) -> Result<YamlNode, YamlProblem> {
        if depth > MAX_DEPTH {
            return Err(self.problem(span, &format!("nested more than {MAX_DEPTH} levels deep")));
        }
        let line = self.line(span);
        let (anchor, value) = match event {
            Event::Alias(id) => return self.alias(id, span, line),
            Event::Scalar(text, style, anchor, tag) => {
                let style = match self.tag(tag.as_deref(), span)? {
                    Some("binary") => YamlStyle::Binary,
                    Some("str" | "timestamp") => YamlStyle::Text,
                    Some(_) => YamlStyle::Plain,
                    None if style == ScalarStyle::Plain => YamlStyle::Plain,
                    None => YamlStyle::Text,
                };
                (anchor, YamlValue::Scalar { text: text.into_owned(), style })
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.tag(tag.as_deref(), span)?;
                let mut items = Vec::new();
                while let Some(item) = self.child(depth + 1, &Event::SequenceEnd)? {
                    items.push(item);
                }
                (anchor, YamlValue::Sequence(items))
            }
            Event::MappingStart(_, anchor, tag) => {
                let is_set = self.tag(tag.as_deref(), span)? == Some("set");
                let entries = self.mapping(depth)?;
                (anchor, if is_set { set(entries) } else { YamlValue::Mapping(entries) })
            }
            _ => return Err(self.problem(span, "a value was expected here")),
        };
        let node = YamlNode { line, value };
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn mapping(&mut self, depth: usize) -> Result<Vec<(String, YamlNode)>, YamlProblem> {
        let mut entries: Vec<(String, YamlNode)> = Vec::new();
        let mut known = HashSet::new();
        let mut merged = Vec::new();
        while let Some(key) = self.child(depth + 1, &Event::MappingEnd)? {
            let Some((event, span)) = self.next()? else { break };
            let value = self.node(event, span, depth + 1)?;
            let name = json::key(&key);
            if name == "<<"
                && matches!(key.value, YamlValue::Scalar { style: YamlStyle::Plain, .. })
            {
                merged.push(value);
            } else if known.insert(name.clone()) {
                entries.push((name, value));
            } else {
                let found = format!("the key `{name}` is there twice");
                return Err(YamlProblem { line: key.line, column: 1, found });
            }
        }
        // What is merged in stands behind what is written here.
        for source in merged {
            let parts =
                if source.items().is_empty() { vec![source] } else { source.items().to_vec() };
            for (name, value) in parts.iter().flat_map(YamlNode::entries) {
                if known.insert(name.clone()) {
                    entries.push((name.clone(), value.clone()));
                }
            }
        }
        Ok(entries)
    }

    fn alias(&mut self, id: usize, span: Span, line: usize) -> Result<YamlNode, YamlProblem> {
        let Some(node) = self.anchors.get(&id) else {
            return Err(self.problem(span, "an alias inside of what it stands for"));
        };
        self.aliased = self.aliased.saturating_add(node.count());
        if self.aliased > MAX_ALIAS_VALUES {
            return Err(self
                .problem(span, &format!("aliases stand for more than {MAX_ALIAS_VALUES} values")));
        }
        Ok(YamlNode { line, ..node.clone() })
    }

    /// The name of a tag of the YAML type repository; others are refused.
    fn tag<'t>(&self, tag: Option<&'t Tag>, span: Span) -> Result<Option<&'t str>, YamlProblem> {
        let Some(tag) = tag else { return Ok(None) };
        let plain = tag.suffix_in_namespace("tag:yaml.org,2002:");
        let known = plain.and_then(|name| PLAIN_TAGS.iter().find(|known| **known == name));
        match known {
            Some(name) => Ok(Some(name)),
            None if tag.handle().is_empty() && tag.suffix() == "!" => Ok(Some("str")),
            None => {
                Err(self.problem(span, &format!("the type `{}` is not plain data", tag.original())))
            }
        }
    }

    fn line(&self, span: Span) -> usize {
        span.start.line() + self.offset
    }

    fn problem(&self, span: Span, found: &str) -> YamlProblem {
        YamlProblem { line: self.line(span), column: span.start.col() + 1, found: found.to_owned() }
    }

    fn scan_problem(&self, error: &ScanError) -> YamlProblem {
        let mut found = error.info();
        if found.contains("mapping values are not allowed") {
            found += "; a value that contains a colon and a blank must be in quotes";
        }
        let place = error.marker();
        YamlProblem { line: place.line() + self.offset, column: place.col() + 1, found }
    }
}

/// The members of a set, sorted.
fn set(entries: Vec<(String, YamlNode)>) -> YamlValue {
    let mut members: Vec<YamlNode> = entries
        .into_iter()
        .map(|(text, node)| YamlNode {
            line: node.line,
            value: YamlValue::Scalar { text, style: YamlStyle::Text },
        })
        .collect();
    members.sort_by(|a, b| a.text().cmp(&b.text()));
    YamlValue::Sequence(members)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(text: &str) -> Value {
        parse(text, 1).unwrap().to_json()
    }

    fn refused(text: &str) -> YamlProblem {
        parse(text, 1).unwrap_err()
    }

    #[test]
    fn written_text_survives() {
        let node =
            parse("name: yes\nversion: 1.10\nzip: 010\nday: 2024-01-02\nnone: ~\nq: \"no\"\n", 1)
                .unwrap();
        let text = |key| node.get(key).unwrap().text();
        assert_eq!(text("name"), Some("yes"));
        assert_eq!(text("version"), Some("1.10"));
        assert_eq!(text("zip"), Some("010"));
        assert_eq!(text("day"), Some("2024-01-02"));
        assert_eq!(text("none"), None);
        assert_eq!(text("q"), Some("no"));
        assert_eq!(node.get("day").unwrap().line, 4);
    }

    #[test]
    fn every_value_has_a_json_form() {
        let text = "a: 2024-01-02 10:00:00\nb: !!binary aGk=\nc: !!set {y, x}\nd: .nan\ne: -.inf\n1: f\ntrue: g\n\
                    h: 0x1f\ni: 1_000\nj: 1.5\nk: on\nl: ''\n? [x, 1]\n: m\n";
        assert_eq!(
            read(text),
            json!({"a": "2024-01-02T10:00:00", "b": "aGk=", "c": ["x", "y"], "d": null, "e": null, "1": "f",
                "true": "g", "h": 31, "i": 1000, "j": 1.5, "k": true, "l": "", "[\"x\",1]": "m"})
        );
    }

    #[test]
    fn anchors_and_merges_are_followed() {
        assert_eq!(
            read("base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\nsame: *b\n"),
            json!({"base": {"x": 1, "y": 2}, "use": {"y": 3, "x": 1}, "same": {"x": 1, "y": 2}})
        );
    }

    #[test]
    fn what_is_not_plain_data_is_refused_with_its_place() {
        let cases = [
            ("a: 1\nb: 2\na: 3\n", 3, "`a` is there twice"),
            ("a: !!python/object:os.system x\n", 1, "not plain data"),
            ("a: !thing x\n", 1, "not plain data"),
            ("a: 1\nb: c: d\n", 2, "must be in quotes"),
            ("a: [1\n", 1, ""),
            ("a: *nowhere\n", 1, ""),
            ("a: &x [*x]\n", 1, ""),
            ("a: 1\n---\nb: 1\n", 3, "second document"),
        ];
        for (text, line, words) in cases {
            let problem = refused(text);
            assert!(problem.found.contains(words), "{text:?}: {problem:?}");
            assert!(
                problem.line >= 1 && (words.is_empty() || problem.line == line),
                "{text:?}: {problem:?}"
            );
        }
        assert_eq!(parse("a: b: c", 5).unwrap_err().line, 5);
    }

    #[test]
    fn alias_bombs_and_deep_nesting_are_refused() {
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for n in 1..12 {
            let last = n - 1;
            bomb += &format!("a{n}: &a{n} [{}]\n", vec![format!("*a{last}"); 9].join(", "));
        }
        assert!(refused(&bomb).found.contains("aliases"));
        refused(&"[".repeat(100_000));
        refused(&format!("{}x{}", "[".repeat(80), "]".repeat(80)));
        refused(&"- ".repeat(100_000));
        assert_eq!(read(&format!("{}x{}", "[".repeat(60), "]".repeat(60))).to_string().len(), 123);
    }

    #[test]
    fn nothing_at_all_is_null() {
        assert_eq!(read(""), Value::Null);
        assert_eq!(read("# only a comment\n"), Value::Null);
    }
}
