//! Whether a call is from the Bot Framework: a token that it has signed, for this bot, at this time.

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hermes_store::clock::now;
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents};
use serde_json::Value;
use tokio::sync::Mutex;

use crate::adapter::{SendError, exchange};

const ISSUER: &str = "https://api.botframework.com";
/// Clocks may be apart by so many seconds.
const SKEW: f64 = 300.0;
/// Keys are asked for again after this long, or, when one is unknown, after a shorter while.
const KEYS_LAST: Duration = Duration::from_secs(24 * 3_600);
const UNKNOWN_KEY_PAUSE: Duration = Duration::from_secs(60);

/// Why a token does not count. Whoever called is not told.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotGenuine;

pub(super) struct Verifier {
    http: reqwest::Client,
    about: String,
    audience: String,
    keys: Mutex<Option<(Vec<Value>, Instant)>>,
}

impl Verifier {
    pub(super) fn new(http: reqwest::Client, elsewhere: Option<&str>, audience: &str) -> Self {
        let base = elsewhere.unwrap_or("https://login.botframework.com");
        Self {
            http,
            about: format!("{base}/v1/.well-known/openidconfiguration"),
            audience: audience.to_owned(),
            keys: Mutex::default(),
        }
    }

    /// What a token says, if it counts.
    pub(super) async fn claims(&self, token: &str) -> Result<Value, NotGenuine> {
        let mut parts = token.split('.');
        let (Some(head), Some(body), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(NotGenuine);
        };
        let about = decoded(head)?;
        // Never the algorithm of the token's choice.
        if about["alg"] != "RS256" {
            return Err(NotGenuine);
        }
        let key = self.key(about["kid"].as_str().ok_or(NotGenuine)?).await?;
        let bytes = |name: &str| {
            let text = key[name].as_str().ok_or(NotGenuine)?;
            URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).map_err(|_| NotGenuine)
        };
        let public = RsaPublicKeyComponents { n: bytes("n")?, e: bytes("e")? };
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| NotGenuine)?;
        let signed = token.rsplit_once('.').ok_or(NotGenuine)?.0;
        public
            .verify(&RSA_PKCS1_2048_8192_SHA256, signed.as_bytes(), &signature)
            .map_err(|_| NotGenuine)?;
        let claims = decoded(body)?;
        let is_ours = claims["iss"] == ISSUER && claims["aud"] == self.audience.as_str();
        let moment = now();
        let is_now = claims["exp"].as_f64().is_some_and(|end| moment < end + SKEW)
            && claims["nbf"].as_f64().is_none_or(|begin| moment > begin - SKEW);
        if is_ours && is_now { Ok(claims) } else { Err(NotGenuine) }
    }

    async fn key(&self, id: &str) -> Result<Value, NotGenuine> {
        let mut keys = self.keys.lock().await;
        let found = |all: &[Value]| all.iter().find(|key| key["kid"] == id).cloned();
        if let Some((known, since)) = keys.as_ref() {
            if let Some(key) = found(known).filter(|_| since.elapsed() < KEYS_LAST) {
                return Ok(key);
            }
            // Whoever invents names of keys does not make us ask each time.
            if since.elapsed() < UNKNOWN_KEY_PAUSE {
                return Err(NotGenuine);
            }
        }
        let fresh = self.fetched().await.map_err(|error| {
            tracing::warn!(%error, "the keys of the Bot Framework cannot be had");
            NotGenuine
        })?;
        let key = found(&fresh);
        *keys = Some((fresh, Instant::now()));
        key.ok_or(NotGenuine)
    }

    async fn fetched(&self) -> Result<Vec<Value>, SendError> {
        let about = exchange(self.http.get(&self.about)).await?.accepted("Teams", &["error"])?;
        let place = about["jwks_uri"].as_str().unwrap_or_default();
        let keys = exchange(self.http.get(place)).await?.accepted("Teams", &["error"])?;
        Ok(keys["keys"].as_array().cloned().unwrap_or_default())
    }
}

fn decoded(part: &str) -> Result<Value, NotGenuine> {
    let bytes = URL_SAFE_NO_PAD.decode(part).map_err(|_| NotGenuine)?;
    serde_json::from_slice(&bytes).map_err(|_| NotGenuine)
}
