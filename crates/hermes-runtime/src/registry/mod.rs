//! The registry: which tools exist, who owns them, and who may replace whom.
//!
//! Readers take a [`Snapshot`] — one atomic load, no lock — and work on it for as long as they like
//! while MCP servers and plugins come and go. Writers take turns behind a mutex, copy the tables,
//! change the copy and publish it. Every change that readers could notice raises the
//! [`generation`](Snapshot::generation), which is what caches key on.
//!
//! A name belongs to the toolset that registered it first. Another toolset cannot take it by
//! accident: the attempt is logged and nothing is stored. Taking it on purpose
//! ([`Registry::register_override`]) needs the operator's consent when the new code is a plugin's.
//!
//! What never happens here: a reader waiting for a writer, a tool half registered, an alias or a
//! check that outlives the last tool of its toolset.

use std::panic::catch_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use hermes_tool::{Origin, Tool, linked};
use thiserror::Error;
use tracing::warn;

mod snapshot;
#[cfg(test)]
mod tests;

pub use crate::toolsets::MCP_PREFIX;
pub use snapshot::Snapshot;

/// What became of a registration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Registered {
    /// The name was free.
    Added,
    /// An earlier tool of that name gave way.
    Replaced {
        /// The toolset that owned it before.
        owner: Arc<str>,
    },
    /// The name belongs to another toolset; nothing was stored.
    Rejected {
        /// The toolset that owns the name.
        owner: Arc<str>,
    },
}

impl Registered {
    /// Whether the tool is in the registry now.
    #[must_use]
    pub fn is_stored(&self) -> bool {
        !matches!(self, Self::Rejected { .. })
    }
}

/// A change the registry refused because nobody consented to it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RegistryError {
    /// A plugin wants to replace a tool that is not its own.
    #[error(
        "plugin '{plugin}' may not replace tool '{tool}' of toolset '{owner}'; to allow it set \
         plugins.entries.{plugin}.allow_tool_override: true"
    )]
    OverrideNotAllowed {
        /// The plugin whose code the handler is.
        plugin: Arc<str>,
        /// The tool it wants.
        tool: Arc<str>,
        /// The toolset that owns it.
        owner: Arc<str>,
    },
    /// A plugin wants to remove a tool that is not its own.
    #[error(
        "plugin '{plugin}' may not remove tool '{tool}' of toolset '{owner}'; to allow it set \
         plugins.entries.{plugin}.allow_tool_override: true"
    )]
    RemovalNotAllowed {
        /// The plugin that asks.
        plugin: Arc<str>,
        /// The tool it wants gone.
        tool: Arc<str>,
        /// The toolset that owns it.
        owner: Arc<str>,
    },
}

/// How a clash with another toolset's tool is settled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clash {
    Reject,
    Override,
}

/// The registry. Share it with `Arc`.
#[derive(Default)]
pub struct Registry {
    current: ArcSwap<Snapshot>,
    writing: Mutex<()>,
}

impl Registry {
    /// An empty registry.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A registry with every tool linked into this program, in sorted module order. A tool that
    /// cannot be built is logged and left out; the others are not affected.
    #[must_use]
    pub fn with_linked_tools() -> Self {
        let registry = Self::new();
        registry.register_all(linked().into_iter().filter_map(|linked| {
            let made = catch_unwind(|| linked.make());
            made.inspect_err(|_| {
                warn!(module = linked.module(), "a tool could not be built and is left out");
            })
            .ok()
        }));
        registry
    }

    /// The tables as they are now; later changes do not show in it.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// The tool of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Tool> {
        self.current.load().get(name).cloned()
    }

    /// The tool of this name, or the one that used to have it while no tool has it now.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Tool> {
        let tables = self.current.load();
        tables.get(name).or_else(|| tables.renamed(name)).cloned()
    }

    /// Looks a tool up without taking a share of it.
    pub(crate) fn with<T>(&self, name: &str, act: impl FnOnce(Option<&Tool>) -> T) -> T {
        act(self.current.load().get(name))
    }

    /// The counter that every visible change raises.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.current.load().generation()
    }

    /// Registers a tool. A name owned by another toolset is kept by its owner.
    pub fn register(&self, tool: Tool) -> Registered {
        self.change(|tables| match tables.insert(tool, Clash::Reject) {
            Ok(outcome) => outcome,
            Err(
                RegistryError::OverrideNotAllowed { owner, .. }
                | RegistryError::RemovalNotAllowed { owner, .. },
            ) => Registered::Rejected { owner },
        })
    }

    /// Registers many tools as one change.
    pub fn register_all(&self, tools: impl IntoIterator<Item = Tool>) -> Vec<Registered> {
        let tools: Vec<Tool> = tools.into_iter().collect();
        self.change(|tables| {
            tools.into_iter().filter_map(|tool| tables.insert(tool, Clash::Reject).ok()).collect()
        })
    }

    /// Registers a tool even if another toolset owns its name.
    ///
    /// # Errors
    /// When the handler is a plugin's and the operator has not consented.
    pub fn register_override(&self, tool: Tool) -> Result<Registered, RegistryError> {
        self.change(|tables| tables.insert(tool, Clash::Override))
    }

    /// Records the operator's consent that this plugin may replace and remove tools of others. It
    /// lasts as long as the process.
    pub fn allow_override(&self, plugin: impl Into<Arc<str>>) {
        let plugin = plugin.into();
        self.change(|tables| tables.trust(plugin));
    }

    /// Removes a tool; an unknown name is fine. Says whether something was removed.
    pub fn deregister(&self, name: &str) -> bool {
        self.change(|tables| tables.take(name).is_some())
    }

    /// Removes a tool for a plugin.
    ///
    /// # Errors
    /// When the tool is not the plugin's own (nor of an MCP server) and the operator has not
    /// consented.
    pub fn deregister_for(&self, name: &str, plugin: &str) -> Result<bool, RegistryError> {
        self.change(|tables| {
            let Some(tool) = tables.get(name) else { return Ok(false) };
            let own = matches!(tool.origin(), Origin::Plugin(id) if id.as_ref() == plugin);
            if !own && !tool.toolset().starts_with(MCP_PREFIX) && !tables.trusts(plugin) {
                return Err(RegistryError::RemovalNotAllowed {
                    plugin: plugin.into(),
                    tool: tool.name().clone(),
                    owner: tool.toolset().clone(),
                });
            }
            tables.take(name);
            Ok(true)
        })
    }

    /// Gives a toolset a second name.
    pub fn register_toolset_alias(&self, alias: impl Into<Arc<str>>, toolset: impl Into<Arc<str>>) {
        let (alias, toolset) = (alias.into(), toolset.into());
        self.change(|tables| tables.alias(alias, toolset));
    }

    /// Makes a messaging platform known, so that `hermes-<platform>` is a valid preset.
    pub fn register_platform(&self, platform: impl Into<Arc<str>>) {
        let platform = platform.into();
        self.change(|tables| tables.add_platform(platform));
    }

    /// Copies the tables, lets `edit` change the copy and publishes it.
    fn change<T>(&self, edit: impl FnOnce(&mut Snapshot) -> T) -> T {
        let _turn = self.turn();
        let mut tables = Snapshot::clone(&self.current.load());
        let outcome = edit(&mut tables);
        self.current.store(Arc::new(tables));
        outcome
    }

    fn turn(&self) -> MutexGuard<'_, ()> {
        // The mutex guards no data: a writer that panicked published nothing.
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tables = self.current.load();
        f.debug_struct("Registry")
            .field("tools", &tables.len())
            .field("generation", &tables.generation())
            .finish()
    }
}
