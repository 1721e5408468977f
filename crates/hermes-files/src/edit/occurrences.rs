//! Finding a sequence in a sequence in linear time, whatever they hold.
//!
//! Bytes are first asked of `memmem`, which is fast and linear but reports hits that do not
//! overlap. Where overlapping hits matter (windows of lines, hits that may have to be refused)
//! the search is Knuth, Morris and Pratt's, which never looks at an item more than twice on
//! average.

use std::ops::Range;

use memchr::memmem;

/// What a search yields: how many places, and where the ones that are needed lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Occurrences {
    /// The places in order, as many as were to be kept.
    pub(super) spans: Vec<Range<usize>>,
    /// How many there are in all.
    pub(super) count: usize,
    keep: usize,
}

impl Occurrences {
    /// Keeps the first `keep` places and counts the rest.
    pub(super) fn keeping(keep: usize) -> Self {
        Self { spans: Vec::new(), count: 0, keep }
    }

    /// Adds the next span.
    pub(super) fn push(&mut self, span: Range<usize>) {
        self.count += 1;
        if self.spans.len() < self.keep {
            self.spans.push(span);
        }
    }

    /// The same hits with each span translated.
    pub(super) fn map(mut self, translate: impl Fn(Range<usize>) -> Range<usize>) -> Self {
        for span in &mut self.spans {
            *span = translate(span.clone());
        }
        self
    }
}

/// Whether places that share items count one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overlap {
    /// Every span counts.
    Count,
    /// A span that begins before the last one ended does not count.
    Skip,
}

/// All places of a byte string, left to right, not overlapping.
pub(super) fn literal(haystack: &[u8], needle: &[u8], keep: usize) -> Occurrences {
    let mut hits = Occurrences::keeping(keep);
    for start in memmem::find_iter(haystack, needle) {
        hits.push(start..start + needle.len());
    }
    hits
}

/// As [`literal`], but places that `translate` refuses do not count and hide no others.
pub(super) fn literal_if(
    haystack: &[u8],
    needle: &[u8],
    keep: usize,
    translate: impl Fn(Range<usize>) -> Option<Range<usize>>,
) -> Occurrences {
    let mut hits = Occurrences::keeping(keep);
    if memmem::find(haystack, needle).is_some() {
        let mut free = 0;
        scan(needle, haystack.iter().copied(), |span| {
            if span.start >= free
                && let Some(source) = translate(span.clone())
            {
                free = span.end;
                hits.push(source);
            }
        });
    }
    hits
}

/// All places of a sequence of items.
pub(super) fn sequence<T: Eq>(
    items: impl Iterator<Item = T>,
    wanted: &[T],
    keep: usize,
    overlap: Overlap,
) -> Occurrences {
    let (mut hits, mut free) = (Occurrences::keeping(keep), 0);
    scan(wanted, items, |span| {
        if overlap == Overlap::Count || span.start >= free {
            free = span.end;
            hits.push(span);
        }
    });
    hits
}

/// Calls `hit` for every span of `wanted` in `items`, overlapping ones included.
fn scan<T: Eq>(wanted: &[T], items: impl Iterator<Item = T>, mut hit: impl FnMut(Range<usize>)) {
    if wanted.is_empty() {
        return;
    }
    let borders = borders(wanted);
    let mut matched = 0;
    for (at, item) in items.enumerate() {
        while matched > 0 && wanted[matched] != item {
            matched = borders[matched - 1];
        }
        if wanted[matched] == item {
            matched += 1;
        }
        if matched == wanted.len() {
            hit(at + 1 - matched..at + 1);
            matched = borders[matched - 1];
        }
    }
}

/// For each prefix the length of its longest proper prefix that is also its suffix.
fn borders<T: Eq>(wanted: &[T]) -> Vec<usize> {
    let mut borders = vec![0; wanted.len()];
    let mut matched = 0;
    for at in 1..wanted.len() {
        while matched > 0 && wanted[matched] != wanted[at] {
            matched = borders[matched - 1];
        }
        if wanted[matched] == wanted[at] {
            matched += 1;
        }
        borders[at] = matched;
    }
    borders
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_a_naive_search_finds(
            items in proptest::collection::vec(0_u8..3, 0..60),
            wanted in proptest::collection::vec(0_u8..3, 1..5),
        ) {
            let naive: Vec<_> = (0..items.len())
                .filter(|at| items[*at..].starts_with(&wanted))
                .map(|at| at..at + wanted.len())
                .collect();
            let hits = sequence(items.iter().copied(), &wanted, usize::MAX, Overlap::Count);
            prop_assert_eq!(hits.count, naive.len());
            prop_assert_eq!(hits.spans, naive);
            let apart = sequence(items.iter().copied(), &wanted, usize::MAX, Overlap::Skip);
            prop_assert_eq!(apart, literal(&items, &wanted, usize::MAX));
        }
    }

    #[test]
    fn a_refused_place_hides_no_other() {
        let hits = literal_if(b"aaaa", b"aa", 9, |span| (span.start > 0).then_some(span));
        assert_eq!((hits.spans[0].clone(), hits.count), (1..3, 1));
    }

    #[test]
    fn keeps_some_and_counts_all() {
        let hits = literal(b"xxxxx", b"x", 2);
        assert_eq!((hits.spans.len(), hits.count), (2, 5));
    }
}
