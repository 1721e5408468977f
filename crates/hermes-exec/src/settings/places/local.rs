//! Commands on this machine.

use std::path::PathBuf;

use super::Sources;
use crate::settings::error::SettingsError;
use crate::settings::expand::everything;
use crate::settings::reader::Reader;

/// Start-up files, when none are chosen.
const INIT_FILES: [&str; 3] = ["~/.profile", "~/.bash_profile", "~/.bashrc"];

/// What commands on this machine may do, by the kernel's own means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sandbox {
    /// Whatever the user may.
    #[default]
    Off,
    /// Only what is listed is written.
    ReadOnly,
    /// Only the working directory, temporary files and what is listed are written.
    WorkspaceWrite,
}

/// How commands run on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalSettings {
    /// Start-up files in their order, with `~` and variables replaced. Those that are not there are
    /// to be skipped.
    pub init_files: Vec<String>,
    /// What commands may do.
    pub sandbox: Sandbox,
    /// Whether commands in a sandbox reach the network.
    pub sandbox_network: bool,
    /// What commands in a sandbox may write to beyond the usual.
    pub sandbox_writable: Vec<PathBuf>,
}

impl LocalSettings {
    pub(super) fn read(sources: &Sources<'_>) -> Result<Self, SettingsError> {
        let (reader, vars) = (sources.reader, sources.vars);
        let mut files = reader.key("shell_init_files").map_or(Ok(Vec::new()), |it| it.texts())?;
        let automatic = reader.key("auto_source_bashrc").map_or(Ok(true), |it| it.flag())?;
        if files.is_empty() && automatic {
            files = INIT_FILES.map(str::to_owned).to_vec();
        }
        let expanded = |path: &String| everything(path, vars);
        Ok(Self {
            init_files: files
                .iter()
                .map(|file| expanded(file).to_string_lossy().into_owned())
                .collect(),
            sandbox: sandbox(reader)?,
            sandbox_network: reader.flag("sandbox_network", true)?,
            sandbox_writable: reader.texts("sandbox_writable")?.iter().map(expanded).collect(),
        })
    }
}

fn sandbox(reader: &Reader<'_>) -> Result<Sandbox, SettingsError> {
    let words = [
        ("off", Sandbox::Off),
        ("read-only", Sandbox::ReadOnly),
        ("workspace-write", Sandbox::WorkspaceWrite),
    ];
    let Some(found) = reader.get("sandbox") else { return Ok(Sandbox::Off) };
    // YAML reads a bare `off` as false.
    match found.flag() {
        Ok(false) => Ok(Sandbox::Off),
        Ok(true) | Err(_) => found.one_of(&words),
    }
}
