//! A terminal that exists in memory only, for tests.

use std::io::{self, Write};
use std::num::NonZero;
use std::sync::{Arc, Mutex, MutexGuard};

use super::Size;

/// Shared, so that a test can look while somebody else draws.
#[derive(Clone)]
pub(crate) struct Emulator(Arc<Mutex<State>>);

struct State {
    parser: vt100::Parser,
    written: usize,
}

impl Emulator {
    pub(crate) fn new(size: Size) -> Self {
        let parser = vt100::Parser::new(short(size.rows), short(size.columns), 10_000);
        Self(Arc::new(Mutex::new(State { parser, written: 0 })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    pub(crate) fn feed(&self, bytes: &[u8]) {
        let mut state = self.state();
        state.parser.process(bytes);
        state.written += bytes.len();
    }

    pub(crate) fn resize(&self, size: Size) {
        self.state().parser.screen_mut().set_size(short(size.rows), short(size.columns));
    }

    /// What is on the screen, without blanks at the ends of rows and empty rows at the end.
    pub(crate) fn text(&self) -> String {
        let text = self.state().parser.screen().contents();
        text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().to_owned()
    }

    /// Everything that was drawn, from the first row that has scrolled up to the last on the screen.
    pub(crate) fn drawn(&self) -> Vec<Vec<DrawnCell>> {
        let mut state = self.state();
        let screen = state.parser.screen_mut();
        let (rows, columns) = screen.size();
        let cells = |screen: &vt100::Screen, row: u16| -> Vec<DrawnCell> {
            let cells = (0..columns.get()).filter_map(|column| screen.cell(row, column));
            cells.filter(|cell| !cell.is_wide_continuation()).map(DrawnCell::of).collect()
        };
        let mut drawn = Vec::new();
        // A second screen has no history.
        let history = if screen.alternate_screen() { 0 } else { screen.scrollback_len() };
        for above in (1..=history).rev() {
            screen.set_scrollback(above);
            drawn.push(cells(screen, 0));
        }
        screen.set_scrollback(0);
        drawn.extend((0..rows.get()).map(|row| cells(screen, row)));
        drawn
    }

    /// Row and column.
    pub(crate) fn cursor(&self) -> (usize, usize) {
        let (row, column) = self.state().parser.screen().cursor_position();
        (row.into(), column.into())
    }

    /// Bytes that have arrived.
    pub(crate) fn written(&self) -> usize {
        self.state().written
    }
}

/// A character as it looks.
pub(crate) struct DrawnCell {
    pub(crate) text: String,
    pub(crate) is_wide: bool,
    /// In words; empty if there is nothing special about it.
    pub(crate) look: String,
}

impl DrawnCell {
    fn of(cell: &vt100::Cell) -> Self {
        let colour = |lead: &str, colour: vt100::Color| match colour {
            vt100::Color::Default => None,
            vt100::Color::Idx(number) => {
                let names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
                let name = names.get(usize::from(number)).map(|name| (*name).to_owned());
                Some(format!("{lead}{}", name.unwrap_or_else(|| number.to_string())))
            }
            vt100::Color::Rgb(red, green, blue) => {
                Some(format!("{lead}#{red:02x}{green:02x}{blue:02x}"))
            }
        };
        let word = |is_so: bool, word: &str| is_so.then(|| word.to_owned());
        let words = [
            word(cell.bold(), "bold"),
            word(cell.dim(), "dim"),
            word(cell.italic(), "italic"),
            word(cell.underline(), "underlined"),
            word(cell.inverse(), "inverse"),
            colour("", cell.fgcolor()),
            colour("on ", cell.bgcolor()),
        ];
        let text = if cell.has_contents() { cell.contents() } else { " " };
        Self {
            text: text.to_owned(),
            is_wide: cell.is_wide(),
            look: words.into_iter().flatten().collect::<Vec<_>>().join(" "),
        }
    }
}

fn short(number: usize) -> NonZero<u16> {
    NonZero::new(u16::try_from(number).unwrap()).unwrap()
}

impl Write for Emulator {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.feed(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
