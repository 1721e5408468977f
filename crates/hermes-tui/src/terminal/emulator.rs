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
