//! An HTTP client and who gets it past a 401: what both HTTP transports send with.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::client::authorize::Authorizer;

/// How long a new connection waits for the server's own stream.
const LISTENING: Duration = Duration::from_secs(3);

/// A client with a server's headers and certificates, and the source of its tokens.
#[derive(Clone)]
pub(crate) struct AuthorizedHttp {
    pub(crate) http: reqwest::Client,
    pub(crate) authorizer: Option<Arc<dyn Authorizer>>,
    pub(crate) standalone: Arc<StandaloneStream>,
}

/// The stream on which a server asks and tells of its own accord. The SDK opens it on the side, right
/// after the handshake; a call that overtakes it may have the server ask when nobody listens yet, and
/// wait for an answer in vain.
#[derive(Default)]
pub(crate) struct StandaloneStream {
    /// The server keeps a session, so the SDK opens the stream.
    wanted: AtomicBool,
    /// The server has answered, with a stream or that it has none.
    settled: CancellationToken,
}

impl StandaloneStream {
    /// Waits until we listen, if there is something to listen to. Some servers answer only once they
    /// have something to say: for those the wait has an end.
    pub(crate) async fn until_open(&self) {
        if self.wanted.load(Ordering::Acquire) {
            let _ = timeout(LISTENING, self.settled.cancelled()).await;
        }
    }

    /// The server keeps a session: the stream will be opened.
    pub(super) fn expect(&self) {
        self.wanted.store(true, Ordering::Release);
    }

    /// Settles the question when dropped, however opening the stream has ended.
    pub(super) fn opening(&self) -> DropGuard {
        self.settled.clone().drop_guard()
    }
}
