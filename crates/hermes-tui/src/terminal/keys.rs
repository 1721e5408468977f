//! The thread that reads keys.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crossterm::event::{Event, KeyEvent, KeyEventKind, poll, read};
use nix::sys::signal::{Signal, raise};
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

/// How long a reader that rests sleeps before it looks whether it is wanted again, and how long it may take to hear that
/// it shall rest.
const SLICE: Duration = Duration::from_millis(100);
/// How long the reader waits for a key. Somebody who only looks at the screen shall cost nothing.
const LONG: Duration = Duration::from_secs(3600);

/// Reads keys and sends them on. It sleeps until there is one, or until it is woken ([`wake`]).
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
            wake();
            // A reader that has only just begun did not hear it. One that has ended reads nothing either.
            while parked.recv_timeout(SLICE) == Err(RecvTimeoutError::Timeout) {
                wake();
            }
        }
        Paused(self)
    }
}

/// Wakes the reader: it wakes when the terminal changes its size, so it is told that it has.
fn wake() {
    // Without the signal it wakes with the next key.
    let _ = raise(Signal::SIGWINCH);
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
        wake();
    }
}

/// Waits for something and sends it on.
fn forward(sender: &UnboundedSender<TerminalInput>) -> io::Result<()> {
    if !poll(LONG)? {
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
