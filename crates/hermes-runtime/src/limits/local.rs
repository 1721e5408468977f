//! Spilled results on this machine.
//!
//! The temporary directory is often shared with other users, who may have planted a folder or a
//! link under the well-known name. So the folder must be a real directory of our own, the text goes
//! to a new file that only we can read, and the final name is taken by renaming, which replaces a
//! link instead of following it. Where somebody else already owns `hermes-results`, a new folder
//! with a suffix is made beside it and used from then on.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::SystemTime;

use hermes_tool::BoxFuture;
use tokio::sync::oneshot;

use super::spill::{FileStem, SPILL_FOLDER, SpillStore};

/// Writes spilled results below a directory of this machine.
#[derive(Clone, Debug)]
pub struct LocalSpill {
    temp_dir: PathBuf,
    /// Our own folder, where the well-known one is not ours.
    substitute: Arc<Mutex<Option<PathBuf>>>,
}

impl LocalSpill {
    /// A store in `<temp_dir>/hermes-results`; nothing is touched before the first write.
    pub fn new(temp_dir: impl Into<PathBuf>) -> Self {
        Self { temp_dir: temp_dir.into(), substitute: Arc::default() }
    }

    /// Writes on this thread.
    fn write_now(&self, file_name: &str, content: &str) -> io::Result<PathBuf> {
        let folder = self.temp_dir.join(SPILL_FOLDER);
        match make_folder(&folder).and_then(|()| write_into(&folder, file_name, content)) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                write_into(&self.substitute_folder()?, file_name, content)
            }
            written => written,
        }
    }

    fn substitute_folder(&self) -> io::Result<PathBuf> {
        let mut substitute = self.substitute.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = &*substitute {
            return Ok(folder.clone());
        }
        let folder = self.temp_dir.join(format!("{SPILL_FOLDER}-{}", unique()));
        private_dir_builder().create(&folder)?; // fails on anything that is already there
        Ok(substitute.insert(folder).clone())
    }
}

impl SpillStore for LocalSpill {
    fn write(&self, stem: &FileStem, content: Arc<str>) -> BoxFuture<Result<String, String>> {
        let (store, file_name) = (self.clone(), stem.file_name());
        let (sender, receiver) = oneshot::channel();
        // A thread of its own rather than the runtime's blocking pool: a write stuck on a dead
        // network mount must not keep the runtime from shutting down.
        let spawned = thread::Builder::new().name("hermes-spill".into()).spawn(move || {
            let written = store
                .write_now(&file_name, &content)
                .map_err(|error| format!("{}: {error}", store.temp_dir.display()))
                .and_then(|path| {
                    path.into_os_string()
                        .into_string()
                        .map_err(|path| format!("{} is not Unicode", path.display()))
                });
            let _ = sender.send(written); // nobody waits any more: nothing to do
        });
        Box::pin(async move {
            spawned.map_err(|error| format!("no thread to write on: {error}"))?;
            receiver.await.unwrap_or_else(|_| Err("the writer stopped early".into()))
        })
    }
}

/// Makes the folder, readable by us alone, unless it is there.
fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = private_dir_builder();
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent)?;
    }
    match builder.recursive(false).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Writes a new file in the folder and gives it its name when it is complete. It is not synced to
/// disk: it lives as long as the temporary directory, which does not outlive a crash either.
fn write_into(folder: &Path, file_name: &str, content: &str) -> io::Result<PathBuf> {
    if !fs::symlink_metadata(folder)?.is_dir() {
        return Err(not_ours(folder));
    }
    let temporary = folder.join(format!(".{}.tmp", unique()));
    let target = folder.join(file_name);
    let written = create_private(&temporary).and_then(|mut file| {
        secure_folder(folder, &file)?;
        file.write_all(content.as_bytes())?;
        fs::rename(&temporary, &target)
    });
    if written.is_err() {
        let _ = fs::remove_file(&temporary); // the first error is the one to report
    }
    written.map(|()| target)
}

fn not_ours(folder: &Path) -> io::Error {
    let message = format!("{} is not a folder of our own", folder.display());
    io::Error::new(io::ErrorKind::PermissionDenied, message)
}

/// Different for each call in each process, and hard to foresee for others.
fn unique() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let nanoseconds = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |age| age.subsec_nanos());
    let count = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{}-{nanoseconds}-{count}", std::process::id())
}

#[cfg(unix)]
fn private_dir_builder() -> DirBuilder {
    use std::os::unix::fs::DirBuilderExt;
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

#[cfg(unix)]
fn create_private(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// The folder must belong to whoever owns the file just made in it: us. It is then closed to others.
#[cfg(unix)]
fn secure_folder(folder: &Path, file: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let found = fs::symlink_metadata(folder)?;
    if !found.is_dir() || found.uid() != file.metadata()?.uid() {
        return Err(not_ours(folder));
    }
    if found.mode() & 0o077 != 0 {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn private_dir_builder() -> DirBuilder {
    DirBuilder::new() // the temporary directory belongs to the user here
}

#[cfg(not(unix))]
fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

#[cfg(not(unix))]
fn secure_folder(_: &Path, _: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    async fn spill(store: &LocalSpill, id: &str, content: &str) -> Result<String, String> {
        store.write(&FileStem::for_id(id), Arc::from(content)).await
    }

    fn mode(path: impl AsRef<Path>) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[tokio::test]
    async fn writes_a_private_file_in_a_private_folder() {
        let temp = tempfile::tempdir().unwrap();
        let path = spill(&LocalSpill::new(temp.path()), "call_1", "long text").await.unwrap();
        assert_eq!(Path::new(&path), temp.path().join("hermes-results/call_1.txt"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "long text");
        assert_eq!((mode(&path), mode(temp.path().join(SPILL_FOLDER))), (0o600, 0o700));
        let left = fs::read_dir(temp.path().join(SPILL_FOLDER)).unwrap().count();
        assert_eq!(left, 1, "no temporary file stays behind");
    }

    #[tokio::test]
    async fn a_planted_link_in_place_of_the_folder_is_not_followed() {
        let temp = tempfile::tempdir().unwrap();
        let victim = tempfile::tempdir().unwrap();
        symlink(victim.path(), temp.path().join(SPILL_FOLDER)).unwrap();
        let store = LocalSpill::new(temp.path());
        let first = spill(&store, "call_1", "secret").await.unwrap();
        let second = spill(&store, "call_2", "secret").await.unwrap();
        assert_eq!(fs::read_dir(victim.path()).unwrap().count(), 0);
        let folder = Path::new(&first).parent().unwrap();
        assert!(folder.starts_with(temp.path()) && folder != temp.path().join(SPILL_FOLDER));
        assert_eq!(mode(folder), 0o700);
        assert_eq!(Path::new(&second).parent(), Some(folder), "one substitute is enough");
    }

    #[tokio::test]
    async fn a_planted_link_in_place_of_the_file_is_replaced() {
        let temp = tempfile::tempdir().unwrap();
        let victim = tempfile::NamedTempFile::new().unwrap();
        let folder = temp.path().join(SPILL_FOLDER);
        fs::create_dir(&folder).unwrap();
        symlink(victim.path(), folder.join("call_1.txt")).unwrap();
        let path = spill(&LocalSpill::new(temp.path()), "call_1", "text").await.unwrap();
        assert_eq!(fs::read_to_string(victim.path()).unwrap(), "");
        assert!(fs::symlink_metadata(path).unwrap().is_file());
    }

    #[tokio::test]
    async fn an_open_folder_of_ours_is_closed_to_others() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join(SPILL_FOLDER);
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        spill(&LocalSpill::new(temp.path()), "c", "t").await.unwrap();
        assert_eq!(mode(folder), 0o700);
    }

    #[tokio::test]
    async fn the_same_id_again_replaces_the_file() {
        let temp = tempfile::tempdir().unwrap();
        let store = LocalSpill::new(temp.path());
        spill(&store, "c", "old").await.unwrap();
        let path = spill(&store, "c", "new").await.unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), "new");
    }

    #[tokio::test]
    async fn an_impossible_place_is_named_in_the_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = spill(&LocalSpill::new(file.path()), "c", "t").await.unwrap_err();
        assert!(error.contains(&file.path().display().to_string()), "{error}");
    }
}
