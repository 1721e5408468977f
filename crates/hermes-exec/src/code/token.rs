//! The secret of one run: who knows it speaks for the script.

use std::fmt;
use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Random bytes in a token.
const BYTES: usize = 32;

/// A secret that is compared without telling how much of a guess was right.
pub(super) struct CallToken(String);

impl CallToken {
    /// A new one.
    pub(super) fn draw() -> std::io::Result<Self> {
        let mut bytes = [0; BYTES];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// The text the script is told.
    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// Whether a guess is right. The time it takes depends on the length of the guess alone.
    pub(super) fn is(&self, guess: &str) -> bool {
        let own = self.0.as_bytes();
        let mut difference = u8::from(own.len() != guess.len());
        for (index, byte) in guess.bytes().enumerate() {
            let ours = own.get(index % own.len().max(1)).copied().unwrap_or_default();
            difference |= std::hint::black_box(byte ^ ours);
        }
        std::hint::black_box(difference) == 0
    }
}

impl fmt::Debug for CallToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_right() {
        let token = CallToken::draw().unwrap();
        let text = token.text().to_owned();
        assert_eq!(text.len(), 43);
        assert!(token.is(&text));
        let longer = format!("{text}{text}");
        for wrong in ["", "x", &text[1..], &longer, CallToken::draw().unwrap().text()] {
            assert!(!token.is(wrong), "{wrong:?}");
        }
        assert!(!format!("{token:?}").contains(&text));
    }
}
