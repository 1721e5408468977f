//! Names that nobody can guess.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom as _, SystemRandom};

/// 256 bits, as 43 characters that may stand in an address; nothing where the system has no random
/// numbers.
pub(crate) fn secret() -> Option<String> {
    let mut bytes = [0; 32];
    SystemRandom::new().fill(&mut bytes).ok()?;
    Some(URL_SAFE_NO_PAD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ_and_fit_the_rules_for_verifiers() {
        let (one, other) = (secret().unwrap(), secret().unwrap());
        assert_ne!(one, other);
        assert!(
            one.len() >= 43 && one.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
        );
    }
}
