//! Whole-line matching: the places where as many lines as the quotation has agree with it one by
//! one, under some [`LineKey`].
//!
//! Each distinct line of the quotation gets a number, each line of the file the number of the
//! line it equals, and the numbers are searched as one sequence. So every line of the file is
//! looked at once, however long the quotation is and however often lines repeat.

use std::collections::HashMap;

use super::occurrences::{Occurrences, Overlap, sequence};
use super::spacing::LineKey;
use super::text::lines;

/// Which pairs of first and last byte occur among the wanted keys. Most lines of a file fail
/// this test and need not be hashed.
struct Ends(Vec<bool>);

impl Ends {
    fn of<'k>(keys: impl Iterator<Item = &'k Vec<u8>>) -> Self {
        let mut ends = vec![false; 1 << 16];
        for key in keys {
            ends[Self::index(key)] = true;
        }
        Self(ends)
    }

    fn index(key: &[u8]) -> usize {
        match (key.first(), key.last()) {
            (Some(first), Some(last)) => usize::from(*first) << 8 | usize::from(*last),
            _ => 0,
        }
    }

    fn may_hold(&self, trimmed: &[u8]) -> bool {
        self.0[Self::index(trimmed)]
    }
}

/// All windows of lines of `text` whose keys are those of `wanted`; places are line numbers
/// counted from 0.
pub(super) fn windows(
    text: &[u8],
    wanted: &[&[u8]],
    key: LineKey,
    keep: usize,
    overlap: Overlap,
) -> Occurrences {
    let mut buffer = Vec::new();
    let mut numbers: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut pattern = Vec::with_capacity(wanted.len());
    for line in wanted {
        let next = numbers.len();
        let line = key.of(line, &mut buffer);
        pattern.push(Some(*numbers.entry(line.to_vec()).or_insert(next)));
    }
    let ends = Ends::of(numbers.keys());
    let numbered = lines(text).map(|line| {
        if !ends.may_hold(super::blank::trim(line)) {
            return None;
        }
        numbers.get(key.of(line, &mut buffer)).copied()
    });
    sequence(numbered, &pattern, keep, overlap)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first lines of the windows found.
    fn places(text: &str, wanted: &[&str], overlap: Overlap) -> Vec<usize> {
        let wanted: Vec<_> = wanted.iter().map(|line| line.as_bytes()).collect();
        let hits = windows(text.as_bytes(), &wanted, LineKey::Trimmed, usize::MAX, overlap);
        assert!(hits.spans.iter().all(|place| place.len() == wanted.len()));
        hits.spans.into_iter().map(|place| place.start).collect()
    }

    #[test]
    fn windows_are_whole_lines_and_may_overlap() {
        let text = "  a\n\ta  \na\nb\nxa";
        assert_eq!(places(text, &["a", "a"], Overlap::Count), [0, 1]);
        assert_eq!(places(text, &["a", "a"], Overlap::Skip), [0]);
        assert_eq!(places(text, &["a", " b"], Overlap::Skip), [2]);
    }

    #[test]
    fn the_rest_after_the_last_line_break_is_no_line() {
        assert!(places("a\n", &["a", ""], Overlap::Count).is_empty());
        assert_eq!(places("a\n\n", &["a", ""], Overlap::Count), [0]);
    }
}
