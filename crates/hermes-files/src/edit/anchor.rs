//! The last resort: a block whose first and last line are quoted right and whose body is nearly
//! right, in exactly one place.
//!
//! Comparing bodies is the one costly thing a search does, so it has a budget. When that runs
//! out, uniqueness cannot be shown and nothing is found.

use super::blank::trim;
use super::fold::fold;
use super::occurrences::Occurrences;
use super::quote::Quote;
use super::similarity::{ComparedLine, MAX_COMPARED_CHARS, ratio_bound, ratio_of, shared};
use super::text::lines;

/// The least number of lines of a block: below it there is no body.
const MIN_LINES: usize = 3;
/// How alike the bodies must be as a whole.
const MIN_BODY: f64 = 0.85;
/// How alike each pair of lines in them must be.
const MIN_LINE: f64 = 0.6;
/// Lines longer than this are alike only if they are equal.
const MAX_LINE_BYTES: usize = 4 * MAX_COMPARED_CHARS;
/// Pairs of lines that may be looked at in one search.
const MAX_PAIRS: usize = 1_000_000;
/// Pairs of characters that may be compared in one search.
const MAX_CELLS: usize = 5_000_000;

/// What is left to spend.
struct Budget {
    pairs: usize,
    cells: usize,
}

fn spend(left: &mut usize, amount: usize) -> Option<()> {
    *left = left.checked_sub(amount)?;
    Some(())
}

/// The windows of lines that pass; `None` if the budget ran out first. Both texts are folded.
pub(super) fn anchored(text: &[u8], quote: &Quote<'_>) -> Option<Occurrences> {
    let none = Some(Occurrences::keeping(0));
    let folded: Vec<_> = quote.lines.iter().map(|line| fold(trim(line))).collect();
    let wanted: Vec<_> = folded.iter().map(|line| trim(line.bytes())).collect();
    let [first, body @ .., last] = wanted.as_slice() else { return none };
    if wanted.len() < MIN_LINES || first.is_empty() || last.is_empty() {
        return none;
    }
    let starts: Vec<_> = (lines(text).enumerate())
        .filter(|(_, line)| trim(line) == *first)
        .map(|(number, _)| number)
        .collect();
    if starts.is_empty() {
        return none;
    }
    let lines: Vec<_> = lines(text).collect();
    let mut budget = Budget { pairs: MAX_PAIRS, cells: MAX_CELLS };
    let mut hits = Occurrences::keeping(super::error::MAX_LISTED_LINES);
    for start in starts {
        let end = start + wanted.len();
        let Some(window) = lines.get(start..end) else { break };
        if trim(window[window.len() - 1]) == *last
            && alike(body, &window[1..window.len() - 1], &mut budget)?
        {
            hits.push(start..end);
        }
    }
    Some(hits)
}

/// Whether the bodies are alike; `None` if the budget ran out.
fn alike(quoted: &[&[u8]], actual: &[&[u8]], budget: &mut Budget) -> Option<bool> {
    let (mut common, mut total) = (0, 0);
    for (quoted, actual) in quoted.iter().zip(actual) {
        let actual = trim(actual);
        spend(&mut budget.pairs, 1)?;
        if *quoted == actual {
            common += quoted.len();
            total += 2 * quoted.len();
            continue;
        }
        if quoted.len().max(actual.len()) > MAX_LINE_BYTES {
            return Some(false);
        }
        let (quoted, actual) = (ComparedLine::new(quoted), ComparedLine::new(actual));
        let length = quoted.length() + actual.length();
        if ratio_bound(quoted.length(), actual.length()) < MIN_LINE {
            return Some(false);
        }
        spend(&mut budget.cells, quoted.length() * actual.length())?;
        let in_line = shared(&quoted, &actual);
        if ratio_of(in_line, length) < MIN_LINE {
            return Some(false);
        }
        common += in_line;
        total += length;
    }
    Some(ratio_of(common, total) >= MIN_BODY)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "fn area(w: f64, h: f64) -> f64 {\n    let product = w * h;\n    log(\"area computed\");\n    product\n}\n";

    fn count(text: &str, old: &str) -> Option<usize> {
        anchored(text.as_bytes(), &Quote::new(old)).map(|hits| hits.count)
    }

    #[test]
    fn a_slip_in_the_body_is_forgiven_an_invented_body_is_not() {
        let slip = FILE.replace("computed", "is computed");
        assert_eq!(count(FILE, &slip), Some(1));
        let invented =
            "fn area(w: f64, h: f64) -> f64 {\n    w.mul(h)\n        .abs()\n    .into()\n}\n";
        assert_eq!(count(FILE, invented), Some(0));
    }

    #[test]
    fn one_bad_line_spoils_a_good_body() {
        let body: String = (0..40).map(|n| format!("    statement_number_{n}();\n")).collect();
        let file = format!("begin\n{body}end\n");
        let wrong = file.replace("statement_number_7();", "x = 1");
        assert_eq!(count(&file, &wrong), Some(0));
        let close = file.replace("statement_number_7();", "statement_numbr_7();");
        assert_eq!(count(&file, &close), Some(1));
    }

    #[test]
    fn every_place_counts_and_two_lines_are_no_block() {
        let slip = FILE.replace("computed", "is computed");
        assert_eq!(count(&format!("{FILE}{FILE}"), &slip), Some(2));
        assert_eq!(count("a\nb\n", "a\nb\n"), Some(0));
    }

    #[test]
    fn endless_candidates_end_the_search() {
        let file = "same line\n".repeat(200_000);
        let old = format!("{}same lime\nsame line\n", "same line\n".repeat(5_000));
        assert_eq!(count(&file, &old), None);
    }
}
