//! Writing a platform's choice of toolsets back to the configuration.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::{RegisteredTools, Toolsets, means_everything};
use super::{NO_MCP, PlatformRequest};

/// One key of the configuration and its new value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigEdit {
    /// The keys from the document's root down.
    pub path: Vec<String>,
    /// What to store there.
    pub value: Value,
}

impl ConfigEdit {
    pub(super) fn new<const N: usize>(path: [&str; N], value: Value) -> Self {
        Self { path: path.map(str::to_owned).to_vec(), value }
    }
}

impl Toolsets {
    /// The edits that make `chosen` the toolsets of a platform.
    ///
    /// The list is written out in full: presets and `no_mcp` go, since from now on the names
    /// themselves say what is on. Names that cannot be chosen in a dialog (servers, custom
    /// toolsets, names of another version) stay as they are. The plugins' toolsets of today are
    /// recorded, so that a later resolution can tell a new one from one that was left out. What
    /// is chosen is taken off the list of toolsets disabled everywhere.
    pub fn save_platform(
        &self,
        request: &PlatformRequest<'_>,
        chosen: &BTreeSet<String>,
        registered: &dyn RegisteredTools,
    ) -> Vec<ConfigEdit> {
        self.save_without(request, chosen, &BTreeSet::new(), registered)
    }

    /// The same, also dropping some of the names that would otherwise stay.
    pub(super) fn save_without(
        &self,
        request: &PlatformRequest<'_>,
        chosen: &BTreeSet<String>,
        dropped: &BTreeSet<String>,
        registered: &dyn RegisteredTools,
    ) -> Vec<ConfigEdit> {
        let settings = request.settings;
        let before = settings.listed.as_deref().unwrap_or_default();
        let keeps = |name: &&String| !request.is_selectable(self, name) && !dropped.contains(*name);
        let kept: BTreeSet<&String> = before.iter().filter(keeps).collect();
        let implied = self.always_on(request, registered);
        // Servers are on without being named; naming one would switch the others off.
        let wanted = chosen.iter().filter(|name| {
            request.allows(self, name) && !implied.contains(name) && !request.is_server(self, name)
        });
        let written: BTreeSet<&String> = kept
            .into_iter()
            .chain(wanted)
            .filter(|name| {
                !self.is_preset(name, registered) && !means_everything(name) && *name != NO_MCP
            })
            .collect();

        let known: BTreeSet<&String> = settings
            .known_plugins
            .iter()
            .chain(request.plugin_toolsets.iter().filter(|name| request.is_plugin(self, name)))
            .collect();
        let disabled: Vec<&String> =
            settings.disabled.iter().filter(|name| !chosen.contains(*name)).collect();

        let mut edits = Vec::new();
        let unchanged = settings
            .listed
            .as_ref()
            .is_some_and(|listed| listed.iter().eq(written.iter().copied()));
        if !unchanged {
            edits.push(ConfigEdit::new(["platform_toolsets", request.platform], json!(written)));
        }
        if !known.iter().copied().eq(&settings.known_plugins) {
            edits.push(ConfigEdit::new(["known_plugin_toolsets", request.platform], json!(known)));
        }
        if disabled.len() != settings.disabled.len() {
            edits.push(ConfigEdit::new(["agent", "disabled_toolsets"], json!(disabled)));
        }
        edits
    }
}
