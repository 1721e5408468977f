//! WebSockets of platforms, opened by the same client that makes requests: proxies and certificates count here too.

use std::time::Duration;

use base64::Engine as _;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::{LinkError, SendClass, SendError};

/// Largest message that is read.
const MAX_MESSAGE: usize = 8 * 1024 * 1024;
/// How long the other side may take to agree.
const HANDSHAKE: Duration = Duration::from_secs(20);

/// A WebSocket of a platform.
pub struct Socket {
    stream: WebSocketStream<reqwest::Upgraded>,
}

/// What came over a socket.
#[derive(Clone, Debug, PartialEq)]
pub enum SocketEvent {
    /// A message of JSON.
    Json(Value),
    /// The other side has closed it, with a number that tells why.
    Closed(u16),
}

impl Socket {
    /// Opens one with a client that was made for it ([`AdapterSetup::socket_http`](super::AdapterSetup::socket_http)).
    ///
    /// # Errors
    /// If the other side does not agree.
    pub async fn open(http: &reqwest::Client, address: &str) -> Result<Self, SendError> {
        Self::open_with(http, address, &[]).await
    }

    /// The same with headers of its own.
    ///
    /// # Errors
    /// If the other side does not agree.
    pub async fn open_with(
        http: &reqwest::Client,
        address: &str,
        headers: &[(&str, &str)],
    ) -> Result<Self, SendError> {
        let address = match address.split_once("://") {
            Some(("wss", rest)) => format!("https://{rest}"),
            Some(("ws", rest)) => format!("http://{rest}"),
            _ => address.to_owned(),
        };
        let mut random = [0_u8; 16];
        let _ = ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut random);
        let key = base64::engine::general_purpose::STANDARD.encode(random);
        let mut request = http
            .get(address)
            .header("connection", "Upgrade")
            .header("upgrade", "websocket")
            .header("sec-websocket-version", "13")
            .header("sec-websocket-key", &key);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = tokio::time::timeout(HANDSHAKE, request.send()).await;
        let silent = || SendError::new(SendClass::Transient, "no answer in time");
        let answer = answer.map_err(|_| silent())?.map_err(SendError::from_http)?;
        let status = answer.status().as_u16();
        if status != 101 {
            return Err(SendError::from_status(status, format!("the socket: status {status}")));
        }
        let accepted = answer.headers().get("sec-websocket-accept");
        let expected = derive_accept_key(key.as_bytes());
        if accepted.is_none_or(|value| value.as_bytes() != expected.as_bytes()) {
            return Err(SendError::new(SendClass::Transient, "a handshake that is not one"));
        }
        let connection = answer.upgrade().await.map_err(SendError::from_http)?;
        let limits = WebSocketConfig::default()
            .max_message_size(Some(MAX_MESSAGE))
            .max_frame_size(Some(MAX_MESSAGE));
        let stream = WebSocketStream::from_raw_socket(connection, Role::Client, Some(limits));
        Ok(Self { stream: stream.await })
    }

    /// Sends a message.
    ///
    /// # Errors
    /// If the socket is gone.
    pub async fn send(&mut self, value: &Value) -> Result<(), LinkError> {
        let sent = self.stream.send(Message::text(value.to_string())).await;
        sent.map_err(|error| LinkError::retry(format!("the socket: {error}")))
    }

    /// Waits for a message. What is no JSON is passed over.
    ///
    /// # Errors
    /// If the socket is gone without a word, or silent for too long.
    pub async fn next(&mut self, silence: Duration) -> Result<SocketEvent, LinkError> {
        loop {
            let Ok(message) = tokio::time::timeout(silence, self.stream.next()).await else {
                let seconds = silence.as_secs();
                return Err(LinkError::retry(format!("nothing was heard for {seconds} s")));
            };
            match message {
                None => return Err(LinkError::retry("the socket was closed")),
                Some(Err(error)) => return Err(LinkError::retry(format!("the socket: {error}"))),
                Some(Ok(Message::Text(text))) => {
                    if let Ok(value) = serde_json::from_str(&text) {
                        return Ok(SocketEvent::Json(value));
                    }
                }
                Some(Ok(Message::Close(why))) => {
                    let code = why.map_or(1005, |why| u16::from(why.code));
                    return Ok(SocketEvent::Closed(code));
                }
                // Pings are answered by the library once something is read.
                Some(Ok(_)) => {}
            }
        }
    }
}
