//! Commands on this machine, and the sandbox they run in (`terminal.sandbox`).

use std::path::{Path, PathBuf};

use hermes_tool::settings::{SettingWords, Settings};

use super::SettingSources;
use crate::settings::error::TerminalSettingsError;
use crate::settings::expand::everything;
use crate::settings::values::Texts;

/// Start-up files, when none are chosen.
const INIT_FILES: [&str; 3] = ["~/.profile", "~/.bash_profile", "~/.bashrc"];

/// What commands on this machine may do, by the kernel's own means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, SettingWords)]
pub enum SandboxMode {
    /// Whatever the user may.
    #[default]
    #[setting(also("no", "false", "0"), bool = false)]
    Off,
    /// Only what is listed is written.
    #[setting(word = "read-only")]
    ReadOnly,
    /// Only the working directory, temporary files and what is listed are written.
    #[setting(word = "workspace-write")]
    WorkspaceWrite,
}

/// The keys of the section that are about this machine, as they are written.
#[derive(Settings)]
#[settings(path = "terminal", open, variables = "TERMINAL_")]
struct LocalSection {
    /// Files read when a shell starts; those of your login shell if none are named.
    #[setting(file_only)]
    shell_init_files: Texts,
    /// Read .bashrc when a shell starts.
    #[setting(default = true, file_only)]
    auto_source_bashrc: bool,
    /// What the kernel lets local commands write: anything, nothing, or the working directory and temporary files.
    sandbox: SandboxMode,
    /// Whether commands in that sandbox reach the network.
    #[setting(default = true)]
    sandbox_network: bool,
    /// Further paths commands in that sandbox may write to.
    sandbox_writable: Texts,
    /// Most MB of address space of a process of a local command; 0 for no limit.
    local_memory: u64,
    /// Most MB of a file that a local command writes; 0 for no limit.
    local_file_size: u64,
    /// Most processes of the account while a local command runs; 0 for no limit. Root has no limit.
    local_processes: u64,
}

/// Limits of every process of a command, by the kernel's own means; zero is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShellLimits {
    /// Address space of a process.
    pub memory_mb: u64,
    /// Length of a file it writes.
    pub file_mb: u64,
    /// Processes of the account.
    pub processes: u64,
}

impl ShellLimits {
    /// What a shell runs first, so that it and all it starts keep to them. A limit that is lower already stays.
    #[must_use]
    pub(crate) fn prologue(self) -> String {
        let limits =
            [('v', self.memory_mb * 1024), ('f', self.file_mb * 1024), ('u', self.processes)];
        let wanted = limits.into_iter().filter(|(_, most)| *most > 0);
        wanted.map(|(letter, most)| format!("ulimit -{letter} {most} 2>/dev/null; ")).collect()
    }
}

/// How commands run on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalSettings {
    /// Start-up files in their order, with `~` and variables replaced. Those that are not there are
    /// to be skipped.
    pub init_files: Vec<String>,
    /// What commands may do.
    pub sandbox: SandboxMode,
    /// Whether commands in a sandbox reach the network.
    pub sandbox_network: bool,
    /// What commands in a sandbox may write to beyond the usual.
    pub sandbox_writable: Vec<PathBuf>,
    /// What the kernel refuses them beyond a size.
    pub limits: ShellLimits,
}

impl LocalSettings {
    pub(super) fn read(sources: &SettingSources<'_>) -> Result<Self, TerminalSettingsError> {
        let written: LocalSection = sources.section()?;
        let mut files = written.shell_init_files.0;
        if files.is_empty() && written.auto_source_bashrc {
            files = INIT_FILES.map(str::to_owned).to_vec();
        }
        let expanded = |path: &String| everything(path, sources.vars);
        Ok(Self {
            init_files: files
                .iter()
                .map(|file| expanded(file).to_string_lossy().into_owned())
                .collect(),
            sandbox: written.sandbox,
            sandbox_network: written.sandbox_network,
            sandbox_writable: written.sandbox_writable.0.iter().map(expanded).collect(),
            limits: ShellLimits {
                memory_mb: written.local_memory,
                file_mb: written.local_file_size,
                processes: written.local_processes,
            },
        })
    }

    /// Where commands may write, if that is limited at all; they begin in `workspace`.
    pub(crate) fn writable_places(&self, workspace: &Path) -> Option<Vec<PathBuf>> {
        let mut places = match self.sandbox {
            SandboxMode::Off => return None,
            SandboxMode::ReadOnly => Vec::new(),
            SandboxMode::WorkspaceWrite => vec![workspace.to_owned(), std::env::temp_dir()],
        };
        places.extend(self.sandbox_writable.iter().cloned());
        Some(places)
    }
}
