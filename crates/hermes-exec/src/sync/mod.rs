//! Files the agent has at hand here, brought to where its commands run.
//!
//! [`SyncSources`] says which files those are: skills, caches, and the credential files the user
//! named. Containers of this machine mount them ([`SyncSources::mounts`]); to other machines
//! [`FileSync`] takes them, as one stream of `tar` for all that changed, and fetches back at the
//! end what commands changed over there.
//!
//! # Rules
//!
//! * Links are not followed and not taken along; neither is what the agent itself may not read.
//! * Whether a file changed is seen by its time and size; whether one over there changed, by its
//!   SHA-256.
//! * A round that failed did not happen: the next begins where it began.
//! * Credential files travel one way.
//! * What comes back is never trusted to name its place: it is written only below the folders that
//!   were brought, never through a link.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use hermes_process::{Command, ProcessError};
use thiserror::Error;

use crate::backend::{BackendState, ClientInput};
use crate::granted::GrantedFiles;

mod archive;
mod back;
mod credentials;
mod inventory;
mod mounts;
mod shown;
mod transfer;

#[cfg(test)]
mod tests;

pub use shown::{SyncScope, SyncSources, SyncedKind, SyncedPath};

use inventory::SyncItem;

/// Where containers see the home of Hermes: they run as root, whose home this is in every image.
pub(crate) const SEEN_AT: &str = concat!("/root", "/.hermes");

/// The pause between two rounds.
const PAUSE: Duration = Duration::from_secs(5);
/// How long a transfer may take.
const TRANSFER_LIMIT: Duration = Duration::from_secs(120);

/// Unpacks what comes in. Folders that are there keep their permissions where `tar` knows how.
const UNPACK: &str = "umask 077; mkdir -p @BASE@ && cd @BASE@ || exit 1
if tar --version 2>/dev/null </dev/null | grep -q GNU; then
    exec tar xof - --no-overwrite-dir
fi
exec tar xof -";

/// Removes the files whose names come in.
const REMOVE: &str = "cd @BASE@ 2>/dev/null || exit 0; exec xargs -0 rm -f --";

/// The way to another environment.
pub(crate) struct RemoteShell<'a> {
    /// The folder over there that stands for the Hermes home.
    pub(crate) base: &'a str,
    /// The program that has a POSIX shell over there run a script.
    pub(crate) shell: Box<RemoteShellClient<'a>>,
}

/// From a script to the program that has it run over there.
type RemoteShellClient<'a> = dyn Fn(&str, ClientInput) -> Command + Send + Sync + 'a;

/// How often files are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SyncPace {
    /// At most every few seconds.
    Sparing,
    /// Before every command.
    EveryTime,
}

/// Why files could not be brought or fetched.
#[derive(Debug, Error)]
pub(crate) enum SyncError {
    /// A file here could not be used.
    #[error("cannot {act} {path}: {source}")]
    File {
        /// What was tried.
        act: &'static str,
        /// On which file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The other side did not do its part.
    #[error("the other side failed: {0}")]
    Far(String),
    /// It took too long.
    #[error("it took longer than {} s", .0.as_secs())]
    TimedOut(Duration),
    /// There is too much to fetch.
    #[error("there are more than {0} bytes to fetch; remove what is not needed over there")]
    TooLarge(u64),
    /// Another process fetches.
    #[error(transparent)]
    Busy(#[from] hermes_store::lock::LockError),
    /// The client could not be started.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

impl SyncError {
    /// For use with `map_err`.
    fn file(act: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.display().to_string();
        move |source| Self::File { act, path, source }
    }
}

/// What a file was when it was brought over.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pushed {
    modified: SystemTime,
    len: u64,
    sha256: [u8; 32],
    kind: SyncedKind,
}

impl Pushed {
    fn is_same(&self, item: &SyncItem) -> bool {
        self.modified == item.modified && self.len == item.len
    }
}

#[derive(Default)]
struct SyncState {
    /// By the path below the base.
    pushed: BTreeMap<String, Pushed>,
    last: Option<Instant>,
    /// What conversations were granted at that time.
    granted: BTreeSet<String>,
}

/// Keeps the files of another environment like those here.
pub(crate) struct FileSync {
    sources: SyncSources,
    pace: SyncPace,
    granted: Arc<GrantedFiles>,
    state: tokio::sync::Mutex<SyncState>,
}

impl FileSync {
    pub(crate) fn new(sources: SyncSources, pace: SyncPace) -> Self {
        Self { sources, pace, granted: Arc::default(), state: tokio::sync::Mutex::default() }
    }

    /// The same, which also brings what conversations are granted.
    pub(crate) fn with_granted(self, granted: Arc<GrantedFiles>) -> Self {
        Self { granted, ..self }
    }

    /// Only the files with credentials that conversations are granted, for a place that sees the rest anyway.
    pub(crate) fn of_granted(home: PathBuf, granted: Arc<GrantedFiles>) -> Self {
        let sources = SyncSources {
            home,
            credential_files: Vec::new(),
            external_skills: Vec::new(),
            scope: SyncScope::CredentialsAlone,
        };
        Self::new(sources, SyncPace::Sparing).with_granted(granted)
    }

    /// The place is a new one, where nothing was brought yet.
    pub(crate) async fn begin_anew(&self) {
        *self.state.lock().await = SyncState::default();
    }

    /// Takes away again what was brought.
    pub(crate) async fn take_away(&self, far: &RemoteShell<'_>) -> Result<(), SyncError> {
        let mut state = self.state.lock().await;
        let brought: Vec<String> = state.pushed.keys().cloned().collect();
        remove(&brought, far).await?;
        *state = SyncState::default();
        Ok(())
    }

    /// [`bring`](Self::bring) before a command in a container, which must not fail for files that it may not even need.
    pub(crate) async fn bring_if_possible(&self, state: BackendState, far: &RemoteShell<'_>) {
        if state == BackendState::Anew {
            self.begin_anew().await;
        }
        if let Err(error) = self.bring(far).await {
            tracing::warn!(%error, "files could not be brought into the container");
        }
    }

    /// Brings over what changed and removes what is gone.
    pub(crate) async fn bring(&self, far: &RemoteShell<'_>) -> Result<(), SyncError> {
        let mut state = self.state.lock().await;
        let granted = self.granted.all();
        let is_early = state.last.is_some_and(|last| last.elapsed() < PAUSE);
        if self.pace == SyncPace::Sparing && is_early && granted == state.granted {
            return Ok(());
        }
        if self.sources.scope == SyncScope::CredentialsAlone
            && granted.is_empty()
            && state.pushed.is_empty()
        {
            return Ok(());
        }
        let mut sources = self.sources.clone();
        sources.credential_files.extend(granted.iter().cloned());
        let items = blocking(move || Ok(inventory::take(&sources))).await?;
        let is_new = |(below, item): &(&String, &SyncItem)| {
            !state.pushed.get(*below).is_some_and(|pushed| pushed.is_same(item))
        };
        let changed: Vec<(String, SyncItem)> = items
            .iter()
            .filter(is_new)
            .map(|(below, item)| (below.clone(), item.clone()))
            .collect();
        let gone: Vec<String> =
            state.pushed.keys().filter(|below| !items.contains_key(*below)).cloned().collect();
        let mut pushed = Vec::new();
        if !changed.is_empty() {
            let packed = blocking(move || archive::pack(changed)).await?;
            let unpack = far.script(UNPACK);
            transfer::send(far.call(&unpack, ClientInput::Forwarded), packed.file, TRANSFER_LIMIT)
                .await?;
            pushed = packed.contents;
        }
        remove(&gone, far).await?;
        // Only now: a round that failed is done again as a whole.
        tracing::debug!(brought = pushed.len(), removed = gone.len(), "files were brought over");
        state.pushed.extend(pushed);
        state.pushed.retain(|below, _| !gone.contains(below));
        state.last = Some(Instant::now());
        state.granted = granted;
        Ok(())
    }

    /// Fetches what commands changed over there, if anything was ever brought.
    pub(crate) async fn fetch_back(&self, far: &RemoteShell<'_>) -> Result<(), SyncError> {
        let state = self.state.lock().await;
        if state.pushed.is_empty() {
            return Ok(());
        }
        let applied = back::fetch(&self.sources, state.pushed.clone(), far).await?;
        if applied > 0 {
            tracing::info!(files = applied, "files changed over there were fetched back");
        }
        Ok(())
    }
}

/// Removes files over there, by their paths below the base.
async fn remove(names: &[String], far: &RemoteShell<'_>) -> Result<(), SyncError> {
    if names.is_empty() {
        return Ok(());
    }
    let names = names.iter().flat_map(|name| [name.as_bytes(), b"\0"]).flatten();
    let names = transfer::spooled(&names.copied().collect::<Vec<u8>>())?;
    let script = far.script(REMOVE);
    transfer::send(far.call(&script, ClientInput::Forwarded), names, TRANSFER_LIMIT).await
}

impl RemoteShell<'_> {
    fn script(&self, text: &str) -> String {
        text.replace("@BASE@", &crate::quote::quoted(self.base))
    }

    fn call(&self, script: &str, input: ClientInput) -> Command {
        (self.shell)(script, input)
    }
}

/// Work on files, away from the threads that must not wait.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SyncError> + Send + 'static,
) -> Result<T, SyncError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(SyncError::Far(format!("the work on files was broken off: {error}"))),
    }
}

/// Where a folder brought over is here.
#[derive(Clone, Debug)]
struct Root {
    below: PathBuf,
    host: PathBuf,
}
