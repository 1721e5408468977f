//! Replacing quoted text in a file: the matcher behind the `patch` tool's replace mode.
//!
//! A language model quotes the text it wants replaced, and often a little wrong: other
//! indentation, straight quotes for curly ones, `\n` for a line break. [`replace`] finds the place
//! that is meant, or refuses with an error the model can act on. It is a pure function on bytes;
//! nothing here reads or writes a file.
//!
//! ```
//! use hermes_files::edit::{replace, ReplaceScope};
//!
//! let file = b"fn main() {\r\n\tlet n = 1;\r\n}\r\n";
//! let edited = replace(file, "    let n = 1;\n", "    let n = 2;\n", ReplaceScope::One).unwrap();
//! assert_eq!(edited.bytes, b"fn main() {\r\n\tlet n = 2;\r\n}\r\n");
//! assert_eq!(edited.strategy.name(), "line_trimmed");
//! ```
//!
//! # How a replacement comes about
//!
//! 1. The file becomes a `text::Text`: line breaks are LF, offsets lead back. A byte-order mark
//!    is set aside. So a CRLF file behaves exactly as its LF twin.
//! 2. `search::QuoteSearch` tries the strategies in the order of [`MatchStrategy`]; the first that finds
//!    anything decides. Several places are an error unless all were asked for, and for the two
//!    loosest strategies even then.
//! 3. `adapt::Adapter` fits the replacement to each place: escapes, typography, indentation,
//!    line endings. Lines that the replacement shares with the quotation keep the file's bytes.
//! 4. What lies between the places is copied from the file byte for byte.
//!
//! Words must agree. No strategy but the last forgives a different letter, digit or operator, and
//! the last one only in the middle of a block whose ends are quoted right.
//!
//! # What it costs
//!
//! For a file of n bytes and texts of m bytes, the time is O(n + m) for every strategy but the
//! last, whatever the bytes are: literal search is linear, windows of lines are found by a linear
//! search over numbered lines, and a view of the file (blanks collapsed, characters folded) is one
//! pass and one copy. A miss runs them all, and a quotation whose longest word is not in the file
//! skips most. The last strategy stops, finding nothing, after a million pairs of lines or five
//! million pairs of characters. The closest places of a miss cost one pass over pairs of bytes and
//! at most a hundred comparisons of lines cut to 200 characters. Lining up old and new lines is a
//! Myers diff with bounded search.
//!
//! Memory is a few copies of the file, 8 bytes per line, and per place with
//! [`ReplaceScope::All`] 16 bytes; with [`ReplaceScope::One`] only the first few places are kept.

mod adapt;
mod align;
mod anchor;
mod blank;
mod closest;
mod diff;
mod error;
mod escapes;
mod fold;
mod indent;
mod occurrences;
mod preserve;
mod quote;
mod search;
mod similarity;
mod spacing;
mod strategy;
mod text;
mod view;
mod windows;

#[cfg(test)]
mod tests;

pub use closest::{
    MAX_NEAR_MISS_LINE_CHARS, MAX_NEAR_MISS_LINES, MAX_NEAR_MISSES, NearMiss, render_near_misses,
};
pub use diff::{MAX_DIFF_BYTES, unified_diff};
pub use error::{MAX_LISTED_LINES, ReplaceError};
pub use strategy::MatchStrategy;

use adapt::{Adapter, Drift};
use quote::Quote;
use search::{QuoteMatch, QuoteSearch};
use text::{Text, lf_only};

/// The most replacements whose lines are reported.
pub const MAX_REPORTED: usize = 100;

const BOM: &str = "\u{feff}";

/// How many places to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplaceScope {
    /// One; several are an error.
    One,
    /// All that match.
    All,
}

/// The file after the edit, and how it came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The new content of the file.
    pub bytes: Vec<u8>,
    /// How the quotation was found.
    pub strategy: MatchStrategy,
    /// How many places were changed.
    pub count: usize,
    /// Where the first [`MAX_REPORTED`] of them are.
    pub replacements: Vec<Replacement>,
}

/// Where one place was and is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replacement {
    /// The lines that were replaced, in the old file.
    pub before: LineSpan,
    /// The lines that replace them, in the new file.
    pub after: LineSpan,
}

/// Lines from `first` to `last`, counted from 1. A place without text is the line it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineSpan {
    /// The first line, counted from one.
    pub first: usize,
    /// The last line, which belongs to the span.
    pub last: usize,
}

impl LineSpan {
    fn of(first: usize, text: &[u8]) -> Self {
        let inner = text.strip_suffix(b"\n").unwrap_or(text);
        Self { first, last: first + line_breaks(inner) }
    }
}

/// Replaces the quoted text `old` by `new`.
///
/// Bytes outside the places that match are the same before and after. The line endings of
/// `old` and `new` do not matter: the file's are kept, and inserted lines take those of the lines
/// they replace or stand beside.
///
/// # Errors
///
/// See [`ReplaceError`]; nothing is changed in any of these cases.
pub fn replace(
    content: &[u8],
    old: &str,
    new: &str,
    scope: ReplaceScope,
) -> Result<Edited, ReplaceError> {
    let body = content.strip_prefix(BOM.as_bytes()).unwrap_or(content);
    let mark = &content[..content.len() - body.len()];
    let (old, new) = match old.strip_prefix(BOM) {
        Some(old) => (old, new.strip_prefix(BOM).unwrap_or(new)),
        None => (old, new),
    };
    if old.is_empty() {
        return Err(ReplaceError::EmptyOld);
    }
    let old = lf_only(old);
    if old == lf_only(new) {
        return Err(ReplaceError::NothingToDo);
    }
    let text = Text::new(body);
    let search = QuoteSearch::new(&text, scope);
    let found = search.find(&old).ok_or_else(|| not_found(&text, &search, &old))?;
    let hits = &found.hits;
    if hits.count > 1 && (scope == ReplaceScope::One || found.strategy.demands_one_place()) {
        let listed = hits.spans.iter().take(MAX_LISTED_LINES);
        return Err(ReplaceError::Ambiguous {
            count: hits.count,
            lines: listed.map(|span| text.line_number(span.start)).collect(),
            strategy: found.strategy,
        });
    }
    apply(&text, mark, &found, new)
}

/// Writes the replacement over every place found.
fn apply(
    text: &Text<'_>,
    mark: &[u8],
    found: &QuoteMatch<'_>,
    new: &str,
) -> Result<Edited, ReplaceError> {
    let mut adapter = Adapter::new(text, found, new);
    let mut bytes = mark.to_vec();
    bytes.reserve(text.lf().len());
    let mut replacements = Vec::new();
    let (mut done, mut line_before, mut line_after) = (0, 1, 1);
    let mut changed = false;
    for span in &found.hits.spans {
        let line = || ReplaceError::EscapeDrift { line: text.line_number(span.start) };
        let patch = adapter.patch(span.clone(), done).map_err(|Drift| line())?;
        let kept = text.original(done..patch.span.start);
        bytes.extend_from_slice(kept);
        bytes.extend_from_slice(&patch.bytes);
        changed |= text.original(patch.span.clone()) != patch.bytes;
        if replacements.len() < MAX_REPORTED {
            let replaced = &text.lf()[patch.span.clone()];
            line_before += line_breaks(kept);
            line_after += line_breaks(kept);
            replacements.push(Replacement {
                before: LineSpan::of(line_before, replaced),
                after: LineSpan::of(line_after, &patch.bytes),
            });
            line_before += line_breaks(replaced);
            line_after += line_breaks(&patch.bytes);
        }
        done = patch.span.end;
    }
    bytes.extend_from_slice(text.original(done..text.lf().len()));
    if !changed {
        let line = replacements.first().map_or(1, |replaced| replaced.before.first);
        return Err(ReplaceError::NoEffect { line });
    }
    Ok(Edited { bytes, strategy: found.strategy, count: found.hits.count, replacements })
}

/// The places of a file most like quoted lines that were not found in it, best first.
pub(crate) fn closest_places(content: &[u8], quoted: &[&str]) -> Vec<NearMiss> {
    let body = content.strip_prefix(BOM.as_bytes()).unwrap_or(content);
    let quoted: Vec<&[u8]> = quoted.iter().map(|line| line.as_bytes()).collect();
    closest::closest(&Text::new(body), &quoted)
}

/// Tells stray backslashes before quotes from a quotation that is nowhere.
fn not_found(text: &Text<'_>, search: &QuoteSearch<'_>, old: &str) -> ReplaceError {
    let meant = escapes::without_quote_escapes(old);
    if let Some(start) = meant.and_then(|meant| search.first_close_match(&meant)) {
        return ReplaceError::EscapeDrift { line: text.line_number(start) };
    }
    ReplaceError::NotFound { closest: closest::closest(text, &Quote::new(old).lines) }
}

fn line_breaks(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).count()
}
