//! Calls over gRPC: HTTP/2 requests whose bodies are messages with their lengths before them, and whose outcome stands
//! behind the body.

use std::time::Duration;

use http_body_util::BodyExt as _;
use reqwest::header::HeaderMap;
use tokio::time::{sleep, timeout};

use super::message::{Message, Received};
use crate::cloud::hidden::HiddenText;
use crate::cloud::rest;
use crate::cloud::trouble::CloudTrouble;

/// The pauses before further tries.
const PAUSES: [Duration; 3] =
    [Duration::from_millis(300), Duration::from_millis(900), Duration::from_millis(2_000)];
/// No answer is longer.
const MOST_BYTES: usize = 32 << 20;

/// Why a call came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) code: Code,
    pub(super) words: String,
}

/// The outcomes that make a difference to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    /// It is not there, or not in a state in which this makes sense.
    NotThere,
    /// We are nobody, or may not.
    Unwelcome,
    /// The server does not know the call.
    Unknown,
    /// It may work a moment later.
    Later,
    /// No connection, or one that broke.
    NoConnection,
    Other,
}

impl Code {
    fn of(status: u32) -> Self {
        match status {
            5 | 9 => Self::NotThere,
            7 | 16 => Self::Unwelcome,
            12 => Self::Unknown,
            4 | 8 | 14 => Self::Later,
            _ => Self::Other,
        }
    }
}

impl From<Failure> for CloudTrouble {
    fn from(Failure { code, words }: Failure) -> Self {
        match code {
            Code::NotThere => Self::Gone(words),
            Code::Unwelcome => Self::Unwelcome(words),
            Code::Later | Code::NoConnection => Self::Unreachable(words),
            Code::Unknown | Code::Other => Self::Refused(words),
        }
    }
}

/// The way to the servers of Modal.
#[derive(Clone, Debug)]
pub(super) struct Grpc {
    client: reqwest::Client,
}

/// One call.
pub(super) struct Call<'a> {
    /// The server.
    pub(super) url: &'a str,
    /// Service and method.
    pub(super) method: &'a str,
    pub(super) headers: &'a HeaderMap,
    pub(super) message: Message,
    pub(super) limit: Duration,
}

/// What came of a call: the messages that arrived, and why there are no more if that was not their end.
pub(super) struct Replies {
    pub(super) messages: Vec<Vec<u8>>,
    pub(super) failure: Option<Failure>,
}

impl Grpc {
    pub(super) fn new(url: &str, proxies: &[(String, HiddenText)]) -> Result<Self, CloudTrouble> {
        // Nothing but HTTP/2, also where nothing is negotiated.
        let builder = rest::builder(url, proxies)?.http2_prior_knowledge();
        Ok(Self { client: builder.build().map_err(|error| rest::no_client(&error))? })
    }

    /// A call with one answer, made again when it failed for a moment.
    pub(super) async fn ask(&self, call: &Call<'_>) -> Result<Vec<u8>, Failure> {
        let mut pauses = PAUSES.iter();
        loop {
            let Replies { messages, failure } = self.stream(call).await;
            let failure = match failure {
                None => return Ok(messages.into_iter().next().unwrap_or_default()),
                Some(failure) => failure,
            };
            let may = matches!(failure.code, Code::Later | Code::NoConnection);
            match pauses.next().filter(|_| may) {
                Some(pause) => sleep(*pause).await,
                None => return Err(failure),
            }
        }
    }

    /// A call with any number of answers, made once.
    pub(super) async fn stream(&self, call: &Call<'_>) -> Replies {
        let mut bytes = Vec::new();
        let ended = timeout(call.limit, self.body(call, &mut bytes)).await;
        let failure = match ended {
            Ok(Ok(())) => None,
            Ok(Err(failure)) => Some(failure),
            Err(_) => {
                let words = format!("no answer within {} s", call.limit.as_secs());
                Some(Failure { code: Code::Later, words })
            }
        };
        Replies { messages: messages(&bytes), failure }
    }

    async fn body(&self, call: &Call<'_>, bytes: &mut Vec<u8>) -> Result<(), Failure> {
        let message = call.message.clone().into_bytes();
        let length = u32::try_from(message.len()).unwrap_or(u32::MAX).to_be_bytes();
        let body = [&[0], &length[..], &message].concat();
        let request = self.client.post(format!("{}/{}", call.url, call.method));
        let request = request.headers(call.headers.clone()).body(body);
        let request = request.header("content-type", "application/grpc").header("te", "trailers");
        let broken = |words: String| Failure { code: Code::NoConnection, words };
        let response = request.send().await.map_err(|error| broken(error.to_string()))?;
        if !response.status().is_success() {
            return Err(broken(format!("the server answered with {}", response.status())));
        }
        if let Some(outcome) = outcome(response.headers()) {
            return outcome;
        }
        let response: http::Response<reqwest::Body> = response.into();
        let mut body = response.into_body();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| broken(error.to_string()))?;
            if let Some(trailers) = frame.trailers_ref() {
                if let Some(outcome) = outcome(trailers) {
                    return outcome;
                }
            } else if let Some(data) = frame.data_ref()
                && bytes.len() + data.len() <= MOST_BYTES
            {
                bytes.extend_from_slice(data);
            }
        }
        Err(broken("the answer was cut off".to_owned()))
    }
}

/// The outcome, where it stands.
fn outcome(headers: &HeaderMap) -> Option<Result<(), Failure>> {
    let status: u32 = headers.get("grpc-status")?.to_str().ok()?.parse().ok()?;
    if status == 0 {
        return Some(Ok(()));
    }
    let words = headers.get("grpc-message").and_then(|words| words.to_str().ok());
    let words = words.unwrap_or("without a word").replace("%20", " ");
    Some(Err(Failure { code: Code::of(status), words }))
}

/// The whole messages of a body.
fn messages(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    while let [_, a, b, c, d, rest @ ..] = bytes {
        let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
        let Some((message, after)) = rest.split_at_checked(length) else { break };
        found.push(message.to_vec());
        bytes = after;
    }
    found
}

/// What a message says under a number, which it must say.
pub(super) fn needed(message: &[u8], field: u32, what: &str) -> Result<String, CloudTrouble> {
    let why = || CloudTrouble::Unreachable(format!("the answer has no {what} in it"));
    Received(message).text(field).ok_or_else(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_message_is_none() {
        let two = b"\0\0\0\0\x01a\0\0\0\0\x02bc";
        assert_eq!(messages(two), [b"a".to_vec(), b"bc".to_vec()]);
        assert_eq!(messages(&two[..12]), [b"a".to_vec()]);
        assert!(messages(b"\0\0\0").is_empty());
    }

    #[test]
    fn the_outcome_says_what_can_be_done() {
        let headers = |status: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("grpc-status", status.parse().unwrap());
            headers.insert("grpc-message", "no%20such".parse().unwrap());
            outcome(&headers)
        };
        assert_eq!(headers("0"), Some(Ok(())));
        let gone = headers("5").unwrap().unwrap_err();
        assert_eq!(CloudTrouble::from(gone), CloudTrouble::Gone("no such".to_owned()));
        assert_eq!(headers("12").unwrap().unwrap_err().code, Code::Unknown);
        assert_eq!(outcome(&HeaderMap::new()), None);
    }
}
