//! From a toolset's name to the tools it stands for.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{NoRegisteredTools, RegisteredTools, ToolsetKind, Toolsets, means_everything};

/// Where a toolset comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolsetSource {
    /// Ships with the program.
    BuiltIn,
    /// Created or configured by people.
    Custom,
    /// Known only because tools are registered into it.
    Registry,
    /// The tools of an MCP server.
    McpServer,
    /// The preset of a platform that a plugin registered.
    PluginPlatform,
}

/// What there is to say about one toolset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolsetInfo {
    /// The name that was asked for.
    pub name: Arc<str>,
    /// One line for people.
    pub description: Arc<str>,
    /// Tools of its own, whether listed or registered into it, sorted.
    pub own_tools: Vec<Arc<str>>,
    /// Toolsets it includes, as written.
    pub includes: Vec<Arc<str>>,
    /// All tools it stands for, sorted.
    pub tools: Vec<Arc<str>>,
    /// Which decides where it is listed and whether people switch it.
    pub kind: ToolsetKind,
    /// Where it comes from.
    pub source: ToolsetSource,
}

/// One step of resolution: what a name stands for before its includes are followed.
pub(super) struct Step<'a> {
    pub(super) description: Arc<str>,
    pub(super) own_tools: BTreeSet<Arc<str>>,
    pub(super) includes: &'a [Arc<str>],
    pub(super) kind: ToolsetKind,
    pub(super) source: ToolsetSource,
}

impl Toolsets {
    /// The tools that a toolset stands for, sorted; none for an unknown name.
    ///
    /// `all` and `*` stand for every known toolset. Includes are followed once each, so a cycle
    /// ends and a toolset reached by two ways counts once. Unknown includes add nothing.
    pub fn resolve(&self, name: &str, registered: &dyn RegisteredTools) -> Vec<Arc<str>> {
        self.resolve_each([name], registered).into_iter().collect()
    }

    /// The same without what is registered: only definitions count.
    pub fn resolve_defined(&self, name: &str) -> Vec<Arc<str>> {
        self.resolve(name, &NoRegisteredTools)
    }

    /// The tools that any of several toolsets stands for.
    pub fn resolve_each<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
        registered: &dyn RegisteredTools,
    ) -> BTreeSet<Arc<str>> {
        // The result is a union over everything reachable, so one visited set for all branches
        // gives the same answer as a fresh one per branch, in time linear in the table.
        let mut pending: Vec<Arc<str>> = names.into_iter().map(Arc::from).collect();
        let mut visited = BTreeSet::new();
        let mut tools = BTreeSet::new();
        while let Some(name) = pending.pop() {
            if !visited.insert(name.clone()) {
                continue;
            }
            if means_everything(&name) {
                pending.extend(self.names(registered));
            } else if let Some(step) = self.step(&name, registered) {
                let current = |tool: Arc<str>| registered.renamed(&tool).unwrap_or(tool);
                tools.extend(step.own_tools.into_iter().map(current));
                pending.extend_from_slice(step.includes);
            }
        }
        tools
    }

    /// Whether a name stands for a toolset, so that enabling it means something.
    pub fn is_valid(&self, name: &str, registered: &dyn RegisteredTools) -> bool {
        means_everything(name) || self.step(name, registered).is_some()
    }

    /// The names of all known toolsets, sorted, as people should see them: an MCP server's
    /// toolset goes by its alias, unless another toolset already has that name.
    pub fn names(&self, registered: &dyn RegisteredTools) -> Vec<Arc<str>> {
        let mut names: BTreeSet<Arc<str>> =
            self.definitions().map(|(name, _)| name.clone()).collect();
        for toolset in registered.toolsets() {
            let alias = registered.alias_of(&toolset).filter(|alias| {
                self.definition(alias).is_none() && registered.tools_in(alias).is_empty()
            });
            names.insert(alias.unwrap_or(toolset));
        }
        names.into_iter().collect()
    }

    /// What there is to say about a toolset; nothing for unknown names and for `all`.
    pub fn info(&self, name: &str, registered: &dyn RegisteredTools) -> Option<ToolsetInfo> {
        let step = self.step(name, registered)?;
        Some(ToolsetInfo {
            name: name.into(),
            description: step.description,
            own_tools: step.own_tools.into_iter().collect(),
            includes: step.includes.to_vec(),
            tools: self.resolve(name, registered),
            kind: step.kind,
            source: step.source,
        })
    }

    /// What a name stands for by itself. Definitions come first, then toolsets that only the
    /// registry knows, then aliases, then presets of plugins' platforms.
    pub(super) fn step(&self, name: &str, registered: &dyn RegisteredTools) -> Option<Step<'_>> {
        if let Some(toolset) = self.definition(name) {
            let own = toolset.tools.iter().cloned().chain(registered.tools_in(name));
            let source =
                if self.is_builtin(name) { ToolsetSource::BuiltIn } else { ToolsetSource::Custom };
            return Some(Step {
                description: toolset.description.clone(),
                own_tools: own.collect(),
                includes: &toolset.includes,
                kind: toolset.kind,
                source,
            });
        }
        let found = |description: String, own_tools: BTreeSet<Arc<str>>, source| Step {
            description: description.into(),
            own_tools,
            includes: &[],
            kind: ToolsetKind::Ordinary,
            source,
        };
        let own: BTreeSet<_> = registered.tools_in(name).into_iter().collect();
        if !own.is_empty() {
            return Some(match registered.alias_of(name) {
                Some(server) => found(server_tools(&server), own, ToolsetSource::McpServer),
                None => found(format!("Plugin toolset: {name}"), own, ToolsetSource::Registry),
            });
        }
        if let Some(target) = registered.alias_target(name) {
            let own = registered.tools_in(&target).into_iter().collect();
            return Some(found(server_tools(name), own, ToolsetSource::McpServer));
        }
        let platform = self.catalog().platform_of(name)?;
        if !registered.is_platform(platform) {
            return None;
        }
        let core = self.catalog().core.iter().cloned();
        let own = core.chain(registered.tools_in(platform)).collect();
        let description = format!("Core tools and those of the platform {platform}");
        let step = found(description, own, ToolsetSource::PluginPlatform);
        Some(Step { kind: ToolsetKind::Preset, ..step })
    }
}

fn server_tools(server: &str) -> String {
    format!("MCP server '{server}' tools")
}

#[cfg(test)]
mod tests;
