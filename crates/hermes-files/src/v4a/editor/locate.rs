//! Where in the file a hunk belongs.
//!
//! Each attempt below is weaker than the one before and every one but the first demands that the
//! place be the only one:
//!
//! 1. the first place from the hinted line on, or else around that line;
//! 2. the only place below the previous hunk (context may reach into it);
//! 3. right below the previous hunk, with context that quotes what that hunk has just written;
//! 4. the only place above it that no hunk has changed, for hunks out of order;
//! 5. the same again without blank context lines at the edges of the hunk, which are often mere
//!    layout of the patch.

use super::super::hint::{HintTrouble, Preference, hinted_line, nearest};
use super::super::needle::Needle;
use super::super::patch::{Hunk, HunkLine, Marker};
use super::super::strategy::{LineStrategy, is_blank};
use super::HunkEditor;
use std::cell::OnceCell;
use std::ops::Range;

/// A place found for the old lines of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::v4a) struct HunkLocation {
    /// The lines of the hunk that count; context at its edges may have been left out.
    pub(in crate::v4a) lines: Range<usize>,
    /// The file's line, from 0, at which the first old one of them stands.
    pub(in crate::v4a) start: usize,
    pub(in crate::v4a) strategy: LineStrategy,
}

/// Why there is no place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::v4a) enum Miss {
    NotFound,
    /// Found, but not where the end-of-file marker says. Line from 1.
    NotAtEnd(usize),
    /// Lines from 1.
    Ambiguous(Vec<usize>),
    Hint(HintTrouble),
}

/// Finds the place of a hunk with old lines.
pub(in crate::v4a) fn locate(editor: &HunkEditor<'_>, hunk: &Hunk) -> Result<HunkLocation, Miss> {
    let all = 0..hunk.lines.len();
    let core = without_blank_edges(&hunk.lines);
    match Search::new(editor, hunk, all.clone()).run() {
        // The whole hunk was not found: that is the message even if its core is ambiguous.
        Err(Miss::NotFound) if core != all => {
            Search::new(editor, hunk, core).run().map_err(|_| Miss::NotFound)
        }
        found => found,
    }
}

fn without_blank_edges(lines: &[HunkLine]) -> Range<usize> {
    let counts =
        |line: &HunkLine| line.marker != Marker::Context || !is_blank(line.text.as_bytes());
    let start = lines.iter().position(counts).unwrap_or(lines.len());
    let end = lines.iter().rposition(counts).map_or(start, |last| last + 1);
    start..end
}

struct Search<'s, 'e> {
    editor: &'s HunkEditor<'e>,
    hunk: &'s Hunk,
    lines: Range<usize>,
    old: Vec<&'s str>,
    /// Context lines in front of the first change.
    lead: usize,
    /// Old lines up to and including the last change.
    reach: usize,
    /// First place that leaves the changes of earlier hunks alone.
    from: usize,
    /// Places that are not ruled out for every strategy.
    likely: Vec<usize>,
    /// Places found, by strategy.
    found: [OnceCell<Vec<usize>>; LineStrategy::ALL.len()],
}

impl<'s, 'e> Search<'s, 'e> {
    fn new(editor: &'s HunkEditor<'e>, hunk: &'s Hunk, lines: Range<usize>) -> Self {
        let counted = &hunk.lines[lines.clone()];
        let is_old = |line: &&HunkLine| line.marker != Marker::Add;
        let lead = counted.iter().take_while(|line| line.marker == Marker::Context).count();
        let last_change = counted.iter().rposition(|line| line.marker != Marker::Context);
        let reach = counted[..last_change.map_or(0, |last| last + 1)].iter().filter(is_old).count();
        let old: Vec<&str> = counted.iter().filter(is_old).map(|line| line.text.as_str()).collect();
        let from = editor.cursor().saturating_sub(lead);
        let kinds = old.iter().map(|line| LineStrategy::kind(line.as_bytes())).collect();
        let likely = Needle::<u64>::new(kinds).find_in(editor.kinds().iter().copied());
        let found = Default::default();
        Self { editor, hunk, lines, old, lead, reach, from, likely, found }
    }

    fn run(&self) -> Result<HunkLocation, Miss> {
        if self.hunk.at_end {
            return self.at_end();
        }
        let near = self.near();
        let preference = Preference { cursor: self.editor.cursor(), near };
        let hinted = hinted_line(self.editor.lines(), &self.hunk.hints, preference);
        if let Some(Ok(hint)) = hinted
            && let Some(place) = self.hinted(hint)
        {
            return Ok(place);
        }
        for strategy in LineStrategy::ALL {
            let found = self.find(strategy, self.from..self.editor.lines().len());
            match (found.as_slice(), near.and_then(|near| nearest(&found, near))) {
                ([], _) => {}
                (&[start], _) | (_, Some(start)) => return Ok(self.place(start, strategy)),
                _ => {
                    return Err(match hinted {
                        Some(Err(trouble)) => Miss::Hint(trouble),
                        _ => Miss::Ambiguous(numbered(&found)),
                    });
                }
            }
        }
        match self.below_previous() {
            Some(place) => Ok(place),
            None => self.out_of_order(hinted.and_then(Result::ok)),
        }
    }

    fn near(&self) -> Option<usize> {
        Some(self.hunk.range?.start.saturating_sub(1))
    }

    /// At the end of the file, where blank lines may follow.
    fn at_end(&self) -> Result<HunkLocation, Miss> {
        let lines = self.editor.lines();
        let text_end = (0..lines.len()).rev().find(|&line| !is_blank(lines.text(line)));
        let text_end = text_end.map_or(0, |last| last + 1);
        let earliest = self.from.max(text_end.saturating_sub(self.old.len()));
        for strategy in LineStrategy::ALL {
            if let Some(&start) = self.find(strategy, earliest..lines.len()).last() {
                return Ok(self.place(start, strategy));
            }
        }
        let elsewhere = LineStrategy::ALL
            .into_iter()
            .find_map(|strategy| self.find(strategy, self.from..lines.len()).pop());
        Err(elsewhere.map_or(Miss::NotFound, |start| Miss::NotAtEnd(start + 1)))
    }

    fn hinted(&self, hint: usize) -> Option<HunkLocation> {
        let end = self.editor.lines().len();
        let around = self.from.max((hint + 1).saturating_sub(self.old.len()));
        LineStrategy::ALL.into_iter().find_map(|strategy| {
            let below = self.find(strategy, hint.max(self.from)..end);
            let start = below.first().copied().or_else(|| {
                let last = (hint + self.old.len()).saturating_sub(1).min(end);
                self.find(strategy, around..last.max(around)).first().copied()
            })?;
            Some(self.place(start, strategy))
        })
    }

    /// The leading context quotes lines as the previous hunk left them.
    fn below_previous(&self) -> Option<HunkLocation> {
        let cursor = self.editor.cursor();
        let tail = self.editor.tail(self.lead);
        let lines = self.editor.lines();
        let end = lines.len().min(cursor + self.old.len());
        let virtual_lines: Vec<&[u8]> =
            tail.iter().copied().chain((cursor..end).map(|line| lines.text(line))).collect();
        LineStrategy::ALL.into_iter().find_map(|strategy| {
            let found = strategy.find(&self.old, virtual_lines.iter().copied());
            let &[start] = found.as_slice() else { return None };
            let quoted = tail.len().checked_sub(start)?;
            let lines = self.lines.start + quoted..self.lines.end;
            Some(HunkLocation { lines, start: cursor, strategy })
        })
    }

    fn out_of_order(&self, hint: Option<usize>) -> Result<HunkLocation, Miss> {
        let end = (self.from + self.old.len()).saturating_sub(1).min(self.editor.lines().len());
        for strategy in LineStrategy::ALL {
            let mut found = self.find(strategy, 0..end);
            found.retain(|start| !self.editor.touches(start + self.lead..start + self.reach));
            let hinted =
                found.iter().copied().find(|&start| hint.is_some_and(|hint| start >= hint));
            match (found.as_slice(), hinted) {
                ([], _) => {}
                (&[start], _) | (_, Some(start)) => return Ok(self.place(start, strategy)),
                (several, None) => return Err(Miss::Ambiguous(numbered(several))),
            }
        }
        Err(Miss::NotFound)
    }

    /// Places at which the old lines stand within `window`.
    fn find(&self, strategy: LineStrategy, window: Range<usize>) -> Vec<usize> {
        let last = window.end.checked_sub(self.old.len());
        let inside =
            |start: &usize| *start >= window.start && last.is_some_and(|last| *start <= last);
        let found = self.found[strategy as usize].get_or_init(|| self.find_anywhere(strategy));
        found.iter().copied().filter(inside).collect()
    }

    /// All places in the file. Only the stretch in which the most forgiving strategy might find
    /// something is looked at.
    fn find_anywhere(&self, strategy: LineStrategy) -> Vec<usize> {
        let (Some(&first), Some(&last)) = (self.likely.first(), self.likely.last()) else {
            return Vec::new();
        };
        let lines = self.editor.lines();
        let stretch = (first..last + self.old.len()).map(|line| lines.text(line));
        strategy.find(&self.old, stretch).into_iter().map(|start| first + start).collect()
    }

    fn place(&self, start: usize, strategy: LineStrategy) -> HunkLocation {
        HunkLocation { lines: self.lines.clone(), start, strategy }
    }
}

fn numbered(lines: &[usize]) -> Vec<usize> {
    lines.iter().map(|line| line + 1).collect()
}
