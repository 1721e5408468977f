//! Random edits on random commented files: the value is always the one meant, and comments
//! outside the edited key always survive.

use super::*;
use crate::yaml::layout::{Layout, Root};
use proptest::prelude::*;
use serde_json::Map;

const KEYS: [&str; 8] = ["a", "b", "c.d", "yes", "two words", "ü", "7", "#x"];

fn key() -> impl Strategy<Value = String> {
    prop::sample::select(&KEYS[..]).prop_map(String::from)
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e6..1e6f64).prop_map(Value::from),
        prop::sample::select(
            &["text", "a: b", "# no", "- x", "yes", "", "l1\nl2", "é", "it's", "007"][..]
        )
        .prop_map(Value::from),
    ]
}

fn tree(depth: u32) -> impl Strategy<Value = Value> {
    scalar().prop_recursive(depth, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            section(inner),
        ]
    })
}

fn section(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    prop::collection::vec((key(), inner), 0..4)
        .prop_map(|entries| Value::Object(Map::from_iter(entries)))
}

fn edit() -> impl Strategy<Value = Edit> {
    let segment = prop_oneof![5 => key(), 1 => (0..3usize).prop_map(|n| n.to_string())];
    let path = prop::collection::vec(segment, 1..4)
        .prop_map(|segments| KeyPath::from_segments(segments).unwrap());
    (path, tree(2), 0..6u8).prop_map(|(path, value, kind)| match kind {
        0 => Edit::Unset(path),
        1 => Edit::Push(path, value),
        2 => Edit::PushNew(path, value),
        3 => Edit::RemoveItem(path, value),
        _ => Edit::Set(path, value),
    })
}

/// Prints a section the way people do: mixed styles, comments everywhere. Each comment is unique.
struct Typist {
    choices: Vec<u8>,
    used: usize,
    comments: usize,
    line_end: &'static str,
}

impl Typist {
    fn choose(&mut self, among: u8) -> u8 {
        let choice = self.choices.get(self.used).copied().unwrap_or(0);
        self.used += 1;
        choice % among
    }

    fn comment(&mut self) -> String {
        self.comments += 1;
        format!("# remark {}.", self.comments)
    }

    /// A line end, sometimes after a comment.
    fn end(&mut self) -> String {
        if self.choose(4) == 3 {
            format!(" {}{}", self.comment(), self.line_end)
        } else {
            self.line_end.to_string()
        }
    }

    fn section(&mut self, map: &Map<String, Value>, indent: usize) -> String {
        let mut text = String::new();
        for (key, value) in map {
            match self.choose(5) {
                3 => text += &format!("{}{}{}", " ".repeat(indent), self.comment(), self.line_end),
                4 => text += self.line_end,
                _ => {}
            }
            let key = serde_json::to_string(key).unwrap();
            text += &format!("{}{key}:{}", " ".repeat(indent), self.value(value, indent));
        }
        text
    }

    /// What follows `key:` or `-`, up to and with the line end.
    fn value(&mut self, value: &Value, indent: usize) -> String {
        let step = 2 + 2 * usize::from(self.choose(2));
        match value {
            Value::Object(map) if !map.is_empty() && self.choose(3) > 0 => {
                format!("{}{}", self.end(), self.section(map, indent + step))
            }
            Value::Array(items) if !items.is_empty() && self.choose(3) > 0 => {
                let indent = indent + step;
                let mut text = self.end();
                for item in items {
                    if self.choose(4) == 3 {
                        text +=
                            &format!("{}{}{}", " ".repeat(indent), self.comment(), self.line_end);
                    }
                    text += &format!("{}-{}", " ".repeat(indent), self.value(item, indent));
                }
                text
            }
            Value::String(words) if words.contains('\n') && self.choose(2) == 1 => {
                let margin = " ".repeat(indent + step);
                let lines: Vec<_> = words.lines().map(|line| format!("{margin}{line}")).collect();
                format!(" |-{}{}{}", self.line_end, lines.join(self.line_end), self.line_end)
            }
            // JSON is YAML, in flow style and with every text quoted.
            other => format!(" {other}{}", self.end()),
        }
    }
}

fn commented_file() -> impl Strategy<Value = String> {
    let settings = prop::collection::vec((key(), tree(3)), 0..5);
    (settings, prop::collection::vec(any::<u8>(), 0..60), any::<bool>(), any::<bool>()).prop_map(
        |(settings, choices, windows, open_end)| {
            let line_end = if windows { "\r\n" } else { "\n" };
            let mut typist = Typist { choices, used: 0, comments: 0, line_end };
            let mut text = format!("{}{line_end}", typist.comment());
            text += &typist.section(&Map::from_iter(settings), 0);
            text += &typist.comment();
            if !open_end {
                text += line_end;
            }
            text
        },
    )
}

fn value_of(text: &str) -> Value {
    crate::config::Config::parse(text, Path::new("t")).unwrap().into_value()
}

/// The comments outside the lines of a top-level key.
fn comments_elsewhere(text: &str, key: &str) -> Vec<String> {
    let layout = Layout::of(text).unwrap();
    let lines = match layout.root {
        Root::Block(entries) => entries.into_iter().find(|e| e.key == key).map(|e| e.lines),
        _ => None,
    };
    let inside = lines.map_or("", |lines| &text[lines]);
    layout.comments.into_iter().filter(|comment| !inside.contains(comment.as_str())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn edits_do_what_they_mean_and_keep_comments(
        file in commented_file(),
        edits in prop::collection::vec(edit(), 1..5),
    ) {
        let mut text = file;
        for edit in edits {
            let before = value_of(&text);
            let mut meant = before.clone();
            if model::apply(&mut meant, &edit).is_err() {
                prop_assert!(edit_text(&text, &edit).is_err());
                continue;
            }
            let done = match edit_text(&text, &edit) {
                Ok(done) => done,
                Err(error) => return Err(TestCaseError::fail(format!("{edit:?}: {error}\n{text}"))),
            };
            prop_assert_eq!(value_of(&done.text), meant);
            let after = Layout::of(&done.text).unwrap().comments;
            for comment in comments_elsewhere(&text, edit.path().top()) {
                prop_assert!(after.contains(&comment), "{:?} lost {}\n{}\n{}", edit, comment, text, done.text);
            }
            text = done.text;
        }
    }

    #[test]
    fn arbitrary_text_never_panics(
        text in "[-a-c:#\\[\\]{}'\"|>&*!?, \n\r\t0-9\u{feff}]{0,40}",
        edit in edit(),
    ) {
        if let Ok(done) = edit_text(&text, &edit) {
            let mut meant = value_of(&text);
            model::apply(&mut meant, &edit).unwrap();
            prop_assert_eq!(value_of(&done.text), meant);
        }
    }
}
