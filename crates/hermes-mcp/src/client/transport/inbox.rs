//! What a program writes, on its way to becoming messages.
//!
//! Usually the connection's own task reads it. A caller who stays awake for an answer may read it too,
//! and then is not woken by anybody: being woken takes longer than many a server needs to answer. What
//! a caller finds for others he leaves for the task.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use hermes_process::OutputPipe;
use rmcp::model::ServerJsonRpcMessage;
use rustix::buffer::spare_capacity;
use tokio::sync::Notify;

use super::decode::Decoder;

/// How much is read at once.
const CHUNK: usize = 64 * 1024;
/// Longest line taken; a server that goes on beyond is broken.
const LONGEST_LINE: usize = 512 * 1024 * 1024;

/// A program's output.
pub(crate) struct Inbox {
    reading: Mutex<Reading>,
    /// Told when a caller has left messages for the task.
    left: Notify,
}

struct Reading {
    pipe: Option<Arc<OutputPipe>>,
    lines: Lines,
    decoder: Decoder,
    ready: VecDeque<ServerJsonRpcMessage>,
}

/// What the task finds.
#[expect(clippy::large_enum_variant, reason = "it is passed on at once, never kept")]
pub(crate) enum Found {
    Message(ServerJsonRpcMessage),
    /// A line that was for somebody else, or noise; there may be more.
    Other,
    /// Nothing for now.
    Nothing,
    /// And nothing will come.
    End,
}

impl Inbox {
    pub(crate) fn new(pipe: Option<OutputPipe>) -> Self {
        let (lines, decoder, ready) = Default::default();
        let pipe = pipe.map(Arc::new);
        let reading = Mutex::new(Reading { pipe, lines, decoder, ready });
        Self { reading, left: Notify::new() }
    }

    /// The next message that `settle` gives back.
    pub(crate) fn take(&self, settle: impl Settle) -> Found {
        let mut reading = self.lock();
        if let Some(message) = reading.ready.pop_front() {
            return Found::Message(message);
        }
        if reading.decode_line(settle) {
            return reading.ready.pop_front().map_or(Found::Other, Found::Message);
        }
        let Reading { pipe: Some(pipe), lines, .. } = &mut *reading else { return Found::End };
        match lines.fill(|bytes| pipe.try_read_buf(bytes)) {
            Ok(0) => Found::End,
            Ok(_) if lines.unfinished() > LONGEST_LINE => Found::End,
            Ok(_) => Found::Other,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Found::Nothing,
            Err(_) => Found::End,
        }
    }

    /// Reads what has come, once, for a caller who waits awake. The end, and anything odd, is left for
    /// the task to find.
    pub(crate) fn look(&self, settle: impl Settle) {
        let mut reading = match self.reading.try_lock() {
            Ok(reading) => reading,
            Err(TryLockError::Poisoned(reading)) => reading.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        let Reading { pipe: Some(pipe), lines, .. } = &mut *reading else { return };
        // Past the async pipe, which only reads after another thread has been told that it can.
        let read = lines.fill(|bytes| Ok(rustix::io::read(pipe.as_ref(), spare_capacity(bytes))?));
        if !matches!(read, Ok(1..)) {
            return;
        }
        while reading.decode_line(&settle) {}
        if !reading.ready.is_empty() {
            self.left.notify_one();
        }
    }

    /// Waits until there may be something to take.
    pub(crate) async fn changed(&self) -> io::Result<()> {
        let pipe = self.lock().pipe.clone();
        let pipe = pipe.ok_or(io::ErrorKind::BrokenPipe)?;
        tokio::select! {
            ready = pipe.readable() => ready,
            () = self.left.notified() => Ok(()),
        }
    }

    /// Reads no more: a program that goes on writing notices.
    pub(crate) fn close(&self) {
        self.lock().pipe = None;
    }

    fn lock(&self) -> MutexGuard<'_, Reading> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hands a message to whoever waits for it; gives back what nobody does.
pub(crate) trait Settle: Fn(ServerJsonRpcMessage) -> Option<ServerJsonRpcMessage> {}

impl<F: Fn(ServerJsonRpcMessage) -> Option<ServerJsonRpcMessage>> Settle for F {}

impl Reading {
    /// Reads a line that is there; says whether there was one.
    fn decode_line(&mut self, settle: impl Settle) -> bool {
        let Some(line) = self.lines.next_line() else { return false };
        let messages = self.decoder.decode(self.lines.slice(line));
        self.ready.extend(messages.into_iter().filter_map(settle));
        true
    }
}

/// Bytes on their way to becoming lines.
#[derive(Default)]
struct Lines {
    bytes: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// Up to where there is no line end.
    searched: usize,
}

impl Lines {
    fn fill(&mut self, read: impl FnOnce(&mut Vec<u8>) -> io::Result<usize>) -> io::Result<usize> {
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.searched = self.searched.saturating_sub(self.start);
            self.start = 0;
        }
        self.bytes.reserve(CHUNK);
        read(&mut self.bytes)
    }

    /// The next whole line without its end.
    fn next_line(&mut self) -> Option<Range<usize>> {
        let from = self.searched.max(self.start);
        match memchr::memchr(b'\n', self.bytes.get(from..)?) {
            Some(at) => {
                let line = self.start..from + at;
                self.start = from + at + 1;
                self.searched = self.start;
                Some(line)
            }
            None => {
                self.searched = self.bytes.len();
                None
            }
        }
    }

    fn slice(&self, line: Range<usize>) -> &[u8] {
        self.bytes.get(line).unwrap_or_default()
    }

    /// How much of a line without an end is there.
    fn unfinished(&self) -> usize {
        self.bytes.len() - self.start
    }
}
