//! The server's side of a WebSocket.

use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::{CloseFrame, WebSocket};
use tungstenite::{Error, Message, accept};

/// How long a look for a message takes.
const LOOK: Duration = Duration::from_millis(15);

/// A client that is connected.
pub struct SocketPeer {
    socket: WebSocket<TcpStream>,
    is_open: bool,
}

impl SocketPeer {
    /// Answers the handshake of a connection of which nothing was read yet.
    pub(crate) fn accept(stream: TcpStream) -> Option<Self> {
        stream.set_nodelay(true).ok()?;
        let socket = accept(stream).ok()?;
        socket.get_ref().set_read_timeout(Some(LOOK)).ok()?;
        Some(Self { socket, is_open: true })
    }

    /// Whether the client is there still.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// What the client has sent, if it has.
    pub fn read(&mut self) -> Option<Value> {
        match self.socket.read() {
            Ok(Message::Text(text)) => serde_json::from_str(&text).ok(),
            Ok(Message::Close(_)) => {
                self.is_open = false;
                None
            }
            Ok(_) => None,
            Err(Error::Io(error))
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
                ) =>
            {
                None
            }
            Err(_) => {
                self.is_open = false;
                None
            }
        }
    }

    /// Sends a message.
    pub fn send(&mut self, value: &Value) {
        if self.socket.send(Message::text(value.to_string())).is_err() {
            self.is_open = false;
        }
    }

    /// Closes with a number that says why.
    pub fn close(mut self, code: u16) {
        let why = CloseFrame { code: CloseCode::from(code), reason: "".into() };
        let _ = self.socket.close(Some(why));
        let _ = self.socket.flush();
    }
}
