//! Keeping a file's typography when a line is replaced by one quoted in plain characters.
//!
//! A patch often says `it's` for the file's `it’s`, on the `-` and on the `+` line. What both
//! lines have in common was not meant to change, so it keeps the file's characters.

use super::strategy::look_alike;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Longest line compared character by character.
const MAX_CHARS: usize = 1000;

/// `added` with the characters of `file` wherever it repeats `removed`, the patch's spelling of
/// that same line. `None` if the lines have too little in common to be versions of each other, or
/// nothing would change.
pub(super) fn keep_typography(removed: &str, file: &str, added: &str) -> Option<String> {
    let old: Vec<char> = removed.chars().collect();
    let new: Vec<char> = added.chars().collect();
    if old.len().max(new.len()) > MAX_CHARS {
        return None;
    }
    let quoted = Folded::new(removed);
    let original = Folded::new(file);
    if quoted.text != original.text {
        return None;
    }
    let ops = capture_diff_slices(Algorithm::Myers, &old, &new);
    let common: usize =
        ops.iter().map(|op| if let DiffOp::Equal { len, .. } = op { *len } else { 0 }).sum();
    // Three fifths in common: the line was reworded. Less: it only shares stray characters.
    if common * 5 < old.len().max(new.len()) * 3 {
        return None;
    }
    let mut kept = String::with_capacity(added.len());
    for op in ops {
        let plain = || new[op.new_range()].iter();
        let piece = match op {
            DiffOp::Equal { old_index, len, .. } => {
                let (from, to) = (quoted.starts[old_index], quoted.starts[old_index + len]);
                original.source(from, to).map(|(from, to)| &file[from..to])
            }
            _ => None,
        };
        match piece {
            Some(piece) => kept.push_str(piece),
            None => kept.extend(plain()),
        }
    }
    (kept != added).then_some(kept)
}

/// A text in plain characters that remembers where each came from.
struct Folded {
    text: String,
    /// Offset in `text` of each character of the source, and the end.
    starts: Vec<usize>,
    /// Offset in the source of each of its characters, and the end.
    sources: Vec<usize>,
}

impl Folded {
    fn new(source: &str) -> Self {
        let mut folded = Self { text: String::new(), starts: Vec::new(), sources: Vec::new() };
        for (offset, c) in source.char_indices() {
            folded.starts.push(folded.text.len());
            folded.sources.push(offset);
            match look_alike(c) {
                Some(plain) => folded.text.push_str(plain),
                None => folded.text.push(c),
            }
        }
        folded.starts.push(folded.text.len());
        folded.sources.push(source.len());
        folded
    }

    /// The stretch of the source behind a stretch of the plain text, unless it begins or ends
    /// inside an expanded character.
    fn source(&self, from: usize, to: usize) -> Option<(usize, usize)> {
        let at = |offset| self.starts.binary_search(&offset).ok().map(|index| self.sources[index]);
        Some((at(from)?, at(to)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_text_keeps_the_files_characters() {
        let kept =
            keep_typography("say \"it's\" - now", "say “it’s” – now", "say \"it's\" - later");
        assert_eq!(kept.as_deref(), Some("say “it’s” – later"));
    }

    #[test]
    fn expanded_characters_are_kept_whole_or_not_at_all() {
        let kept = keep_typography("wait... then go", "wait… then go", "wait... then stop");
        assert_eq!(kept.as_deref(), Some("wait… then stop"));
        let cut = keep_typography("wait... then go", "wait… then go", "wait.. then go");
        assert!(cut.is_none_or(|cut| !cut.contains('…')));
    }

    #[test]
    fn unrelated_lines_share_nothing() {
        assert_eq!(keep_typography("\"a\"", "“a”", "print(\"something else\")"), None);
    }
}
