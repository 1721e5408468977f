//! Values nobody can guess, and the proof that goes with one.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use super::LoginError;

/// 256 bits, as 43 characters that may stand in an address.
pub(super) fn secret() -> Result<String, LoginError> {
    let none = || LoginError::Failed("the system gives no random numbers".to_owned());
    crate::random::secret().ok_or_else(none)
}

/// What is shown of a verifier before the verifier itself (PKCE, S256).
pub(super) fn shown(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_proof_is_the_published_example() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(shown(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }
}
