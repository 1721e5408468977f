//! Whether a call is Feishu's, and what is in it.
//!
//! With an encrypt key calls are signed with it and hidden with AES; with a verification token alone they carry the token.
//! Where both are set, both have to be right.

use aes::Aes256;
use base64::Engine as _;
use cbc::Decryptor;
use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::{BlockDecryptMut as _, KeyIvInit as _};
use ring::digest::{Context, SHA256, digest};
use serde_json::Value;

use crate::adapter::{WebhookRequest, hex, same_secret};

/// Bytes of an initial vector.
const VECTOR: usize = 16;

/// What calls are checked with.
pub(super) struct Envelope {
    pub(super) key: Option<String>,
    pub(super) token: Option<String>,
}

/// What was in a call.
#[derive(Debug, PartialEq)]
pub(super) enum Opened {
    Event(Value),
    /// Whoever set up our address wants this back.
    Challenge(String),
    /// With this status.
    Refused(u16),
}

impl Envelope {
    /// Whether a call of Feishu's can be told from another one.
    pub(super) fn can_tell(&self) -> bool {
        self.key.is_some() || self.token.is_some()
    }

    pub(super) fn open(&self, call: &WebhookRequest) -> Opened {
        if !self.can_tell() {
            return Opened::Refused(403);
        }
        let Ok(outer) = serde_json::from_slice::<Value>(&call.body) else {
            return Opened::Refused(400);
        };
        let told = match (&self.key, outer["encrypt"].as_str()) {
            (Some(key), Some(hidden)) => match decrypted(key, hidden) {
                Some(told) => told,
                None => return Opened::Refused(403),
            },
            // Nobody else could have hidden it; what is not hidden is not theirs.
            (Some(_), None) => return Opened::Refused(403),
            (None, Some(_)) => return Opened::Refused(403),
            (None, None) => outer,
        };
        let is_challenge = told["type"] == "url_verification";
        // The first call, which tries our address, is hidden but not signed.
        if let Some(key) = self.key.as_deref().filter(|_| !is_challenge)
            && !is_signed(key, call)
        {
            return Opened::Refused(403);
        }
        let given = told["header"]["token"].as_str().or(told["token"].as_str()).unwrap_or_default();
        if self.token.as_deref().is_some_and(|token| !same_secret(token, given)) {
            return Opened::Refused(403);
        }
        match is_challenge {
            true => Opened::Challenge(told["challenge"].as_str().unwrap_or_default().to_owned()),
            false => Opened::Event(told),
        }
    }
}

fn is_signed(key: &str, call: &WebhookRequest) -> bool {
    let header = |name: &str| call.header(name).unwrap_or_default();
    let mut hash = Context::new(&SHA256);
    for part in [
        header("x-lark-request-timestamp").as_bytes(),
        header("x-lark-request-nonce").as_bytes(),
        key.as_bytes(),
        &call.body,
    ] {
        hash.update(part);
    }
    same_secret(&hex(hash.finish().as_ref()), header("x-lark-signature"))
}

fn decrypted(key: &str, hidden: &str) -> Option<Value> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(hidden).ok()?;
    let (vector, body) = bytes.split_at_checked(VECTOR)?;
    let key = digest(&SHA256, key.as_bytes());
    let reader = Decryptor::<Aes256>::new_from_slices(key.as_ref(), vector).ok()?;
    let text = reader.decrypt_padded_vec_mut::<Pkcs7>(body).ok()?;
    serde_json::from_slice(&text).ok()
}

#[cfg(test)]
pub(super) fn encrypted(key: &str, told: &Value) -> String {
    use cbc::cipher::BlockEncryptMut as _;
    let key = digest(&SHA256, key.as_bytes());
    let vector = [9_u8; VECTOR];
    let writer = cbc::Encryptor::<Aes256>::new_from_slices(key.as_ref(), &vector).unwrap();
    let body = writer.encrypt_padded_vec_mut::<Pkcs7>(told.to_string().as_bytes());
    base64::engine::general_purpose::STANDARD.encode([vector.as_slice(), &body].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_documentation_is_read() {
        // Key and cipher text as Feishu's own pages show them.
        let hidden = "P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk=";
        let key = digest(&SHA256, b"test key");
        let bytes = base64::engine::general_purpose::STANDARD.decode(hidden).unwrap();
        let (vector, body) = bytes.split_at(VECTOR);
        let reader = Decryptor::<Aes256>::new_from_slices(key.as_ref(), vector).unwrap();
        assert_eq!(reader.decrypt_padded_vec_mut::<Pkcs7>(body).unwrap(), b"hello world");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(hidden in ".{0,200}") {
            let _ = decrypted("key", &hidden);
        }
    }
}
