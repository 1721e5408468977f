//! What a program writes, on its way to becoming messages.
//!
//! Usually the connection's own task watches the pipe and wakes the caller whose answer it finds. When a
//! server answers at once, these two wake-ups are most of what a call takes. So the task *lends* the pipe
//! for a few milliseconds after such an answer, in which it does not watch it: the next caller waits at
//! the pipe itself, first awake, then asleep, and is woken by the answer and by nothing else. What it
//! finds for others it leaves for the task; what comes while nobody calls waits until the time is over.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hermes_process::OutputPipe;
use rmcp::model::ServerJsonRpcMessage;
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::sync::Notify;
use tokio::time::timeout;

use super::decode::{Decoder, Message, Reply};

/// How much is read at once.
const CHUNK: usize = 64 * 1024;
/// Longest line taken; a server that goes on beyond is broken.
const LONGEST_LINE: usize = 512 * 1024 * 1024;
/// How long a caller waits without falling asleep.
const AWAKE: Duration = Duration::from_micros(300);
/// How long the pipe is lent.
const LENT: Duration = Duration::from_millis(20);

/// A program's output.
pub(crate) struct Inbox {
    reading: Mutex<Reading>,
    lent_until: Mutex<Option<Instant>>,
    /// Whether a caller waits at the pipe: what comes next is for it to read.
    is_taken: AtomicBool,
    /// Told when there is something to do for the task.
    task: Notify,
}

struct Reading {
    pipe: Option<Arc<OwnedFd>>,
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
    /// The pipe is one that does not block.
    pub(crate) fn new(pipe: Option<OwnedFd>) -> Self {
        let (lines, decoder, ready) = Default::default();
        let pipe = pipe.map(Arc::new);
        let reading = Mutex::new(Reading { pipe, lines, decoder, ready });
        Self { reading, lent_until: Mutex::new(None), is_taken: false.into(), task: Notify::new() }
    }

    /// The next message that is no answer to us; answers are settled.
    pub(crate) fn take(&self, settle: impl Settle) -> Found {
        let mut reading = lock(&self.reading);
        if let Some(message) = reading.ready.pop_front() {
            return Found::Message(message);
        }
        if reading.decode_line(settle) {
            return reading.ready.pop_front().map_or(Found::Other, Found::Message);
        }
        if self.is_taken.load(Ordering::Acquire) {
            return Found::Nothing;
        }
        match reading.fill() {
            Ok(1..) if reading.lines.unfinished() <= LONGEST_LINE => Found::Other,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Found::Nothing,
            Ok(_) | Err(_) => Found::End,
        }
    }

    /// Waits until there may be something to take.
    pub(crate) async fn changed(&self) -> io::Result<()> {
        if let Some(left) = self.lent_for() {
            let _ = timeout(left, self.task.notified()).await;
            return Ok(());
        }
        let pipe = lock(&self.reading).pipe.clone().ok_or(io::ErrorKind::BrokenPipe)?;
        let watched = OutputPipe::from_owned_fd(pipe.try_clone()?)?;
        tokio::select! {
            ready = watched.readable() => ready,
            () = self.task.notified() => Ok(()),
        }
    }

    /// Does not watch the pipe for a while: who wants something waits at it.
    pub(crate) fn lend(&self) {
        *lock(&self.lent_until) = Some(Instant::now() + LENT);
    }

    /// Watches the pipe again, if it is lent.
    pub(crate) fn take_back(&self) {
        if lock(&self.lent_until).take().is_some() {
            self.task.notify_one();
        }
    }

    /// Whether a caller may read for itself, and for how long.
    pub(crate) fn lent_for(&self) -> Option<Duration> {
        let until = (*lock(&self.lent_until))?;
        until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
    }

    /// Waits at the lent pipe until something comes, but no longer than `limit`, and reads it. The end,
    /// and anything odd, is left for the task to find.
    pub(crate) fn await_here(&self, limit: Duration, settle: impl Settle) {
        let Some(pipe) = lock(&self.reading).pipe.clone() else { return };
        self.is_taken.store(true, Ordering::Release);
        let mut reading = self.stay_awake(limit.min(AWAKE)).unwrap_or_else(|| {
            let left = limit.saturating_sub(AWAKE);
            let left = Timespec { tv_sec: 0, tv_nsec: left.subsec_nanos().into() };
            // Whether something came is seen by reading.
            let _ = poll(&mut [PollFd::new(pipe.as_ref(), PollFlags::IN)], Some(&left));
            let mut reading = lock(&self.reading);
            let _ = reading.fill();
            reading
        });
        self.is_taken.store(false, Ordering::Release);
        while reading.decode_line(&settle) {}
        if !reading.ready.is_empty() {
            self.task.notify_one();
        }
    }

    /// Looks again and again, making way for others in between: for a moment that is quicker than to
    /// fall asleep and be woken. Gives what was read.
    fn stay_awake(&self, limit: Duration) -> Option<MutexGuard<'_, Reading>> {
        let begun = Instant::now();
        while begun.elapsed() < limit {
            let mut reading = lock(&self.reading);
            if matches!(reading.fill(), Ok(1..)) {
                return Some(reading);
            }
            drop(reading);
            std::thread::yield_now();
        }
        None
    }

    /// Reads no more: a program that goes on writing notices.
    pub(crate) fn close(&self) {
        lock(&self.reading).pipe = None;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Hands an answer to whoever waits for it.
pub(crate) trait Settle: Fn(i64, Reply) {}

impl<F: Fn(i64, Reply)> Settle for F {}

impl Reading {
    /// Reads what is there; zero is the end.
    fn fill(&mut self) -> io::Result<usize> {
        let Some(pipe) = &self.pipe else { return Ok(0) };
        Ok(rustix::io::read(pipe, spare_capacity(self.lines.room()))?)
    }

    /// Reads a line that is there; says whether there was one.
    fn decode_line(&mut self, settle: impl Settle) -> bool {
        let Some(line) = self.lines.next_line() else { return false };
        self.decoder.decode(self.lines.slice(line), |message| match message {
            Message::Answer(id, reply) => settle(id, reply),
            Message::Other(message) => self.ready.push_back(message),
        });
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
    /// Room for the next bytes, behind those that are there.
    fn room(&mut self) -> &mut Vec<u8> {
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.searched = self.searched.saturating_sub(self.start);
            self.start = 0;
        }
        self.bytes.reserve(CHUNK);
        &mut self.bytes
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
