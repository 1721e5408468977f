//! The registry's tables at one moment.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hermes_tool::{Check, DEFAULT_EMOJI, Origin, Tool};
use rustc_hash::FxHashMap;
use tracing::{debug, error, info, warn};

use super::{Clash, MCP_PREFIX, Registered, RegistryError};
use crate::toolsets::RegisteredTools;

/// What was registered at one moment; never changes.
#[derive(Clone, Default)]
pub struct Snapshot {
    /// Looked up on every call. A hasher that resists chosen keys would cost as much as the rest of
    /// the lookup; all an adversary could win here is a slow registry of his own tools.
    tools: FxHashMap<Arc<str>, Tool>,
    toolsets: BTreeMap<Arc<str>, BTreeSet<Arc<str>>>,
    /// The first check seen for each toolset. For display: a toolset is judged by its tools.
    toolset_checks: BTreeMap<Arc<str>, Check>,
    aliases: BTreeMap<Arc<str>, Arc<str>>,
    /// Names that tools had before, and the tools that had them.
    older_names: BTreeMap<Arc<str>, Arc<str>>,
    platforms: BTreeSet<Arc<str>>,
    trusted_plugins: BTreeSet<Arc<str>>,
    generation: u64,
}

impl Snapshot {
    /// The counter that every visible change raises.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// How many tools there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The tool of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.tools.get(name)
    }

    /// The tool that used to have this name, while no tool has it now.
    #[must_use]
    pub fn renamed(&self, name: &str) -> Option<&Tool> {
        if self.tools.contains_key(name) {
            return None;
        }
        self.get(self.older_names.get(name)?)
    }

    /// Names that tools had before, each with the present one, sorted.
    pub fn older_names(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<str>)> {
        self.older_names.iter()
    }

    /// All names, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<Arc<str>> {
        let mut names: Vec<_> = self.tools.keys().cloned().collect();
        names.sort();
        names
    }

    /// All tools, sorted by name.
    #[must_use]
    pub fn tools(&self) -> Vec<&Tool> {
        let mut tools: Vec<_> = self.tools.values().collect();
        tools.sort_by(|a, b| a.name().cmp(b.name()));
        tools
    }

    /// The toolset that owns a tool.
    #[must_use]
    pub fn toolset_of(&self, name: &str) -> Option<&Arc<str>> {
        self.get(name).map(Tool::toolset)
    }

    /// Names of the tools of a toolset, sorted.
    pub fn tools_in(&self, toolset: &str) -> impl Iterator<Item = &Arc<str>> {
        self.toolsets.get(toolset).into_iter().flatten()
    }

    /// Toolsets that own at least one tool, sorted.
    pub fn toolsets(&self) -> impl Iterator<Item = &Arc<str>> {
        self.toolsets.keys()
    }

    /// Which toolset each tool belongs to.
    #[must_use]
    pub fn tool_to_toolset(&self) -> BTreeMap<Arc<str>, Arc<str>> {
        self.tools.values().map(|tool| (tool.name().clone(), tool.toolset().clone())).collect()
    }

    /// The emoji of a tool; the default one for an unknown name.
    #[must_use]
    pub fn emoji(&self, name: &str) -> &str {
        self.get(name).map_or(DEFAULT_EMOJI, Tool::emoji)
    }

    /// The first check registered for a toolset.
    #[must_use]
    pub fn toolset_check(&self, toolset: &str) -> Option<&Check> {
        self.toolset_checks.get(toolset)
    }

    /// Where an alias points.
    #[must_use]
    pub fn alias_target(&self, alias: &str) -> Option<&Arc<str>> {
        self.aliases.get(alias)
    }

    /// The first alias of a toolset in sorted order.
    #[must_use]
    pub fn alias_of(&self, toolset: &str) -> Option<&Arc<str>> {
        self.aliases.iter().find(|(_, target)| target.as_ref() == toolset).map(|(alias, _)| alias)
    }

    /// Whether a messaging platform is known.
    #[must_use]
    pub fn has_platform(&self, platform: &str) -> bool {
        self.platforms.contains(platform)
    }

    /// Names of the tools whose code is this plugin's, sorted. A tool that was rejected is not
    /// there, so it is never credited to the plugin.
    #[must_use]
    pub fn tools_of_plugin(&self, plugin: &str) -> Vec<Arc<str>> {
        let mut names: Vec<_> = self
            .tools
            .values()
            .filter(|tool| matches!(tool.origin(), Origin::Plugin(id) if id.as_ref() == plugin))
            .map(|tool| tool.name().clone())
            .collect();
        names.sort();
        names
    }

    pub(super) fn trusts(&self, plugin: &str) -> bool {
        self.trusted_plugins.contains(plugin)
    }

    pub(super) fn trust(&mut self, plugin: Arc<str>) {
        self.trusted_plugins.insert(plugin);
    }

    pub(super) fn insert(&mut self, tool: Tool, clash: Clash) -> Result<Registered, RegistryError> {
        let outcome = match self.tools.get(tool.name()) {
            None => Registered::Added,
            Some(present) => {
                let owner = present.toolset().clone();
                if !self.may_replace(&tool, &owner, clash)? {
                    return Ok(Registered::Rejected { owner });
                }
                Registered::Replaced { owner }
            }
        };
        if let Registered::Replaced { owner } = &outcome {
            let name = tool.name().clone();
            self.tools.remove(&name);
            if owner != tool.toolset() {
                self.leave_toolset(&name, owner);
            }
        }
        let toolset = tool.toolset().clone();
        if let Some(check) = tool.check() {
            self.toolset_checks.entry(toolset.clone()).or_insert_with(|| check.clone());
        }
        self.toolsets.entry(toolset).or_default().insert(tool.name().clone());
        for older in tool.policy().aliases {
            self.older_names.insert((*older).into(), tool.name().clone());
        }
        self.tools.insert(tool.name().clone(), tool);
        self.generation += 1;
        Ok(outcome)
    }

    /// Settles a clash with the present owner; the log lines are the audit trail.
    fn may_replace(
        &self,
        tool: &Tool,
        owner: &Arc<str>,
        clash: Clash,
    ) -> Result<bool, RegistryError> {
        let (name, toolset) = (tool.name(), tool.toolset());
        if owner == toolset {
            return Ok(true);
        }
        if owner.starts_with(MCP_PREFIX) && toolset.starts_with(MCP_PREFIX) {
            debug!(%name, from = %owner, to = %toolset, "an MCP tool replaces another");
            return Ok(true);
        }
        if clash == Clash::Reject {
            error!(%name, %owner, %toolset, "tool name is taken; the new tool was not registered");
            return Ok(false);
        }
        if let Origin::Plugin(plugin) = tool.origin()
            && !self.trusts(plugin)
        {
            error!(%name, %owner, %plugin, "plugin may not replace this tool without consent");
            return Err(RegistryError::OverrideNotAllowed {
                plugin: plugin.clone(),
                tool: name.clone(),
                owner: owner.clone(),
            });
        }
        info!(%name, from = %owner, to = %toolset, "tool replaced by override");
        Ok(true)
    }

    /// Removes a tool and, with the last one, everything its toolset left in the tables.
    pub(super) fn take(&mut self, name: &str) -> Option<Tool> {
        let tool = self.tools.remove(name)?;
        self.older_names.retain(|_, current| **current != *name);
        self.leave_toolset(name, tool.toolset());
        self.generation += 1;
        Some(tool)
    }

    fn leave_toolset(&mut self, name: &str, toolset: &Arc<str>) {
        if let Some(names) = self.toolsets.get_mut(toolset) {
            names.remove(name);
            if names.is_empty() {
                self.toolsets.remove(toolset);
                self.toolset_checks.remove(toolset);
                self.aliases.retain(|_, target| target != toolset);
            }
        }
    }

    pub(super) fn alias(&mut self, alias: Arc<str>, toolset: Arc<str>) {
        if let Some(before) = self.aliases.get(&alias)
            && *before != toolset
        {
            warn!(%alias, %before, now = %toolset, "toolset alias points elsewhere now");
        }
        self.aliases.insert(alias, toolset);
        self.generation += 1;
    }

    pub(super) fn add_platform(&mut self, platform: Arc<str>) {
        self.platforms.insert(platform);
        self.generation += 1;
    }
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot")
            .field("tools", &self.names())
            .field("generation", &self.generation)
            .finish_non_exhaustive()
    }
}

impl RegisteredTools for Snapshot {
    fn tools_in(&self, toolset: &str) -> Vec<Arc<str>> {
        Self::tools_in(self, toolset).cloned().collect()
    }

    fn toolsets(&self) -> Vec<Arc<str>> {
        Self::toolsets(self).cloned().collect()
    }

    fn alias_target(&self, alias: &str) -> Option<Arc<str>> {
        Self::alias_target(self, alias).cloned()
    }

    fn alias_of(&self, toolset: &str) -> Option<Arc<str>> {
        Self::alias_of(self, toolset).cloned()
    }

    fn is_platform(&self, name: &str) -> bool {
        self.has_platform(name)
    }

    fn renamed(&self, tool: &str) -> Option<Arc<str>> {
        Self::renamed(self, tool).map(|tool| tool.name().clone())
    }
}
