//! Protocols of lines (IRC, IMAP, SMTP) over a connection, plain or encrypted.

use std::sync::Arc;
use std::time::Duration;

use rustls_platform_verifier::ConfigVerifierExt as _;
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::{SendClass, SendError};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(15);
/// Longest line that is read.
const MAX_LINE: u64 = 1024 * 1024;

trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// Whether a connection is encrypted from its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineSecurity {
    /// It is.
    Tls,
    /// It is not, or not yet.
    Plain,
}

/// A connection that is read and written in lines.
pub struct LineStream {
    stream: BufReader<Box<dyn Duplex>>,
    /// The beginning of a line whose end has not come yet.
    begun: Vec<u8>,
    host: String,
}

fn lost(error: impl std::fmt::Display) -> SendError {
    SendError::new(SendClass::Transient, error.to_string())
}

async fn encrypted(stream: Box<dyn Duplex>, host: &str) -> Result<Box<dyn Duplex>, SendError> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let config = rustls::ClientConfig::with_platform_verifier().map_err(lost)?;
    let name = rustls::pki_types::ServerName::try_from(host.to_owned()).map_err(lost)?;
    let made = TlsConnector::from(Arc::new(config)).connect(name, stream);
    match tokio::time::timeout(CONNECT, made).await {
        Ok(stream) => Ok(Box::new(stream.map_err(lost)?)),
        Err(_) => Err(lost("no encryption was agreed on in time")),
    }
}

impl LineStream {
    fn new(stream: Box<dyn Duplex>, host: String) -> Self {
        Self { stream: BufReader::new(stream), begun: Vec::new(), host }
    }

    /// Connects.
    ///
    /// # Errors
    /// If nobody is there, or its certificate is none.
    pub async fn open(host: &str, port: u16, security: LineSecurity) -> Result<Self, SendError> {
        let made = tokio::time::timeout(CONNECT, TcpStream::connect((host, port))).await;
        let stream = made.map_err(|_| lost("no answer in time"))?.map_err(lost)?;
        let _ = stream.set_nodelay(true);
        let stream: Box<dyn Duplex> = match security {
            LineSecurity::Plain => Box::new(stream),
            LineSecurity::Tls => encrypted(Box::new(stream), host).await?,
        };
        Ok(Self::new(stream, host.to_owned()))
    }

    /// Encrypts what was plain until now. What came before and was not read is thrown away: somebody in between could have
    /// put it there.
    ///
    /// # Errors
    /// If the certificate is none.
    pub async fn encrypt(self) -> Result<Self, SendError> {
        let stream = encrypted(self.stream.into_inner(), &self.host).await?;
        Ok(Self::new(stream, self.host))
    }

    /// The next line, without its end. Given up in between, the next call goes on where this one was.
    ///
    /// # Errors
    /// If the connection is lost, or silent for too long.
    pub async fn line(&mut self, silence: Duration) -> Result<String, SendError> {
        let room = MAX_LINE.saturating_sub(self.begun.len() as u64);
        let mut limited = (&mut self.stream).take(room);
        let read = tokio::time::timeout(silence, limited.read_until(b'\n', &mut self.begun)).await;
        match read {
            Err(_) => Err(lost(format!("nothing was heard for {} s", silence.as_secs()))),
            Ok(Err(error)) => Err(lost(error)),
            Ok(Ok(0)) if self.begun.len() as u64 >= MAX_LINE => Err(lost("a line has no end")),
            Ok(Ok(0)) => Err(lost("the connection was closed")),
            Ok(Ok(_)) => {
                let line = std::mem::take(&mut self.begun);
                Ok(String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned())
            }
        }
    }

    /// So many bytes, as they are.
    ///
    /// # Errors
    /// If the connection is lost, or silent for too long.
    pub async fn bytes(&mut self, count: usize, silence: Duration) -> Result<Vec<u8>, SendError> {
        let mut bytes = vec![0; count];
        let read = tokio::time::timeout(silence, self.stream.read_exact(&mut bytes)).await;
        read.map_err(|_| lost("nothing was heard"))?.map_err(lost)?;
        Ok(bytes)
    }

    /// Writes a line.
    ///
    /// # Errors
    /// If the connection is lost.
    pub async fn write(&mut self, line: &str) -> Result<(), SendError> {
        self.write_bytes(format!("{line}\r\n").as_bytes()).await
    }

    /// Writes bytes as they are.
    ///
    /// # Errors
    /// If the connection is lost.
    pub async fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), SendError> {
        self.stream.write_all(bytes).await.map_err(lost)?;
        self.stream.flush().await.map_err(lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line whose first half had come when something was to be sent lost that half.
    #[tokio::test]
    async fn half_a_line_is_kept_when_waiting_for_it_is_given_up() {
        let (here, mut there) = tokio::io::duplex(64);
        let mut stream = LineStream::new(Box::new(here), String::new());
        there.write_all(b"PRIVMSG #home :he").await.unwrap();
        let soon = Duration::from_millis(20);
        assert!(tokio::time::timeout(soon, stream.line(Duration::from_secs(5))).await.is_err());
        there.write_all(b"llo\r\nnext\r\n").await.unwrap();
        for line in ["PRIVMSG #home :hello", "next"] {
            assert_eq!(stream.line(Duration::from_secs(5)).await.unwrap(), line);
        }
    }
}
