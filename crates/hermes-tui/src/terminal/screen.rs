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
//! When the terminal becomes narrower most terminals break the rows themselves and some cut them
//! ([`Narrowing`]); the screen knows how wide each of them is, and so how far up the frame now begins.
//!
//! Rows that were printed can be taken back ([`Screen::take_back`]) and printed anew for another width, as far as they
//! are still on the screen. What has scrolled out of it is the terminal's and stays as it is: clearing it would take
//! with it what the person's shell wrote before, and only the terminal can search and copy there.
//!
//! What never happens here: a row of a frame that is wider than the terminal (it is the drawer's
//! fault, and is cut), or a frame higher than the terminal.

use std::collections::VecDeque;
use std::io::{self, Write};

use hermes_tool::Vars;

use super::Size;

/// What a terminal does with its rows when it becomes narrower.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Narrowing {
    /// It breaks them anew, and joins them again when it becomes wider.
    #[default]
    Breaks,
    /// It cuts them.
    Cuts,
}

impl Narrowing {
    /// What the terminal we are in does, by the names it leaves.
    pub(crate) fn of(vars: &Vars) -> Self {
        if vars.non_blank("TMUX").is_some() {
            return Self::Breaks;
        }
        let term = vars.non_blank("TERM").unwrap_or_default();
        let cuts = ["linux", "screen", "rxvt", "vt"].iter().any(|name| term.starts_with(name));
        match cuts || vars.non_blank("XTERM_VERSION").is_some() {
            true => Self::Cuts,
            false => Self::Breaks,
        }
    }

    /// How many rows of the terminal one of ours takes now that was drawn when the terminal had `then` columns.
    pub(crate) fn height(self, columns: usize, then: usize, now: usize) -> usize {
        let width = match self {
            Self::Breaks => now,
            Self::Cuts => then,
        };
        columns.max(1).div_ceil(width.max(1))
    }
}

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
    narrowing: Narrowing,
    drawn: Option<Drawn>,
    /// Columns of the rows that were printed last and of the terminal then, as many as may be on the screen.
    printed: VecDeque<(usize, usize)>,
    /// The size changed since the frame was drawn: terminals cut off what stood below the cursor.
    is_stale: bool,
    /// How many of them are wiped with the frame.
    taken_back: usize,
    /// What is drawn on the terminal's second screen, while that is in front.
    page: Option<Vec<String>>,
}

/// What was drawn last, as far as it matters for wiping it.
#[derive(Debug)]
struct Drawn {
    frame: Frame,
    /// Columns of the rows above the cursor.
    above: Vec<usize>,
    /// Columns of the terminal then.
    width: usize,
}

/// Rows whose width is kept at least: a terminal may become higher.
const MIN_REMEMBERED: usize = 200;

const BEGIN: &str = "\x1b[?2026h\x1b[?25l";
const END: &str = "\x1b[?25h\x1b[?2026l";

impl<W: Write> Screen<W> {
    /// A screen of this size, with nothing drawn on it by us.
    pub(crate) fn new(out: W, size: Size, narrowing: Narrowing) -> Self {
        let printed = VecDeque::new();
        Self {
            out,
            size,
            narrowing,
            drawn: None,
            printed,
            is_stale: false,
            taken_back: 0,
            page: None,
        }
    }

    /// The terminal has another size now.
    pub(crate) fn resize(&mut self, size: Size) {
        self.is_stale |= self.size != size;
        self.size = size;
        if let Some(page) = &mut self.page {
            // Whatever the terminal did with it, it is drawn anew.
            page.clear();
        }
    }

    /// The last rows that were printed are wiped with the frame, to be printed anew.
    pub(crate) fn take_back(&mut self, rows: usize) {
        self.taken_back += rows;
    }

    /// Prints rows that stay, and draws the frame below them. The same frame again, with nothing to
    /// print, is not drawn.
    pub(crate) fn update(&mut self, rows: &[String], frame: &Frame) -> io::Result<()> {
        let is_same = self.drawn.as_ref().is_some_and(|drawn| drawn.frame == *frame);
        if rows.is_empty() && is_same && self.taken_back == 0 && !self.is_stale {
            return Ok(());
        }
        let mut text = String::from(BEGIN);
        text.push_str(&self.wiped());
        self.printed.truncate(self.printed.len().saturating_sub(self.taken_back));
        self.taken_back = 0;
        self.is_stale = false;
        for row in rows {
            text.push_str(row);
            text.push_str("\r\n");
        }
        self.remember(rows);
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
        self.drawn = Some(Drawn { frame, above, width: self.size.columns.max(1) });
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
        self.forget();
        self.write(&text)
    }

    /// Clears the screen and what has scrolled out of it.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        self.forget();
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

    /// Nothing on the screen is ours any more.
    fn forget(&mut self) {
        self.drawn = None;
        self.printed.clear();
        self.taken_back = 0;
    }

    /// Keeps how wide the last rows are. Those that cannot be on the screen any more do not matter.
    fn remember(&mut self, rows: &[String]) {
        let most = self.size.rows.max(MIN_REMEMBERED);
        let width = self.size.columns.max(1);
        let last = &rows[rows.len().saturating_sub(most)..];
        self.printed.extend(last.iter().map(|row| (columns(row), width)));
        let surplus = self.printed.len().saturating_sub(most);
        self.printed.drain(..surplus);
    }

    /// Moves to where the frame begins, or what is taken back with it, and wipes everything from there.
    fn wiped(&self) -> String {
        let now = self.size.columns.max(1);
        let mut up = match &self.drawn {
            None => 0,
            Some(drawn) => {
                let height = |columns: &usize| self.narrowing.height(*columns, drawn.width, now);
                let cursor = match self.narrowing {
                    Narrowing::Breaks => drawn.frame.cursor.1 / now,
                    Narrowing::Cuts => 0,
                };
                drawn.above.iter().map(height).sum::<usize>() + cursor
            }
        };
        let taken = self.printed.iter().rev().take(self.taken_back);
        up +=
            taken.map(|(columns, then)| self.narrowing.height(*columns, *then, now)).sum::<usize>();
        if self.taken_back > 0 && (up + 1 >= self.size.rows || self.taken_back > self.printed.len())
        {
            return self.whole_wiped();
        }
        match up {
            0 => "\r\x1b[J".to_owned(),
            up => format!("\r\x1b[{up}A\x1b[J"),
        }
    }

    /// Wipes the whole screen row by row: some terminals keep a screen that is cleared at once among what has scrolled
    /// away.
    fn whole_wiped(&self) -> String {
        let mut text = String::from("\x1b[H");
        for _ in 1..self.size.rows {
            text.push_str("\x1b[2K\r\n");
        }
        text.push_str("\x1b[2K\x1b[H");
        text
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
