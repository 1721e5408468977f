//! The bridges to tools that are not listed: search, describe, call.
//!
//! The catalog is built anew from the session's own scope each time, so a bridge never reaches a
//! tool the session could not have been offered, and nothing is carried from turn to turn.

use hermes_tool::{Args, ToolOutput};

use crate::call::{Dispatched, ToolCall};
use crate::definitions::{Deferral, DefinitionRequest};
use crate::runtime::Runtime;
use crate::tool_search::{
    Catalog, Source, SourceKind, TOOL_CALL, TOOL_DESCRIBE, TOOL_SEARCH, is_bridge,
};

/// What comes of a call to a bridge.
pub(super) enum Crossing {
    /// The bridge itself has the answer.
    Answered(Dispatched),
    /// It stands for a call of this tool.
    Unwrapped { name: String, args: Args },
}

impl Runtime {
    /// Answers a bridge, or says which call it stands for; `None` for any other tool.
    pub(super) fn cross_bridge(&self, call: &ToolCall, args: &Args) -> Option<Crossing> {
        if !is_bridge(&call.name) || self.registry().get(&call.name).is_some() {
            return None;
        }
        let settings = self.settings();
        let catalog = self.deferred_catalog(call);
        let answer = match call.name.as_str() {
            TOOL_SEARCH => catalog.search(args, &settings.tool_search),
            TOOL_DESCRIBE => catalog.describe(args),
            TOOL_CALL => match catalog.resolve_call(args.clone()) {
                Ok((name, args)) => return Some(Crossing::Unwrapped { name, args }),
                Err(problem) => Err(problem),
            },
            _ => return None,
        };
        Some(Crossing::Answered(match answer {
            Ok(value) => Dispatched::output(ToolOutput::Text(value.to_string())),
            Err(problem) => Dispatched::error(problem),
        }))
    }

    fn deferred_catalog(&self, call: &ToolCall) -> Catalog {
        let request = DefinitionRequest {
            scope: call.scope.clone(),
            deferral: Deferral::Never,
            context_tokens: None,
        };
        let definitions = self.definitions_quietly(&request);
        let settings = self.settings();
        let tables = self.registry().snapshot();
        let source = |name: &str| {
            tables
                .get(name)
                .map_or_else(|| Source { kind: SourceKind::Other, name: String::new() }, Source::of)
        };
        let toolsets = self.toolsets().snapshot();
        let is_core =
            |name: &str| toolsets.catalog().core.contains(name) || tables.get(name).is_none();
        Catalog::of_scope(definitions.functions(), &is_core, &settings.tool_search, &source)
    }
}
