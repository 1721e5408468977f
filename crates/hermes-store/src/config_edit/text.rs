//! One edit on one text: try, judge, fall back.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use serde_json::Value;

use super::model::{self, Impossible};
use super::{Edit, Method, in_place, rewrite};
use crate::config::{Config, ConfigError};
use crate::key_path::KeyPath;
use crate::yaml::layout::{Layout, Root};

/// A text after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedText {
    /// The whole file with the change made and everything else as it was.
    pub text: String,
    /// How it came about.
    pub method: Method,
    /// Comments of the old text that are no longer there.
    pub lost_comments: Vec<String>,
}

impl EditedText {
    pub(super) fn unchanged(text: &str) -> EditedText {
        EditedText { text: text.to_string(), method: Method::Unchanged, lost_comments: Vec::new() }
    }
}

/// Why a text was not changed.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// The text is no configuration to begin with.
    #[error(transparent)]
    Broken(ConfigError),
    /// The edit makes no sense for what is there.
    #[error(transparent)]
    Impossible(#[from] Impossible),
    /// No way of changing the text gave the value meant.
    #[error(
        "no safe way was found to change {path} in this file (is it shared by a YAML alias or anchor?); please edit the file by hand"
    )]
    Refused {
        /// The setting.
        path: KeyPath,
    },
}

/// Applies an edit to the text of a configuration.
///
/// Never panics, whatever the text; whatever is returned reads back as the old value with the
/// edit applied.
pub fn edit_text(text: &str, edit: &Edit) -> Result<EditedText, TextError> {
    let old = read(text).map_err(TextError::Broken)?;
    let mut meant = old.clone();
    model::apply(&mut meant, edit)?;
    if meant == old {
        return Ok(EditedText::unchanged(text));
    }
    let layout = Layout::of(text).unwrap_or(Layout { root: Root::Other, ..Layout::default() });
    let key = edit.path().top();
    let ways: [(Method, &dyn Fn() -> Option<String>); 2] = [
        (Method::InPlace, &|| in_place::edit(text, edit, &old)),
        (Method::BlockRewritten, &|| rewrite::block(text, &layout, key, &meant)),
    ];
    for (method, way) in ways {
        if let Some(new) = way()
            && let Some(lost_comments) = judge(text, &new, &layout, key, &meant)
        {
            return Ok(EditedText { text: new, method, lost_comments });
        }
        tracing::debug!(path = %edit.path(), ?method, "this way of editing did not give the value meant");
    }
    Err(TextError::Refused { path: edit.path().clone() })
}

fn read(text: &str) -> Result<Value, ConfigError> {
    Config::parse(text, Path::new("config.yaml")).map(Config::into_value)
}

/// Accepts a new text if it says what is meant and differs within one top-level key only; gives
/// the comments it costs.
fn judge(old: &str, new: &str, layout: &Layout, key: &str, meant: &Value) -> Option<Vec<String>> {
    if read(new).ok()? != *meant {
        return None;
    }
    let confined = match &layout.root {
        Root::Block(entries) => {
            let entry = entries.iter().find(|entry| entry.key == key);
            entry.is_some_and(|entry| only_within(&entry.lines, old, new)) || only_adds(old, new)
        }
        Root::Flow(range) => only_within(range, old, new),
        Root::Empty => only_adds(old, new),
        Root::Other => true,
    };
    let lost = missing(&layout.comments, &Layout::of(new)?.comments);
    // With no line structure to hold on to, comments are the one thing that can be checked.
    let blind = layout.root == Root::Other && !lost.is_empty();
    (confined && !blind).then_some(lost)
}

/// Whether `new` is `old` with these bytes replaced.
fn only_within(range: &Range<usize>, old: &str, new: &str) -> bool {
    let (before, after) = (&old[..range.start], &old[range.end..]);
    new.len() >= before.len() + after.len() && new.starts_with(before) && new.ends_with(after)
}

/// Whether `new` is `old` with something put in at one place.
fn only_adds(old: &str, new: &str) -> bool {
    fn same<'b>(pairs: impl Iterator<Item = (&'b u8, &'b u8)>) -> usize {
        pairs.take_while(|(a, b)| a == b).count()
    }
    let front = same(old.as_bytes().iter().zip(new.as_bytes()));
    let back = same(old.as_bytes().iter().rev().zip(new.as_bytes().iter().rev()));
    new.len() >= old.len() && front + back >= old.len()
}

/// What is in `old` more often than in `new`.
fn missing(old: &[String], new: &[String]) -> Vec<String> {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for comment in new {
        *left.entry(comment).or_default() += 1;
    }
    let lost = old.iter().filter(|comment| match left.get_mut(comment.as_str()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    });
    lost.cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_confined_changes() {
        for new in ["abcd", "xabcd", "abxcd", "abcdx", "ababcd", "abcdcd"] {
            assert!(only_adds("abcd", new), "{new}");
        }
        for new in ["", "abc", "abxd", "axxbcxd", "xabcdx"] {
            assert!(!only_adds("abcd", new), "{new}");
        }
        for new in ["ad", "abcd", "axd", "abbcd"] {
            assert!(only_within(&(1..3), "abcd", new), "{new}");
        }
        for new in ["", "a", "d", "xbcd", "abc", "abcdx"] {
            assert!(!only_within(&(1..3), "abcd", new), "{new}");
        }
        // The bytes around must not be counted twice.
        assert!(!only_within(&(1..2), "aba", "a"));
        // Regression: removing a line whose first bytes equal those of the next one.
        assert!(only_within(&(0..5), "\"a\":\n\"b\":\n", "\"b\":\n"));
    }

    #[test]
    fn counts_comments_that_occur_several_times() {
        let list = |items: &[&str]| items.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(missing(&list(&["#a", "#b", "#a"]), &list(&["#a"])), ["#b", "#a"]);
        assert!(missing(&list(&["#a"]), &list(&["#x", "#a"])).is_empty());
    }

    /// A text that reads back right is still refused if it touches other settings' lines.
    #[test]
    fn a_change_outside_the_key_is_not_accepted() {
        let old = "a: 1 # one\nb: 2\n";
        let layout = Layout::of(old).unwrap();
        let meant = serde_json::json!({"a": 1, "b": 3});
        let judge = |new| judge(old, new, &layout, "b", &meant);
        assert_eq!(judge("a: 1 # one\nb: 3\n"), Some(vec![]));
        assert_eq!(judge("a: 1\nb: 3\n"), None);
        assert_eq!(judge("a: 1 # one\nb: 4\n"), None);
        assert_eq!(judge("a: 1 # one\nb: [\n"), None);
    }
}
