//! What was printed, kept for as long as it may be on the screen, so that it can be drawn anew for another width.
//!
//! Rows are final once they are printed; what they were made of is kept here. After a change of the width the last
//! screenful is made again from its sources: turns by playing their events to a fresh [`Transcript`], everything else by
//! the function that drew it. Rows that came from elsewhere, such as those of a command, are printed as they were.
//!
//! What has scrolled out of the screen is not touched, see [`Screen`](crate::terminal).

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use hermes_protocol::AgentEvent;

use crate::display::fit::columns;
use crate::display::{DisplayOptions, Style, ToolLines, Transcript};
use crate::terminal::{Narrowing, Size};

/// Rows whose sources are kept at least.
const KEPT: usize = 400;

type DrawRows = dyn Fn(&Style) -> Vec<String> + Send + Sync;

/// Draws the same thing for any style.
#[derive(Clone)]
pub(crate) struct RowSource(Arc<DrawRows>);

impl RowSource {
    pub(crate) fn new(draw: impl Fn(&Style) -> Vec<String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(draw))
    }

    pub(crate) fn rows(&self, style: &Style) -> Vec<String> {
        (self.0)(style)
    }
}

impl fmt::Debug for RowSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RowSource")
    }
}

/// What rows were made of.
#[derive(Debug)]
pub(super) enum PrintedSource {
    /// Nothing that could be drawn differently.
    Rows(Vec<String>),
    Drawn(RowSource),
    TurnBegun(DisplayOptions, Instant),
    Event(AgentEvent, DisplayOptions, Instant),
    /// A person was asked something, or no longer.
    Asking(bool, Instant),
    TurnEnded(Instant),
}

impl PrintedSource {
    /// Whether playing can begin after it: nothing is half written there.
    fn is_whole(&self) -> bool {
        match self {
            Self::Event(event, ..) => {
                matches!(event, AgentEvent::Said { .. } | AgentEvent::ToolFinished { .. })
            }
            Self::TurnEnded(_) => true,
            _ => false,
        }
    }
}

#[derive(Debug)]
struct PrintedEntry {
    source: PrintedSource,
    /// Rows that were printed for it.
    rows: usize,
}

/// Rows for another width, and how many they take the place of.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reprinted {
    pub(super) replaced: usize,
    pub(super) rows: Vec<String>,
}

/// The last things that were printed.
#[derive(Debug, Default)]
pub(super) struct PrintLog {
    entries: VecDeque<PrintedEntry>,
    /// Rows of all entries.
    total: usize,
    /// The last rows, and the columns of the terminal then.
    last: VecDeque<(String, usize)>,
    is_asking: bool,
}

impl PrintLog {
    /// Whether an event can change what is printed.
    pub(super) fn matters(event: &AgentEvent) -> bool {
        match event {
            AgentEvent::Child { event, .. } => !matches!(
                **event,
                AgentEvent::Text(_)
                    | AgentEvent::Reasoning(_)
                    | AgentEvent::ToolOutput { .. }
                    | AgentEvent::ToolProgress { .. }
            ),
            AgentEvent::Text(_)
            | AgentEvent::Reasoning(_)
            | AgentEvent::Said { .. }
            | AgentEvent::ToolStarted { .. }
            | AgentEvent::ToolFinished { .. }
            | AgentEvent::Notice { .. } => true,
            _ => false,
        }
    }

    /// Keeps what rows were made of, on a terminal of this width.
    pub(super) fn add(&mut self, source: PrintedSource, rows: &[String], width: usize) {
        self.keep_last(rows, width);
        self.total += rows.len();
        let Some(source) = self.joined(source, rows.len()) else { return };
        let is_whole = source.is_whole();
        self.entries.push_back(PrintedEntry { source, rows: rows.len() });
        if is_whole || self.entries.len().is_multiple_of(KEPT) {
            self.forget_old();
        }
    }

    /// A person is asked something, or no longer.
    pub(super) fn set_asking(&mut self, is_asking: bool, now: Instant) {
        if std::mem::replace(&mut self.is_asking, is_asking) != is_asking {
            self.add(PrintedSource::Asking(is_asking, now), &[], 0);
        }
    }

    /// What is on the screen is somebody else's from now on.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.last.clear();
        self.total = 0;
    }

    /// Pieces of a stream that have printed nothing yet are one piece.
    fn joined(&mut self, source: PrintedSource, rows: usize) -> Option<PrintedSource> {
        let Some(PrintedEntry { source: before, rows: printed @ 0 }) = self.entries.back_mut()
        else {
            return Some(source);
        };
        match (before, &source) {
            (
                PrintedSource::Event(AgentEvent::Text(all), old, _),
                PrintedSource::Event(AgentEvent::Text(more), new, _),
            )
            | (
                PrintedSource::Event(AgentEvent::Reasoning(all), old, _),
                PrintedSource::Event(AgentEvent::Reasoning(more), new, _),
            ) if old == new => {
                all.push_str(more);
                *printed = rows;
                None
            }
            _ => Some(source),
        }
    }

    /// The last rows, newest first, and the columns of the terminal they were drawn for.
    #[cfg(test)]
    pub(super) fn newest(&self) -> impl Iterator<Item = (&str, usize)> {
        self.last.iter().rev().map(|(row, width)| (row.as_str(), *width))
    }

    /// Whether what is printed next stands below an empty row, or below nothing.
    pub(super) fn ends_blank(&self) -> bool {
        self.last.back().is_none_or(|(row, _)| row.is_empty())
    }

    fn forget_old(&mut self) {
        let mut below = self.total;
        let mut keep = 0;
        for (at, entry) in self.entries.iter().enumerate() {
            below -= entry.rows;
            if below < KEPT {
                break;
            }
            if entry.source.is_whole() {
                keep = at + 1;
            }
        }
        let gone: usize = self.entries.drain(..keep).map(|entry| entry.rows).sum();
        self.total -= gone;
    }

    /// The rows that may be on the screen, made again; they are the last rows from now on.
    pub(super) fn again(
        &mut self,
        size: Size,
        narrowing: Narrowing,
        lines: &ToolLines,
        style: &Style,
    ) -> Option<Reprinted> {
        let visible = self.visible(size, narrowing).min(self.total);
        let (first, above) = self.entry_at(visible)?;
        let made: Vec<(usize, Vec<String>)> = self.played(first, lines, style).collect();
        let mut all = Vec::new();
        for (at, mut rows) in made {
            let entry = &mut self.entries[at];
            let mut left = 0;
            if at == first && above > 0 && rows.len() > size.rows / 2 {
                // Rows that are above the screen already are not repeated, as far as that can be told.
                let share = (rows.len() * (entry.rows - above)).div_ceil(entry.rows) + 1;
                left = rows.len().saturating_sub(share);
                rows.drain(..left);
            }
            self.total = self.total + left + rows.len() - entry.rows;
            entry.rows = left + rows.len();
            all.append(&mut rows);
        }
        self.last.truncate(self.last.len().saturating_sub(visible));
        self.keep_last(&all, size.columns);
        Some(Reprinted { replaced: visible, rows: all })
    }

    fn keep_last(&mut self, rows: &[String], width: usize) {
        let last = &rows[rows.len().saturating_sub(KEPT)..];
        self.last.extend(last.iter().map(|row| (row.clone(), width)));
        let surplus = self.last.len().saturating_sub(KEPT);
        self.last.drain(..surplus);
    }

    /// How many of the last rows may be on the screen.
    fn visible(&self, size: Size, narrowing: Narrowing) -> usize {
        let (mut taken, mut count) = (0, 0);
        for (row, then) in self.last.iter().rev() {
            if taken >= size.rows {
                break;
            }
            let wide = columns(&anstream::adapter::strip_str(row).to_string());
            taken += narrowing.height(wide, *then, size.columns);
            count += 1;
        }
        count
    }

    /// The entry in which so many rows before the end begin, and how many of its rows are above that.
    fn entry_at(&self, rows: usize) -> Option<(usize, usize)> {
        let mut below = 0;
        for (at, entry) in self.entries.iter().enumerate().rev() {
            below += entry.rows;
            if below >= rows && entry.rows > 0 {
                return Some((at, below - rows));
            }
        }
        None
    }

    /// What entries print with another style, from one on.
    fn played<'a>(
        &'a self,
        first: usize,
        lines: &'a ToolLines,
        style: &'a Style,
    ) -> impl Iterator<Item = (usize, Vec<String>)> + 'a {
        let is_start = |entry: &PrintedEntry| {
            entry.source.is_whole() || matches!(entry.source, PrintedSource::TurnBegun(..))
        };
        let begin = (0..first).rev().find(|at| is_start(&self.entries[*at])).unwrap_or(0);
        let mut transcript: Option<Transcript> = None;
        let entries = self.entries.iter().enumerate().skip(begin);
        let play = move |(at, entry): (usize, &PrintedEntry)| {
            let rows = match &entry.source {
                PrintedSource::Rows(rows) => rows.clone(),
                PrintedSource::Drawn(source) => source.rows(style),
                PrintedSource::TurnBegun(shown, now) => {
                    transcript = Some(Transcript::new(*shown, lines.clone(), *now));
                    Vec::new()
                }
                PrintedSource::Event(event, shown, now) => {
                    let fresh = || Transcript::new(*shown, lines.clone(), *now);
                    let transcript = transcript.get_or_insert_with(fresh);
                    transcript.shown = *shown;
                    transcript.on_event(event, *now, style)
                }
                PrintedSource::Asking(is_asking, now) => {
                    if let Some(transcript) = &mut transcript {
                        transcript.set_asking(*is_asking, *now);
                    }
                    Vec::new()
                }
                PrintedSource::TurnEnded(now) => transcript
                    .take()
                    .map(|mut played| played.end(*now, style).0)
                    .unwrap_or_default(),
            };
            (at, rows)
        };
        entries.map(play).filter(move |(at, _)| *at >= first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::Colour;

    const WIDE: Style = Style::new(Colour::Off, 60);
    const NARROW: Style = Style::new(Colour::Off, 30);

    /// A turn as it is played and kept.
    fn told(log: &mut PrintLog, transcript: &mut Transcript, event: AgentEvent) {
        let (now, shown) = (Instant::now(), transcript.shown);
        let rows = transcript.on_event(&event, now, &WIDE);
        log.add(PrintedSource::Event(event, shown, now), &rows, 60);
    }

    fn again(log: &mut PrintLog, columns: usize, rows: usize) -> Reprinted {
        let size = Size { columns, rows };
        log.again(size, Narrowing::Cuts, &ToolLines::default(), &Style::new(Colour::Off, columns))
            .unwrap()
    }

    #[test]
    fn an_answer_that_came_in_pieces_is_broken_anew() {
        let mut log = PrintLog::default();
        let (now, shown) = (Instant::now(), DisplayOptions::default());
        log.add(PrintedSource::Rows(vec!["❯ why".into()]), &["❯ why".into()], 60);
        log.add(PrintedSource::TurnBegun(shown, now), &[], 60);
        let mut transcript = Transcript::new(shown, ToolLines::default(), now);
        let text = "One two three four five six seven eight nine.\nAnd more";
        for piece in text.split_inclusive(' ') {
            told(&mut log, &mut transcript, AgentEvent::Text(piece.to_owned()));
        }
        told(&mut log, &mut transcript, AgentEvent::Said { text: text.to_owned() });
        let rows = transcript.end(now, &WIDE).0;
        log.add(PrintedSource::TurnEnded(now), &rows, 60);
        assert_eq!(
            again(&mut log, 30, 20).rows,
            ["❯ why", "", "One two three four five six", "seven eight nine.", "And more"]
        );
        assert_eq!(again(&mut log, 30, 20).replaced, 5);
        assert_eq!(again(&mut log, 60, 20).rows.len(), 4);
        assert_eq!(again(&mut log, 30, 20).replaced, 4);
        // Only what is on the screen.
        let last = again(&mut log, 30, 2);
        assert_eq!((last.replaced, last.rows[0].as_str()), (2, "One two three four five six"));
    }

    #[test]
    fn sources_that_left_the_screen_long_ago_are_forgotten() {
        let mut log = PrintLog::default();
        let now = Instant::now();
        let mut transcript = Transcript::new(DisplayOptions::default(), ToolLines::default(), now);
        for number in 0..3 * KEPT {
            let text = format!("line {number}\n");
            told(&mut log, &mut transcript, AgentEvent::Text(text.clone()));
            told(&mut log, &mut transcript, AgentEvent::Said { text });
        }
        assert!(log.total >= KEPT && log.total < 2 * KEPT, "{}", log.total);
        assert_eq!(log.entries.iter().map(|entry| entry.rows).sum::<usize>(), log.total);
        let rows = again(&mut log, 30, 5).rows;
        assert_eq!(rows.last().unwrap(), &format!("line {}", 3 * KEPT - 1));
        assert_eq!(rows.len(), 5);
    }

    #[test]
    fn nothing_printed_is_nothing_to_print_anew() {
        let size = Size { columns: 30, rows: 5 };
        let mut log = PrintLog::default();
        assert_eq!(log.again(size, Narrowing::Breaks, &ToolLines::default(), &NARROW), None);
    }
}
