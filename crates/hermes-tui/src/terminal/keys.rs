//! The thread that reads keys.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crossterm::event::{Event, KeyEvent, KeyEventKind, poll, read};
use tokio::sync::mpsc::UnboundedSender;

use super::Size;

/// Something that came from the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TerminalInput {
    /// A key.
    Key(KeyEvent),
    /// Text that was pasted.
    Paste(String),
    /// The terminal has another size.
    Resize(Size),
    /// The program has logged something.
    Logged(String),
    /// The terminal is gone.
    Gone,
}

/// How often the reader looks whether it is still wanted.
const SLICE: Duration = Duration::from_millis(100);

/// Reads keys and sends them on.
#[derive(Debug)]
pub(crate) struct KeyReader {
    shared: Arc<Shared>,
    parked: Mutex<Receiver<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    is_paused: AtomicBool,
    is_over: AtomicBool,
}

impl KeyReader {
    /// Starts to read, and sends what comes.
    pub(crate) fn start(sender: UnboundedSender<TerminalInput>) -> io::Result<Self> {
        let (parked, wait) = channel();
        let shared = Arc::<Shared>::default();
        let seen = Arc::clone(&shared);
        std::thread::Builder::new().name("keys".to_owned()).spawn(move || {
            while !seen.is_over.load(Ordering::SeqCst) {
                if seen.is_paused.load(Ordering::SeqCst) {
                    let _ = parked.send(());
                    while seen.is_paused.load(Ordering::SeqCst) {
                        std::thread::park_timeout(SLICE);
                    }
                }
                if forward(&sender).is_err() {
                    let _ = sender.send(TerminalInput::Gone);
                    return;
                }
            }
        })?;
        Ok(Self { shared, parked: Mutex::new(wait) })
    }

    /// Leaves the keys to somebody else until the guard is dropped.
    pub(crate) fn pause(&self) -> Paused<'_> {
        self.shared.is_paused.store(true, Ordering::SeqCst);
        if let Ok(parked) = self.parked.lock() {
            // A reader that has ended reads nothing either.
            let _ = parked.recv();
        }
        Paused(self)
    }
}

/// Nobody reads keys while this exists.
#[derive(Debug)]
pub(crate) struct Paused<'a>(&'a KeyReader);

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        self.0.shared.is_paused.store(false, Ordering::SeqCst);
    }
}

impl Drop for KeyReader {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
    }
}

/// Sends on what comes within a slice of time.
fn forward(sender: &UnboundedSender<TerminalInput>) -> io::Result<()> {
    if !poll(SLICE)? {
        return Ok(());
    }
    let input = match read()? {
        Event::Key(key) if key.kind != KeyEventKind::Release => TerminalInput::Key(key),
        Event::Paste(text) => TerminalInput::Paste(text),
        Event::Resize(columns, rows) => {
            TerminalInput::Resize(Size { columns: columns.into(), rows: rows.into() })
        }
        _ => return Ok(()),
    };
    // Nobody listens any more: the program is about to end.
    let _ = sender.send(input);
    Ok(())
}
