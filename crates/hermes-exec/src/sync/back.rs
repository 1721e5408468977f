//! What commands changed over there, brought home.
//!
//! The other side is not trusted: it says which files it has, and could say anything. A file is
//! written only if it lies below a folder that is shown, by plain names and no link on the way, if
//! the agent may read it here, and if it is no credential. Everything else in the stream is passed
//! over.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, Permissions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use hermes_store::lock::{FileLock, Wait};
use sha2::{Digest as _, Sha256};
use tar::Archive;

use super::archive::Hashing;
use super::shown::{SyncSources, SyncedKind};
use super::{Pushed, RemoteShell, Root, SyncError, TRANSFER_LIMIT, blocking, transfer};
use crate::backend::ClientInput;
use crate::quote::quoted;

/// The most that is fetched.
const MOST_BYTES: u64 = 2 << 30;
/// Before the second and the third attempt.
const WAITS: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(4)];
/// How long another process may fetch before we give up.
const LOCK_WAIT: Duration = Duration::from_secs(60);
/// Bytes copied at once.
const COPY_SIZE: usize = 64 * 1024;

/// Packs the folders that are there.
const PACK: &str = "cd @BASE@ 2>/dev/null || exit 0
set --
for folder in @FOLDERS@; do [ -d \"$folder\" ] && set -- \"$@\" \"$folder\"; done
[ $# -gt 0 ] || exit 0
exec tar cf - \"$@\"";

/// Fetches, in up to three attempts, and says how many files were written.
pub(super) async fn fetch(
    sources: &SyncSources,
    pushed: BTreeMap<String, Pushed>,
    far: &RemoteShell<'_>,
) -> Result<usize, SyncError> {
    let lock = sources.home.join(".sync.lock");
    let _lock = blocking(move || Ok(FileLock::acquire(&lock, Wait::AtMost(LOCK_WAIT))?)).await?;
    let mut waits = WAITS.iter();
    let stream = loop {
        match receive(sources, far).await {
            Ok(stream) => break stream,
            Err(error @ SyncError::TooLarge(_)) => return Err(error),
            Err(error) => {
                let Some(wait) = waits.next() else { return Err(error) };
                tracing::debug!(%error, "fetching files failed; trying again");
                tokio::time::sleep(*wait).await;
            }
        }
    };
    let sources = sources.clone();
    blocking(move || apply(&stream, &sources, &pushed)).await
}

fn roots(sources: &SyncSources) -> Vec<Root> {
    let folders = sources.list().into_iter().filter(|shown| shown.kind != SyncedKind::Credential);
    folders.map(|shown| Root { below: shown.below.into(), host: shown.host }).collect()
}

async fn receive(sources: &SyncSources, far: &RemoteShell<'_>) -> Result<File, SyncError> {
    let spool = tempfile::tempfile().map_err(SyncError::file("make", Path::new("a spool file")))?;
    let into = spool.try_clone().map_err(SyncError::file("share", Path::new("a spool file")))?;
    let folders: Vec<String> =
        roots(sources).iter().map(|root| quoted(&root.below.to_string_lossy())).collect();
    if folders.is_empty() {
        return Ok(spool);
    }
    let script = far.script(PACK).replace("@FOLDERS@", &folders.join(" "));
    transfer::receive(far.call(&script, ClientInput::None), into, MOST_BYTES, TRANSFER_LIMIT)
        .await?;
    Ok(spool)
}

/// Writes what differs from what was brought.
pub(super) fn apply(
    stream: &File,
    sources: &SyncSources,
    pushed: &BTreeMap<String, Pushed>,
) -> Result<usize, SyncError> {
    let of_stream = || SyncError::file("read", Path::new("what was fetched"));
    let mut reader = stream.try_clone().map_err(of_stream())?;
    reader.seek(SeekFrom::Start(0)).map_err(of_stream())?;
    let roots = roots(sources);
    let mut written = 0;
    let mut archive = Archive::new(reader);
    for entry in archive.entries().map_err(of_stream())? {
        let mut entry = entry.map_err(of_stream())?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let Some(below) = plain_name(&entry.path().map_err(of_stream())?) else { continue };
        let known = pushed.get(&below);
        let is_credential = known.is_some_and(|known| known.kind == SyncedKind::Credential);
        let Some(target) = target(&below, &roots, sources).filter(|_| !is_credential) else {
            continue;
        };
        let (at, len) = (entry.raw_file_position(), entry.size());
        let mode = entry.header().mode().unwrap_or_default();
        let mut hashing = Hashing { inner: &mut entry, hash: Sha256::new(), read: 0 };
        io::copy(&mut hashing, &mut io::sink()).map_err(of_stream())?;
        let sha256: [u8; 32] = hashing.hash.finalize().into();
        if known.is_some_and(|known| known.sha256 == sha256) {
            continue;
        }
        if changed_here(&target.file(), known) {
            let file = target.file();
            tracing::warn!(file = %file.display(), "changed here and over there; taking theirs");
        }
        match target.write(&TarMember { stream, at, len }, mode) {
            Ok(()) => written += 1,
            // One file that has no place here must not keep the others away.
            Err(error) => tracing::warn!(%error, "a file was not fetched"),
        }
    }
    Ok(written)
}

/// A path of plain names only, as text.
fn plain_name(path: &Path) -> Option<String> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(part) => plain.push(part),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    plain.to_str().map(str::to_owned)
}

fn changed_here(file: &Path, known: Option<&Pushed>) -> bool {
    let Ok(about) = std::fs::symlink_metadata(file) else { return false };
    known.is_none_or(|known| {
        about.len() != known.len || about.modified().ok() != Some(known.modified)
    })
}

/// Where a fetched file belongs.
struct Target {
    root: PathBuf,
    rest: PathBuf,
}

fn target(below: &str, roots: &[Root], sources: &SyncSources) -> Option<Target> {
    let found = roots.iter().find_map(|root| {
        let rest = Path::new(below).strip_prefix(&root.below).ok()?;
        Some(Target { root: root.host.clone(), rest: rest.to_owned() })
    })?;
    (!found.rest.as_os_str().is_empty() && sources.allows(&found.file())).then_some(found)
}

/// A part of the stream.
struct TarMember<'a> {
    stream: &'a File,
    at: u64,
    len: u64,
}

impl Target {
    fn file(&self) -> PathBuf {
        self.root.join(&self.rest)
    }

    /// Puts the file in its place at once, or not at all.
    fn write(&self, part: &TarMember<'_>, mode: u32) -> Result<(), SyncError> {
        let file = self.file();
        let failed = |act| SyncError::file(act, &file);
        let folder = self.make_folders().map_err(failed("make the folder of"))?;
        let permissions = match std::fs::symlink_metadata(&file) {
            Ok(about) if about.is_file() => about.permissions(),
            Ok(_) => return Err(failed("replace")(io::Error::other("it is not a regular file"))),
            Err(_) => Permissions::from_mode(0o600 | mode & 0o100),
        };
        let mut temp = tempfile::Builder::new()
            .prefix(".hermes-fetch-")
            .tempfile_in(folder)
            .map_err(failed("write beside"))?;
        let mut buffer = vec![0; COPY_SIZE];
        let mut done = 0;
        while done < part.len {
            let wanted = usize::try_from(part.len - done).unwrap_or(COPY_SIZE).min(COPY_SIZE);
            let chunk = &mut buffer[..wanted];
            part.stream.read_exact_at(chunk, part.at + done).map_err(failed("read"))?;
            temp.write_all(chunk).map_err(failed("write"))?;
            done += wanted as u64;
        }
        temp.as_file().set_permissions(permissions).map_err(failed("set permissions of"))?;
        temp.as_file().sync_all().map_err(failed("flush"))?;
        temp.persist(&file).map(drop).map_err(|error| failed("replace")(error.error))
    }

    /// Makes the folders down to the file; one that is a link is not entered.
    fn make_folders(&self) -> io::Result<PathBuf> {
        let mut folder = self.root.clone();
        for part in self.rest.parent().into_iter().flat_map(Path::components) {
            folder.push(part);
            match std::fs::symlink_metadata(&folder) {
                Ok(about) if about.is_dir() => {}
                Ok(_) => {
                    let what = format!("{} is a link or a file", folder.display());
                    return Err(io::Error::other(what));
                }
                Err(_) => DirBuilder::new().mode(0o700).create(&folder)?,
            }
        }
        Ok(folder)
    }
}
