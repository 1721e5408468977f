//! This machine.
//!
//! A session's files are in a folder of our own, in memory if there is some for that. Those of
//! sessions that were killed are removed before.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;
use hermes_approval::ExecutionTarget;
use hermes_process::{Command, Confinement, Network};

use crate::backend::{Backend, BackendKind, FileReach, ShellCall, ShellKind, Variables};
use crate::error::ExecError;
use crate::own_folder::{OwnFolder, sweep};
use crate::settings::{LocalSettings, ShellLimits};

/// Memory-backed folders for the session's files: a snapshot is written with every command, and
/// no disk should be waited for.
const QUICK_PLACES: [&str; 2] = ["/dev/shm", "/run/shm"];
/// What the names of our folders begin with.
const PREFIX: &str = "hermes-local-";

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
    /// How much they may use, by the kernel's own means.
    pub limits: ShellLimits,
}

/// Commands on this machine.
#[derive(Debug)]
pub struct Local {
    bash: PathBuf,
    options: LocalOptions,
    /// For the session's own files, which even a confined command may write.
    folder: OwnFolder,
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
                let folder = own_folder(&options)?;
                let mut options = options;
                options.confinement =
                    options.confinement.map(|confinement| confinement.writable(folder.path()));
                Ok(Self { bash, options, folder })
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

    fn target(&self) -> ExecutionTarget {
        ExecutionTarget::Local
    }

    fn reach(&self) -> FileReach {
        FileReach::Local
    }

    fn client(&self, call: &ShellCall<'_>) -> Command {
        let mut command = Command::new(&self.bash).cwd("/");
        if call.shell == ShellKind::Login {
            command = command.arg("-l");
        }
        let limits = self.options.limits.prologue();
        command = command.arg("-c").arg(format!("{limits}{}", call.script));
        // Before the others: what a conversation set by itself stays.
        command = command.envs(call.granted.iter().cloned());
        command = match call.variables {
            Variables::Inherited => command.envs(&self.options.variables),
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

    fn caller_path(&self) -> Option<String> {
        self.options.variables.get("PATH").cloned()
    }

    fn clean_up(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

/// What the settings ask the kernel to enforce.
pub(crate) fn confinement(settings: &LocalSettings, workspace: &Path) -> Option<Confinement> {
    let places = settings.writable_places(workspace)?;
    let confinement = places.iter().fold(Confinement::read_only(), Confinement::writable);
    let network = if settings.sandbox_network { Network::Allowed } else { Network::UnixSockets };
    Some(confinement.network(network))
}

/// A folder for a session's files.
fn own_folder(options: &LocalOptions) -> Result<OwnFolder, ExecError> {
    let place = match &options.temp_dir {
        Some(place) => place.clone(),
        None => QUICK_PLACES
            .iter()
            .map(PathBuf::from)
            .find(|place| place.is_dir() && is_writable(place))
            .unwrap_or_else(std::env::temp_dir),
    };
    sweep(&place, PREFIX);
    OwnFolder::new(&place, PREFIX).map_err(|source| ExecError::File {
        act: "make a folder in",
        path: place.display().to_string(),
        source,
    })
}

fn is_writable(place: &Path) -> bool {
    nix::unistd::access(place, nix::unistd::AccessFlags::W_OK).is_ok()
}
