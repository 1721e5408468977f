//! Passwords, as they are kept: `scrypt$LOG_N$R$P$SALT$HASH`, salt and hash in base64.
//!
//! What never happens here: a password that is wrong, or of somebody unknown, is told sooner than one that is right.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD as BASE64;
use scrypt::{Params, scrypt};

/// Shorter ones are not taken.
pub(crate) const MIN_CHARS: usize = 8;
/// Bytes of salt and of hash.
const SALT: usize = 16;
const HASH: usize = 32;
/// The work of one guess: 32 MB and about a tenth of a second.
const LOG_N: u8 = 15;
const R: u32 = 8;
const P: u32 = 1;
/// More work than this is not done for whoever asks, whatever the settings say.
const MAX_LOG_N: u8 = 20;

/// Why there is no usable password.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PasswordError {
    /// It is easy to guess.
    #[error("the password must have at least {MIN_CHARS} characters")]
    Short,
    /// The settings hold something else.
    #[error(
        "dashboard.basic_auth.password_hash is no hash of ours; `hermes dashboard set-password` makes one"
    )]
    NotOurs,
    /// No randomness, or not enough memory.
    #[error("the password cannot be hashed: {0}")]
    System(&'static str),
}

/// A password that can be compared with.
#[derive(Clone)]
pub(crate) struct PasswordHash {
    params: Params,
    salt: Vec<u8>,
    hash: Vec<u8>,
}

impl PasswordHash {
    /// Of a new password.
    pub(crate) fn of(password: &str) -> Result<Self, PasswordError> {
        if password.chars().count() < MIN_CHARS {
            return Err(PasswordError::Short);
        }
        let params = Params::new(LOG_N, R, P, HASH)
            .map_err(|_| PasswordError::System("its parameters are wrong"))?;
        let mut salt = vec![0; SALT];
        random_bytes(&mut salt)?;
        let hash = derive(password, &salt, &params)?;
        Ok(Self { params, salt, hash })
    }

    /// As it was kept.
    pub(crate) fn parse(text: &str) -> Result<Self, PasswordError> {
        let words: Vec<&str> = text.trim().split('$').collect();
        let [kind, log_n, r, p, salt, hash] = words[..] else { return Err(PasswordError::NotOurs) };
        let number = |word: &str| word.parse::<u32>().map_err(|_| PasswordError::NotOurs);
        let bytes = |word: &str| {
            BASE64.decode(word.trim_end_matches('=')).map_err(|_| PasswordError::NotOurs)
        };
        let log_n = u8::try_from(number(log_n)?).map_err(|_| PasswordError::NotOurs)?;
        let (salt, hash) = (bytes(salt)?, bytes(hash)?);
        if kind != "scrypt" || log_n > MAX_LOG_N || hash.len() < SALT || salt.is_empty() {
            return Err(PasswordError::NotOurs);
        }
        let params =
            Params::new(log_n, number(r)?, number(p)?, HASH).map_err(|_| PasswordError::NotOurs)?;
        Ok(Self { params, salt, hash })
    }

    /// As it is kept.
    pub(crate) fn to_text(&self) -> String {
        let (salt, hash) = (BASE64.encode(&self.salt), BASE64.encode(&self.hash));
        format!(
            "scrypt${}${}${}${salt}${hash}",
            self.params.log_n(),
            self.params.r(),
            self.params.p()
        )
    }

    /// Whether this is the password. Takes long, and the same time for every answer.
    pub(crate) fn matches(&self, password: &str) -> bool {
        let mut given = vec![0; self.hash.len()];
        let is_made = scrypt(password.as_bytes(), &self.salt, &self.params, &mut given).is_ok();
        is_made && is_same(&given, &self.hash)
    }
}

/// Whether two secrets are the same, in a time that does not tell where they differ.
pub(crate) fn is_same(one: &[u8], other: &[u8]) -> bool {
    let differences = one.iter().zip(other).fold(0, |all, (one, other)| all | (one ^ other));
    std::hint::black_box(differences) == 0 && one.len() == other.len()
}

/// Fills bytes from the system's randomness.
pub(crate) fn random_bytes(bytes: &mut [u8]) -> Result<(), PasswordError> {
    use ring::rand::SecureRandom as _;
    let filled = ring::rand::SystemRandom::new().fill(bytes);
    filled.map_err(|_| PasswordError::System("the system gives no random bytes"))
}

fn derive(password: &str, salt: &[u8], params: &Params) -> Result<Vec<u8>, PasswordError> {
    let mut hash = vec![0; HASH];
    scrypt(password.as_bytes(), salt, params, &mut hash)
        .map_err(|_| PasswordError::System("its length is wrong"))?;
    Ok(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_known_by_its_hash_alone() {
        let hash = PasswordHash::of("correct horse").unwrap();
        let kept = hash.to_text();
        assert!(kept.starts_with("scrypt$15$8$1$"), "{kept}");
        assert!(!kept.contains("horse"));
        let read = PasswordHash::parse(&kept).unwrap();
        assert!(read.matches("correct horse"));
        assert!(!read.matches("correct horsf") && !read.matches(""));
        assert_ne!(PasswordHash::of("correct horse").unwrap().to_text(), kept, "salted");
    }

    #[test]
    fn what_is_no_hash_is_refused() {
        for text in [
            "",
            "secret",
            "scrypt$15$8$1$AA$AA",
            "scrypt$63$8$1$AAAA$AAAAAAAAAAAAAAAAAAAAAAAA",
            "x$1$2$3$4$5",
        ] {
            assert!(PasswordHash::parse(text).is_err(), "{text}");
        }
        assert!(PasswordHash::of("short").is_err());
    }
}
