//! How definitions are built: selection, availability, dynamic schemas, sanitising, deferral.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use hermes_tool::{Origin, SchemaDetail, SchemaPatch, SchemaScope, Tool};
use serde_json::{Map, Value, json};
use tracing::warn;

use crate::definitions::{Deferral, DefinitionRequest, Definitions, MemoState, ToolScope};
use crate::runtime::Runtime;
use crate::schema::sanitise;
use crate::tool_search::{self, Assembled};
use crate::toolsets::{KanbanTask, ToolRequest, ToolsetKind, Toolsets};

#[cfg(test)]
mod tests;

impl Runtime {
    /// The definitions for a request, from memory where nothing they depend on has changed.
    pub fn definitions(&self, request: &DefinitionRequest) -> Arc<Definitions> {
        let definitions = self.definitions_quietly(request);
        self.remember_visible(definitions.available());
        definitions
    }

    /// The same for the runtime's own use: what a session sees is not what it last asked for here.
    pub(crate) fn definitions_quietly(&self, request: &DefinitionRequest) -> Arc<Definitions> {
        // Taken before building: a change made meanwhile then makes the key stale, never the result.
        let state = self.memo_state();
        if let Some(known) = self.memo().get(state, request, || self.availability().now()) {
            return known;
        }
        let (definitions, valid_until) = self.build_definitions(request);
        let definitions = Arc::new(definitions);
        self.memo().put(state, request, &definitions, valid_until);
        definitions
    }

    /// How much is said about the tools of a scope.
    #[must_use]
    pub fn schema_detail(&self, scope: &ToolScope) -> SchemaDetail {
        detail(scope, &self.toolsets().snapshot())
    }

    fn memo_state(&self) -> MemoState {
        MemoState {
            registry: self.registry().generation(),
            toolsets: self.toolsets().revision(),
            settings: self.settings_revision(),
            availability: self.availability().epoch(),
        }
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
        let toolsets = self.toolsets().snapshot();
        let selection = toolsets.select(
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
        let scope = SchemaScope {
            available: &available,
            vars: &settings.vars,
            config: &settings.config,
            detail: detail(&request.scope, &toolsets),
        };
        let functions: Vec<Value> =
            tools.iter().filter_map(|tool| definition(tool, &scope)).collect();

        let Assembled { definitions: functions, deferred } = match request.deferral {
            Deferral::Never => Assembled { definitions: functions, deferred: Vec::new() },
            Deferral::Configured => tool_search::assemble(
                functions,
                &|name| toolsets.catalog().core.contains(name),
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

/// How much is said about each tool: a selection for small models says only what a call needs.
fn detail(scope: &ToolScope, toolsets: &Toolsets) -> SchemaDetail {
    let is_small = |name: &String| {
        toolsets.definition(name).is_some_and(|toolset| toolset.kind == ToolsetKind::Small)
    };
    match scope.enabled.as_deref() {
        Some(named) if !named.is_empty() && named.iter().all(is_small) => SchemaDetail::Brief,
        _ => SchemaDetail::Full,
    }
}

/// Bounds that a tool's code checks anyway. A model takes them for advice: told `minimum: 1`, it reads one line.
const BOUNDS: [&str; 5] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "format"];

/// Takes the bounds out of a schema of ours, at every depth.
fn without_bounds(schema: &mut Value) {
    let Value::Object(fields) = schema else { return };
    if fields.get("type").is_some_and(|kind| kind == "integer" || kind == "number") {
        fields.retain(|key, _| !BOUNDS.contains(&key.as_str()));
    }
    if fields.get("default").is_some_and(Value::is_null) {
        fields.shift_remove("default");
    }
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        properties.values_mut().for_each(without_bounds);
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = fields.get_mut(key) {
            without_bounds(inner);
        }
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
    let mut wrapped = wrap(schema);
    if matches!(tool.origin(), Origin::Linked) {
        without_bounds(&mut wrapped["function"]["parameters"]);
    }
    Some(wrapped)
}

fn wrap(mut schema: Map<String, Value>) -> Value {
    let parameters = schema.get("parameters").map_or_else(|| sanitise(&Value::Null), sanitise);
    schema.insert("parameters".into(), parameters);
    json!({"type": "function", "function": schema})
}
