//! The little that resolution needs to know about registered tools.

use std::sync::Arc;

/// A view of the registry at one moment.
///
/// Ask all questions of one resolution from the same snapshot, otherwise a concurrent
/// registration may be seen halfway.
pub trait RegisteredTools {
    /// Names of the tools registered into `toolset`, sorted; empty when there are none.
    fn tools_in(&self, toolset: &str) -> Vec<Arc<str>>;

    /// Names of all toolsets into which at least one tool is registered.
    fn toolsets(&self) -> Vec<Arc<str>>;

    /// The toolset that `alias` stands for.
    fn alias_target(&self, alias: &str) -> Option<Arc<str>>;

    /// The alias that stands for `toolset`.
    fn alias_of(&self, toolset: &str) -> Option<Arc<str>>;

    /// Whether some plugin has registered a messaging platform of this name.
    fn is_platform(&self, name: &str) -> bool;

    /// The present name of a tool that used to have this one, while no tool has it.
    fn renamed(&self, _tool: &str) -> Option<Arc<str>> {
        None
    }
}

/// A registry in which nothing is registered: resolution then sees definitions only.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoRegisteredTools;

impl RegisteredTools for NoRegisteredTools {
    fn tools_in(&self, _toolset: &str) -> Vec<Arc<str>> {
        Vec::new()
    }

    fn toolsets(&self) -> Vec<Arc<str>> {
        Vec::new()
    }

    fn alias_target(&self, _alias: &str) -> Option<Arc<str>> {
        None
    }

    fn alias_of(&self, _toolset: &str) -> Option<Arc<str>> {
        None
    }

    fn is_platform(&self, _name: &str) -> bool {
        false
    }
}

/// A registry made by hand for the tests of this module and its children.
#[cfg(test)]
#[derive(Debug, Default)]
pub(crate) struct FakeRegistry {
    tools: std::collections::BTreeMap<Arc<str>, Vec<Arc<str>>>,
    aliases: Vec<(Arc<str>, Arc<str>)>,
    platforms: Vec<&'static str>,
}

#[cfg(test)]
impl FakeRegistry {
    pub(crate) fn with(mut self, toolset: &str, tools: &[&str]) -> Self {
        let list = self.tools.entry(toolset.into()).or_default();
        list.extend(tools.iter().map(|tool| Arc::from(*tool)));
        list.sort();
        self
    }

    pub(crate) fn alias(mut self, alias: &str, target: &str) -> Self {
        self.aliases.push((alias.into(), target.into()));
        self
    }

    pub(crate) fn platform(mut self, name: &'static str) -> Self {
        self.platforms.push(name);
        self
    }
}

#[cfg(test)]
impl RegisteredTools for FakeRegistry {
    fn tools_in(&self, toolset: &str) -> Vec<Arc<str>> {
        self.tools.get(toolset).cloned().unwrap_or_default()
    }

    fn toolsets(&self) -> Vec<Arc<str>> {
        self.tools.keys().cloned().collect()
    }

    fn alias_target(&self, alias: &str) -> Option<Arc<str>> {
        self.aliases.iter().find(|(from, _)| &**from == alias).map(|(_, to)| to.clone())
    }

    fn alias_of(&self, toolset: &str) -> Option<Arc<str>> {
        self.aliases.iter().find(|(_, to)| &**to == toolset).map(|(from, _)| from.clone())
    }

    fn is_platform(&self, name: &str) -> bool {
        self.platforms.contains(&name)
    }
}
