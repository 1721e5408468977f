//! The socket a script on this machine calls through.
//!
//! It lies in the run's own folder, which only we can enter, is closed to other users by its mode,
//! and hangs up on whoever is not us all the same: a folder can be opened by mistake.
//!
//! Each connection has a thread that reads its lines. Most calls are answered right there, from the
//! first byte to the last, with brief looks at the disk in between: from a script that reads a file
//! to its answer one thread wakes up, and no other. A call that has to wait for anything goes on as
//! a task, and the thread reads on, so several may be under way at once. Dropping [`serve`] hangs
//! up and ends them all.

use std::io::{ErrorKind, Read, Write as _};
use std::net::Shutdown;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream as Stream;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use hermes_files::fs::with_inline_io;
use nix::errno::Errno;
use nix::sys::socket::{MsgFlags, recv};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::calls::{CallDispatcher, mistake};

/// Calls of one script that wait for something at once; more wait.
const MAX_AT_ONCE: usize = 32;
/// Connections at once; more wait.
const MAX_CONNECTIONS: usize = 64;
/// The longest request. Files are written through it.
const MAX_REQUEST_BYTES: usize = 64 << 20;

/// How long a script in full swing is listened to without going to sleep: to be woken takes longer
/// than most calls.
const ALERT: Duration = Duration::from_micros(200);
/// Room for what is read at once.
const READ_SIZE: usize = 8 << 10;
/// Between attempts to accept a connection.
const PAUSE: Duration = Duration::from_millis(10);
/// How long, and how much, somebody is listened to who is turned away.
const FAREWELL: Duration = Duration::from_secs(1);
const MAX_FAREWELL_BYTES: u64 = 64 << 10;

/// Opens the socket.
pub(super) fn open(path: &Path) -> std::io::Result<UnixListener> {
    let listener = UnixListener::bind(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Answers whoever connects, for ever.
pub(super) async fn serve(listener: UnixListener, dispatcher: CallDispatcher) {
    let service = Service {
        dispatcher,
        runtime: Handle::current(),
        over: CancellationToken::new(),
        places: Arc::new(Semaphore::new(MAX_AT_ONCE)),
    };
    let mut open = Open { over: service.over.clone(), connections: Vec::new() };
    let rooms = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    while let Ok(room) = Arc::clone(&rooms).acquire_owned().await {
        let taken = match listener.accept().await {
            Ok((stream, _)) if is_ours(&stream) => {
                Connection::open(stream, service.clone(), room).map(|new| open.add(&new))
            }
            Ok((stream, _)) => {
                tokio::spawn(timeout(FAREWELL, turn_away(stream)));
                Ok(())
            }
            Err(error) => Err(error),
        };
        // Out of descriptors or threads, most likely: the next one may have more luck.
        if let Err(error) = taken {
            tracing::debug!(%error, "a script could not connect");
            sleep(PAUSE).await;
        }
    }
}

/// Hangs up on everybody when it goes.
struct Open {
    over: CancellationToken,
    connections: Vec<Weak<Connection>>,
}

impl Open {
    fn add(&mut self, new: &Arc<Connection>) {
        self.connections.retain(|connection| connection.strong_count() > 0);
        self.connections.push(Arc::downgrade(new));
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.over.cancel();
        for connection in self.connections.iter().filter_map(Weak::upgrade) {
            let _ = connection.stream.shutdown(Shutdown::Both);
        }
    }
}

fn is_ours(stream: &UnixStream) -> bool {
    let own = nix::unistd::geteuid().as_raw();
    let theirs = stream.peer_cred().map(|peer| peer.uid());
    let is_ours = matches!(theirs, Ok(uid) if uid == own);
    if !is_ours {
        tracing::warn!(?theirs, "another user tried to call tools through the socket of a script");
    }
    is_ours
}

/// Hangs up; what was said is read, or the other one would not hear why.
async fn turn_away(mut stream: UnixStream) -> std::io::Result<()> {
    let refusal = mistake("this socket serves one user, and you are another");
    stream.write_all(format!("{refusal}\n").as_bytes()).await?;
    stream.shutdown().await?;
    let mut said = stream.take(MAX_FAREWELL_BYTES);
    tokio::io::copy(&mut said, &mut tokio::io::sink()).await?;
    Ok(())
}

/// What all connections of a script share.
#[derive(Clone)]
struct Service {
    dispatcher: CallDispatcher,
    runtime: Handle,
    /// The script has ended.
    over: CancellationToken,
    places: Arc<Semaphore>,
}

/// One connection. Its thread and the calls under way keep it; with the last of them it is closed.
struct Connection {
    service: Service,
    stream: Stream,
    answers: Mutex<Stream>,
    _room: OwnedSemaphorePermit,
}

impl Connection {
    fn open(
        stream: UnixStream,
        service: Service,
        room: OwnedSemaphorePermit,
    ) -> std::io::Result<Arc<Self>> {
        let stream = stream.into_std()?;
        stream.set_nonblocking(false)?;
        let lines = CallLines::new(Alert { stream: stream.try_clone()?, swings: false });
        let answers = Mutex::new(stream.try_clone()?);
        let new = Arc::new(Self { service, stream, answers, _room: room });
        let own = Arc::clone(&new);
        let thread = std::thread::Builder::new().name("hermes-script".to_owned());
        thread.spawn(move || own.attend(lines))?;
        Ok(new)
    }

    fn attend(self: Arc<Self>, mut lines: CallLines<Alert>) {
        let Service { dispatcher, runtime, over, places } = &self.service;
        let _timers_work = runtime.enter();
        while let Some(line) = lines.next() {
            let mut call = match line {
                CallLine::Whole(line) => {
                    let dispatcher = dispatcher.clone();
                    Box::pin(async move { dispatcher.answer(line).await }) as BoxFuture<'static, _>
                }
                CallLine::TooLong => {
                    let most = MAX_REQUEST_BYTES >> 20;
                    let told = mistake(&format!("a request may have {most} MiB at most"));
                    Box::pin(async move { format!("{told}\n").into_bytes() })
                }
            };
            let looked =
                with_inline_io(|| call.as_mut().poll(&mut Context::from_waker(Waker::noop())));
            let goes_on = match looked {
                Poll::Ready(answer) => self.write(&answer),
                Poll::Pending => {
                    let place = runtime.block_on(async {
                        tokio::select! {
                            () = over.cancelled() => None,
                            place = Arc::clone(places).acquire_owned() => place.ok(),
                        }
                    });
                    place
                        .map(|place| runtime.spawn(Arc::clone(&self).follow(call, place)))
                        .is_some()
                }
            };
            if !goes_on {
                return;
            }
        }
    }

    /// Waits for an answer, unless the script ends before.
    async fn follow(
        self: Arc<Self>,
        call: BoxFuture<'static, Vec<u8>>,
        _place: OwnedSemaphorePermit,
    ) {
        let answer = tokio::select! {
            () = self.service.over.cancelled() => return,
            answer = call => answer,
        };
        // A script that does not read its answers makes only a thread of its own wait.
        let _ = tokio::task::spawn_blocking(move || self.write(&answer)).await;
    }

    fn write(&self, answer: &[u8]) -> bool {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).write_all(answer).is_ok()
    }
}

/// A stream that is read without falling asleep while one word follows the other.
struct Alert {
    stream: Stream,
    swings: bool,
}

impl Read for Alert {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let begun = Instant::now();
        while self.swings && begun.elapsed() < ALERT {
            match recv(self.stream.as_raw_fd(), into, MsgFlags::MSG_DONTWAIT) {
                Err(Errno::EAGAIN) => std::thread::yield_now(),
                read => return Ok(read?),
            }
        }
        let read = self.stream.read(into)?;
        self.swings = begun.elapsed() < 2 * ALERT;
        Ok(read)
    }
}

/// One line of a connection.
#[derive(Debug, PartialEq, Eq)]
enum CallLine {
    Whole(Vec<u8>),
    /// It was read to its end and thrown away.
    TooLong,
}

/// A stream as lines.
struct CallLines<R> {
    stream: R,
    buffer: Vec<u8>,
    /// How far the buffer has been looked through.
    seen: usize,
    skipping: bool,
    piece: Box<[u8]>,
}

impl<R: Read> CallLines<R> {
    fn new(stream: R) -> Self {
        let piece = vec![0; READ_SIZE].into_boxed_slice();
        Self { stream, buffer: Vec::new(), seen: 0, skipping: false, piece }
    }

    /// The next line without its end; blank ones are passed over.
    fn next(&mut self) -> Option<CallLine> {
        loop {
            let fresh = self.buffer.get(self.seen..).unwrap_or_default();
            if let Some(at) = fresh.iter().position(|byte| *byte == b'\n') {
                // Copied out, so that the room stays for the next one.
                let end = self.seen + at;
                let line = self.buffer.get(..end).unwrap_or_default().to_vec();
                self.buffer.drain(..=end);
                self.seen = 0;
                if std::mem::take(&mut self.skipping) {
                    return Some(CallLine::TooLong);
                }
                if line.iter().all(u8::is_ascii_whitespace) {
                    continue;
                }
                return Some(CallLine::Whole(line));
            }
            self.seen = self.buffer.len();
            if self.buffer.len() > MAX_REQUEST_BYTES {
                self.buffer.clear();
                self.seen = 0;
                self.skipping = true;
            }
            let read = match self.stream.read(&mut self.piece) {
                Ok(0) => return None,
                Ok(read) => self.piece.get(..read)?,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return None,
            };
            self.buffer.extend_from_slice(read);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::io::{BufRead as _, BufReader};

    use serde_json::{Map, Value, json};

    use super::*;
    use crate::code::calls::AnswerCalls;
    use crate::code::token::CallToken;

    #[test]
    fn lines_come_whole_however_they_arrive() {
        /// One byte at a time.
        struct Slow<'a>(&'a [u8]);
        impl Read for Slow<'_> {
            fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
                Read::read(&mut self.0, &mut into[..1])
            }
        }
        let mut lines = CallLines::new(Slow(b"one\n\n  \ntwo\nhalf"));
        assert_eq!(lines.next(), Some(CallLine::Whole(b"one".to_vec())));
        assert_eq!(lines.next(), Some(CallLine::Whole(b"two".to_vec())));
        assert_eq!(lines.next(), None, "half a line is none");
    }

    #[test]
    fn a_line_without_end_is_thrown_away_and_told() {
        let long = std::io::repeat(b'x').take(MAX_REQUEST_BYTES as u64 + (1 << 20));
        let mut lines = CallLines::new(long.chain(&b"x\nnext\n"[..]));
        assert_eq!(lines.next(), Some(CallLine::TooLong));
        assert_eq!(lines.next(), Some(CallLine::Whole(b"next".to_vec())));
    }

    /// Answers with the number it was given once so many calls are under way.
    struct Together {
        here: tokio::sync::Barrier,
    }

    impl AnswerCalls for Arc<Together> {
        fn call(&self, tool: String, args: Map<String, Value>) -> BoxFuture<'static, String> {
            let all = Arc::clone(self);
            Box::pin(async move {
                match tool.as_str() {
                    "never" => std::future::pending().await,
                    _ => {
                        all.here.wait().await;
                        args["number"].to_string()
                    }
                }
            })
        }
    }

    struct Scene {
        _folder: tempfile::TempDir,
        token: Arc<CallToken>,
        caller: Stream,
        serving: tokio::task::JoinHandle<()>,
    }

    impl Scene {
        async fn new(at_once: usize) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("rpc.sock");
            let listener = open(&path).unwrap();
            let token = Arc::new(CallToken::draw().unwrap());
            let calls = Arc::new(Together { here: tokio::sync::Barrier::new(at_once) });
            let dispatcher = CallDispatcher::new(Arc::clone(&token), Arc::new(calls));
            let serving = tokio::spawn(serve(listener, dispatcher));
            let caller = Stream::connect(&path).unwrap();
            caller.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            Self { _folder: folder, token, caller, serving }
        }

        fn say(&mut self, tool: &str, number: usize) {
            let token = self.token.text();
            let line =
                json!({"id": number, "tool": tool, "args": {"number": number}, "token": token});
            self.caller.write_all(format!("{line}\n").as_bytes()).unwrap();
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn calls_of_one_connection_are_under_way_together() {
        let mut scene = Scene::new(20).await;
        for number in 0..40 {
            scene.say("together", number);
        }
        let caller = scene.caller.try_clone().unwrap();
        let heard = tokio::task::spawn_blocking(move || {
            let answers = BufReader::new(caller).lines().take(40);
            let number =
                |line: String| serde_json::from_str::<Value>(&line).unwrap()["result"].clone();
            answers.map(|line| number(line.unwrap()).as_u64().unwrap()).collect::<BTreeSet<_>>()
        });
        assert_eq!(heard.await.unwrap(), (0..40).collect());
        scene.serving.abort();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn when_the_script_has_ended_so_have_its_calls() {
        let mut scene = Scene::new(1).await;
        scene.say("never", 1);
        scene.say("together", 2);
        let mut caller = scene.caller.try_clone().unwrap();
        let heard = tokio::task::spawn_blocking(move || {
            let mut piece = [0; 100];
            let first = caller.read(&mut piece).unwrap();
            (String::from_utf8_lossy(&piece[..first]).into_owned(), caller)
        });
        let (answer, mut caller) = heard.await.unwrap();
        assert!(answer.contains("\"id\":2"), "{answer}");
        scene.serving.abort();
        let ended = tokio::task::spawn_blocking(move || caller.read(&mut [0; 100]));
        assert_eq!(ended.await.unwrap().unwrap(), 0, "nobody is left who could answer");
    }
}
