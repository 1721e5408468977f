//! What was typed before, kept in a file of the home.
//!
//! One entry a line; line breaks and backslashes inside are escaped. Entries are appended with one
//! write, so several conversations at once do not tear each other's; a file that has grown too long
//! is rewritten when it is read.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use hermes_store::atomic::{self, WriteOptions};

/// Entries that are kept.
const MAX_ENTRIES: usize = 1_000;
/// Longer entries are not kept.
const MAX_CHARS: usize = 20_000;

/// Entries, oldest first, and where among them somebody is.
#[derive(Debug, Default)]
pub(crate) struct History {
    file: Option<PathBuf>,
    entries: Vec<String>,
    /// The entry that is shown, while somebody walks through them.
    at: Option<usize>,
    /// What was typed before the walk began.
    draft: String,
}

impl History {
    /// The history in a file; empty if it cannot be read. History is a convenience: no failure of it
    /// gets in anyone's way.
    pub(crate) fn load(file: PathBuf) -> Self {
        let text = std::fs::read(&file).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let mut entries: Vec<String> =
            text.lines().filter(|line| !line.is_empty()).map(unescaped).collect();
        if entries.len() > 2 * MAX_ENTRIES {
            entries.drain(..entries.len() - MAX_ENTRIES);
            let text: String = entries.iter().map(|entry| escaped(entry)).collect();
            let _ = atomic::write(&file, text.as_bytes(), WriteOptions::SECRET);
        }
        Self { file: Some(file), entries, ..Self::default() }
    }

    /// Keeps an entry. One that begins with a blank is not kept, nor the same twice in a row.
    pub(crate) fn add(&mut self, entry: &str) {
        self.at = None;
        let is_kept = !entry.trim().is_empty()
            && !entry.starts_with(' ')
            && entry.chars().count() <= MAX_CHARS
            && self.entries.last().is_none_or(|last| last != entry);
        if !is_kept {
            return;
        }
        self.entries.push(entry.to_owned());
        if let Some(file) = &self.file {
            let opened = OpenOptions::new().append(true).create(true).mode(0o600).open(file);
            let _ = opened.and_then(|mut file| file.write_all(escaped(entry).as_bytes()));
        }
    }

    /// The entry before the one that is shown. `typed` is what stands in the line.
    pub(crate) fn older(&mut self, typed: &str) -> Option<&str> {
        let at = match self.at {
            None => {
                typed.clone_into(&mut self.draft);
                self.entries.len().checked_sub(1)?
            }
            Some(at) => at.checked_sub(1)?,
        };
        self.at = Some(at);
        self.entries.get(at).map(String::as_str)
    }

    /// The entry after the one that is shown, and after the last what was typed.
    pub(crate) fn newer(&mut self) -> Option<&str> {
        let at = self.at? + 1;
        if at < self.entries.len() {
            self.at = Some(at);
            return self.entries.get(at).map(String::as_str);
        }
        self.at = None;
        Some(&self.draft)
    }

    /// Something was typed: the walk is over.
    pub(crate) fn leave(&mut self) {
        self.at = None;
    }

    /// How the newest entry that begins like this goes on.
    pub(crate) fn continuation(&self, typed: &str) -> Option<&str> {
        if typed.trim().is_empty() {
            return None;
        }
        let rests = self.entries.iter().rev().filter_map(|entry| entry.strip_prefix(typed));
        rests.into_iter().find(|rest| !rest.is_empty())
    }

    /// The newest entry that contains something, older than a place; its place and text.
    pub(crate) fn search(&self, part: &str, before: usize) -> Option<(usize, &str)> {
        let entries = &self.entries[..before.min(self.entries.len())];
        let at = entries.iter().rposition(|entry| entry.contains(part))?;
        Some((at, &entries[at]))
    }
}

fn escaped(entry: &str) -> String {
    format!("{}\n", entry.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', ""))
}

fn unescaped(line: &str) -> String {
    let mut entry = String::with_capacity(line.len());
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('n') => entry.push('\n'),
                Some(other) => entry.push(other),
                None => entry.push('\\'),
            },
            other => entry.push(other),
        }
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_survive_with_their_lines_and_backslashes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("history");
        let mut history = History::load(file.clone());
        for entry in ["one", "two\nlines \\n", "two\nlines \\n", " secret", "日本"] {
            history.add(entry);
        }
        let again = History::load(file);
        assert_eq!(again.entries, ["one", "two\nlines \\n", "日本"]);
    }

    #[test]
    fn walking_comes_back_to_what_was_typed() {
        let mut history = History::default();
        for entry in ["one", "two"] {
            history.add(entry);
        }
        assert_eq!(history.older("draft"), Some("two"));
        assert_eq!(history.older("two"), Some("one"));
        assert_eq!(history.older("one"), None);
        assert_eq!(history.newer(), Some("two"));
        assert_eq!(history.newer(), Some("draft"));
        assert_eq!(history.newer(), None);
    }

    #[test]
    fn a_long_file_is_shortened() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("history");
        let text: String = (0..3_000).map(|number| format!("entry {number}\n")).collect();
        tempfile::NamedTempFile::new_in(&folder).unwrap().persist(&file).unwrap();
        OpenOptions::new().append(true).open(&file).unwrap().write_all(text.as_bytes()).unwrap();
        assert_eq!(History::load(file.clone()).entries.len(), MAX_ENTRIES);
        let kept = std::fs::read_to_string(file).unwrap();
        assert!(kept.starts_with("entry 2000\n") && kept.ends_with("entry 2999\n"));
    }

    #[test]
    fn a_file_that_cannot_be_read_is_an_empty_history() {
        let mut history = History::load("/nowhere/history".into());
        history.add("kept in memory");
        assert_eq!(history.older(""), Some("kept in memory"));
    }

    #[test]
    fn earlier_entries_go_on_and_are_found() {
        let mut history = History::default();
        for entry in ["cargo test", "cargo build", "ls"] {
            history.add(entry);
        }
        assert_eq!(history.continuation("cargo "), Some("build"));
        assert_eq!(history.continuation("ls"), None);
        assert_eq!(history.search("cargo", usize::MAX), Some((1, "cargo build")));
        assert_eq!(history.search("cargo", 1), Some((0, "cargo test")));
    }
}
