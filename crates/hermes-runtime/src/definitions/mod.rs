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

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use hermes_tool::{SchemaPatch, SchemaScope, Tool};
use serde_json::{Map, Value, json};
use tracing::warn;

use crate::runtime::Runtime;
use crate::schema::sanitise;
use crate::tool_search::{self, Assembled};
use crate::toolsets::builtin::core_tools;
use crate::toolsets::{KanbanTask, ToolRequest, UnknownToolset};

mod memo;
#[cfg(test)]
mod tests;

pub(crate) use memo::Memo;

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
    functions: Vec<Value>,
    available: Arc<[Arc<str>]>,
    deferred: Vec<Value>,
    unknown: Vec<UnknownToolset>,
    json: OnceLock<String>,
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

impl Runtime {
    /// The definitions for a request, from memory where nothing they depend on has changed.
    pub fn definitions(&self, request: &DefinitionRequest) -> Arc<Definitions> {
        let definitions = self.definitions_quietly(request);
        self.remember_visible(definitions.available());
        definitions
    }

    /// The same for the runtime's own use: what a session sees is not what it last asked for here.
    pub(crate) fn definitions_quietly(&self, request: &DefinitionRequest) -> Arc<Definitions> {
        if let Some(known) = self.memo().get(self, request) {
            return known;
        }
        let key = self.memo().key(self, request);
        let (definitions, valid_until) = self.build_definitions(request);
        let definitions = Arc::new(definitions);
        self.memo().put(key, &definitions, valid_until);
        definitions
    }

    /// Builds without looking at or filling the memory. Gives the moment until which it holds.
    pub(crate) fn build_definitions(
        &self,
        request: &DefinitionRequest,
    ) -> (Definitions, Option<Instant>) {
        let tables = self.registry().snapshot();
        let settings = self.settings();
        let kanban = match settings.vars.non_blank("HERMES_KANBAN_TASK") {
            Some(_) => KanbanTask::Assigned,
            None => KanbanTask::None,
        };
        let selection = self.toolsets().snapshot().select(
            &ToolRequest {
                enabled: request.scope.enabled.as_deref(),
                disabled: &request.scope.disabled,
                kanban,
            },
            &*tables,
        );
        let tools: Vec<&Tool> =
            selection.names.iter().filter_map(|name| tables.get(name)).collect();
        let pass = self.availability().pass(tools.iter().copied(), &settings.vars);
        let tools: Vec<&Tool> = tools.into_iter().filter(|tool| pass.allows(tool)).collect();
        let available: BTreeSet<Arc<str>> =
            tools.iter().map(|tool| Arc::clone(tool.name())).collect();
        let scope =
            SchemaScope { available: &available, vars: &settings.vars, config: &settings.config };
        let functions: Vec<Value> =
            tools.iter().filter_map(|tool| definition(tool, &scope)).collect();

        let Assembled { definitions: functions, deferred } = match request.deferral {
            Deferral::Never => Assembled { definitions: functions, deferred: Vec::new() },
            Deferral::Configured => tool_search::assemble(
                functions,
                &|name| core_tools().contains(name),
                &settings.tool_search,
                request.context_tokens,
            ),
        };
        let definitions = Definitions {
            functions,
            available: available.into_iter().collect(),
            deferred,
            unknown: selection.unknown,
            json: OnceLock::new(),
        };
        (definitions, pass.valid_until())
    }
}

/// One tool as the model sees it; `None` when its dynamic schema withdraws it.
fn definition(tool: &Tool, scope: &SchemaScope<'_>) -> Option<Value> {
    let mut schema = tool.schema();
    if let Some(adapt) = tool.dynamic_schema() {
        match catch_unwind(AssertUnwindSafe(|| adapt(scope))) {
            Ok(SchemaPatch::Keep) => {}
            Ok(SchemaPatch::Remove) => return None,
            Ok(SchemaPatch::Merge(fields)) => schema.extend(fields),
            Err(_) => warn!(tool = %tool.name(), "dynamic schema panicked; the static one is used"),
        }
    }
    schema.insert("name".into(), tool.name().as_ref().into());
    Some(wrap(schema))
}

fn wrap(mut schema: Map<String, Value>) -> Value {
    let parameters = schema.get("parameters").map_or_else(|| sanitise(&Value::Null), sanitise);
    schema.insert("parameters".into(), parameters);
    json!({"type": "function", "function": schema})
}
