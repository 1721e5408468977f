//! Where the browser comes back to: a listener on loopback that waits for one visit.
//!
//! The port is taken when the address is chosen and kept until the visit, so nobody else can sit there in
//! between. Whoever asks for something else than the callback gets a 404 and does not end the wait.

use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use url::form_urlencoded;

/// The path of the address.
pub const PATH: &str = "/callback";
/// No browser's request is longer.
const MAX_REQUEST: usize = 16 << 10;
/// How long a visitor may take to say what it wants.
const SLOWEST: Duration = Duration::from_secs(10);

/// What the browser brings, or a person pastes.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct CallbackResult {
    /// What is exchanged for a token.
    pub code: Option<String>,
    /// What shows that it belongs to our question.
    pub state: Option<String>,
    /// Who sent the browser.
    pub issuer: Option<String>,
    /// Why there is no code.
    pub error: Option<String>,
}

impl CallbackResult {
    /// The visit of a query: `code=…&state=…`.
    #[must_use]
    pub fn of_query(query: &str) -> Self {
        let mut visit = Self::default();
        let mut more = None;
        for (key, value) in form_urlencoded::parse(query.as_bytes()) {
            let value = Some(value.into_owned());
            match key.as_ref() {
                "code" => visit.code = value,
                "state" => visit.state = value,
                "iss" => visit.issuer = value,
                "error" => visit.error = value,
                "error_description" => more = value,
                _ => {}
            }
        }
        if let (Some(error), Some(more)) = (&mut visit.error, more) {
            *error = format!("{error}: {more}");
        }
        visit
    }

    /// What somebody pasted: the whole address they ended at, or its query. None if it is neither.
    #[must_use]
    pub fn of_paste(text: &str) -> Option<Self> {
        let text = text.trim();
        let query = text.split_once('?').map_or(text, |(_, query)| query);
        let query = query.split_once('#').map_or(query, |(query, _)| query);
        let visit = Self::of_query(query);
        (visit.code.is_some() || visit.error.is_some()).then_some(visit)
    }
}

/// A port that is ours.
pub struct Callback {
    listener: TcpListener,
    port: u16,
}

impl Callback {
    /// Takes a port: this one, or any.
    ///
    /// # Errors
    ///
    /// When it is taken already.
    pub async fn take(port: Option<u16>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0))).await?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port })
    }

    /// Where the browser comes back to; chosen by the system unless configured.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Waits for the browser. Only a visit with our own `state`, or an error, ends the wait: anything on
    /// this machine can knock here.
    ///
    /// # Errors
    ///
    /// When the port cannot be used any more.
    pub async fn wait(&self, state: &str) -> io::Result<CallbackResult> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            let served = tokio::time::timeout(SLOWEST, serve(stream, state)).await;
            if let Ok(Ok(Some(visit))) = served {
                return Ok(visit);
            }
        }
    }
}

async fn serve(mut stream: TcpStream, state: &str) -> io::Result<Option<CallbackResult>> {
    let mut request = Vec::new();
    let mut piece = [0; 2048];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") && request.len() < MAX_REQUEST {
        match stream.read(&mut piece).await? {
            0 => break,
            count => request.extend_from_slice(&piece[..count]),
        }
    }
    let text = String::from_utf8_lossy(&request);
    let target = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("GET "))
        .and_then(|rest| rest.split_whitespace().next());
    let query = target.and_then(|target| match target.split_once('?') {
        Some((PATH, query)) => Some(query),
        _ => None,
    });
    let visit = query.map(CallbackResult::of_query);
    let (status, words) = match &visit {
        Some(CallbackResult { state: given, .. }) if given.as_deref() != Some(state) => {
            ("400 Bad Request", "This is not the login that was asked for.")
        }
        Some(CallbackResult { error: None, .. }) => {
            ("200 OK", "You are logged in. You can close this page and go back to Hermes.")
        }
        Some(_) => ("200 OK", "The login did not succeed. Hermes says why."),
        None => ("404 Not Found", "Nothing is here."),
    };
    let page = format!("<!doctype html><meta charset=utf-8><title>Hermes</title><p>{words}</p>\n");
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\n\
         cache-control: no-store\r\nreferrer-policy: no-referrer\r\nconnection: close\r\n\r\n{page}",
        page.len()
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await?;
    Ok(visit.filter(|visit| visit.state.as_deref() == Some(state)))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn get(port: u16, target: &str) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.unwrap();
        let request = format!("GET {target} HTTP/1.1\r\nhost: x\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn only_the_visit_that_was_asked_for_ends_the_wait() {
        let callback = Callback::take(None).await.unwrap();
        let port = callback.port();
        let knocking = async {
            assert!(get(port, "/favicon.ico").await.starts_with("HTTP/1.1 404"));
            assert!(get(port, "/callback?code=evil&state=no").await.starts_with("HTTP/1.1 400"));
            get(port, "/callback?code=a%20b&state=s1&iss=https%3A%2F%2Fas.example").await
        };
        let (visit, page) = tokio::join!(callback.wait("s1"), knocking);
        let visit = visit.unwrap();
        assert_eq!(visit.code.as_deref(), Some("a b"));
        assert_eq!(visit.issuer.as_deref(), Some("https://as.example"));
        assert!(page.contains("You are logged in"), "{page}");
    }

    #[tokio::test]
    async fn a_port_is_kept_from_choice_to_use() {
        let callback = Callback::take(None).await.unwrap();
        assert!(Callback::take(Some(callback.port())).await.is_err());
    }

    #[test]
    fn a_pasted_address_or_query_is_read() {
        for pasted in [
            "http://127.0.0.1:1234/callback?code=c&state=s",
            "  code=c&state=s\n",
            "?state=s&code=c#fragment",
        ] {
            let visit = CallbackResult::of_paste(pasted).unwrap();
            assert_eq!((visit.code.as_deref(), visit.state.as_deref()), (Some("c"), Some("s")));
        }
        let refused =
            CallbackResult::of_paste("error=access_denied&error_description=no+way").unwrap();
        assert_eq!(refused.error.as_deref(), Some("access_denied: no way"));
        assert!(
            CallbackResult::of_paste("hello").is_none() && CallbackResult::of_paste("").is_none()
        );
    }
}
