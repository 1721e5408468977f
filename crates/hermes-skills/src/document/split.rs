//! The fences around the block of YAML.
//!
//! A fence is a line of exactly `---`, blanks after it allowed. The opening one is the first line; the closing one is
//! the next such line, ended by a line break or by the end of the text. Windows line ends are fine.

/// A document cut at its fences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split<'a> {
    /// What stands between the fences.
    pub yaml: &'a str,
    /// The line the block begins on, counted from 1.
    pub yaml_line: usize,
    /// What follows the closing fence.
    pub body: &'a str,
    /// The line the body begins on, counted from 1.
    pub body_line: usize,
}

/// Why a text cannot be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitProblem {
    /// It does not begin with a fence.
    NoFence,
    /// There is no second fence.
    Unclosed,
}

/// What may stand before the opening fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leading {
    /// Nothing: for documents that are written.
    Refused,
    /// Blank lines: for documents that are loaded.
    Skipped,
}

/// The text without the byte order marks it begins with.
#[must_use]
pub fn without_marks(text: &str) -> &str {
    text.trim_start_matches('\u{feff}')
}

/// Cuts a text (without byte order marks) at its fences.
///
/// # Errors
/// When there are none, or only one.
pub fn split(text: &str, leading: Leading) -> Result<Split<'_>, SplitProblem> {
    let mut lines = Lines { rest: text, number: 0 };
    let opening = loop {
        match lines.next() {
            Some(line) if line.trim().is_empty() && leading == Leading::Skipped => {}
            Some(line) => break line,
            None => return Err(SplitProblem::NoFence),
        }
    };
    if !is_fence(opening) {
        return Err(SplitProblem::NoFence);
    }
    let (block, yaml_line) = (lines.rest, lines.number + 1);
    loop {
        let before = lines.rest;
        let line = lines.next().ok_or(SplitProblem::Unclosed)?;
        if is_fence(line) {
            let yaml = &block[..block.len() - before.len()];
            return Ok(Split { yaml, yaml_line, body: lines.rest, body_line: lines.number + 1 });
        }
    }
}

fn is_fence(line: &str) -> bool {
    line.strip_prefix("---")
        .is_some_and(|rest| rest.trim_matches([' ', '\t', '\r', '\n']).is_empty())
}

/// Lines with their ends, and what is left.
struct Lines<'a> {
    rest: &'a str,
    number: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.find('\n').map_or(self.rest.len(), |at| at + 1);
        let (line, rest) = self.rest.split_at(end);
        (self.rest, self.number) = (rest, self.number + 1);
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<(&str, &str), SplitProblem> {
        split(text, Leading::Skipped).map(|split| (split.yaml, split.body))
    }

    #[test]
    fn a_fence_is_three_dashes_and_blanks() {
        assert_eq!(load("---\na: 1\n---\nbody"), Ok(("a: 1\n", "body")));
        assert_eq!(load("--- \t\r\na: 1\r\n---\r\nbody"), Ok(("a: 1\r\n", "body")));
        assert_eq!(load("---\n---"), Ok(("", "")));
        assert_eq!(
            load("---\na: 1\n---"),
            Ok(("a: 1\n", "")),
            "the end of the text ends the fence"
        );
        for none in ["", "\n", "--- a\n---\n", "----\n---\n", "a\n---\n", " ---\n---\n"] {
            assert_eq!(load(none), Err(SplitProblem::NoFence), "{none:?}");
        }
        for open in ["---\n", "---", "---\na: 1\n----\n", "---\na: 1\n --- \n", "---\na\n--- x\n"] {
            assert_eq!(load(open), Err(SplitProblem::Unclosed), "{open:?}");
        }
    }

    #[test]
    fn blank_lines_before_the_fence_are_skipped_on_load_only() {
        assert_eq!(load("\n  \n---\na: 1\n---\nb"), Ok(("a: 1\n", "b")));
        assert_eq!(split("\n---\n---\n", Leading::Refused), Err(SplitProblem::NoFence));
        assert_eq!(without_marks("\u{feff}\u{feff}---"), "---");
    }

    #[test]
    fn lines_are_counted_from_the_start_of_the_text() {
        let found = split("\n---\na: 1\nb: 2\n---\nbody", Leading::Skipped).unwrap();
        assert_eq!((found.yaml_line, found.body_line), (3, 6));
    }
}
