//! `delegate_task`: work for subagents.

use hermes_tool::{SchemaPatch, SchemaScope, ToolResult, parameters_of, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, json};

use super::limits::DelegationLimits;
use crate::agent_level::{ForAgent, needs_agent};

const DESCRIPTION: &str = include_str!("delegate_task.md").trim_ascii_end();

/// Arguments of `delegate_task`: one task, or a list of them.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct DelegateTask {
    /// What the subagent shall achieve, complete in itself. For one task.
    pub goal: Option<String>,
    /// What it needs to know to begin: paths, errors, constraints, the language to answer in.
    pub context: Option<String>,
    /// Several tasks to work on side by side, instead of `goal` and `context`.
    pub tasks: Option<Vec<DelegatedTask>>,
    /// What the subagents may do; a task's own `role` wins.
    #[schemars(extend("default" = "leaf"))]
    pub role: Option<ChildRole>,
}

/// One task of several.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct DelegatedTask {
    // Optional to read, so that a task without a goal is reported and the others still run.
    /// What this subagent shall achieve, complete in itself.
    #[schemars(with = "String", required)]
    pub goal: Option<String>,
    /// What this subagent needs to know to begin.
    pub context: Option<String>,
    /// What this subagent may do.
    pub role: Option<ChildRole>,
}

/// What a child may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChildRole {
    /// does the work itself.
    #[default]
    Leaf,
    /// may delegate parts of it.
    Orchestrator,
}

#[tool(
    toolset = "delegation",
    emoji = "🔀",
    effects(runs, agent_state),
    description = DESCRIPTION,
    dynamic_schema = with_configured_limits
)]
fn delegate_task(_: ForAgent<DelegateTask>) -> ToolResult {
    needs_agent("delegate_task")
}

/// Tells the model the limits in force, so that it need not run into them to learn of them.
fn with_configured_limits(scope: &SchemaScope<'_>) -> SchemaPatch {
    let limits = DelegationLimits::from_config(scope.config);
    let mut parameters = parameters_of::<DelegateTask>();
    if let Some(tasks) = parameters.pointer_mut("/properties/tasks") {
        tasks["maxItems"] = limits.max_children.into();
    }
    if !limits.children_may_delegate() {
        for role in ["/properties/role", "/properties/tasks/items/properties/role"] {
            if let Some(role) = parameters.pointer_mut(role) {
                role["enum"] = json!(["leaf"]);
                role["description"] = "Subagents cannot delegate here, so only `leaf`.".into();
            }
        }
    }
    let mut patch = Map::new();
    patch.insert("description".into(), format!("{DESCRIPTION}\n\n{limits}").into());
    patch.insert("parameters".into(), parameters);
    SchemaPatch::Merge(patch)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use hermes_tool::Vars;
    use serde_json::Value;

    use super::*;

    fn offered(config: &Value) -> Map<String, Value> {
        let scope = SchemaScope { available: &BTreeSet::new(), vars: &Vars::default(), config };
        let tool = delegate_task_tool();
        match tool.dynamic_schema().unwrap()(&scope) {
            SchemaPatch::Merge(patch) => patch,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn limits_come_from_the_configuration() {
        let schema = offered(&json!({"delegation": {"max_concurrent_children": 7}}));
        assert_eq!(schema["parameters"]["properties"]["tasks"]["maxItems"], 7);
        let description = schema["description"].as_str().unwrap();
        assert!(description.starts_with(DESCRIPTION), "{description}");
        assert!(description.contains("At most 7 tasks"), "{description}");
    }

    #[test]
    fn roles_are_offered_only_where_children_may_delegate() {
        let roles = |config| {
            let parameters = offered(&config)["parameters"].clone();
            let of_call = parameters["properties"]["role"]["enum"].clone();
            let of_task =
                parameters.pointer("/properties/tasks/items/properties/role/enum").cloned();
            assert_eq!(Some(&of_call), of_task.as_ref());
            of_call
        };
        assert_eq!(roles(json!({})), json!(["leaf"]));
        assert_eq!(
            roles(json!({"delegation": {"max_spawn_depth": 2}})),
            json!(["leaf", "orchestrator"])
        );
    }

    #[test]
    fn a_task_without_a_goal_is_read_and_not_a_reason_to_refuse_the_others() {
        let args = json!({"tasks": [{"goal": null}, {}, {"goal": "x", "role": "orchestrator"}]});
        let tasks = serde_json::from_value::<DelegateTask>(args).unwrap().tasks.unwrap();
        assert_eq!(tasks[0].goal, None);
        assert_eq!(tasks[2].role, Some(ChildRole::Orchestrator));
        let declared = parameters_of::<DelegateTask>();
        assert_eq!(declared["properties"]["tasks"]["items"]["required"], json!(["goal"]));
        assert_eq!(declared["required"], Value::Null);
    }
}
