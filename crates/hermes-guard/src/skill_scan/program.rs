//! Lines of code, put together to statements.

use super::document::Language;
use super::fold::fold;
use super::reading::{Reading, StatementContext};

/// Longest statement that lines are joined to, in bytes.
const MAX_JOINED: usize = 4096;
/// Most lines of one statement.
const MAX_LINES: usize = 40;

/// Joins the lines of one program or fenced block.
pub(super) struct Joiner {
    first: usize,
    place: StatementContext,
    language: Language,
    depth: usize,
    lines: usize,
    continues: bool,
    /// Whether the next line goes on in the middle of a word.
    splits_word: bool,
}

impl Joiner {
    pub(super) fn new(reading: &mut Reading, place: StatementContext, language: Language) -> Self {
        reading.close();
        let first = reading.statements.len();
        Self { first, place, language, depth: 0, lines: 0, continues: false, splits_word: false }
    }

    pub(super) fn line(&mut self, reading: &mut Reading, number: usize, raw: &str) {
        let folded = fold(raw);
        let line = match self.language {
            Language::Shell if !self.continues => without_prompt(&folded),
            _ => folded.as_ref(),
        };
        if !self.continues || self.lines >= MAX_LINES || reading.open_length() > MAX_JOINED {
            reading.close();
            self.depth = 0;
            self.lines = 0;
        }
        self.lines += 1;
        let (text, continues) = match self.language {
            Language::Shell => shell_continues(line),
            Language::Data => (line, false),
            _ => {
                self.depth = depth_after(line, self.depth);
                match line.trim_end().strip_suffix('\\') {
                    Some(before) => (before, true),
                    None => (line, self.depth > 0),
                }
            }
        };
        self.continues = continues;
        let splits_word = self.splits_word && self.lines > 1;
        self.splits_word = self.language == Language::Shell
            && continues
            && text.len() < line.trim_end().len()
            && text.ends_with(|end: char| end.is_ascii_alphanumeric());
        if splits_word && text.starts_with(|first: char| first.is_ascii_alphanumeric()) {
            reading.push_on(text);
        } else if self.lines > 1 {
            reading.push(number, text.trim_start(), self.place, self.language);
        } else {
            reading.push(number, text, self.place, self.language);
        }
    }

    pub(super) fn end(self, reading: &mut Reading) {
        reading.region_from(self.first, self.place, self.language);
    }
}

/// `$ make` and `> make`, as consoles show it.
fn without_prompt(line: &str) -> &str {
    let inside = line.trim_start();
    match inside.strip_prefix("$ ").or_else(|| inside.strip_prefix("% ")) {
        Some(command) => command,
        None => line,
    }
}

fn shell_continues(line: &str) -> (&str, bool) {
    let trimmed = line.trim_end();
    if let Some(before) = trimmed.strip_suffix('\\') {
        // Two of them are one that is meant.
        if !before.ends_with('\\') {
            return (before, true);
        }
    }
    (line, trimmed.ends_with('|') || trimmed.ends_with("&&"))
}

/// How many brackets are open after a line; strings are not looked into, a cap mends what that spoils.
fn depth_after(line: &str, depth: usize) -> usize {
    line.bytes().fold(depth, |depth, byte| match byte {
        b'(' | b'[' => depth + 1,
        b')' | b']' => depth.saturating_sub(1),
        _ => depth,
    })
}
