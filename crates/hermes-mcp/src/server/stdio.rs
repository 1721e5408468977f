//! Serving one client on a pair of streams.

use rmcp::service::{QuitReason, serve_server_with_ct};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::lines::LineTransport;
use super::session::ClientSession;

/// Why serving ended otherwise than with the client hanging up.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The client did not begin the way the protocol wants.
    #[error("the MCP client did not begin with a handshake: {0}")]
    Handshake(String),
    /// The task that serves broke.
    #[error("serving the MCP client broke: {0}")]
    Broken(String),
}

pub(super) async fn serve<R, W>(
    session: ClientSession,
    read: R,
    write: W,
    stop: CancellationToken,
) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    use rmcp::service::ServerInitializeError as Start;
    let transport = LineTransport::new(read, write);
    let running = match serve_server_with_ct(session, transport, stop).await {
        Ok(running) => running,
        // A client that leaves before it said anything has done nothing wrong.
        Err(Start::ConnectionClosed(_) | Start::Cancelled) => return Ok(()),
        Err(why) => return Err(ServeError::Handshake(why.to_string())),
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(why)) | Err(why) => Err(ServeError::Broken(why.to_string())),
        Ok(_) => Ok(()),
    }
}
