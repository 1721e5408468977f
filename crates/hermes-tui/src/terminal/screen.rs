//! The screen: text that stays, and below it a few rows of the moment.
//!
//! What was said scrolls up and stays in the terminal's own history, to be searched, copied and
//! looked at after the program has ended. Below it are the rows of the moment (a [`Frame`]): what
//! runs, the prompt, the line being typed. To print something, the frame is wiped, the text written
//! and the frame drawn again, all in one write, so that nothing flickers and nothing can come in
//! between.
//!
//! All movement is relative to the cursor, which stays inside the frame. So the terminal is never
//! asked where the cursor is, which would take a round trip on every line and fail in many places.
//! When the terminal becomes narrower it breaks the frame's rows itself; the screen knows how wide
//! each of them is, and so how far up the frame now begins.
//!
//! What never happens here: a row of a frame that is wider than the terminal (it is the drawer's
//! fault, and is cut), or a frame higher than the terminal.

use std::io::{self, Write};

use super::Size;

/// The rows of the moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The rows, painted, each no wider than the terminal.
    pub(crate) rows: Vec<String>,
    /// Where the cursor is: row and column.
    pub(crate) cursor: (usize, usize),
}

/// A terminal with a frame at the bottom.
#[derive(Debug)]
pub(crate) struct Screen<W> {
    out: W,
    size: Size,
    drawn: Option<Drawn>,
    /// What is drawn on the terminal's second screen, while that is in front.
    page: Option<Vec<String>>,
}

/// What was drawn last, as far as it matters for wiping it.
#[derive(Debug)]
struct Drawn {
    frame: Frame,
    /// Columns of the rows above the cursor.
    above: Vec<usize>,
}

const BEGIN: &str = "\x1b[?2026h\x1b[?25l";
const END: &str = "\x1b[?25h\x1b[?2026l";

impl<W: Write> Screen<W> {
    /// A screen of this size, with nothing drawn on it by us.
    pub(crate) fn new(out: W, size: Size) -> Self {
        Self { out, size, drawn: None, page: None }
    }

    /// The terminal has another size now.
    pub(crate) fn resize(&mut self, size: Size) {
        self.size = size;
    }

    /// Prints rows that stay, and draws the frame below them. The same frame again, with nothing to
    /// print, is not drawn.
    pub(crate) fn update(&mut self, rows: &[String], frame: &Frame) -> io::Result<()> {
        let is_same = self.drawn.as_ref().is_some_and(|drawn| drawn.frame == *frame);
        if rows.is_empty() && is_same {
            return Ok(());
        }
        let mut text = String::from(BEGIN);
        text.push_str(&self.wiped());
        for row in rows {
            text.push_str(row);
            text.push_str("\r\n");
        }
        let frame = self.fitted(frame);
        text.push_str(&frame.rows.join("\r\n"));
        let (row, column) = frame.cursor;
        let up = frame.rows.len().saturating_sub(row + 1);
        if up > 0 {
            text.push_str(&format!("\x1b[{up}A"));
        }
        text.push('\r');
        if column > 0 {
            text.push_str(&format!("\x1b[{column}C"));
        }
        text.push_str(END);
        let above = frame.rows.iter().take(row).map(|row| columns(row)).collect();
        self.drawn = Some(Drawn { frame, above });
        self.write(&text)
    }

    /// Draws a whole screen in front of the conversation.
    pub(crate) fn page(&mut self, rows: &[String]) -> io::Result<()> {
        if self.page.as_deref() == Some(rows) {
            return Ok(());
        }
        let enter = if self.page.is_none() { "\x1b[?1049h" } else { "" };
        let width = self.size.columns.max(1);
        let fitted: Vec<String> =
            rows.iter().take(self.size.rows).map(|row| fitted_row(row, width)).collect();
        let drawn = fitted.join("\x1b[K\r\n");
        self.page = Some(rows.to_vec());
        self.write(&format!("{enter}\x1b[?2026h\x1b[?25l\x1b[H{drawn}\x1b[K\x1b[J\x1b[?2026l"))
    }

    /// Whether a page is in front.
    pub(crate) fn has_page(&self) -> bool {
        self.page.is_some()
    }

    /// Goes back to the conversation.
    pub(crate) fn end_page(&mut self) -> io::Result<()> {
        match self.page.take() {
            Some(_) => self.write("\x1b[?1049l\x1b[?25h"),
            None => Ok(()),
        }
    }

    /// Takes the frame off the screen, for others to write to it.
    pub(crate) fn wipe(&mut self) -> io::Result<()> {
        let text = self.wiped();
        self.drawn = None;
        self.write(&text)
    }

    /// Clears the screen and what has scrolled out of it.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        self.drawn = None;
        self.write("\x1b[H\x1b[2J\x1b[3J")
    }

    /// Puts text into the clipboard, wherever the terminal is.
    pub(crate) fn copy(&mut self, text: &str) -> io::Result<()> {
        use base64::Engine as _;
        let text = base64::engine::general_purpose::STANDARD.encode(text);
        self.write(&format!("\x1b]52;c;{text}\x07"))
    }

    /// Rings.
    pub(crate) fn bell(&mut self) -> io::Result<()> {
        self.write("\x07")
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    /// Moves to where the frame begins and wipes everything from there.
    fn wiped(&self) -> String {
        let Some(drawn) = &self.drawn else { return "\r\x1b[J".to_owned() };
        let width = self.size.columns.max(1);
        let broken: usize = drawn.above.iter().map(|columns| columns.max(&1).div_ceil(width)).sum();
        let up = broken + drawn.frame.cursor.1 / width;
        match up {
            0 => "\r\x1b[J".to_owned(),
            up => format!("\r\x1b[{up}A\x1b[J"),
        }
    }

    /// The frame, cut to what the terminal can show.
    fn fitted(&self, frame: &Frame) -> Frame {
        let most = self.size.rows.max(2) - 1;
        let width = self.size.columns.max(1);
        let surplus = frame.rows.len().saturating_sub(most);
        let rows = frame.rows[surplus..].iter().map(|row| fitted_row(row, width));
        let (row, column) = frame.cursor;
        let column = column.min(width.saturating_sub(1));
        Frame { rows: rows.collect(), cursor: (row.saturating_sub(surplus), column) }
    }
}

/// A row as far as it fits.
fn fitted_row(row: &str, width: usize) -> String {
    match columns(row) <= width {
        true => row.to_owned(),
        false => {
            let plain = anstream::adapter::strip_str(row).to_string();
            crate::display::fit::cut(&plain, width)
        }
    }
}

/// Columns of a row that may be painted.
fn columns(row: &str) -> usize {
    match row.contains('\x1b') {
        true => crate::display::fit::columns(&anstream::adapter::strip_str(row).to_string()),
        false => crate::display::fit::columns(row),
    }
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;
