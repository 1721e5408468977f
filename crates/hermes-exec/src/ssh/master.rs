//! The connection: one `ssh` process that all others use.
//!
//! It is our child and dies with us. Others find it by a socket in a folder that only the user can
//! enter; each backend has a socket of its own, so that two of them never share a connection that
//! one of them ends.

use std::io::{self, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hermes_process::{Child, Command, OutputMode, OutputPipe, ProcessError};
use hermes_tool::Vars;
use sha2::{Digest as _, Sha256};
use tokio::io::AsyncReadExt as _;
use tokio::time::{sleep, timeout};

use crate::backend::BackendKind;
use crate::environment::random_id;
use crate::error::ExecError;
use crate::settings::SshSettings;

/// How long it may take until the connection stands.
const CONNECT_LIMIT: Duration = Duration::from_secs(15);
/// Between two looks at a connection that is being made.
const PAUSE: Duration = Duration::from_millis(10);
/// How long a master may take to greet who connects; it does so in less than a millisecond.
const GREETING_LIMIT: Duration = Duration::from_secs(1);
/// How long a master may take to leave.
const LEAVE_LIMIT: Duration = Duration::from_secs(2);
/// Words of a failed master that are kept.
const MOST_WORDS: u64 = 8 * 1024;

/// The longest folder for temporary files that leaves room for a socket's name.
const LONGEST_TEMP: usize = 40;

/// Where a new backend's socket will be.
pub(crate) fn socket(settings: &SshSettings, process: &Vars) -> PathBuf {
    // The client reads blanks and percent signs of the path in its own way.
    let plain = |path: &&str| {
        let usual = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
        path.starts_with('/') && path.len() <= LONGEST_TEMP && path.chars().all(usual)
    };
    let temp = process.get("TMPDIR").filter(plain).unwrap_or("/tmp");
    let SshSettings { host, user, port, .. } = settings;
    let target = Sha256::digest(format!("{user}@{host}:{port}"));
    let target: String = target[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    let folder = format!("hermes-ssh-{}", nix::unistd::getuid());
    Path::new(temp).join(folder).join(format!("{target}-{}.sock", random_id()))
}

/// Whether somebody listens at a socket. Exact and quick: the kernel answers.
pub(crate) fn listens(socket: &Path) -> bool {
    UnixStream::connect(socket).is_ok()
}

/// Whether the one who listens at a socket also speaks. A master that is being killed listens for a
/// moment longer than its sessions live, but it greets nobody any more.
pub(crate) fn greets(socket: &Path) -> bool {
    let Ok(mut stream) = UnixStream::connect(socket) else { return false };
    let mut word = [0];
    stream.set_read_timeout(Some(GREETING_LIMIT)).is_ok() && stream.read_exact(&mut word).is_ok()
}

/// A connection that stands.
pub(crate) struct Master(Child);

/// Why there is none.
pub(crate) enum NoMaster {
    /// It could not be tried.
    Error(ExecError),
    /// What the client said.
    Said(String),
}

impl From<ProcessError> for NoMaster {
    fn from(error: ProcessError) -> Self {
        Self::Error(error.into())
    }
}

impl Master {
    /// Makes a connection with a command that stays in the foreground.
    pub(crate) async fn start(command: Command, socket: &Path) -> Result<Self, NoMaster> {
        ready_folder(socket).map_err(NoMaster::Error)?;
        let mut child = command.output(OutputMode::Separate).spawn()?;
        let words = child.take_stderr().map(|pipe| tokio::spawn(listen(pipe)));
        let begun = Instant::now();
        loop {
            // Made once the login has succeeded.
            if listens(socket) {
                return Ok(Self(child));
            }
            let failed = child.try_wait()?.is_some();
            if failed || begun.elapsed() > CONNECT_LIMIT {
                drop(child);
                let said = match words {
                    Some(words) => timeout(Duration::from_secs(1), words).await,
                    None => Ok(Ok(String::new())),
                };
                let said = said.ok().and_then(Result::ok).unwrap_or_default();
                let late = if failed { "" } else { "Connection timed out" };
                return Err(NoMaster::Said(format!("{said}{late}")));
            }
            sleep(PAUSE).await;
        }
    }

    /// Waits for a master that was told to leave, and makes it leave if it does not.
    pub(crate) async fn leave(mut self) {
        if timeout(LEAVE_LIMIT, self.0.wait()).await.is_err() {
            let _ = self.0.kill().await;
        }
    }
}

/// Reads what a master says, to the end: it must never stand still because nobody listens.
async fn listen(mut pipe: OutputPipe) -> String {
    let mut words = Vec::new();
    let _ = (&mut pipe).take(MOST_WORDS).read_to_end(&mut words).await;
    let words = String::from_utf8_lossy(&words).into_owned();
    let _ = tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await;
    if !words.is_empty() {
        tracing::debug!(words, "the ssh connection has ended");
    }
    words
}

/// Makes the sockets' folder, if need be, and removes from it what nobody uses any more.
fn ready_folder(socket: &Path) -> Result<(), ExecError> {
    let folder = socket.parent().unwrap_or(Path::new("/"));
    let failed = |act| {
        let path = folder.display().to_string();
        move |source| ExecError::File { act, path, source }
    };
    match std::fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(failed("make")(error));
        }
        _ => {}
    }
    let about = std::fs::symlink_metadata(folder).map_err(failed("look at"))?;
    if !about.is_dir() || about.uid() != nix::unistd::getuid().as_raw() {
        let why = format!(
            "{} belongs to somebody else, who could use our connections; remove it or set TMPDIR",
            folder.display()
        );
        return Err(ExecError::NotStarted { backend: BackendKind::Ssh, why });
    }
    if about.mode() & 0o077 != 0 {
        let private = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(folder, private).map_err(failed("close"))?;
    }
    for entry in std::fs::read_dir(folder).map_err(failed("list"))?.flatten() {
        let path = entry.path();
        // Left by a connection that was killed.
        if path.extension().is_some_and(|end| end == "sock") && !listens(&path) {
            let _ = std::fs::remove_file(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    fn settings() -> SshSettings {
        SshSettings {
            host: "box".into(),
            user: "ada".into(),
            port: 22,
            key: None,
            force_sync: false,
        }
    }

    fn temp_is(folder: &str) -> Vars {
        [("TMPDIR".to_owned(), folder.to_owned())].into_iter().collect()
    }

    #[test]
    fn sockets_have_short_plain_names_of_their_own() {
        for (temp, base) in [
            ("/var/tmp", "/var/tmp"),
            ("/with blank", "/tmp"),
            ("/with%percent", "/tmp"),
            ("relative", "/tmp"),
            ("/a/folder/so/deep/that/no/socket/fits/into/it", "/tmp"),
        ] {
            let path = socket(&settings(), &temp_is(temp));
            assert_eq!(path.parent().and_then(Path::parent), Some(Path::new(base)), "{temp}");
            // The client adds a few characters while it makes the socket.
            assert!(path.as_os_str().len() < 108 - 17, "{path:?}");
        }
        let vars = Vars::default();
        assert_ne!(socket(&settings(), &vars), socket(&settings(), &vars));
    }

    #[test]
    fn the_folder_is_closed_to_others_and_cleared_of_dead_sockets() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("sockets");
        std::fs::create_dir(&folder).unwrap();
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
        drop(UnixListener::bind(folder.join("dead.sock")).unwrap());
        let _alive = UnixListener::bind(folder.join("alive.sock")).unwrap();
        ready_folder(&folder.join("new.sock")).unwrap();
        assert!(!folder.join("dead.sock").exists());
        assert!(folder.join("alive.sock").exists());
        assert_eq!(std::fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_folder_that_is_a_link_is_not_trusted() {
        let temp = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/", temp.path().join("sockets")).unwrap();
        let error = ready_folder(&temp.path().join("sockets/new.sock")).unwrap_err();
        assert!(error.to_string().contains("belongs to somebody else"), "{error}");
    }
}
