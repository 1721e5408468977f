//! Listening, and stopping.
//!
//! Whoever connects has to say what they want within [`HEADER_WAIT`], for the first request and for
//! each one after it, and at most [`MAX_CONNECTIONS`] are served at once. So somebody who opens
//! connections and says nothing, or a byte now and then, holds a few of them for a few seconds.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use tower::ServiceExt as _;

use crate::token::AccessToken;

/// Longest wait for the head of a request, also of the next one on a connection that is kept.
pub const HEADER_WAIT: Duration = Duration::from_secs(15);
/// Connections that are served at once; further ones are told to come back.
pub const MAX_CONNECTIONS: usize = 256;
/// The wait after the system has no more connections to give.
const BREATH: Duration = Duration::from_millis(200);
/// What a client hears that is one too many.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\n\
    Content-Length: 0\r\n\r\n";

/// Who is at the other end of a connection; among the extensions of each request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerAddress(pub SocketAddr);

/// Why a server cannot listen.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Other machines could reach it, and it has no token.
    #[error(
        "{address} can be reached from other machines, and there is no token to keep them out; \
         give one (--token-file FILE) or listen on 127.0.0.1"
    )]
    NoToken {
        /// The address.
        address: SocketAddr,
    },
    /// The address cannot be used.
    #[error("cannot listen on {address}: {source}")]
    Address {
        /// The address.
        address: SocketAddr,
        /// Why not.
        source: std::io::Error,
    },
}

/// Listens on an address. Beyond loopback that takes a token.
///
/// # Errors
/// When the address is not loopback and there is no token, or when it cannot be used.
pub async fn listen(
    address: SocketAddr,
    token: Option<&AccessToken>,
) -> Result<TcpListener, BindError> {
    if !address.ip().is_loopback() && token.is_none() {
        return Err(BindError::NoToken { address });
    }
    TcpListener::bind(address).await.map_err(|source| BindError::Address { address, source })
}

/// Serves until `stop` is done. Requests that are running then are finished first; `drop` the answer
/// to stop without waiting for them.
///
/// # Errors
/// When the listener breaks.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADER_WAIT);
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let graceful = GracefulShutdown::new();
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut stop => break,
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(why) if is_about_one_client(&why) => continue,
            Err(why) => {
                tracing::warn!(%why, "cannot accept a connection");
                tokio::time::sleep(BREATH).await;
                continue;
            }
        };
        let Ok(slot) = Arc::clone(&slots).try_acquire_owned() else {
            turn_away(&stream);
            continue;
        };
        let service = router.clone().map_request(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(PeerAddress(peer));
            request
        });
        let service = TowerToHyperService::new(service);
        let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            if let Err(why) = connection.await {
                tracing::debug!(%why, "a connection ended early");
            }
            drop(slot);
        });
    }
    drop(listener);
    graceful.shutdown().await;
    Ok(())
}

fn is_about_one_client(why: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(why.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Nobody waits for this client to take its answer.
fn turn_away(stream: &TcpStream) {
    let _ = stream.try_write(FULL);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn other_machines_need_a_token() {
        let any: SocketAddr = "0.0.0.0:0".parse().unwrap();
        let why = listen(any, None).await.unwrap_err().to_string();
        assert!(why.contains("--token-file"), "{why}");
        let token = AccessToken::generate().unwrap();
        assert!(listen(any, Some(&token)).await.is_ok());
        assert!(listen("127.0.0.1:0".parse().unwrap(), None).await.is_ok());
    }

    /// Real time would make this test as slow as the wait.
    #[tokio::test]
    async fn more_connections_than_there_are_slots_are_turned_away() {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let listener = listen("127.0.0.1:0".parse().unwrap(), None).await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().route("/", axum::routing::get(|| async { "here" }));
        tokio::spawn(serve(listener, router, std::future::pending()));
        let mut silent = Vec::new();
        for _ in 0..MAX_CONNECTIONS {
            silent.push(TcpStream::connect(address).await.unwrap());
        }
        let answer = async || {
            let mut client = TcpStream::connect(address).await.unwrap();
            let _ =
                client.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
            let mut answer = Vec::new();
            let _ = client.read_to_end(&mut answer).await;
            String::from_utf8_lossy(&answer).into_owned()
        };
        let turned_away = answer().await;
        assert!(!turned_away.contains("here"), "{turned_away}");
        silent.clear();
        for _ in 0..100 {
            if answer().await.ends_with("here") {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("nobody is served after the silent ones left");
    }
}
