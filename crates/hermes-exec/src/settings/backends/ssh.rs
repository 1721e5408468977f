//! Commands on another machine.

use std::path::PathBuf;

use hermes_tool::settings::Settings;

use super::SettingSources;
use crate::settings::error::TerminalSettingsError;
use crate::settings::values::Word;

/// The keys of the section that are about ssh, as they are written.
#[derive(Settings)]
#[settings(path = "terminal", open, variables = "TERMINAL_")]
struct SshSection {
    /// Host for ssh.
    ssh_host: Option<Word>,
    /// User for ssh.
    ssh_user: Option<Word>,
    /// Port for ssh.
    #[setting(default = 22, range = 1..=u16::MAX)]
    ssh_port: u16,
    /// Key file for ssh; the one ssh would choose if unset.
    ssh_key: Option<String>,
}

/// How commands run on another machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SshSettings {
    /// The machine.
    pub host: String,
    /// The user there.
    pub user: String,
    /// Where sshd listens over there.
    pub port: u16,
    /// The private key, if not the one ssh would choose.
    pub key: Option<PathBuf>,
    /// Whether files are brought over before every command, without a pause between two times.
    pub force_sync: bool,
}

impl SshSettings {
    pub(super) fn read(sources: &SettingSources<'_>) -> Result<Self, TerminalSettingsError> {
        let written: SshSection = sources.section()?;
        let needed = |word: Option<Word>, key: &str| {
            let missing = || TerminalSettingsError::missing::<SshSection>("ssh", key);
            word.map(|word| word.0).ok_or_else(missing)
        };
        Ok(Self {
            host: needed(written.ssh_host, "terminal.ssh_host")?,
            user: needed(written.ssh_user, "terminal.ssh_user")?,
            port: written.ssh_port,
            key: written.ssh_key.map(|key| sources.path(&key)),
            force_sync: sources.vars.is_on("HERMES_FORCE_FILE_SYNC"),
        })
    }
}
