//! Where a quotation that was not found might have been meant.
//!
//! The first line of the quotation that is not blank is compared with every line of the file,
//! first by the pairs of neighbouring bytes they share, which costs about as much as reading
//! the file once, and then properly for the best hundred.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::blank::{is_blank, trim};
use super::similarity::{ComparedLine, MAX_COMPARED_CHARS, ratio};
use super::text::{Text, lines};

/// The most misses that are shown.
pub const MAX_NEAR_MISSES: usize = 3;
/// The most lines shown of one miss.
pub const MAX_NEAR_MISS_LINES: usize = 40;
/// The most characters shown of one line.
pub const MAX_NEAR_MISS_LINE_CHARS: usize = 300;
/// A line must be more alike than this.
const MIN_RATIO: f64 = 0.3;
/// How many lines are compared properly.
const MAX_CANDIDATES: usize = 100;
/// Lines shown before the best line, and after the length of the quotation.
const CONTEXT: usize = 2;
/// How much of a line takes part in the first comparison; enough for what the second one sees.
const MAX_SCANNED_BYTES: usize = 4 * MAX_COMPARED_CHARS;

/// A part of the file that looks like the quotation.
#[derive(Debug, Clone, PartialEq)]
pub struct NearMiss {
    /// The line most like the beginning of the quotation, counted from 1.
    pub line: usize,
    /// How alike they are, from 0 to 1.
    pub likeness: f64,
    /// The number of the first line in `shown`.
    pub first_shown: usize,
    /// The lines around it. Bytes that are not text are shown as U+FFFD.
    pub shown: Vec<String>,
}

/// The misses most like the quotation, best first. None overlaps the lines of a better one.
pub(super) fn closest(text: &Text<'_>, quoted: &[&[u8]]) -> Vec<NearMiss> {
    let Some(anchor) = quoted.iter().map(|line| trim(line)).find(|line| !line.is_empty()) else {
        return Vec::new();
    };
    let wanted = ComparedLine::beginning(anchor);
    let mut scored: Vec<_> = candidates(text.lf(), anchor)
        .into_iter()
        .map(|number| (ratio(&wanted, &ComparedLine::beginning(trim(text.line(number)))), number))
        .filter(|(likeness, _)| *likeness > MIN_RATIO)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));

    let mut misses: Vec<NearMiss> = Vec::new();
    for (likeness, number) in scored {
        let taken = |miss: &NearMiss| {
            (miss.first_shown..miss.first_shown + miss.shown.len()).contains(&(number + 1))
        };
        if misses.len() < MAX_NEAR_MISSES && !misses.iter().any(taken) {
            misses.push(near_miss(text, number, likeness, quoted.len()));
        }
    }
    misses
}

fn near_miss(text: &Text<'_>, number: usize, likeness: f64, length: usize) -> NearMiss {
    let first = number.saturating_sub(CONTEXT);
    let end = (number + length + CONTEXT).min(text.line_count()).min(first + MAX_NEAR_MISS_LINES);
    let shown = (first..end).map(|number| shown(text.line(number))).collect();
    NearMiss { line: number + 1, likeness, first_shown: first + 1, shown }
}

fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(&line[..line.len().min(4 * MAX_NEAR_MISS_LINE_CHARS)]);
    let mut shown: String = text.chars().take(MAX_NEAR_MISS_LINE_CHARS).collect();
    if shown.len() < line.len() && shown.chars().count() == MAX_NEAR_MISS_LINE_CHARS {
        shown.push('…');
    }
    shown
}

/// The misses as text for the caller; empty if there are none.
pub fn render_near_misses(misses: &[NearMiss]) -> String {
    if misses.is_empty() {
        return String::new();
    }
    let blocks: Vec<_> = misses.iter().map(render_near_miss).collect();
    format!("Did you mean one of these sections?\n{}", blocks.join("\n---\n"))
}

fn render_near_miss(miss: &NearMiss) -> String {
    let numbered = (miss.first_shown..).zip(&miss.shown);
    numbered.map(|(number, line)| format!("{number:4}| {line}")).collect::<Vec<_>>().join("\n")
}

fn cut(line: &[u8]) -> &[u8] {
    &line[..line.len().min(MAX_SCANNED_BYTES)]
}

/// The lines that share most pairs of bytes with the anchor, relative to their length.
fn candidates(text: &[u8], anchor: &[u8]) -> Vec<usize> {
    let mut pairs = Pairs::new(anchor);
    let mut best = BinaryHeap::with_capacity(MAX_CANDIDATES + 1);
    for (number, line) in lines(text).enumerate() {
        let line = cut(trim(line));
        if is_blank(line) {
            continue;
        }
        let score = pairs.score(line);
        if score > 0 {
            // The heap gives up its worst first: the lowest score, and of equals the last line.
            best.push(Reverse((score, Reverse(number))));
            if best.len() > MAX_CANDIDATES {
                best.pop();
            }
        }
    }
    best.into_iter().map(|Reverse((_, Reverse(number)))| number).collect()
}

/// The pairs of neighbouring bytes in the anchor.
struct Pairs {
    /// For each pair that occurs, its number, counted from 1.
    number: Vec<u32>,
    /// For each numbered pair the last line it was seen in.
    seen: Vec<u64>,
    line: u64,
}

impl Pairs {
    fn new(anchor: &[u8]) -> Self {
        let (mut number, mut count) = (vec![0; 1 << 16], 0);
        for pair in with_edges(cut(anchor)) {
            if number[pair] == 0 {
                count += 1;
                number[pair] = count;
            }
        }
        Self { number, seen: vec![0; count as usize], line: 0 }
    }

    /// Shared pairs per thousand of all pairs of both lines.
    fn score(&mut self, line: &[u8]) -> usize {
        self.line += 1;
        let mut shared = 0;
        let all = line.len() + 1;
        with_edges(line).for_each(|pair| {
            // A pair of the anchor counts once, or a row of dashes would be like any dash.
            if let Some(index) = (self.number[pair] as usize).checked_sub(1)
                && self.seen[index] != self.line
            {
                self.seen[index] = self.line;
                shared += 1;
            }
        });
        2000 * shared / (self.seen.len() + all)
    }
}

/// The pairs of neighbouring bytes, the first and the last byte paired with zero so that lines
/// of one byte have pairs too.
fn with_edges(line: &[u8]) -> impl Iterator<Item = usize> {
    let pair = |a: u8, b: u8| usize::from(a) << 8 | usize::from(b);
    let edges =
        [pair(0, line.first().copied().unwrap_or(0)), pair(line.last().copied().unwrap_or(0), 0)];
    line.windows(2).map(move |two| pair(two[0], two[1])).chain(edges)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, old: &str) -> Vec<NearMiss> {
        let lines: Vec<_> = old.lines().map(str::as_bytes).collect();
        closest(&Text::new(text.as_bytes()), &lines)
    }

    #[test]
    fn the_likest_line_comes_first_with_its_surroundings() {
        let text = "one\ntwo\nfn area(w: u32) -> u32 {\n    w * w\n}\nthree\nfour\nfive\n";
        let misses = found(text, "\n  fn area(width: u32) -> u64 {\n    width\n");
        assert_eq!((misses[0].line, misses[0].first_shown), (3, 1));
        assert_eq!(misses[0].shown.len(), 7);
        let shown = render_near_misses(&misses);
        assert!(
            shown.starts_with(
                "Did you mean one of these sections?\n   1| one\n   2| two\n   3| fn area"
            ),
            "{shown}"
        );
    }

    #[test]
    fn at_most_three_places_that_do_not_overlap() {
        let text = (0..50).map(|n| format!("item number {n}\n\n\n\n\n")).collect::<String>();
        let misses = found(&text, "item number x");
        assert_eq!(misses.len(), MAX_NEAR_MISSES);
        assert_eq!(misses[0].line, 1);
        assert_eq!(render_near_misses(&misses).matches("\n---\n").count(), 2);
        let same = found("ab\nab\nab\nab\n", "abc");
        assert_eq!(same.iter().map(|miss| miss.line).collect::<Vec<_>>(), [1, 4]);
    }

    #[test]
    fn nothing_alike_nothing_shown() {
        assert!(found("abc\ndef\n", "xyz").is_empty());
        assert!(found("", "xyz").is_empty());
        assert_eq!(render_near_misses(&[]), "");
    }

    #[test]
    fn long_lines_and_long_quotations_are_cut() {
        let line = format!("needle {}", "é".repeat(100_000));
        let misses = found(&format!("{line}\nother\n"), &line.replace("needle", "needles"));
        assert_eq!(misses[0].line, 1);
        assert_eq!(misses[0].shown[0].chars().count(), MAX_NEAR_MISS_LINE_CHARS + 1);
        assert!(misses[0].shown[0].ends_with('…'));
        let many = found(&"needle\n".repeat(100), &"neeble\n".repeat(90));
        assert_eq!(many[0].shown.len(), MAX_NEAR_MISS_LINES);
    }
}
