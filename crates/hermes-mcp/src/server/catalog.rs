//! The tools on offer, as the protocol describes them.
//!
//! Describing them means copying every schema, which a call has no use for. The [`ToolCatalog`] is made
//! when a tool has come, gone or changed, and shared by all sessions until the next time.

use std::collections::BTreeSet;
use std::sync::Arc;

use hermes_runtime::ListedTool;
use hermes_tool::{Effect, Effects};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::handles;

/// What clients are told of the tools.
#[derive(Debug, PartialEq)]
pub(crate) struct ToolCatalog {
    /// Sorted by name.
    pub(super) tools: Vec<Tool>,
    /// The same for clients without a session, who name one in the call.
    pub(super) tools_with_session: Vec<Tool>,
    /// Their names, to look a call up in.
    pub(super) names: Arc<BTreeSet<String>>,
    /// Those that got the argument for it.
    with_session: BTreeSet<String>,
}

impl ToolCatalog {
    /// Describes what the runtime offers.
    pub(super) fn new(listed: &[ListedTool]) -> Self {
        let names = listed.iter().map(|listed| listed.tool.name().to_string()).collect();
        let tools: Vec<Tool> = listed.iter().map(describe).collect();
        let mut with_session = BTreeSet::new();
        let mut tools_with_session = tools.clone();
        for (tool, listed) in tools_with_session.iter_mut().zip(listed) {
            let effects = listed.tool.effects();
            let is_local = [Effect::Reads, Effect::Writes, Effect::Runs];
            if is_local.into_iter().any(|effect| effects.has(effect))
                && handles::add_argument(Arc::make_mut(&mut tool.input_schema))
            {
                with_session.insert(tool.name.to_string());
            }
        }
        Self { tools, tools_with_session, names: Arc::new(names), with_session }
    }

    /// Whether clients without a session may name one in calls of this tool.
    pub(super) fn has_session_argument(&self, name: &str) -> bool {
        self.with_session.contains(name)
    }

    /// One tool by its name.
    pub(super) fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

fn describe(listed: &ListedTool) -> Tool {
    let (tool, title) = (&listed.tool, title(listed.tool.name()));
    Tool::new(
        tool.name().to_string(),
        listed.description.clone(),
        Arc::new(schema(&listed.parameters)),
    )
    .with_title(title.clone())
    .with_annotations(annotations(tool.effects(), title))
}

/// The protocol wants an object, always.
fn schema(parameters: &Value) -> JsonObject {
    let mut schema = parameters.as_object().cloned().unwrap_or_default();
    schema.entry("type").or_insert(json!("object"));
    schema
}

/// What the declared effects mean in the protocol's words.
fn annotations(effects: Effects, title: String) -> ToolAnnotations {
    let read_only = effects.is_read_only();
    let changes = effects.has(Effect::Writes) || effects.has(Effect::Runs);
    // A tool that replaces files it is told about ends in the same state when called again; what a
    // process does is not known.
    let repeatable =
        read_only || (!effects.has(Effect::Runs) && !effects.path_arguments().is_empty());
    ToolAnnotations::from_raw(
        Some(title),
        Some(read_only),
        Some(changes),
        Some(repeatable),
        Some(effects.has(Effect::Network) || effects.has(Effect::Runs)),
    )
}

/// A name for people: `read_file` is "Read file".
fn title(name: &str) -> String {
    let words = name.replace(['_', '-'], " ");
    let mut letters = words.chars();
    match letters.next() {
        None => words,
        Some(first) => first.to_uppercase().chain(letters).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hints(effects: Effects) -> [Option<bool>; 4] {
        let given = annotations(effects, String::new());
        [given.read_only_hint, given.destructive_hint, given.idempotent_hint, given.open_world_hint]
    }

    #[test]
    fn annotations_follow_from_effects() {
        let [yes, no] = [Some(true), Some(false)];
        assert_eq!(hints(Effects::NONE.with(Effect::Reads)), [yes, no, yes, no]);
        assert_eq!(hints(Effects::NONE.with(Effect::Network)), [yes, no, yes, yes]);
        assert_eq!(hints(Effects::NONE.with(Effect::Writes).at(&["path"])), [no, yes, yes, no]);
        assert_eq!(hints(Effects::NONE.with(Effect::Writes)), [no, yes, no, no]);
        assert_eq!(hints(Effects::NONE.with(Effect::Runs)), [no, yes, no, yes]);
        assert_eq!(hints(Effects::UNKNOWN), [no, yes, no, yes]);
    }

    #[test]
    fn titles_are_names_for_people() {
        assert_eq!(title("read_file"), "Read file");
        assert_eq!(title(""), "");
    }

    #[test]
    fn a_schema_is_always_one_of_an_object() {
        assert_eq!(schema(&Value::Null)["type"], "object");
        let own = json!({"$schema": "x", "type": "object", "additionalProperties": false});
        assert_eq!(Value::Object(schema(&own)), own);
    }
}
