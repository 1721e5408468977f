//! Messages over a WebSocket, to a browser that somebody else started.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use rustls_platform_verifier::ConfigVerifierExt as _;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_rustls::TlsConnector;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};
use url::Url;

use super::{INCOMING, LONGEST_MESSAGE, Transport};

/// How often a silent connection is tried, so that one that broke without a word is noticed.
const PING: Duration = Duration::from_secs(20);

/// Connects to the debugging address of a browser.
pub(crate) async fn websocket_transport(
    address: &Url,
    limit: Duration,
) -> Result<Transport, String> {
    match tokio::time::timeout(limit, connect(address)).await {
        Ok(connected) => connected,
        Err(_) => Err(format!("no answer within {} s", limit.as_secs())),
    }
}

async fn connect(address: &Url) -> Result<Transport, String> {
    let host = address.host_str().ok_or("the address names no host")?;
    let port = address.port_or_known_default().ok_or("the address names no port")?;
    let bare = host.trim_matches(['[', ']']);
    let stream = TcpStream::connect((bare, port)).await.map_err(|error| error.to_string())?;
    // Calls are short and somebody waits for each.
    let _ = stream.set_nodelay(true);
    let limits = WebSocketConfig::default()
        .max_message_size(Some(LONGEST_MESSAGE))
        .max_frame_size(Some(LONGEST_MESSAGE));
    if address.scheme() != "wss" {
        let (socket, _) = client_async_with_config(address.as_str(), stream, Some(limits))
            .await
            .map_err(|error| error.to_string())?;
        return Ok(carry(socket));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let _ = rustls::crypto::CryptoProvider::install_default((*provider).clone());
    let config =
        rustls::ClientConfig::with_platform_verifier().map_err(|error| error.to_string())?;
    let name = rustls::pki_types::ServerName::try_from(bare.to_owned())
        .map_err(|error| error.to_string())?;
    let stream = TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
        .map_err(|error| error.to_string())?;
    let (socket, _) = client_async_with_config(address.as_str(), stream, Some(limits))
        .await
        .map_err(|error| error.to_string())?;
    Ok(carry(socket))
}

fn carry<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    socket: WebSocketStream<S>,
) -> Transport {
    let (outgoing, mut to_send) = mpsc::unbounded_channel::<String>();
    let (received, incoming) = mpsc::channel(INCOMING);
    let (mut sink, mut stream) = socket.split();
    tokio::spawn(async move {
        loop {
            let message = tokio::select! {
                message = to_send.recv() => match message {
                    Some(text) => Message::text(text),
                    None => break,
                },
                () = tokio::time::sleep(PING) => Message::Ping(Vec::new().into()),
            };
            if sink.send(message).await.is_err() {
                break;
            }
        }
        let _ = sink.close().await;
    });
    tokio::spawn(async move {
        let end = loop {
            let message = tokio::select! {
                message = stream.next() => message,
                () = received.closed() => return,
            };
            let bytes = match message {
                Some(Ok(Message::Text(text))) => text.as_bytes().to_vec(),
                Some(Ok(Message::Binary(bytes))) => bytes.to_vec(),
                Some(Ok(Message::Close(_))) | None => break "the browser closed it".to_owned(),
                Some(Ok(_)) => continue,
                Some(Err(error)) => break error.to_string(),
            };
            if received.send(Ok(bytes)).await.is_err() {
                return;
            }
        };
        let _ = received.send(Err(end)).await;
    });
    Transport { outgoing, incoming }
}
