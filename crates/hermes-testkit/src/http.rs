//! As much of HTTP/1.1 as a model server needs, on blocking sockets.
//!
//! By hand, because the point of the server is to break the protocol in chosen places: to stop in the
//! middle of a chunk list, or to send nothing after the headers.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use serde_json::Value;

use crate::seen::Seen;

/// The largest request that is read.
const MAX_BODY: usize = 256 << 20;

/// How long a look at the socket takes, to see whether the client is still there.
const LOOK: Duration = Duration::from_millis(1);

/// One client's connection, which may carry several requests.
pub(crate) struct Connection {
    reader: BufReader<TcpStream>,
    writer: TcpStream,
}

impl Connection {
    pub(crate) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self { reader: BufReader::new(stream.try_clone()?), writer: stream })
    }

    /// The next request; `None` when the client is done.
    pub(crate) fn read(&mut self) -> io::Result<Option<Seen>> {
        let Some(first) = self.line()? else { return Ok(None) };
        let mut words = first.split(' ').map(str::to_owned);
        let (Some(method), Some(path)) = (words.next(), words.next()) else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "no request line"));
        };
        let mut headers = Vec::new();
        while let Some(line) = self.line()?.filter(|line| !line.is_empty()) {
            if let Some((name, value)) = line.split_once(':') {
                headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
            }
        }
        let body = self.body(&headers)?;
        let body = serde_json::from_slice(&body).unwrap_or_else(|_| match body.as_slice() {
            [] => Value::Null,
            text => Value::String(String::from_utf8_lossy(text).into_owned()),
        });
        Ok(Some(Seen::new(method, path, headers, body)))
    }

    fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        if self.reader.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        Ok(Some(String::from_utf8_lossy(&line).trim_end().to_owned()))
    }

    fn body(&mut self, headers: &[(String, String)]) -> io::Result<Vec<u8>> {
        let header = |wanted: &str| {
            headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
        };
        if header("expect").is_some() {
            self.writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        let mut body = Vec::new();
        if header("transfer-encoding").is_some_and(|coding| coding.contains("chunked")) {
            loop {
                let line = self.line()?.unwrap_or_default();
                let size = line.split(';').next().unwrap_or_default();
                let size = usize::from_str_radix(size, 16).unwrap_or_default();
                self.take(size, &mut body)?;
                self.line()?;
                if size == 0 {
                    return Ok(body);
                }
            }
        }
        let size = header("content-length").and_then(|size| size.parse().ok()).unwrap_or_default();
        self.take(size, &mut body)?;
        Ok(body)
    }

    fn take(&mut self, size: usize, body: &mut Vec<u8>) -> io::Result<()> {
        if body.len() + size > MAX_BODY {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the request is too large"));
        }
        let read = self.reader.by_ref().take(size as u64).read_to_end(body)?;
        if read < size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }

    /// A whole answer.
    pub(crate) fn send(
        &mut self,
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
    ) -> io::Result<()> {
        let mut head = head(status, headers);
        head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
        self.writer.write_all(head.as_bytes())?;
        self.writer.write_all(body)
    }

    /// An answer that announces one byte more than it sends.
    pub(crate) fn send_part(
        &mut self,
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
    ) -> io::Result<()> {
        let mut head = head(status, headers);
        head.push_str(&format!("content-length: {}\r\n\r\n", body.len() + 1));
        self.writer.write_all(head.as_bytes())?;
        self.writer.write_all(body)
    }

    /// Begins an answer that comes piece by piece.
    pub(crate) fn begin(&mut self, headers: &[(String, String)]) -> io::Result<()> {
        let mut head = head(200, headers);
        head.push_str("transfer-encoding: chunked\r\n\r\n");
        self.writer.write_all(head.as_bytes())
    }

    /// One piece.
    pub(crate) fn piece(&mut self, text: &str) -> io::Result<()> {
        let piece = format!("{:x}\r\n{text}\r\n", text.len());
        self.writer.write_all(piece.as_bytes())
    }

    /// The end of the pieces.
    pub(crate) fn end(&mut self) -> io::Result<()> {
        self.writer.write_all(b"0\r\n\r\n")
    }

    /// Hangs up, whatever was promised.
    pub(crate) fn cut(&self) {
        let _ = self.writer.shutdown(Shutdown::Both);
    }

    /// Whether the client has hung up.
    pub(crate) fn is_gone(&self) -> bool {
        let _ = self.writer.set_read_timeout(Some(LOOK));
        let gone = match self.writer.peek(&mut [0]) {
            Ok(read) => read == 0,
            Err(error) => {
                !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
            }
        };
        let _ = self.writer.set_read_timeout(None);
        gone
    }
}

fn head(status: u16, headers: &[(String, String)]) -> String {
    // Clients go by the number, so that the words need not fit it.
    let mut head = format!("HTTP/1.1 {status} {}\r\n", if status < 400 { "OK" } else { "Error" });
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head
}
