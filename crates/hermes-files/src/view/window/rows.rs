//! The rows of a window while they are being collected.

use super::pieces::{LinePiece, LinePieces};
use super::{CUT_MARKER, WindowRequest};

/// A line that did not fit into its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LongLine {
    /// Its number.
    pub(super) line: usize,
    /// Its length in characters.
    pub(super) chars: usize,
    /// The first character that was left out, counted from 1.
    pub(super) next_column: usize,
}

/// The rows as they will be shown.
#[derive(Debug, Default)]
pub(super) struct Collected {
    /// The numbered text.
    pub(super) text: String,
    /// How many rows it has.
    pub(super) count: usize,
    /// Whether the next row did not fit into the budget, or the only one had to be clamped.
    pub(super) budget_hit: bool,
    /// Lines shown in part.
    pub(super) long_lines: Vec<LongLine>,
    /// Whether a shown line has bytes that are no text.
    pub(super) lossy: bool,
}

/// Collects rows within the caps of a request.
#[derive(Debug)]
pub(super) struct Rows {
    done: Collected,
    /// Characters in the text so far.
    used: usize,
    budget: usize,
    /// Characters shown of each line.
    width: usize,
    pieces: LinePieces,
    line: Line,
}

impl Rows {
    pub(super) fn new(request: &WindowRequest) -> Self {
        let (budget, width) = (request.max_chars, request.max_line_chars);
        // Whatever of a row lies beyond the budget is dropped, so it is not even kept.
        let most = width.min(budget.saturating_add(1));
        Self {
            done: Collected::default(),
            used: 0,
            budget,
            width,
            pieces: LinePieces::default(),
            line: Line { skip: request.skipped_chars(), most, ..Line::default() },
        }
    }

    /// Whether no further row can be added.
    pub(super) fn is_full(&self) -> bool {
        self.done.budget_hit
    }

    /// Adds bytes to the current line.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.pieces.push(bytes, |piece| self.line.take(&piece));
    }

    /// Ends the current line, which has this number.
    pub(super) fn end_line(&mut self, number: usize) {
        self.pieces.finish(|piece| self.line.take(&piece));
        self.add(number);
        self.line.clear();
    }

    fn add(&mut self, number: usize) {
        let line = &self.line;
        let end = line.skip.saturating_add(self.width);
        let is_cut = line.chars > end;
        let marker = if is_cut { CUT_MARKER } else { "" };
        let number_text = number.to_string();
        let prefix = number_text.len() + 1;
        let mut row = format!("{number_text}|{}{marker}", line.shown);
        let mut row_chars = prefix + line.shown_chars + marker.len();
        let mut next_column = end.saturating_add(1);

        let separator = usize::from(self.done.count > 0);
        if self.used + separator + row_chars > self.budget {
            self.done.budget_hit = true;
            if self.done.count > 0 {
                return;
            }
            row.truncate(byte_of_char(&row, self.budget));
            row_chars = self.budget;
            next_column = line.skip + self.budget.saturating_sub(prefix).min(line.shown_chars) + 1;
        }
        if is_cut || self.done.budget_hit {
            self.done.long_lines.push(LongLine { line: number, chars: line.chars, next_column });
        }
        if separator == 1 {
            self.done.text.push('\n');
        }
        self.done.text.push_str(&row);
        self.done.count += 1;
        self.done.lossy |= line.broken;
        self.used += separator + row_chars;
    }

    /// The rows.
    pub(super) fn finish(self) -> Collected {
        self.done
    }
}

/// The line being read: the part of it that is shown, and how long it is in all.
#[derive(Debug, Default)]
struct Line {
    /// Characters left out at the front.
    skip: usize,
    /// Most characters kept after them.
    most: usize,
    shown: String,
    shown_chars: usize,
    chars: usize,
    broken: bool,
}

impl Line {
    fn take(&mut self, piece: &LinePiece<'_>) {
        let mut replacement = [0; 4];
        let text = match piece {
            LinePiece::Text(text) => text,
            LinePiece::Broken => {
                self.broken = true;
                &*char::REPLACEMENT_CHARACTER.encode_utf8(&mut replacement)
            }
        };
        let count = text.chars().count();
        let before = self.chars;
        self.chars += count;
        let room = self.most - self.shown_chars;
        if self.chars <= self.skip || room == 0 {
            return;
        }
        let first = self.skip.saturating_sub(before);
        let wanted = room.min(count - first);
        let rest = &text[byte_of_char(text, first)..];
        self.shown.push_str(&rest[..byte_of_char(rest, wanted)]);
        self.shown_chars += wanted;
    }

    fn clear(&mut self) {
        self.shown.clear();
        (self.shown_chars, self.chars, self.broken) = (0, 0, false);
    }
}

/// Where the character with this number begins; the end when there are not so many.
fn byte_of_char(text: &str, number: usize) -> usize {
    text.char_indices().nth(number).map_or(text.len(), |(at, _)| at)
}
