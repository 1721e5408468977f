//! The servers of the configuration, found by name and changed with care.

use std::sync::Arc;

use hermes_mcp::client::settings::{ServerEntry, ServerSettings, TransportSettings, read_servers};
use hermes_store::config_edit::{self, Edit};
use hermes_store::key_path::KeyPath;

use crate::commands::config::tell_lost_comments;
use crate::exit::{UsageError, nearest};
use crate::host::Host;
use crate::ui::Ui;

/// The section of the configuration.
pub(super) const SECTION: &str = "mcp_servers";

/// Every server, usable or not.
pub(super) fn all(host: &Host) -> Vec<ServerEntry> {
    read_servers(host.config().value(), host.vars())
}

/// The server of this name.
pub(super) fn find(host: &Host, name: &str) -> Result<ServerEntry, UsageError> {
    let mut entries = all(host);
    match entries.iter().position(|entry| &*entry.name == name) {
        Some(at) => Ok(entries.swap_remove(at)),
        None => {
            let near = nearest(name, entries.iter().map(|entry| &*entry.name));
            Err(UsageError::unknown("MCP server", name, near, "hermes mcp list"))
        }
    }
}

/// The server of this name, if it can be used.
pub(super) fn usable(host: &Host, name: &str, ui: &mut Ui) -> anyhow::Result<Arc<ServerSettings>> {
    let entry = find(host, name)?;
    for problem in &entry.problems {
        ui.warn(problem)?;
    }
    Ok(entry.settings?)
}

/// The path of a key of a server.
pub(super) fn path(name: &str, keys: &[&str]) -> anyhow::Result<KeyPath> {
    let segments = [SECTION, name].into_iter().chain(keys.iter().copied());
    KeyPath::from_segments(segments.map(str::to_owned))
        .ok_or_else(|| UsageError::new("a server needs a name").into())
}

/// Changes the configuration, keeping its comments.
pub(super) fn edit(host: &Host, edits: &[Edit], ui: &mut Ui) -> anyhow::Result<()> {
    let report = config_edit::apply(&host.home().config_file(), edits)?;
    tell_lost_comments(&report, ui)
}

/// Where a server is, without what may be secret: the program's name, or host and path.
pub(super) fn place(settings: &ServerSettings) -> String {
    match &settings.transport {
        TransportSettings::Stdio(stdio) => {
            let mut words = vec![stdio.command.as_str()];
            words.extend(stdio.args.iter().map(String::as_str));
            let line = words.join(" ");
            hermes_guard::redact::redact(&line, hermes_guard::redact::RedactMode::UrlCredentials)
                .into_owned()
        }
        TransportSettings::Http(http) | TransportSettings::Sse(http) => {
            format!("{}{}", http.url.origin().ascii_serialization(), http.url.path())
        }
    }
}
