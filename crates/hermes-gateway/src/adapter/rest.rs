//! Requests whose answers are JSON, and files that are fetched.

use std::time::Duration;

use serde_json::Value;

use super::{LinkError, SendClass, SendError};

/// How long a file may take.
const TRANSFER: Duration = Duration::from_secs(180);

/// What a service answered.
#[derive(Clone, Debug)]
pub struct RestReply {
    /// Of HTTP.
    pub status: u16,
    /// How long we are asked to wait, by the header or by a field `retry_after` of the body, in seconds.
    pub retry_after: Option<Duration>,
    /// The body; `null` if it is no JSON.
    pub body: Value,
}

impl RestReply {
    /// The body of a success; otherwise an error by the status, with the words that the service gave under one of these names.
    ///
    /// # Errors
    /// If the status is none of success.
    pub fn accepted(self, service: &str, words: &[&str]) -> Result<Value, SendError> {
        if (200..300).contains(&self.status) {
            return Ok(self.body);
        }
        let said = words.iter().find_map(|name| self.body[*name].as_str()).unwrap_or_default();
        let said: String = said.chars().filter(|c| !c.is_control()).take(200).collect();
        let what = format!("{service}: {} {said}", self.status).trim_end().to_owned();
        Err(SendError {
            retry_after: self.retry_after,
            ..SendError::from_status(self.status, what)
        })
    }
}

/// Sends a request and reads its answer as JSON.
///
/// # Errors
/// If no answer came.
pub async fn exchange(request: reqwest::RequestBuilder) -> Result<RestReply, SendError> {
    let response = request.send().await.map_err(SendError::from_http)?;
    let status = response.status().as_u16();
    let header = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
    let header = header.and_then(|value| value.parse::<f64>().ok());
    let bytes = response.bytes().await.map_err(SendError::from_http)?;
    let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let seconds = body["retry_after"].as_f64().or(header);
    let retry_after = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    Ok(RestReply { status, retry_after, body })
}

/// Gets a file, at most so many bytes of it.
///
/// # Errors
/// If it is larger, or does not come.
pub async fn download(request: reqwest::RequestBuilder, most: u64) -> Result<Vec<u8>, SendError> {
    let mut response = request.timeout(TRANSFER).send().await.map_err(SendError::from_http)?;
    let status = response.status().as_u16();
    if status != 200 {
        return Err(SendError::from_status(status, format!("the file: status {status}")));
    }
    let mut bytes = Vec::new();
    while let Some(more) = response.chunk().await.map_err(SendError::from_http)? {
        if (bytes.len() + more.len()) as u64 > most {
            return Err(SendError::new(SendClass::TooLong, "the file is too large"));
        }
        bytes.extend_from_slice(&more);
    }
    Ok(bytes)
}

/// Whether an address is on one of these hosts (or below one that begins with a dot), or where the service itself is.
#[must_use]
pub fn is_on_host(address: &str, hosts: &[&str], service: &str) -> bool {
    let place = |text: &str| {
        let url = url::Url::parse(text).ok()?;
        Some((url.scheme().to_owned(), url.host_str()?.to_owned(), url.port_or_known_default()))
    };
    let Some(wanted) = place(address) else { return false };
    let is_listed = hosts.iter().any(|host| match host.strip_prefix('.') {
        Some(domain) => wanted.1 == domain || wanted.1.ends_with(host),
        None => wanted.1 == *host,
    });
    (is_listed && wanted.0 == "https") || place(service).is_some_and(|own| own == wanted)
}

/// An answer that never ends, one line at a time.
#[derive(Debug)]
pub struct ResponseLines {
    response: reqwest::Response,
    pending: Vec<u8>,
    silence: Duration,
    longest: usize,
}

impl ResponseLines {
    /// Reads `response`; a connection that is silent for `silence` counts as lost, and so does one with a line of more
    /// than `longest` bytes.
    #[must_use]
    pub const fn new(response: reqwest::Response, silence: Duration, longest: usize) -> Self {
        Self { response, pending: Vec::new(), silence, longest }
    }

    /// The next line, with its end.
    ///
    /// # Errors
    /// Why there is none any more.
    pub async fn next(&mut self) -> Result<Vec<u8>, LinkError> {
        loop {
            if let Some(end) = self.pending.iter().position(|byte| *byte == b'\n') {
                return Ok(self.pending.drain(..=end).collect());
            }
            if self.pending.len() > self.longest {
                return Err(LinkError::retry("a line is too long"));
            }
            let more = tokio::time::timeout(self.silence, self.response.chunk()).await;
            let more = more.map_err(|_| {
                LinkError::retry(format!("nothing was heard for {} s", self.silence.as_secs()))
            })?;
            match more.map_err(SendError::from_http)? {
                Some(more) => self.pending.extend_from_slice(&more),
                None => return Err(LinkError::retry("the server has ended the stream")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_on_host;

    #[test]
    fn tokens_go_to_the_service_and_nowhere_else() {
        let hosts = [".slack.com", "cdn.example.org"];
        let ours = "http://127.0.0.1:80/api";
        assert!(is_on_host("https://files.slack.com/a", &hosts, ours));
        assert!(is_on_host("https://cdn.example.org/a", &hosts, ours));
        assert!(is_on_host("http://127.0.0.1/file", &hosts, ours));
        for other in [
            "http://files.slack.com/a",
            "https://slack.com.evil.org/a",
            "https://evilslack.com/",
            "http://127.0.0.1:81/file",
            "nonsense",
        ] {
            assert!(!is_on_host(other, &hosts, ours), "{other}");
        }
    }
}
