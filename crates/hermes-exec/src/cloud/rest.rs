//! Requests to a vendor, and what is done when one fails for a moment.

use std::sync::Once;
use std::time::Duration;

use reqwest::header::RETRY_AFTER;
use reqwest::redirect::Policy;
use reqwest::{Method, RequestBuilder, Response, StatusCode, Url};
use serde_json::Value;

use super::hidden::HiddenText;
use super::trouble::CloudTrouble;

/// Until there is a connection.
const CONNECT: Duration = Duration::from_secs(15);
/// How long an idle connection is kept.
const IDLE: Duration = Duration::from_secs(60);
/// The pauses before further tries.
const PAUSES: [Duration; 3] =
    [Duration::from_millis(300), Duration::from_millis(900), Duration::from_millis(2_000)];
/// The longest pause a server may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);
/// No answer is longer.
const MOST_BYTES: usize = 16 << 20;
/// The characters of an error that are told.
const MOST_WORDS: usize = 300;

/// Whether keys may be sent there: encrypted, or to this very machine.
pub(super) fn may_carry_keys(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    let is_here = matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
    url.scheme() == "https" || url.scheme() == "http" && is_here
}

/// The way to a vendor.
#[derive(Clone, Debug)]
pub(super) struct Rest {
    client: reqwest::Client,
    base: String,
}

/// Whether a request may be made again although it may have been carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// It does no harm.
    Harmless,
    /// Only when it certainly was not carried out.
    OnlyIfNotDone,
}

/// What a vendor answered.
pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) bytes: Vec<u8>,
}

/// A client with the settings all vendors share.
pub(super) fn builder(
    base: &str,
    proxies: &[(String, HiddenText)],
) -> Result<reqwest::ClientBuilder, CloudTrouble> {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // An error means that there is one already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let mut builder = reqwest::Client::builder()
        .connect_timeout(CONNECT)
        .pool_idle_timeout(IDLE)
        .tcp_nodelay(true)
        .user_agent(concat!("hermes/", env!("CARGO_PKG_VERSION")))
        // Keys must not follow a server's hint to another host.
        .redirect(Policy::none())
        .no_proxy();
    if base.starts_with("http://") {
        // To this machine: neither certificates nor proxies.
        return Ok(builder.tls_certs_only([]));
    }
    let of = |name: &str| proxies.iter().find(|(other, _)| other == name).map(|(_, value)| value);
    let except = of("NO_PROXY").and_then(|list| reqwest::NoProxy::from_string(list.expose()));
    if let Some(proxy) = of("HTTPS_PROXY").or(of("ALL_PROXY")) {
        let proxy = reqwest::Proxy::https(proxy.expose()).map_err(|_| {
            CloudTrouble::Refused("the variable HTTPS_PROXY is no address; correct it".to_owned())
        })?;
        builder = builder.proxy(proxy.no_proxy(except));
    }
    Ok(builder)
}

impl Rest {
    pub(super) fn new(base: &str, proxies: &[(String, HiddenText)]) -> Result<Self, CloudTrouble> {
        let client = builder(base, proxies)?.build().map_err(|error| no_client(&error))?;
        Ok(Self { client, base: base.to_owned() })
    }

    /// A request below the vendor's address, or to an address of its own.
    pub(super) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url =
            if path.starts_with('/') { format!("{}{path}", self.base) } else { path.to_owned() };
        self.client.request(method, url)
    }

    /// Sends a request and reads the whole answer, whatever its status. What fails for a moment (no connection, too
    /// many requests, trouble of the server) is tried again.
    pub(super) async fn send(
        &self,
        request: RequestBuilder,
        limit: Duration,
        again: Again,
    ) -> Result<Reply, CloudTrouble> {
        let mut pauses = PAUSES.iter();
        loop {
            let request = request.try_clone().ok_or_else(|| {
                CloudTrouble::Unreachable("a request could not be made".to_owned())
            })?;
            let tried = tokio::time::timeout(limit, whole(request)).await;
            let (why, pause) = match tried {
                Ok(Ok((reply, wait))) => {
                    let is_busy = reply.status == StatusCode::TOO_MANY_REQUESTS;
                    let is_down = reply.status.is_server_error();
                    if !(is_busy || is_down && again == Again::Harmless) {
                        return Ok(reply);
                    }
                    match pauses.next() {
                        Some(pause) => (String::new(), wait.unwrap_or(*pause)),
                        None => return Ok(reply),
                    }
                }
                Ok(Err(error)) => {
                    let may = again == Again::Harmless || error.is_connect();
                    let why = reason(&error);
                    match pauses.next().filter(|_| may) {
                        Some(pause) => (why, *pause),
                        None => return Err(CloudTrouble::Unreachable(why)),
                    }
                }
                Err(_) => {
                    let why = format!("no answer within {} s", limit.as_secs());
                    match pauses.next().filter(|_| again == Again::Harmless) {
                        Some(pause) => (why, *pause),
                        None => return Err(CloudTrouble::Unreachable(why)),
                    }
                }
            };
            tracing::debug!(why, ?pause, "a request to a cloud is made again");
            tokio::time::sleep(pause).await;
        }
    }
}

/// A client could not be made.
pub(super) fn no_client(error: &reqwest::Error) -> CloudTrouble {
    CloudTrouble::Refused(format!("no HTTP client could be made: {error}"))
}

/// The innermost reason, which tells most.
fn reason(error: &reqwest::Error) -> String {
    let mut reason: &dyn std::error::Error = error;
    while let Some(source) = reason.source() {
        reason = source;
    }
    let host = error.url().and_then(Url::host_str).unwrap_or("the server");
    format!("{host}: {reason}")
}

async fn whole(request: RequestBuilder) -> Result<(Reply, Option<Duration>), reqwest::Error> {
    let mut response: Response = request.send().await?;
    let status = response.status();
    let wait =
        response.headers().get(RETRY_AFTER).and_then(|wait| wait.to_str().ok()?.parse().ok());
    let wait = wait.map(|seconds| Duration::from_secs(seconds).min(LONGEST_PAUSE));
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if bytes.len() + chunk.len() > MOST_BYTES {
            break;
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok((Reply { status, bytes }, wait))
}

impl Reply {
    /// The answer to a request that must succeed.
    pub(super) fn json(&self) -> Result<Value, CloudTrouble> {
        if !self.status.is_success() {
            return Err(self.trouble());
        }
        serde_json::from_slice(&self.bytes).map_err(|_| {
            CloudTrouble::Unreachable(format!("the answer is not JSON: {}", self.words()))
        })
    }

    /// What a status that is no success means.
    pub(super) fn trouble(&self) -> CloudTrouble {
        let words = format!("{} ({})", self.words(), self.status.as_u16());
        match self.status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::PAYMENT_REQUIRED => {
                CloudTrouble::Unwelcome(words)
            }
            StatusCode::NOT_FOUND | StatusCode::GONE => CloudTrouble::Gone(words),
            status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
                CloudTrouble::Unreachable(words)
            }
            _ => CloudTrouble::Refused(words),
        }
    }

    /// The vendor's own words about it.
    pub(super) fn words(&self) -> String {
        let json: Value = serde_json::from_slice(&self.bytes).unwrap_or_default();
        let said = json["error"]["message"].as_str().or(json["message"].as_str());
        let said =
            said.map_or_else(|| String::from_utf8_lossy(&self.bytes).into_owned(), str::to_owned);
        let said = said.trim();
        let text: String = said.chars().take(MOST_WORDS).collect();
        if text.is_empty() { "without a word".to_owned() } else { text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_go_nowhere_unencrypted() {
        for fine in
            ["https://a.example", "http://127.0.0.1:8/x", "http://localhost", "http://[::1]:1"]
        {
            assert!(may_carry_keys(fine), "{fine}");
        }
        for bad in ["http://a.example", "http://localhost.example", "ftp://localhost", "x", ""] {
            assert!(!may_carry_keys(bad), "{bad}");
        }
    }

    #[test]
    fn a_status_says_what_can_be_done() {
        let reply = |status, text: &str| Reply {
            status: StatusCode::from_u16(status).unwrap(),
            bytes: text.as_bytes().to_vec(),
        };
        let gone = reply(404, r#"{"message":"no such"}"#).trouble();
        assert_eq!(gone, CloudTrouble::Gone("no such (404)".to_owned()));
        let unwelcome = reply(403, r#"{"error":{"code":"x","message":"no"}}"#).trouble();
        assert_eq!(unwelcome, CloudTrouble::Unwelcome("no (403)".to_owned()));
        assert!(matches!(reply(503, "").trouble(), CloudTrouble::Unreachable(_)));
        assert!(matches!(reply(400, "x").trouble(), CloudTrouble::Refused(_)));
    }
}
