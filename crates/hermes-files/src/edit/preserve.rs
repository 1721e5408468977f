//! Keeping the file's typography in lines that change.
//!
//! Where the caller quoted `--` and the file has an em dash, the replacement says `--` too. What
//! the replacement shares with the quotation is meant to stay as the file has it; only what it
//! changes is taken from the replacement.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::fold::{fold, is_typographic};
use super::view::NormalizedView;

/// Lines with more characters than this are not compared and taken as written.
const MAX_CHARS: usize = 20_000;

/// A character of a folded text and what it stands for.
struct Folded {
    chars: Vec<char>,
    /// For each character the source bytes of its unit, and its place in it.
    units: Vec<Unit>,
}

#[derive(Clone)]
struct Unit {
    source: std::ops::Range<usize>,
    place: usize,
    length: usize,
}

impl Folded {
    fn new(view: &NormalizedView<'_>) -> Option<Self> {
        let text = std::str::from_utf8(view.bytes()).ok()?;
        let (mut chars, mut units) = (Vec::new(), Vec::new());
        let mut pieces = view.pieces().iter().peekable();
        for (at, c) in text.char_indices() {
            while pieces.next_if(|piece| piece.copy.end <= at).is_some() {}
            let unit = match pieces.peek().filter(|piece| piece.copy.start <= at) {
                Some(piece) => Unit {
                    source: piece.source.clone(),
                    place: text[piece.copy.start..at].chars().count(),
                    length: text[piece.copy.clone()].chars().count(),
                },
                None => {
                    let source = view.source(at..at + c.len_utf8())?;
                    Unit { source, place: 0, length: 1 }
                }
            };
            chars.push(c);
            units.push(unit);
        }
        Some(Self { chars, units })
    }
}

/// The replacement's line with the file's characters where it agrees with the quotation. `None`
/// if quotation and file agree as they are, or not even when folded.
pub(super) fn preserve(quoted: &[u8], actual: &[u8], new: &[u8]) -> Option<Vec<u8>> {
    if quoted == actual || actual.is_ascii() && quoted.is_ascii() {
        return None;
    }
    let view = fold(actual);
    if fold(quoted).bytes() != view.bytes() || view.bytes().len().max(new.len()) > MAX_CHARS {
        return None;
    }
    let folded = Folded::new(&view)?;
    let new = std::str::from_utf8(new).ok()?;
    let quoted = std::str::from_utf8(quoted).ok()?;
    let habits = as_typed(new, quoted);
    let replacement = Folded::new(&habits)?;

    let mut result = Vec::with_capacity(new.len());
    for op in capture_diff_slices(Algorithm::Myers, &folded.chars, &replacement.chars) {
        match op {
            DiffOp::Equal { old_index, new_index, len } => {
                keep_units(
                    &mut result,
                    (&folded, actual, old_index),
                    (&replacement, new.as_bytes(), new_index),
                    len,
                );
            }
            DiffOp::Insert { new_index, new_len, .. }
            | DiffOp::Replace { new_index, new_len, .. } => {
                push_units(
                    &mut result,
                    &replacement,
                    new.as_bytes(),
                    new_index..new_index + new_len,
                );
            }
            DiffOp::Delete { .. } => {}
        }
    }
    Some(result)
}

/// The replacement with those typographic characters folded that the caller also used in the
/// quotation: there they stood for whatever the file has, so they do here.
fn as_typed<'n>(new: &'n str, quoted: &str) -> NormalizedView<'n> {
    let foreign = |c: char| is_typographic(c) && !quoted.contains(c);
    if new.chars().any(foreign) {
        NormalizedView::same(new.as_bytes())
    } else {
        fold(new.as_bytes())
    }
}

type Side<'a> = (&'a Folded, &'a [u8], usize);

/// Copies an equal stretch from the file, except characters whose unit lies only partly in it.
fn keep_units(result: &mut Vec<u8>, file: Side<'_>, new: Side<'_>, len: usize) {
    let mut at = 0;
    while at < len {
        let unit = &file.0.units[file.2 + at];
        if unit.place == 0 && at + unit.length <= len {
            result.extend_from_slice(&file.1[unit.source.clone()]);
            at += unit.length;
        } else {
            push_units(result, new.0, new.1, new.2 + at..new.2 + at + 1);
            at += 1;
        }
    }
}

/// Copies units; one that the range holds in part is copied whole, once, by its first character.
fn push_units(result: &mut Vec<u8>, from: &Folded, bytes: &[u8], range: std::ops::Range<usize>) {
    for unit in &from.units[range] {
        if unit.place == 0 {
            result.extend_from_slice(&bytes[unit.source.clone()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(quoted: &str, actual: &str, new: &str) -> Option<String> {
        preserve(quoted.as_bytes(), actual.as_bytes(), new.as_bytes())
            .map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn what_does_not_change_stays_typographic() {
        let kept = kept("say \"hi\" -- now...", "say “hi” — now…", "say \"bye\" -- now...");
        assert_eq!(kept.unwrap(), "say “bye” — now…");
    }

    #[test]
    fn the_callers_own_typography_does_not_creep_in() {
        assert_eq!(kept("a “b” é", "a \"b\" e\u{301}", "a “c” é").unwrap(), "a \"c\" e\u{301}");
        // Unless it is the change that is asked for.
        assert_eq!(kept("“b” -- c", "“b” — c", "“b” – c").unwrap(), "“b” – c");
    }

    #[test]
    fn half_an_expanded_character_is_replaced_not_kept() {
        assert_eq!(kept("a--b", "a—b", "a-b").unwrap(), "a-b");
        assert_eq!(kept("a--b", "a—b", "a---b").unwrap(), "a—-b");
    }

    #[test]
    fn leaves_alone_what_agrees_or_differs_in_words() {
        assert_eq!(kept("é", "é", "e"), None);
        assert_eq!(kept("abc", "abd—", "x"), None);
    }
}
