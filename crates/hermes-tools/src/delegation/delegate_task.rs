//! `delegate_task`: work for subagents.

use std::future::Future;
use std::pin::Pin;
use std::time::Instant;

use futures_util::future::join_all;
use hermes_tool::{
    CallDisplay, SchemaPatch, SchemaScope, ShownCall, State, ToolContext, ToolError, parameters_of,
    tool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::limits::DelegationLimits;

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
    /// Do not wait: go on, and get the results later as a message of their own. Only in chats of the gateway.
    pub background: Option<bool>,
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

/// A task that can be begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubagentTask {
    /// Its number in the call, from zero; the answer repeats it.
    pub index: usize,
    /// Never blank.
    pub goal: String,
    /// Empty if nothing was said beside the goal.
    pub context: String,
    /// Its own role, or that of the whole call.
    pub role: ChildRole,
}

/// An agent that can set others to work.
pub trait Delegation: Send + Sync {
    /// How far delegation may go here, as configured.
    fn limits(&self) -> DelegationLimits;

    /// Levels between this agent and the one a person talks to.
    fn depth(&self) -> u32;

    /// Has a subagent work on a task, beside the others of the same call: `count` in all. Whatever
    /// happens there is in the report, which is what the model gets to see of it.
    fn work_on<'a>(
        &'a self,
        task: SubagentTask,
        count: usize,
        cx: &'a ToolContext,
    ) -> Pin<Box<dyn Future<Output = Value> + Send + 'a>>;

    /// Has subagents work on tasks after the call; their reports come to the session later. Gives the work's name.
    ///
    /// # Errors
    /// In words for the model, why it does not begin.
    fn begin(&self, _tasks: Vec<SubagentTask>, _cx: &ToolContext) -> Result<String, String> {
        Err(NOBODY_HEARS.to_owned())
    }
}

/// Where no surface takes reports that come later.
pub const NOBODY_HEARS: &str = "Work in the background is possible in chats of the gateway only: here nobody would hear of it. Call again \
     without `background`";

#[tool(
    toolset = "delegation",
    emoji = "🔀",
    effects(runs, agent_state),
    subagents = delegates,
    display = CallDisplay::verb("delegate").detail(goals),
    description = DESCRIPTION,
    dynamic_schema = with_configured_limits
)]
async fn delegate_task(
    args: DelegateTask,
    agent: State<dyn Delegation>,
    cx: &ToolContext,
) -> Result<Value, ToolError> {
    let limits = agent.limits();
    if agent.depth() >= limits.max_depth {
        return Err(ToolError::answer(format!(
            "Subagents at this depth cannot delegate (delegation.max_spawn_depth is {}); do the \
             work yourself",
            limits.max_depth
        )));
    }
    let is_background = args.background == Some(true);
    let tasks = tasks(args)?;
    let (count, most) = (tasks.len(), limits.max_children);
    if count > most {
        return Err(ToolError::answer(format!(
            "{count} tasks in one call, but at most {most} run at once \
             (delegation.max_concurrent_children); send them in several calls"
        )));
    }
    if is_background {
        return begin(&*agent, tasks, cx);
    }
    let begun = Instant::now();
    let running = tasks.into_iter().map(|task| one(&*agent, task, count, cx));
    let results: Vec<Value> = join_all(running).await;
    let seconds = (begun.elapsed().as_secs_f64() * 100.0).round() / 100.0;
    Ok(json!({"results": results, "total_duration_seconds": seconds}))
}

fn begin(agent: &dyn Delegation, tasks: Vec<Given>, cx: &ToolContext) -> Result<Value, ToolError> {
    // Nobody is there later to be told of a task that could not begin.
    let whole: Result<Vec<SubagentTask>, (usize, &str)> = tasks.into_iter().collect();
    let tasks = whole.map_err(|(index, problem)| {
        ToolError::answer(format!("Nothing was begun: task {index}: {problem}"))
    })?;
    let count = tasks.len();
    let id = agent.begin(tasks, cx).map_err(ToolError::answer)?;
    Ok(json!({
        "status": "started", "background_id": id, "tasks": count,
        "note": "The results come as a message of their own when all are done. Do not wait for them here.",
    }))
}

async fn one(agent: &dyn Delegation, task: Given, count: usize, cx: &ToolContext) -> Value {
    match task {
        Ok(task) => agent.work_on(task, count, cx).await,
        Err((index, problem)) => json!({
            "task_index": index, "status": "error", "summary": null, "api_calls": 0,
            "duration_seconds": 0.0, "error": problem,
        }),
    }
}

/// A task, or its number and why it cannot be begun.
type Given = Result<SubagentTask, (usize, &'static str)>;

/// The tasks of a call, each with its fault if it cannot be begun.
fn tasks(args: DelegateTask) -> Result<Vec<Given>, ToolError> {
    let role = args.role.unwrap_or_default();
    let list = match args.tasks {
        Some(list) if !list.is_empty() => list,
        _ => vec![DelegatedTask { goal: args.goal, context: args.context, role: args.role }],
    };
    let tasks: Vec<Given> = list
        .into_iter()
        .enumerate()
        .map(|(index, task)| {
            let goal = task.goal.unwrap_or_default().trim().to_owned();
            if goal.is_empty() {
                return Err((index, "the goal is missing or blank"));
            }
            let context = task.context.unwrap_or_default().trim().to_owned();
            Ok(SubagentTask { index, goal, context, role: task.role.unwrap_or(role) })
        })
        .collect();
    match &tasks[..] {
        [Err((_, problem))] => Err(ToolError::answer(format!(
            "Nothing was delegated: {problem}. Give `goal`, or `tasks` with a goal each"
        ))),
        _ => Ok(tasks),
    }
}

/// Tells the model the limits in force, so that it need not run into them to learn of them.
fn with_configured_limits(scope: &SchemaScope<'_>) -> SchemaPatch {
    let limits = DelegationLimits::from_config(scope.config);
    let mut parameters = parameters_of::<DelegateTask>();
    if let Some(tasks) = parameters.pointer_mut("/properties/tasks") {
        tasks["maxItems"] = limits.max_children.into();
    }
    if !limits.children_may_delegate() {
        // There is only one role then, and it need not be named.
        for properties in ["/properties", "/properties/tasks/items/properties"] {
            if let Some(Value::Object(properties)) = parameters.pointer_mut(properties) {
                properties.shift_remove("role");
            }
        }
    }
    let mut patch = Map::new();
    patch.insert("description".into(), format!("{DESCRIPTION}\n\n{limits}").into());
    patch.insert("parameters".into(), parameters);
    SchemaPatch::Merge(patch)
}

/// The goal, or how many there are and which.
fn goals(call: &ShownCall<'_>) -> String {
    let goals: Vec<String> = call
        .list("tasks")
        .iter()
        .map(|task| ShownCall { args: task, result: None }.text("goal"))
        .collect();
    match goals.as_slice() {
        [] => call.text("goal"),
        [one] => one.clone(),
        many => format!("{}x: {}", many.len(), many.join(" | ")),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use hermes_tool::Vars;

    use super::*;

    fn offered(config: &Value) -> Map<String, Value> {
        let scope = SchemaScope {
            available: &BTreeSet::new(),
            vars: &Vars::default(),
            config,
            detail: hermes_tool::SchemaDetail::Full,
        };
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
            let at = |path| parameters.pointer(path).cloned();
            let of_call = at("/properties/role/enum");
            assert_eq!(of_call, at("/properties/tasks/items/properties/role/enum"));
            of_call
        };
        assert_eq!(roles(json!({})), None);
        assert_eq!(
            roles(json!({"delegation": {"max_spawn_depth": 2}})),
            Some(json!(["leaf", "orchestrator"]))
        );
    }

    #[test]
    fn one_task_without_a_goal_is_refused_and_one_of_several_is_reported() {
        let read = |value: Value| tasks(serde_json::from_value(value).unwrap());
        let error = read(json!({"goal": " "})).unwrap_err();
        assert!(error.message().starts_with("Nothing was delegated"), "{error}");
        let given = read(json!({"role": "orchestrator", "tasks": [{"goal": ""},
            {"goal": " x ", "role": "leaf"}, {"goal": "y", "context": " z "}]}))
        .unwrap();
        assert_eq!(given[0], Err((0, "the goal is missing or blank")));
        let task = |index, goal: &str, context: &str, role| {
            Ok(SubagentTask { index, goal: goal.into(), context: context.into(), role })
        };
        assert_eq!(given[1], task(1, "x", "", ChildRole::Leaf));
        assert_eq!(given[2], task(2, "y", "z", ChildRole::Orchestrator));
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
