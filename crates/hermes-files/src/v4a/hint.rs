//! Finding the line a hint speaks of.

use super::lines::SourceLines;
use super::strategy::{folded, trim};
use memchr::memmem;

/// Why a hint names no line. Line numbers are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HintTrouble {
    Missing(String),
    Ambiguous(String, Vec<usize>),
}

/// What to prefer when several lines hold the hint.
#[derive(Debug, Clone, Copy)]
pub(super) struct Preference {
    /// Lines above were dealt with by earlier hunks.
    pub(super) cursor: usize,
    /// Where the patch believes the change to be, counted from 0.
    pub(super) near: Option<usize>,
}

/// The line that holds the innermost hint. The outermost must be unique; each further one is the
/// first below its predecessor.
pub(super) fn hinted_line(
    lines: &SourceLines<'_>,
    hints: &[String],
    preference: Preference,
) -> Option<Result<usize, HintTrouble>> {
    let (outermost, inner) = hints.split_first()?;
    let mut line = match unique(lines, outermost, preference) {
        Ok(line) => line,
        Err(trouble) => return Some(Err(trouble)),
    };
    for hint in inner {
        match holding(lines, hint).into_iter().find(|&found| found > line) {
            Some(found) => line = found,
            None => return Some(Err(HintTrouble::Missing(hint.clone()))),
        }
    }
    Some(Ok(line))
}

fn unique(
    lines: &SourceLines<'_>,
    hint: &str,
    preference: Preference,
) -> Result<usize, HintTrouble> {
    let found = holding(lines, hint);
    let only = |mut lines: Box<dyn Iterator<Item = usize> + '_>| {
        lines.next().filter(|_| lines.next().is_none())
    };
    // `return x` also occurs in `return xs`, and no longer hint could tell them apart.
    let whole = |line: &usize| trim(lines.text(*line)) == hint.as_bytes();
    let below = |line: &usize| *line >= preference.cursor;
    if found.is_empty() {
        return Err(HintTrouble::Missing(hint.to_owned()));
    }
    only(Box::new(found.iter().copied()))
        .or_else(|| only(Box::new(found.iter().copied().filter(whole))))
        .or_else(|| only(Box::new(found.iter().copied().filter(below))))
        .or_else(|| nearest(&found, preference.near?))
        .ok_or_else(|| {
            HintTrouble::Ambiguous(hint.to_owned(), found.iter().map(|line| line + 1).collect())
        })
}

/// All lines with the hint in them, as written or else in plain characters and single blanks.
fn holding(lines: &SourceLines<'_>, hint: &str) -> Vec<usize> {
    let mut found: Vec<usize> =
        memmem::find_iter(lines.body(), hint).map(|offset| lines.line_at(offset)).collect();
    if found.is_empty() {
        let plain = plain(hint.as_bytes());
        let finder = memmem::Finder::new(&plain);
        found.extend(
            (0..lines.len()).filter(|&line| finder.find(&self::plain(lines.text(line))).is_some()),
        );
    }
    found.dedup();
    found
}

fn plain(text: &[u8]) -> Vec<u8> {
    let folded = folded(text);
    let words = folded.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let mut plain = Vec::with_capacity(folded.len());
    for word in words {
        if !plain.is_empty() {
            plain.push(b' ');
        }
        plain.extend_from_slice(word);
    }
    plain
}

/// The line nearest to a wanted one, unless two are equally near.
pub(super) fn nearest(found: &[usize], wanted: usize) -> Option<usize> {
    let best = found.iter().copied().min_by_key(|line| line.abs_diff(wanted))?;
    let distance = best.abs_diff(wanted);
    (found.iter().filter(|line| line.abs_diff(wanted) == distance).count() == 1).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] =
        b"class A:\n  def run(self):\n    return x\nclass B:\n  def run(self):\n    return xs\n";

    fn find(hints: &[&str], cursor: usize, near: Option<usize>) -> Result<usize, HintTrouble> {
        let hints: Vec<_> = hints.iter().map(|&hint| hint.to_owned()).collect();
        hinted_line(&SourceLines::new(TEXT), &hints, Preference { cursor, near }).unwrap()
    }

    #[test]
    fn a_hint_must_name_one_line() {
        assert_eq!(find(&["class B"], 0, None), Ok(3));
        assert_eq!(
            find(&["def run"], 0, None),
            Err(HintTrouble::Ambiguous("def run".into(), vec![2, 5]))
        );
        assert_eq!(find(&["class C"], 0, None), Err(HintTrouble::Missing("class C".into())));
    }

    #[test]
    fn position_and_whole_lines_choose_between_several() {
        assert_eq!(find(&["def run"], 2, None), Ok(4));
        assert_eq!(find(&["def run"], 0, Some(1)), Ok(1));
        assert_eq!(find(&["return x"], 0, None), Ok(2));
    }

    #[test]
    fn inner_hints_follow_outer_ones() {
        assert_eq!(find(&["class B", "def run"], 0, None), Ok(4));
        assert_eq!(find(&["class B", "return x"], 0, None), Ok(5));
        assert_eq!(
            find(&["class B", "class A"], 0, None),
            Err(HintTrouble::Missing("class A".into()))
        );
    }

    #[test]
    fn blanks_in_a_hint_may_vary() {
        assert_eq!(find(&["class   B"], 0, None), Ok(3));
    }

    #[test]
    fn nothing_is_nearest_of_two_equally_near() {
        assert_eq!(nearest(&[2, 6], 4), None);
        assert_eq!(nearest(&[2, 6], 5), Some(6));
    }
}
