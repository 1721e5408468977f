//! Listening, and stopping.

use std::future::Future;
use std::net::SocketAddr;

use axum::Router;
use tokio::net::TcpListener;

use crate::token::AccessToken;

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
) -> std::io::Result<()> {
    axum::serve(listener, router).with_graceful_shutdown(stop).await
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
}
