//! Where tokens are kept: one small folder, readable by its owner alone.
//!
//! Each server has up to three files, named after it: the tokens, how we are registered, and what was
//! learned about its authorization server. They are replaced whole, so that a crash leaves the old or the
//! new, and a second process may write them at any time: whoever holds tokens in memory asks
//! [`TokenStore::changed`] whether they are still those on disk.
//!
//! What never happens here: a token goes to another address than the one it was got for. The address is
//! kept beside it ([`LearnedMetadata::server_url`]).

use std::path::{Path, PathBuf};

use hermes_store::atomic::{self, WriteOptions};
use hermes_store::config::Fingerprint;
use hermes_store::home::ensure_private_dir;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::LoginError;
use super::auth_method::AuthMethod;
use super::metadata::ServerMetadata;

/// The longest name of a file, before its ending.
const MAX_NAME: usize = 128;
/// No file here is larger; what is was not written here.
const MAX_FILE: u64 = 1 << 20;

/// A server's tokens.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Tokens {
    /// What requests carry.
    pub access_token: String,
    /// Always `Bearer`.
    #[serde(default)]
    pub token_type: String,
    /// What gets the next one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<String>,
    /// What it allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// When it ends, in seconds since 1970; never, if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<f64>,
}

/// Tokens are not shown.
impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tokens")
            .field("scope", &self.scope)
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

/// How we are known to an authorization server.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// Our name there.
    pub client_id: String,
    /// What proves it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    /// How it is proved.
    #[serde(default)]
    pub token_endpoint_auth_method: AuthMethod,
    /// Where people come back to.
    #[serde(default)]
    pub redirect_uris: Vec<String>,
    /// Whose registration it is.
    #[serde(default)]
    pub issuer: String,
}

impl std::fmt::Debug for Registration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registration").field("client_id", &self.client_id).finish_non_exhaustive()
    }
}

/// What was learned on the way to the tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnedMetadata {
    /// The server the tokens are for.
    pub server_url: String,
    /// What it calls itself.
    pub resource: String,
    /// Who gave them.
    pub metadata: ServerMetadata,
}

/// One server's files.
#[derive(Clone, Debug)]
pub struct TokenStore {
    folder: PathBuf,
    name: String,
}

impl TokenStore {
    /// The files of a server in this folder.
    #[must_use]
    pub fn new(folder: &Path, server: &str) -> Self {
        Self { folder: folder.to_owned(), name: file_name(server) }
    }

    /// Where access and refresh tokens are kept, readable by nobody else.
    #[must_use]
    pub fn tokens_file(&self) -> PathBuf {
        self.folder.join(format!("{}.json", self.name))
    }

    fn client_file(&self) -> PathBuf {
        self.folder.join(format!("{}.client.json", self.name))
    }

    fn meta_file(&self) -> PathBuf {
        self.folder.join(format!("{}.meta.json", self.name))
    }

    /// The tokens and what they were read from.
    #[must_use]
    pub fn tokens(&self) -> (Option<Tokens>, Option<Fingerprint>) {
        // The print first: a write in between is then seen as a change, and read again.
        let print = Fingerprint::of(&self.tokens_file());
        (read(&self.tokens_file()), print)
    }

    /// Whether the tokens on disk are not those of this print any more.
    #[must_use]
    pub fn changed(&self, print: Option<Fingerprint>) -> bool {
        Fingerprint::of(&self.tokens_file()) != print
    }

    /// Our registration.
    #[must_use]
    pub fn registration(&self) -> Option<Registration> {
        read(&self.client_file())
    }

    /// What was learned.
    #[must_use]
    pub fn known(&self) -> Option<LearnedMetadata> {
        read(&self.meta_file())
    }

    /// Keeps tokens.
    ///
    /// # Errors
    ///
    /// When the folder or the file cannot be written.
    pub fn keep_tokens(&self, tokens: &Tokens) -> Result<(), LoginError> {
        self.keep(&self.tokens_file(), tokens)
    }

    /// Keeps a registration.
    ///
    /// # Errors
    ///
    /// When the folder or the file cannot be written.
    pub fn keep_registration(&self, registration: &Registration) -> Result<(), LoginError> {
        self.keep(&self.client_file(), registration)
    }

    /// Keeps what was learned.
    ///
    /// # Errors
    ///
    /// When the folder or the file cannot be written.
    pub fn keep_known(&self, known: &LearnedMetadata) -> Result<(), LoginError> {
        self.keep(&self.meta_file(), known)
    }

    /// Puts a registration aside that its server no longer knows. The tokens stay.
    pub fn drop_registration(&self) {
        let file = self.client_file();
        if let Err(problem) = std::fs::rename(&file, file.with_extension("json.bak"))
            && problem.kind() != std::io::ErrorKind::NotFound
        {
            tracing::warn!("cannot put {} aside: {problem}", file.display());
        }
    }

    /// Forgets everything about the server. Whether there was anything.
    ///
    /// # Errors
    ///
    /// When a file is there and cannot be removed.
    pub fn forget(&self) -> Result<bool, LoginError> {
        let mut was_there = false;
        for file in [self.tokens_file(), self.client_file(), self.meta_file()] {
            match std::fs::remove_file(&file) {
                Ok(()) => was_there = true,
                Err(problem) if problem.kind() == std::io::ErrorKind::NotFound => {}
                Err(problem) => {
                    return Err(LoginError::Failed(format!(
                        "cannot remove {}: {problem}",
                        file.display()
                    )));
                }
            }
        }
        Ok(was_there)
    }

    fn keep(&self, file: &Path, value: &impl Serialize) -> Result<(), LoginError> {
        let failed = |problem: String| {
            LoginError::Failed(format!("cannot write {}: {problem}", file.display()))
        };
        ensure_private_dir(&self.folder).map_err(|problem| failed(problem.to_string()))?;
        let bytes =
            serde_json::to_vec_pretty(value).map_err(|problem| failed(problem.to_string()))?;
        atomic::write(file, &bytes, WriteOptions::SECRET)
            .map_err(|problem| failed(problem.to_string()))
    }
}

fn read<T: DeserializeOwned>(file: &Path) -> Option<T> {
    if std::fs::metadata(file).ok()?.len() > MAX_FILE {
        return None;
    }
    let bytes = std::fs::read(file).ok()?;
    serde_json::from_slice(&bytes)
        .inspect_err(|problem| tracing::warn!("{} is not in use: {problem}", file.display()))
        .ok()
}

/// A server's name as the name of a file.
fn file_name(server: &str) -> String {
    let safe: String = server
        .chars()
        .map(|c| if c.is_alphanumeric() || c == '_' || c == '-' { c } else { '_' })
        .collect();
    let name: String = safe.trim_matches('_').chars().take(MAX_NAME).collect();
    if name.is_empty() { "default".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn tokens(access: &str) -> Tokens {
        Tokens { access_token: access.to_owned(), ..Tokens::default() }
    }

    #[test]
    fn files_are_for_their_owner_alone() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("mcp-tokens");
        let shelf = TokenStore::new(&folder, "my server");
        shelf.keep_tokens(&tokens("a")).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        assert_eq!(mode(&folder.join("my_server.json")), 0o600);
        assert_eq!(shelf.tokens().0, Some(tokens("a")));
    }

    #[test]
    fn a_change_by_another_process_is_noticed() {
        let home = tempfile::tempdir().unwrap();
        let (ours, theirs) = (TokenStore::new(home.path(), "s"), TokenStore::new(home.path(), "s"));
        ours.keep_tokens(&tokens("a")).unwrap();
        let (_, print) = ours.tokens();
        assert!(!ours.changed(print));
        theirs.keep_tokens(&tokens("longer than before")).unwrap();
        assert!(ours.changed(print));
    }

    #[test]
    fn names_of_servers_are_safe_names_of_files() {
        for (server, name) in [
            ("files", "files"),
            ("a/../b c", "a____b_c"),
            ("__x__", "x"),
            ("größe-1", "größe-1"),
            ("///", "default"),
            ("", "default"),
        ] {
            assert_eq!(file_name(server), name);
        }
        assert_eq!(file_name(&"é".repeat(300)).chars().count(), MAX_NAME);
    }

    #[test]
    fn a_dropped_registration_leaves_a_copy_and_the_tokens() {
        let home = tempfile::tempdir().unwrap();
        let shelf = TokenStore::new(home.path(), "s");
        let registration = Registration {
            client_id: "c".into(),
            client_secret: None,
            token_endpoint_auth_method: AuthMethod::None,
            redirect_uris: vec![],
            issuer: "i".into(),
        };
        shelf.keep_registration(&registration).unwrap();
        shelf.keep_tokens(&tokens("a")).unwrap();
        shelf.drop_registration();
        assert_eq!(shelf.registration(), None);
        assert!(home.path().join("s.client.json.bak").exists() && shelf.tokens().0.is_some());
        assert!(shelf.forget().unwrap() && !shelf.forget().unwrap());
    }

    #[test]
    fn debug_output_shows_no_secret() {
        let shown = format!("{:?}", tokens("hidden"));
        assert!(!shown.contains("hidden"), "{shown}");
    }
}
