//! The word that lets a program in.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Shorter ones could be guessed.
const MIN_CHARS: usize = 16;
/// Random bytes of a generated token.
const RANDOM_BYTES: usize = 32;

/// A secret shared with the programs that may call.
#[derive(Clone)]
pub struct AccessToken(String);

/// Why there is no usable token.
#[derive(Debug, thiserror::Error)]
pub enum AccessTokenError {
    /// The file could not be read or made.
    #[error("cannot {act} the token file {}: {source}", path.display())]
    File {
        /// What was tried.
        act: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// Others could read the file.
    #[error(
        "others can read the token file {} (mode {mode:o}); make it private: chmod 600 {}",
        path.display(),
        path.display()
    )]
    NotPrivate {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// It is too easy to guess, or cannot stand in a header.
    #[error(
        "the token must be at least {MIN_CHARS} visible ASCII characters without spaces; \
         `openssl rand -hex 32` makes one"
    )]
    Weak,
    /// The system gave no random bytes.
    #[error("the system gives no random bytes: {0}")]
    NoRandomness(std::io::Error),
}

impl AccessToken {
    /// Takes a token somebody chose.
    ///
    /// # Errors
    /// When it is short or has characters that cannot stand in a header.
    pub fn new(text: impl Into<String>) -> Result<Self, AccessTokenError> {
        let text = text.into();
        let is_sound = text.len() >= MIN_CHARS && text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_sound { Ok(Self(text)) } else { Err(AccessTokenError::Weak) }
    }

    /// A new one that nobody can guess.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn generate() -> Result<Self, AccessTokenError> {
        let mut bytes = [0; RANDOM_BYTES];
        fs::File::open("/dev/urandom")
            .and_then(|mut source| source.read_exact(&mut bytes))
            .map_err(AccessTokenError::NoRandomness)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The token in a file that only its owner can read.
    ///
    /// # Errors
    /// When the file is not there, is not private, or holds no good token.
    pub fn read(path: &Path) -> Result<Self, AccessTokenError> {
        let fault = |source| AccessTokenError::File { act: "read", path: path.to_owned(), source };
        let mode = fs::metadata(path).map_err(fault)?.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(AccessTokenError::NotPrivate { path: path.to_owned(), mode });
        }
        Self::new(fs::read_to_string(path).map_err(fault)?.trim())
    }

    /// The token in a file, which is made with a new one if it is not there. Two programs that do so
    /// at once end up with the same token.
    ///
    /// # Errors
    /// As [`read`](Self::read), and when the file cannot be made.
    pub fn read_or_create(path: &Path) -> Result<Self, AccessTokenError> {
        let fault = |source| AccessTokenError::File { act: "make", path: path.to_owned(), source };
        if path.exists() {
            return Self::read(path);
        }
        let token = Self::generate()?;
        // Written beside and linked into place: whoever sees the name sees the whole token.
        let draft = path.with_extension(format!("{}.new", std::process::id()));
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&draft)
            .map_err(fault)?;
        let written = writeln!(file, "{}", token.0).and_then(|()| file.sync_all());
        let placed = written.and_then(|()| fs::hard_link(&draft, path));
        let _ = fs::remove_file(&draft);
        match placed {
            Ok(()) => Ok(token),
            Err(why) if why.kind() == std::io::ErrorKind::AlreadyExists => Self::read(path),
            Err(why) => Err(fault(why)),
        }
    }

    /// Whether this is the token. Takes as long for any wrong one of the same length.
    #[must_use]
    pub fn matches(&self, given: &str) -> bool {
        let (ours, given) = (self.0.as_bytes(), given.as_bytes());
        let differences = ours
            .iter()
            .zip(given.iter().chain(std::iter::repeat(&0)))
            .fold(0, |all, (ours, given)| all | (ours ^ given));
        std::hint::black_box(differences) == 0 && ours.len() == given.len()
    }

    /// The token itself, to hand to a client.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "abcdefgh01234567";

    #[test]
    fn only_the_very_token_matches() {
        let token = AccessToken::new(GOOD).unwrap();
        assert!(token.matches(GOOD));
        for wrong in ["", "abcdefgh0123456", "abcdefgh012345678", "abcdefgh01234568", "\0"] {
            assert!(!token.matches(wrong), "{wrong:?}");
        }
        assert!(!token.matches(&format!("{GOOD}\0")));
    }

    #[test]
    fn weak_tokens_are_refused_and_none_is_shown() {
        for weak in ["", "short", "has a space in the middle", "ümlaut-ümlaut-ümlaut"] {
            assert!(matches!(AccessToken::new(weak), Err(AccessTokenError::Weak)), "{weak}");
        }
        assert!(!format!("{:?}", AccessToken::new(GOOD).unwrap()).contains(GOOD));
    }

    #[test]
    fn a_token_file_is_made_once_and_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("serve.token");
        let first = AccessToken::read_or_create(&path).unwrap();
        let second = AccessToken::read_or_create(&path).unwrap();
        assert!(first.matches(second.reveal()));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_others_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("serve.token");
        fs::File::create(&path).unwrap().write_all(GOOD.as_bytes()).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let why = AccessToken::read(&path).unwrap_err().to_string();
        assert!(why.contains("chmod 600"), "{why}");
    }
}
