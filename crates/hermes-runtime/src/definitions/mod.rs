//! Definitions: the array of function schemas a model is offered.
//!
//! Selection names the tools, availability thins them out, dynamic schemas adapt what is left to
//! each other, and sanitising makes every schema one that providers accept. The result is the same,
//! byte for byte, for the same inputs: prompt caches depend on it.
//!
//! The last few results are remembered under everything they depend on: the request, the registry's
//! generation, the revision of the toolset table, the settings, and the moment the first
//! availability answer expires. A result is shared and never changes, so no caller can spoil it for
//! another.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::toolsets::UnknownToolset;

mod memo;

pub(crate) use memo::{Memo, MemoState};

/// The toolsets of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolScope {
    /// Toolsets to offer; `None` for all, an empty list for none.
    pub enabled: Option<Vec<String>>,
    /// Toolsets to take away, last.
    pub disabled: Vec<String>,
}

/// Whether rarely used tools may hide behind the tool-search bridges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deferral {
    /// As the settings say.
    #[default]
    Configured,
    /// Never: every selected tool is listed.
    Never,
}

/// What definitions are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefinitionRequest {
    /// The toolsets of the session.
    pub scope: ToolScope,
    /// Whether tools may be deferred.
    pub deferral: Deferral,
    /// The model's context window in tokens, where known.
    pub context_tokens: Option<u64>,
}

/// The answer: immutable and shared.
#[derive(Debug)]
pub struct Definitions {
    pub(crate) functions: Vec<Value>,
    pub(crate) available: Arc<[Arc<str>]>,
    pub(crate) deferred: Vec<Value>,
    pub(crate) unknown: Vec<UnknownToolset>,
    pub(crate) json: OnceLock<String>,
}

impl Definitions {
    /// `{"type": "function", "function": {…}}` for each tool offered, sorted by name; bridges last.
    #[must_use]
    pub fn functions(&self) -> &[Value] {
        &self.functions
    }

    /// Names of all selected and available tools, deferred ones included.
    #[must_use]
    pub fn available(&self) -> &Arc<[Arc<str>]> {
        &self.available
    }

    /// Definitions of the tools that hide behind the bridges.
    #[must_use]
    pub fn deferred(&self) -> &[Value] {
        &self.deferred
    }

    /// Requested names that stand for nothing.
    #[must_use]
    pub fn unknown(&self) -> &[UnknownToolset] {
        &self.unknown
    }

    /// The array as compact JSON, written once.
    #[must_use]
    pub fn json(&self) -> &str {
        self.json.get_or_init(|| {
            serde_json::to_string(&self.functions).unwrap_or_else(|_| "[]".to_owned())
        })
    }
}
