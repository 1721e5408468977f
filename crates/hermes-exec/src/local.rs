//! This machine.
//!
//! A session's files are in a folder of our own, in memory if there is some for that. We hold a
//! lock on it for as long as we live, so that another one can tell a folder in use from one whose
//! owner was killed, and remove the latter ([`sweep`]).

use std::collections::BTreeMap;
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;
use hermes_approval::Place;
use hermes_process::{Command, Confinement, Network};
use tempfile::TempDir;

use crate::backend::{Backend, BackendKind, Reach, Shell, ShellCall, Variables};
use crate::error::ExecError;
use crate::settings::{LocalSettings, Sandbox};

/// Memory-backed places for the session's files: a snapshot is written with every command, and
/// no disk should be waited for.
const QUICK_PLACES: [&str; 2] = ["/dev/shm", "/run/shm"];
/// What the names of our folders begin with.
const PREFIX: &str = "hermes-local-";
/// How often a new folder may be taken for a deserted one before it is locked.
const ATTEMPTS: u32 = 10;

/// What the local backend needs to know.
#[derive(Clone, Debug, Default)]
pub struct LocalOptions {
    /// Variables of the first shell, already without secrets.
    pub variables: BTreeMap<String, String>,
    /// Where commands begin.
    pub cwd: PathBuf,
    /// Start-up files read for the first snapshot.
    pub init_files: Vec<String>,
    /// Where the session's files go; memory, if the system has some for that, if `None`.
    pub temp_dir: Option<PathBuf>,
    /// What commands may not do, by the kernel's own means.
    pub confinement: Option<Confinement>,
}

/// Commands on this machine.
#[derive(Debug)]
pub struct Local {
    bash: PathBuf,
    options: LocalOptions,
    /// For the session's own files, which even a confined command may write.
    folder: TempDir,
    /// Says that the folder is in use.
    _lock: File,
}

impl Local {
    /// Finds a shell.
    pub fn new(options: LocalOptions) -> Result<Self, ExecError> {
        let path = options.variables.get("PATH").map_or("", String::as_str);
        let shell = options.variables.get("SHELL").map(PathBuf::from);
        let found = std::env::split_paths(path)
            .map(|folder| folder.join("bash"))
            .chain(["/usr/bin/bash", "/bin/bash"].map(PathBuf::from))
            .chain(shell.filter(|shell| shell.ends_with("bash")))
            .find(|candidate| candidate.is_absolute() && candidate.is_file());
        match found {
            Some(bash) => {
                let (folder, lock) = own_folder(&options)?;
                let mut options = options;
                options.confinement =
                    options.confinement.map(|confinement| confinement.writable(folder.path()));
                Ok(Self { bash, options, folder, _lock: lock })
            }
            None => Err(ExecError::Unavailable {
                backend: BackendKind::Local,
                why: "bash was not found in PATH; install it".into(),
            }),
        }
    }
}

impl Backend for Local {
    fn kind(&self) -> BackendKind {
        BackendKind::Local
    }

    fn place(&self) -> Place {
        Place::Local
    }

    fn reach(&self) -> Reach {
        Reach::Local
    }

    fn client(&self, call: &ShellCall<'_>) -> Command {
        let mut command = Command::new(&self.bash).cwd("/");
        if call.shell == Shell::Login {
            command = command.arg("-l");
        }
        command = command.args(["-c", call.script]);
        command = match call.variables {
            Variables::Surroundings => command.envs(&self.options.variables),
            Variables::Kept(kept) => command.envs(kept.iter().cloned()),
            Variables::Snapshot => command,
        };
        match &self.options.confinement {
            Some(confinement) => command.confine(confinement.clone()),
            None => command,
        }
    }

    fn temp_dir(&self) -> String {
        self.folder.path().to_string_lossy().into_owned()
    }

    fn first_cwd(&self) -> String {
        self.options.cwd.to_string_lossy().into_owned()
    }

    fn init_files(&self) -> Vec<String> {
        self.options.init_files.clone()
    }

    fn clean_up(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

/// What the settings ask the kernel to enforce.
pub(crate) fn confinement(settings: &LocalSettings, workspace: &Path) -> Option<Confinement> {
    let mut confinement = match settings.sandbox {
        Sandbox::Off => return None,
        Sandbox::ReadOnly => Confinement::read_only(),
        Sandbox::WorkspaceWrite => {
            Confinement::read_only().writable(workspace).writable(std::env::temp_dir())
        }
    };
    for path in &settings.sandbox_writable {
        confinement = confinement.writable(path);
    }
    let network = if settings.sandbox_network { Network::Allowed } else { Network::UnixSockets };
    Some(confinement.network(network))
}

/// A folder nobody else can enter, and the lock on it.
fn own_folder(options: &LocalOptions) -> Result<(TempDir, File), ExecError> {
    let place = match &options.temp_dir {
        Some(place) => place.clone(),
        None => QUICK_PLACES
            .iter()
            .map(PathBuf::from)
            .find(|place| place.is_dir() && is_writable(place))
            .unwrap_or_else(std::env::temp_dir),
    };
    sweep(&place);
    locked_folder(&place).map_err(|source| ExecError::File {
        act: "make a folder in",
        path: place.display().to_string(),
        source,
    })
}

fn locked_folder(place: &Path) -> io::Result<(TempDir, File)> {
    for _ in 0..ATTEMPTS {
        let folder = tempfile::Builder::new()
            .prefix(PREFIX)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(place)?;
        // Somebody may sweep it away before it is locked, but not after.
        let locked =
            File::open(folder.path()).and_then(|file| Ok(file.try_lock().map(|()| file)?));
        match locked {
            Ok(lock) if folder.path().is_dir() => return Ok((folder, lock)),
            Err(error)
                if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::WouldBlock) =>
            {
                return Err(error);
            }
            _ => {}
        }
    }
    Err(io::Error::other("new folders are removed by somebody else"))
}

/// Removes the folders of those who were killed before they could. What cannot be removed is left.
fn sweep(place: &Path) {
    let own = nix::unistd::getuid().as_raw();
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX)
            && entry.metadata().is_ok_and(|about| about.is_dir() && about.uid() == own);
        // A lock ends with its holder, however that ends and in whichever container it ran.
        if is_ours
            && let Ok(folder) = File::open(entry.path())
            && folder.try_lock().is_ok()
        {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn is_writable(place: &Path) -> bool {
    nix::unistd::access(place, nix::unistd::AccessFlags::W_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_in_use_is_closed_to_others_and_a_deserted_one_is_swept_away() {
        let place = tempfile::tempdir().unwrap();
        let (in_use, _lock) = locked_folder(place.path()).unwrap();
        let (deserted, lock) = locked_folder(place.path()).unwrap();
        let deserted = deserted.keep();
        File::create_new(deserted.join("snapshot.sh")).unwrap();
        let foreign = place.path().join("hermes-other");
        std::fs::create_dir(&foreign).unwrap();
        sweep(place.path());
        assert!(deserted.exists(), "its owner still lives");
        drop(lock);
        sweep(place.path());
        assert!(!deserted.exists());
        assert!(in_use.path().exists() && foreign.exists());
        assert_eq!(std::fs::metadata(in_use.path()).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_link_is_not_swept_away_nor_what_it_leads_to() {
        let place = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let link = place.path().join("hermes-local-link");
        std::os::unix::fs::symlink(elsewhere.path(), &link).unwrap();
        sweep(place.path());
        assert!(link.is_symlink() && elsewhere.path().is_dir());
    }
}
