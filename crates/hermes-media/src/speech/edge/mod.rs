//! The voices of Microsoft Edge: no key, one WebSocket for each piece of text.
//!
//! The service tells browsers from others by a token that changes every five minutes ([`token`]) and by headers. A
//! connection carries two messages of ours, the wished form and the text as SSML ([`frames`]), and gives back MP3 in
//! pieces until it says that the turn is over. A clock that is wrong makes a wrong token: then the service answers 403
//! and its own time, with which one more try is made.
//!
//! The handshake is an ordinary request whose connection is then taken over, so that proxies and certificates are those
//! of every other request. Messages are not packed: the service takes them either way.

pub mod frames;
pub mod text;
pub mod token;

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::BoxFuture;
use futures_util::{SinkExt as _, StreamExt as _};
use hermes_llm::http::{self, Proxies};
use hermes_tool::Vars;
use jiff::Timestamp;
use reqwest::header::{
    ACCEPT_ENCODING, ACCEPT_LANGUAGE, CACHE_CONTROL, CONNECTION, COOKIE, DATE, ORIGIN, PRAGMA,
    SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE, USER_AGENT,
};
use reqwest::{Response, StatusCode, Upgraded};
use ring::rand::{SecureRandom as _, SystemRandom};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_util::sync::CancellationToken;

use self::frames::EdgeMessage;
pub use self::token::EdgeToken;
use super::settings::VoiceSettings;
use super::{AudioFormat, MAX_AUDIO_BYTES, SpeechError, SpeechProvider};
use crate::service::ServiceError;

/// Where the service is.
const BASE: &str = "https://speech.platform.bing.com/consumer/speech/synthesize/readaloud";
/// Who speaks unless the settings say otherwise.
const VOICE: &str = "en-US-AriaNeural";
const AGENT: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
    Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0";
const EXTENSION: &str = "chrome-extension://jdiccldimpdaibmpdkjnbmckianbfold";
/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(10);
/// How long the service may be silent.
const RECEIVE: Duration = Duration::from_secs(60);
/// Most bytes of one message.
const MAX_MESSAGE: usize = 16 << 20;

/// Speaks with a voice of Edge.
#[derive(Debug)]
pub struct EdgeSpeech {
    base: String,
    voice: String,
    rate: String,
    proxies: Proxies,
    /// The service's clock minus ours, in seconds, as far as it was told.
    skew: AtomicI64,
}

impl EdgeSpeech {
    /// With this voice; the variables say which proxy leads there.
    #[must_use]
    pub fn new(voice: &VoiceSettings, vars: &Vars) -> Self {
        let base = voice.base_url.as_deref().unwrap_or(BASE).trim().trim_end_matches('/');
        let base = match base.split_once("://") {
            Some(("wss", rest)) => format!("https://{rest}"),
            Some(("ws", rest)) => format!("http://{rest}"),
            _ => base.to_owned(),
        };
        Self {
            base,
            voice: frames::full_voice(voice.voice.as_deref().unwrap_or(VOICE)),
            rate: frames::rate(voice.speed.unwrap_or(1.0)),
            proxies: Proxies::from_vars(&|name| vars.get(name).map(str::to_owned)),
            skew: AtomicI64::new(0),
        }
    }

    async fn spoken(&self, piece: &str) -> Result<Vec<u8>, SpeechError> {
        let mut socket = self.connect().await?;
        let now = Timestamp::now();
        let ssml = frames::ssml(&self.voice, &self.rate, piece);
        for message in [frames::config(now), frames::speech(&hex(), now, &ssml)] {
            socket.send(Message::text(message)).await.map_err(broken)?;
        }
        let mut audio = Vec::new();
        loop {
            let next = tokio::time::timeout(RECEIVE, socket.next()).await;
            let message = match next.map_err(|_| silent(RECEIVE))? {
                Some(message) => message.map_err(broken)?,
                None => return Err(unreadable("the end of the connection before its last word")),
            };
            let heard = match &message {
                Message::Text(text) => EdgeMessage::of_text(text),
                Message::Binary(bytes) => EdgeMessage::of_bytes(bytes),
                Message::Close(_) => {
                    return Err(unreadable("a goodbye before its last word"));
                }
                _ => continue,
            };
            match heard.map_err(|why| unreadable(&why))? {
                EdgeMessage::Audio(sound) if audio.len() + sound.len() > MAX_AUDIO_BYTES => {
                    let limit = MAX_AUDIO_BYTES;
                    return Err(ServiceError::TooLarge { service: name(), limit }.into());
                }
                EdgeMessage::Audio(sound) => audio.extend_from_slice(sound),
                EdgeMessage::Other => {}
                EdgeMessage::TurnEnd => break,
            }
        }
        // The other side need not hear it: everything was said.
        let _ = tokio::time::timeout(Duration::from_secs(1), socket.close(None)).await;
        if audio.is_empty() { Err(SpeechError::NoAudio(name())) } else { Ok(audio) }
    }

    /// A connection; after a refusal that may be our clock's fault, a second try with the service's.
    async fn connect(&self) -> Result<WebSocketStream<Upgraded>, SpeechError> {
        match self.handshake().await? {
            Ok(socket) => Ok(socket),
            Err(refusal) => {
                let Some(skew) = skew_told(&refusal) else {
                    return Err(refused(&refusal).into());
                };
                self.skew.store(skew, Ordering::Relaxed);
                self.handshake().await?.map_err(|refusal| refused(&refusal).into())
            }
        }
    }

    /// The connection, or the answer that refuses it.
    async fn handshake(&self) -> Result<Result<WebSocketStream<Upgraded>, Response>, SpeechError> {
        let client = http::builder(&self.base, CONNECT, &self.proxies);
        let client = client.and_then(|builder| builder.http1_only().build());
        let client = client
            .map_err(|error| ServiceError::Address { service: name(), why: error.to_string() })?;
        let token = EdgeToken::at(Timestamp::now().as_second() + self.skew.load(Ordering::Relaxed));
        let key = STANDARD.encode(random());
        let asking = client
            .get(format!("{}/edge/v1?{}", self.base, token.query(&hex())))
            .header(CONNECTION, "Upgrade")
            .header(UPGRADE, "websocket")
            .header(SEC_WEBSOCKET_VERSION, "13")
            .header(SEC_WEBSOCKET_KEY, &key)
            .header(USER_AGENT, AGENT)
            .header(ORIGIN, EXTENSION)
            .header(PRAGMA, "no-cache")
            .header(CACHE_CONTROL, "no-cache")
            .header(ACCEPT_ENCODING, "gzip, deflate, br, zstd")
            .header(ACCEPT_LANGUAGE, "en-US,en;q=0.9")
            .header(COOKIE, format!("muid={};", hex().to_uppercase()))
            .send();
        let answer = tokio::time::timeout(CONNECT, asking).await.map_err(|_| silent(CONNECT))?;
        let answer = answer.map_err(|error| lost(&error))?;
        if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
            return Ok(Err(answer));
        }
        let accepted = answer.headers().get(SEC_WEBSOCKET_ACCEPT);
        if accepted
            .is_none_or(|value| value.as_bytes() != derive_accept_key(key.as_bytes()).as_bytes())
        {
            return Err(unreadable("a handshake that is not one"));
        }
        let connection = answer.upgrade().await.map_err(|error| lost(&error))?;
        let limits = WebSocketConfig::default()
            .max_message_size(Some(MAX_MESSAGE))
            .max_frame_size(Some(MAX_MESSAGE));
        let socket = WebSocketStream::from_raw_socket(connection, Role::Client, Some(limits));
        Ok(Ok(socket.await))
    }
}

impl SpeechProvider for EdgeSpeech {
    fn name(&self) -> &str {
        "edge"
    }

    fn max_chars(&self) -> usize {
        5_000
    }

    fn form_for(&self, _wished: AudioFormat) -> AudioFormat {
        AudioFormat::Mp3
    }

    fn speak<'a>(
        &'a self,
        text: &'a str,
        _wished: AudioFormat,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Vec<u8>, SpeechError>> {
        Box::pin(async move {
            let mut audio = Vec::new();
            for piece in text::pieces(text) {
                let sound = tokio::select! {
                    () = cancel.cancelled() => {
                        return Err(ServiceError::Cancelled { service: name() }.into());
                    }
                    sound = self.spoken(&piece) => sound?,
                };
                audio.extend_from_slice(&sound);
            }
            Ok(audio)
        })
    }
}

fn name() -> String {
    "Edge".to_owned()
}

/// How far apart the clocks are, if a refusal says what time it is there.
fn skew_told(refusal: &Response) -> Option<i64> {
    if refusal.status() != StatusCode::FORBIDDEN {
        return None;
    }
    let date = refusal.headers().get(DATE)?.to_str().ok()?;
    let there = jiff::fmt::rfc2822::parse(date).ok()?;
    Some(there.timestamp().as_second() - Timestamp::now().as_second())
}

fn refused(answer: &Response) -> ServiceError {
    let status = answer.status().as_u16();
    ServiceError::Status { service: name(), status, words: String::new(), retry_after: None }
}

fn silent(after: Duration) -> SpeechError {
    ServiceError::Timeout { service: name(), after }.into()
}

fn unreadable(what: &str) -> SpeechError {
    ServiceError::Unreadable { service: name(), what: what.to_owned() }.into()
}

fn lost(error: &reqwest::Error) -> SpeechError {
    let mut deepest: &dyn std::error::Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    ServiceError::Connection { service: name(), why: deepest.to_string() }.into()
}

#[expect(clippy::needless_pass_by_value, reason = "shaped for `map_err`")]
fn broken(error: tungstenite::Error) -> SpeechError {
    ServiceError::Connection { service: name(), why: error.to_string() }.into()
}

fn random() -> [u8; 16] {
    let mut bytes = [0; 16];
    // It fails only where the system has no randomness at all; the ids then are not unique, which hurts nobody.
    let _ = SystemRandom::new().fill(&mut bytes);
    bytes
}

/// Thirty-two digits drawn for one use.
fn hex() -> String {
    random().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
