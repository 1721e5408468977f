//! A window of numbered lines out of a file of any size.
//!
//! [`read_window`] goes through the file once, front to back, through one buffer. Lines before and
//! after the window are only counted; of the lines inside it, only what will be shown is kept. So
//! fifty lines out of a gigabyte cost a gigabyte of reading and fifty lines of memory, even where
//! the gigabyte is a single line. The lines of a large file are counted by several threads first,
//! and only the part with the window is gone through; as long as the file stays as it is, the next
//! window of it costs that part alone.
//!
//! What a window promises:
//!
//! * Rows are `number|text`, joined by `\n`, with the file's own line numbers and no padding.
//! * A line ends at `\n` and nowhere else; a `\r` in front of it belongs to the text, and so does
//!   every control character. A last line without `\n` is a line; nothing after a last `\n` is.
//! * No row is longer than the request's `max_line_chars` characters (plus a marker), and the whole
//!   is never longer than `max_chars`. Whatever is left out can be asked for: by `offset`, or by
//!   `column` inside a long line.
//!
//! It never fails on what a file contains: bytes that are no text in the file's encoding are shown
//! as U+FFFD and [`LineWindow::encoding`] says so.

use std::io::{Cursor, SeekFrom};

mod hint;
mod pieces;
mod rows;
mod scan;
mod survey;
#[cfg(test)]
mod tests;

use super::ViewError;
use super::encoding::{Bom, Encoding, Transcoder};
use crate::fs::ReadSeek;
use rows::Rows;
use scan::{ScanPass, scan};

/// First line of a window unless asked otherwise.
pub const DEFAULT_OFFSET: usize = 1;
/// Lines in a window unless asked otherwise.
pub const DEFAULT_LIMIT: usize = 500;
/// Characters shown of one line unless configured otherwise.
pub const DEFAULT_MAX_LINE_CHARS: usize = 2_000;
/// Characters of one window unless configured otherwise.
pub const DEFAULT_MAX_CHARS: usize = 100_000;
/// Stands at the end of a row that shows only a part of its line.
pub const CUT_MARKER: &str = "... [truncated]";

/// Which part of a file to show, and how much of it at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowRequest {
    /// First line, counted from 1; 0 is taken as 1.
    pub offset: usize,
    /// Most lines to show; 0 is taken as 1.
    pub limit: usize,
    /// Most characters (code points) to show of one line.
    pub max_line_chars: usize,
    /// Most characters of the whole numbered text.
    pub max_chars: usize,
    /// First character to show of each line, counted from 1; `None` is the first.
    pub column: Option<usize>,
}

impl Default for WindowRequest {
    fn default() -> Self {
        Self {
            offset: DEFAULT_OFFSET,
            limit: DEFAULT_LIMIT,
            max_line_chars: DEFAULT_MAX_LINE_CHARS,
            max_chars: DEFAULT_MAX_CHARS,
            column: None,
        }
    }
}

impl WindowRequest {
    /// `limit` lines from line `offset` on, with the default caps.
    #[must_use]
    pub fn lines(offset: usize, limit: usize) -> Self {
        Self { offset, limit, ..Self::default() }
    }

    /// Characters left out at the front of each line.
    fn skipped_chars(&self) -> usize {
        self.column.unwrap_or(1).saturating_sub(1)
    }
}

/// The shown part of a file and what the reader should know about the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineWindow {
    /// The rows with their numbers, one line each.
    pub content: String,
    /// Lines in the whole file, counted even where none is shown.
    pub total_lines: usize,
    /// Bytes in the whole file, a byte order mark included.
    pub file_size: u64,
    /// Whether a line follows the window, or the only row had to be cut to fit.
    pub truncated: bool,
    /// Where to read on, set only when `max_chars` ended the window early.
    pub next_offset: Option<usize>,
    /// Which lines these are and how to get at the others.
    pub hint: Option<String>,
    /// Advice after asking for very much of a large file.
    pub advice: Option<&'static str>,
    /// Which lines were cut and how to see the rest of them.
    pub long_lines: Option<String>,
    /// How the bytes were read, when not as plain UTF-8.
    pub encoding: Option<Encoding>,
    /// Whether a byte order mark stands before the first line; it is not shown.
    pub byte_order_mark: bool,
}

/// Reads a window of a file from its start, whatever its position is now.
///
/// # Errors
///
/// When the file cannot be read or rewound.
pub fn read_window(
    file: &mut impl ReadSeek,
    request: &WindowRequest,
) -> Result<LineWindow, ViewError> {
    let bom = Bom::read(file)?;
    file.seek(SeekFrom::Start(bom.map_or(0, Bom::len)))?;
    let (offset, limit) = (request.offset.max(1), request.limit.max(1));
    let request = WindowRequest { offset, limit, ..*request };
    let mut rows = Rows::new(&request);
    let (lines, bytes) = match bom.and_then(Bom::wide) {
        None => {
            let totals = match survey::survey(file)? {
                Some(survey) => survey.collect(file, bom, &request, &mut rows)?,
                None => scan(file, &request, &mut rows, ScanPass::whole())?,
            };
            (totals.lines, totals.bytes)
        }
        Some(wide) => {
            let mut transcoder = Transcoder::new(file, wide);
            let totals = scan(&mut transcoder, &request, &mut rows, ScanPass::whole())?;
            (totals.lines, transcoder.bytes_read())
        }
    };
    let rows = rows.finish();
    let encoding = match bom {
        Some(bom) if bom.wide().is_some() => Some(bom.encoding()),
        _ => rows.lossy.then_some(Encoding::Unknown),
    };
    let file_size = bytes + bom.map_or(0, Bom::len);

    let after = request.offset.saturating_add(rows.count);
    let next_offset = rows.budget_hit.then_some(after);
    let truncated = rows.budget_hit || (rows.count > 0 && after <= lines);
    Ok(LineWindow {
        hint: hint::of_range(&request, &rows, lines),
        advice: hint::of_size(&request, file_size, truncated),
        long_lines: hint::of_long_lines(&request, &rows.long_lines),
        content: rows.text,
        total_lines: lines,
        file_size,
        truncated,
        next_offset,
        encoding,
        byte_order_mark: bom.is_some(),
    })
}

/// The same window over a text that was made out of a file of `file_size` bytes.
///
/// # Errors
///
/// Never in practice: a text in memory can always be read.
pub fn window_of_text(
    text: &str,
    file_size: u64,
    request: &WindowRequest,
) -> Result<LineWindow, ViewError> {
    let window = read_window(&mut Cursor::new(text), request)?;
    Ok(LineWindow { file_size, byte_order_mark: false, ..window })
}
