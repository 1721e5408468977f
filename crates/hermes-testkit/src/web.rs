//! A web server for tests that answers from a function.
//!
//! What a registry, a code host or a page server does right and wrong: any status, headers and bytes, slow answers, and
//! answers that stop before they are whole.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::http::Connection;
use crate::seen::Seen;
use crate::socket::SocketPeer;

/// How often a slow answer looks whether anybody still waits for it.
const BEAT: Duration = Duration::from_millis(5);

/// What a request is answered with.
#[derive(Clone, Debug)]
pub struct WebReply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    delay: Duration,
    cut: bool,
}

impl WebReply {
    /// An answer with these bytes.
    pub fn bytes(body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            headers: Vec::new(),
            body: body.into(),
            delay: Duration::ZERO,
            cut: false,
        }
    }

    /// An answer with a JSON body.
    #[must_use]
    pub fn json(body: &Value) -> Self {
        Self::bytes(body.to_string()).header("content-type", "application/json")
    }

    /// An answer without a body.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self { status, ..Self::bytes("") }
    }

    /// "Look there."
    #[must_use]
    pub fn redirect(to: &str) -> Self {
        Self::status(302).header("location", to)
    }

    /// One more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Another status.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// Says nothing for this long.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Hangs up before the last byte that was announced.
    #[must_use]
    pub fn cut(mut self) -> Self {
        self.cut = true;
        self
    }
}

type Answers = dyn Fn(&Seen) -> WebReply + Send + Sync;
type Sockets = dyn Fn(SocketPeer) + Send + Sync;

/// A web server on a free port of the loopback. It ends when it is dropped.
pub struct WebServer {
    address: SocketAddr,
    shared: Arc<WebShared>,
}

struct WebShared {
    answers: Box<Answers>,
    sockets: Option<Box<Sockets>>,
    log: Mutex<Vec<Seen>>,
    closed: AtomicBool,
}

impl WebServer {
    /// Starts a server that answers each request with what the function says.
    ///
    /// # Panics
    ///
    /// There is no free port on the loopback.
    #[must_use]
    pub fn start(answers: impl Fn(&Seen) -> WebReply + Send + Sync + 'static) -> Self {
        Self::serving(Box::new(answers), None)
    }

    /// The same, with somebody who takes WebSockets on the same port; each has a thread of its own.
    ///
    /// # Panics
    ///
    /// There is no free port on the loopback.
    #[must_use]
    pub fn start_with_sockets(
        answers: impl Fn(&Seen) -> WebReply + Send + Sync + 'static,
        sockets: impl Fn(SocketPeer) + Send + Sync + 'static,
    ) -> Self {
        Self::serving(Box::new(answers), Some(Box::new(sockets)))
    }

    fn serving(answers: Box<Answers>, sockets: Option<Box<Sockets>>) -> Self {
        #[expect(clippy::expect_used, reason = "a test cannot go on without its server")]
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port on the loopback");
        #[expect(clippy::expect_used, reason = "a bound socket has an address")]
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(WebShared {
            answers,
            sockets,
            log: Mutex::default(),
            closed: AtomicBool::new(false),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || accept(&listener, &accepting));
        Self { address, shared }
    }

    /// `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The port it listens on.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Every request so far, in the order of arrival.
    #[must_use]
    pub fn requests(&self) -> Vec<Seen> {
        self.shared.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for WebServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebServer").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for connections.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(20));
    }
}

fn accept(listener: &TcpListener, shared: &Arc<WebShared>) {
    for stream in listener.incoming() {
        if shared.closed.load(Ordering::Relaxed) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        // A connection that gets no thread is closed, which its client sees.
        let _ = thread::Builder::new().spawn(move || {
            if let Some(sockets) = shared.sockets.as_ref().filter(|_| wants_socket(&stream)) {
                if let Some(peer) = SocketPeer::accept(stream) {
                    sockets(peer);
                }
            } else if let Ok(connection) = Connection::new(stream) {
                serve(connection, &shared);
            }
        });
    }
}

/// Whether a connection begins with the wish for a WebSocket. Nothing of it is taken.
fn wants_socket(stream: &TcpStream) -> bool {
    let mut seen = [0_u8; 8 * 1024];
    let end = Instant::now() + Duration::from_secs(10);
    while Instant::now() < end {
        let Ok(count) = stream.peek(&mut seen) else { return false };
        let head = String::from_utf8_lossy(seen.get(..count).unwrap_or_default()).to_lowercase();
        if head.contains("\r\n\r\n") || count == 0 || count == seen.len() {
            return head.contains("\r\nupgrade: websocket");
        }
        thread::sleep(BEAT);
    }
    false
}

fn serve(mut connection: Connection, shared: &WebShared) {
    while let Ok(Some(seen)) = connection.read() {
        let head = seen.method == "HEAD";
        let reply = (shared.answers)(&seen);
        shared.log.lock().unwrap_or_else(PoisonError::into_inner).push(seen);
        let end = Instant::now() + reply.delay;
        while Instant::now() < end {
            if shared.closed.load(Ordering::Relaxed) || connection.is_gone() {
                return connection.cut();
            }
            thread::sleep(BEAT);
        }
        let body = if head { &[] } else { reply.body.as_slice() };
        let sent = if reply.cut {
            connection.send_part(reply.status, &reply.headers, body)
        } else {
            connection.send(reply.status, &reply.headers, body)
        };
        if sent.is_err() || reply.cut {
            return connection.cut();
        }
    }
}
