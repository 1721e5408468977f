//! Commands on another machine.

use std::path::PathBuf;

use super::Sources;
use crate::settings::error::SettingsError;
use crate::settings::expand::tilde;

/// How commands run on another machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SshSettings {
    /// The machine.
    pub host: String,
    /// The user there.
    pub user: String,
    /// The port.
    pub port: u16,
    /// The private key, if not the one ssh would choose.
    pub key: Option<PathBuf>,
    /// Whether files are brought over before every command, without a pause between two times.
    pub force_sync: bool,
}

impl SshSettings {
    pub(super) fn read(sources: &Sources<'_>) -> Result<Self, SettingsError> {
        let (reader, vars) = (sources.reader, sources.vars);
        let key = reader.get("ssh_key").map(|found| found.text()).transpose()?;
        let port = reader.get("ssh_port").map_or(Ok(22), |it| it.whole(1..=u16::MAX.into()))?;
        Ok(Self {
            host: reader.needed("ssh", "ssh_host")?,
            user: reader.needed("ssh", "ssh_user")?,
            port: u16::try_from(port).unwrap_or(u16::MAX),
            key: key.map(|key| tilde(&key, vars)),
            force_sync: vars.is_on("HERMES_FORCE_FILE_SYNC"),
        })
    }
}
