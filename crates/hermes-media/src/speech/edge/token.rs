//! What tells the service that a browser is asking.

use sha2::{Digest as _, Sha256};

/// What every browser of the kind sends.
const CLIENT: &str = "6A5AA1D4EAFF4E9FB37E23D68491D6F4";
const VERSION: &str = "1-143.0.3650.75";
/// From the year 1601, where Windows begins to count, to 1970.
const WINDOWS_EPOCH: i64 = 11_644_473_600;
/// A token is good for this many seconds.
const STEP: i64 = 300;
/// Windows counts in tenths of a millionth of a second.
const TICKS: i64 = 10_000_000;

/// The token of a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeToken(String);

impl EdgeToken {
    /// The token at so many seconds after 1970.
    #[must_use]
    pub fn at(seconds: i64) -> Self {
        let moment = seconds.saturating_add(WINDOWS_EPOCH);
        let ticks = i128::from(moment - moment.rem_euclid(STEP)) * i128::from(TICKS);
        let digest = Sha256::digest(format!("{ticks}{CLIENT}").as_bytes());
        Self(digest.iter().map(|byte| format!("{byte:02X}")).collect())
    }

    /// The token itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part of the address behind the question mark.
    #[must_use]
    pub fn query(&self, connection: &str) -> String {
        format!(
            "TrustedClientToken={CLIENT}&ConnectionId={connection}&Sec-MS-GEC={}&Sec-MS-GEC-Version={VERSION}",
            self.0
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_lasts_five_minutes_and_is_made_as_the_service_makes_it() {
        // sha256("133444734000000000" + client) for 1699999800 s, worked out by another program.
        let token = EdgeToken::at(1_700_000_000);
        assert_eq!(token, EdgeToken::at(1_699_999_800));
        assert_ne!(token, EdgeToken::at(1_700_000_100));
        assert_eq!(
            token.as_str(),
            "42301B335578FEFDAE2637DED1ABD614505D432559EC08032B82048483726AFF"
        );
    }

    #[test]
    fn odd_clocks_do_not_panic() {
        for seconds in [i64::MIN, i64::MAX, 0, -1] {
            assert_eq!(EdgeToken::at(seconds).as_str().len(), 64);
        }
    }
}
