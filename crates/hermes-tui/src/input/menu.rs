//! What opens by itself while somebody types: the commands at `/`, files at `@`.

use super::complete::{Candidate, Completions};
use crate::display::fit::{columns, cut, padded};
use crate::display::{Ink, Style};

/// Rows of a menu.
const MAX_ROWS: usize = 8;

/// Candidates to choose from, while somebody types.
#[derive(Debug)]
pub(crate) struct Menu {
    pub(crate) offer: Completions,
    /// The candidate that was moved to.
    chosen: Option<usize>,
    /// Enter takes the first one where none was moved to.
    takes_first: bool,
}

impl Menu {
    pub(crate) fn new(offer: Completions, takes_first: bool) -> Option<Self> {
        (!offer.candidates.is_empty()).then_some(Self { offer, chosen: None, takes_first })
    }

    /// Goes up or down, around the ends.
    pub(crate) fn go(&mut self, step: isize) {
        let count = self.offer.candidates.len();
        self.chosen = Some(match (self.marked(), step) {
            (None, 1) => 0,
            (None, _) => count - 1,
            (Some(at), 1) => (at + 1) % count,
            (Some(at), _) => (at + count - 1) % count,
        });
    }

    /// The candidate that Enter takes.
    pub(crate) fn candidate(&self) -> Option<&Candidate> {
        self.offer.candidates.get(self.marked()?)
    }

    /// Whether somebody has moved to a candidate.
    pub(crate) fn was_moved(&self) -> bool {
        self.chosen.is_some()
    }

    fn marked(&self) -> Option<usize> {
        self.chosen.or(self.takes_first.then_some(0))
    }

    pub(crate) fn rows(&self, style: &Style) -> Vec<String> {
        offer_rows(&self.offer.candidates, self.marked(), MAX_ROWS, style)
    }
}

/// Candidates in rows, those around the chosen one.
pub(crate) fn offer_rows(
    candidates: &[Candidate],
    chosen: Option<usize>,
    most: usize,
    style: &Style,
) -> Vec<String> {
    let from = (chosen.unwrap_or(0) + 1).saturating_sub(most);
    let seen = candidates.iter().enumerate().skip(from).take(most);
    let widest = seen.clone().map(|(_, candidate)| columns(&candidate.shown)).max();
    let widest = widest.unwrap_or(0).min(style.width / 2);
    let mut rows: Vec<String> = seen
        .map(|(number, candidate)| {
            let (mark, ink) = match chosen == Some(number) {
                true => ("› ", Ink::CYAN.and(Ink::BOLD)),
                false => ("  ", Ink::DIM),
            };
            let name = padded(&cut(&candidate.shown, widest), widest);
            let row = format!("{mark}{name}  {}", candidate.help);
            style.paint(ink, cut(row.trim_end(), style.width - 1).as_str())
        })
        .collect();
    let more = candidates.len().saturating_sub(from + most);
    if more > 0 {
        rows.push(style.paint(Ink::DIM, &format!("  … {more} more")));
    }
    rows
}
