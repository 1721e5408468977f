//! A signed note that says who we are (RFC 7523), for programs that have a key instead of a secret.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{self, EcdsaKeyPair, RsaKeyPair};
use serde_json::{Value, json};

use super::settings::SigningKey;
use super::{LoginError, clock, random};

/// What kind of note it is.
pub(super) const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/// How long it is good for, in seconds.
const LIFETIME: f64 = 300.0;

/// The note of a client for an authorization server.
pub(super) fn assertion(
    client: &str,
    audience: &str,
    key: &SigningKey,
) -> Result<String, LoginError> {
    let now = clock::now().floor();
    #[expect(clippy::cast_possible_truncation, reason = "whole seconds of our time")]
    let whole = |seconds: f64| seconds as i64;
    let claims = json!({
        "iss": client,
        "sub": client,
        "aud": audience,
        "iat": whole(now),
        "exp": whole(now + LIFETIME),
        "jti": random::secret()?,
    });
    let header = json!({"alg": key.algorithm, "typ": "JWT"});
    let signed = format!("{}.{}", coded(&header), coded(&claims));
    let signature = sign(key, signed.as_bytes())?;
    Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
}

fn coded(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

fn sign(key: &SigningKey, message: &[u8]) -> Result<Vec<u8>, LoginError> {
    let unusable = |why: &str| LoginError::Failed(format!("the private key cannot be used: {why}"));
    let der = der(&key.pem).ok_or_else(|| unusable("it is not in PEM form (PKCS #8)"))?;
    let random = SystemRandom::new();
    match key.algorithm.as_str() {
        "ES256" => {
            let algorithm = &signature::ECDSA_P256_SHA256_FIXED_SIGNING;
            let pair = EcdsaKeyPair::from_pkcs8(algorithm, &der, &random)
                .map_err(|why| unusable(&why.to_string()))?;
            let signature =
                pair.sign(&random, message).map_err(|why| unusable(&why.to_string()))?;
            Ok(signature.as_ref().to_vec())
        }
        "RS256" => {
            let pair = RsaKeyPair::from_pkcs8(&der).map_err(|why| unusable(&why.to_string()))?;
            let mut signature = vec![0; pair.public().modulus_len()];
            pair.sign(&signature::RSA_PKCS1_SHA256, &random, message, &mut signature)
                .map_err(|why| unusable(&why.to_string()))?;
            Ok(signature)
        }
        other => Err(unusable(&format!("{other} is not known; ES256 and RS256 are"))),
    }
}

fn der(pem: &str) -> Option<Vec<u8>> {
    let (_, rest) = pem.split_once("-----BEGIN PRIVATE KEY-----")?;
    let (body, _) = rest.split_once("-----END PRIVATE KEY-----")?;
    let packed: String = body.chars().filter(|c| !c.is_whitespace()).collect();
    STANDARD.decode(packed).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::signature::{ECDSA_P256_SHA256_FIXED, KeyPair as _, UnparsedPublicKey};

    #[test]
    fn the_note_can_be_checked_with_the_public_key() {
        let random = SystemRandom::new();
        let algorithm = &signature::ECDSA_P256_SHA256_FIXED_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap();
        let body = STANDARD.encode(document.as_ref());
        let pem = format!("-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n");
        let key = SigningKey { pem, algorithm: "ES256".to_owned() };

        let note = assertion("me", "https://as.example", &key).unwrap();
        let (signed, signature) = note.rsplit_once('.').unwrap();
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, pair.public_key().as_ref());
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        public.verify(signed.as_bytes(), &signature).unwrap();
        let claims = URL_SAFE_NO_PAD.decode(signed.split('.').nth(1).unwrap()).unwrap();
        let claims: Value = serde_json::from_slice(&claims).unwrap();
        assert_eq!((&claims["iss"], &claims["aud"]), (&json!("me"), &json!("https://as.example")));
    }

    #[test]
    fn a_key_that_is_none_is_an_error_without_the_key_in_it() {
        let key = SigningKey { pem: "hidden".to_owned(), algorithm: "ES256".to_owned() };
        let problem = assertion("me", "x", &key).unwrap_err().to_string();
        assert!(problem.contains("PEM") && !problem.contains("hidden"), "{problem}");
    }
}
