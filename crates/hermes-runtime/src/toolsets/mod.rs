//! Toolsets: named groups of tools, and how a name becomes a list of tools.
//!
//! A [`Toolset`] lists tools and may include other toolsets. The built-in ones are data of the product
//! ([`ToolsetCatalog`]); people add their own in the configuration or at run time ([`ToolsetTable`]).
//! Tools that register themselves into a toolset of the same name join it without being listed,
//! and a toolset that only the registry knows (a plugin's, an MCP server's) works as well.
//!
//! Three questions are answered here, all of them on an immutable snapshot ([`Toolsets`]):
//!
//! * *Which tools does this name stand for?* — [`Toolsets::resolve`].
//! * *Which tools does a session see*, given what it enables and disables? — [`Toolsets::select`].
//! * *Which toolsets does a platform get* from the configuration? — [`Toolsets::for_platform`], with
//!   [`Toolsets::toggle`] and [`Toolsets::save_platform`] for writing a choice back.
//!
//! ```
//! use hermes_runtime::toolsets::{NoRegisteredTools, Toolset, ToolsetTable};
//!
//! let table = ToolsetTable::default();
//! table.create("music", Toolset::new("Play songs").with_tools(["play"]))?;
//! table.create("party", Toolset::new("Songs and lights").with_tools(["glow"]).including(["music"]))?;
//! let tools = table.snapshot().resolve("party", &NoRegisteredTools);
//! assert_eq!(tools, ["glow".into(), "play".into()]);
//! # Ok::<(), hermes_runtime::toolsets::ReservedName>(())
//! ```
//!
//! What never happens here: no tool is called or even looked up (a toolset may name a tool that
//! nobody has registered), availability is not judged, nothing is read from disk or the
//! environment, and an unknown name is never an error: it stands for no tools and is reported.

pub(crate) mod catalog;
mod config;
mod name;
pub mod platform;
mod registered;
mod resolve;
mod select;
pub(crate) mod suggest;
mod table;

use std::sync::Arc;

pub use catalog::{Names, ToolsetCatalog};
pub use config::ConfigProblem;
pub(crate) use config::{CustomToolsets, kind_of};
pub use name::ReservedName;
pub use registered::{NoRegisteredTools, RegisteredTools};
pub use resolve::{ToolsetInfo, ToolsetSource};
pub use select::{KanbanTask, RequestList, Selection, ToolRequest, UnknownToolset};
pub use table::{ToolsetTable, Toolsets};

/// Toolsets of MCP servers begin with this; such toolsets may replace each other's tools.
pub const MCP_PREFIX: &str = "mcp-";

/// Whether a name is one of the two that stand for every known toolset.
pub fn means_everything(name: &str) -> bool {
    matches!(name, "all" | "*")
}

/// What a toolset is for; decides what disabling it takes away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolsetKind {
    /// A group of tools for one purpose. Disabling it removes all of them.
    #[default]
    Ordinary,
    /// Everything a platform offers. Disabling it keeps the core tools.
    Preset,
    /// A way of working that selects from the core tools. Disabling it keeps them.
    Posture,
    /// A few of the core tools for a model with a small window, described in few words. Disabling it keeps
    /// them.
    Small,
}

/// A named group of tools.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Toolset {
    /// One line for people choosing toolsets.
    pub description: Arc<str>,
    /// Names of the tools it lists itself, sorted and unique. They need not be registered.
    pub tools: Vec<Arc<str>>,
    /// Names of the toolsets whose tools it has as well. They need not exist.
    pub includes: Vec<Arc<str>>,
    /// Which decides where it is listed and whether people switch it.
    pub kind: ToolsetKind,
}

impl Toolset {
    /// An ordinary toolset without tools; add them with [`with_tools`](Self::with_tools).
    pub fn new(description: impl Into<Arc<str>>) -> Self {
        Self { description: description.into(), ..Self::default() }
    }

    /// Adds tools.
    #[must_use]
    pub fn with_tools<T: Into<Arc<str>>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.tools.extend(tools.into_iter().map(Into::into));
        self.tools.sort();
        self.tools.dedup();
        self
    }

    /// Adds toolsets whose tools this one has as well.
    #[must_use]
    pub fn including<T: Into<Arc<str>>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.includes.extend(names.into_iter().map(Into::into));
        self
    }

    /// Changes what the toolset is for.
    #[must_use]
    pub fn with_kind(mut self, kind: ToolsetKind) -> Self {
        self.kind = kind;
        self
    }
}
