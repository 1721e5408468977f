//! From a platform's configured list to the toolsets it gets.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::{RegisteredTools, ToolsetKind, Toolsets, means_everything};
use super::{NO_MCP, PlatformRequest};

impl Toolsets {
    /// The toolsets a platform gets, sorted.
    pub fn for_platform(
        &self,
        request: &PlatformRequest<'_>,
        registered: &dyn RegisteredTools,
    ) -> Vec<String> {
        let settings = request.settings;
        let fallback = [self.catalog().preset_of(request.platform).into_owned()];
        let listed = settings.listed.as_deref().unwrap_or(&fallback);
        let mut chosen = self.configurable(request, listed, registered);
        chosen.extend(self.always_on(request, registered));
        chosen.extend(self.plugins(request, listed));
        let emptied = settings.listed.as_ref().is_some_and(Vec::is_empty);
        if settings.context_engine.is_some() && !emptied {
            chosen.extend(self.catalog().context_engine.map(str::to_owned));
        }
        if let Some(listed) = &settings.listed {
            chosen.extend(self.unknown(request, listed, registered));
        }
        chosen.extend(self.servers(request, listed));
        chosen.retain(|name| !settings.disabled.contains(name));
        chosen.into_iter().collect()
    }

    /// Configurable toolsets: those listed by name, and those that lie within what the other
    /// listed names stand for.
    fn configurable(
        &self,
        request: &PlatformRequest<'_>,
        listed: &[String],
        registered: &dyn RegisteredTools,
    ) -> BTreeSet<String> {
        let allowed = |name: &&str| request.allows(self, name);
        let catalog = self.catalog();
        let (selectable, composite): (Vec<&str>, Vec<&str>) =
            listed.iter().map(String::as_str).partition(|name| request.is_selectable(self, name));
        let mut chosen: BTreeSet<String> = selectable
            .into_iter()
            .filter(|name| catalog.choices.contains(name))
            .filter(allowed)
            .map(str::to_owned)
            .collect();
        let offered = self.resolve_each(composite, registered);
        let inferred = catalog
            .choices
            .iter()
            .copied()
            .filter(allowed)
            .filter(|name| self.lies_within(name, &offered))
            .filter(|name| !self.stays_off(request, name));
        chosen.extend(inferred.map(str::to_owned));
        if request.settings.listed.is_none() {
            let joining = catalog.joining.iter().filter(|name| request.is_set_up(name));
            chosen.extend(joining.map(|name| (*name).to_owned()));
        }
        chosen
    }

    /// Whether a toolset has tools and `offered` has them all. Only listed tools count: what
    /// happens to be registered today must not change what a saved list means.
    fn lies_within(&self, name: &str, offered: &BTreeSet<Arc<str>>) -> bool {
        let tools = self.resolve_defined(name);
        !tools.is_empty() && tools.iter().all(|tool| offered.contains(tool))
    }

    /// Built-in toolsets of the platform that nobody can switch on or off by name, so that a
    /// saved list never mentions them: without this, saving a list would lose them.
    pub(super) fn always_on(
        &self,
        request: &PlatformRequest<'_>,
        registered: &dyn RegisteredTools,
    ) -> Vec<String> {
        let preset = self.catalog().preset_of(request.platform);
        let offered = self.resolve_each([&*preset], registered);
        let choosable: BTreeSet<Arc<str>> =
            self.catalog().choices.iter().flat_map(|name| self.resolve_defined(name)).collect();
        let leaves = self.definitions().filter(|(name, set)| {
            self.is_builtin(name)
                && set.includes.is_empty()
                && !set.tools.is_empty()
                && set.tools.iter().all(|tool| offered.contains(tool) && !choosable.contains(tool))
        });
        leaves.map(|(name, _)| name.to_string()).collect()
    }

    /// Plugins' toolsets: a new one is on until somebody saves a list without it.
    fn plugins(&self, request: &PlatformRequest<'_>, listed: &[String]) -> Vec<String> {
        let on = |name: &&String| {
            request.is_plugin(self, name)
                && (listed.contains(name)
                    || (!self.catalog().default_off.contains(&name.as_str())
                        && !request.settings.known_plugins.contains(name)))
        };
        request.plugin_toolsets.iter().filter(on).cloned().collect()
    }

    /// Listed names that belong to none of the groups with rules of their own: custom toolsets,
    /// compositions, and names that may mean something later.
    fn unknown(
        &self,
        request: &PlatformRequest<'_>,
        listed: &[String],
        registered: &dyn RegisteredTools,
    ) -> Vec<String> {
        let passes = |name: &&String| {
            !request.is_selectable(self, name)
                && !self.is_preset(name, registered)
                && !means_everything(name)
                && *name != NO_MCP
                && !request.is_server(self, name)
        };
        listed.iter().filter(passes).cloned().collect()
    }

    pub(super) fn is_preset(&self, name: &str, registered: &dyn RegisteredTools) -> bool {
        self.step(name, registered).is_some_and(|step| step.kind == ToolsetKind::Preset)
    }

    /// Whether a toolset that nobody listed by name stays off on this platform.
    fn stays_off(&self, request: &PlatformRequest<'_>, toolset: &str) -> bool {
        let native = self.catalog().native_platform(toolset) == Some(request.platform);
        let wanted = toolset == request.platform
            || request.is_set_up(toolset)
            || (native && request.settings.listed.is_some());
        self.catalog().default_off.contains(&toolset) && !wanted
    }

    /// MCP servers: the listed ones if any is listed, otherwise all that are enabled.
    fn servers(&self, request: &PlatformRequest<'_>, listed: &[String]) -> Vec<String> {
        if listed.iter().any(|name| name == NO_MCP) {
            return Vec::new();
        }
        let enabled = request.mcp_servers;
        let is_named =
            |server: &&String| listed.iter().any(|name| request.means_server(self, name, server));
        let mut named: Vec<&String> = enabled.iter().filter(is_named).collect();
        if named.is_empty() {
            named.extend(enabled);
        }
        named.into_iter().map(|server| request.server_toolset(self, server)).collect()
    }
}
