//! The attribute as an author uses it: what it accepts, and what it says to a mistake.
#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

use std::sync::Arc;

use hermes_tool::{
    Availability, ContextParts, Effect, Handler, ResultLimit, SchemaPatch, SchemaScope, Services,
    State, ToolContext, ToolError, ToolOutput, Vars, tool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Deserialize, JsonSchema)]
struct Greeting {
    /// Whom to greet.
    name: String,
    /// How often.
    #[serde(default = "once")]
    #[schemars(range(min = 1, max = 5))]
    times: u32,
}

fn once() -> u32 {
    1
}

fn has_voice(vars: &Vars) -> Availability {
    Availability::needs_env(vars, &["VOICE"])
}

fn names_neighbours(scope: &SchemaScope<'_>) -> SchemaPatch {
    let mut patch = Map::new();
    patch.insert("description".into(), format!("beside {}", scope.available.len()).into());
    SchemaPatch::Merge(patch)
}

/// Greet somebody.
///
/// Says the name as often as asked,
/// and no more.
#[tool(
    toolset = "social",
    emoji = "👋",
    effects(none),
    check = has_voice,
    requires_env("VOICE", "STAGE"),
    dynamic_schema = names_neighbours,
    max_result_chars = 1_000
)]
fn greet(args: Greeting) -> Result<Value, ToolError> {
    Ok(json!({"greeting": vec![args.name; args.times as usize].join(" ")}))
}

/// Read one file and write another.
#[tool(toolset = "files", name = "copy_text", effects(reads(from), writes(to, from)), max_result_chars = unlimited)]
async fn copy(_cx: &ToolContext) -> Result<ToolOutput, ToolError> {
    Ok(ToolOutput::text("copied"))
}

#[tool(toolset = "files", effects(network), description = concat!("from", " ", "an expression"), manual)]
fn nothing() -> Result<(), ToolError> {
    Ok(())
}

fn call(tool: &hermes_tool::Tool, args: Value) -> Result<ToolOutput, ToolError> {
    let Value::Object(args) = args else { panic!("arguments are an object") };
    match tool.handler() {
        Handler::Sync(run) => run(args, &ToolContext::default()),
        Handler::Async(run) => tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
            .block_on(run(args, ToolContext::default())),
    }
}

#[test]
fn everything_declared_reaches_the_tool() {
    let tool = greet_tool();
    assert_eq!((tool.name().as_ref(), tool.toolset().as_ref()), ("greet", "social"));
    assert_eq!(tool.emoji(), "👋");
    assert_eq!(tool.requires_env(), ["VOICE", "STAGE"]);
    assert_eq!(tool.result_limit(), ResultLimit::Chars(1_000));
    assert!(tool.effects().is_read_only());
    assert!(!tool.check().unwrap().probe(&Vars::default()).is_available());
    assert!(tool.dynamic_schema().is_some());
    assert_eq!(tool.parameters()["properties"]["times"]["maximum"], 5);
    assert_eq!(tool.parameters()["required"], json!(["name"]));
}

#[test]
fn doc_paragraphs_become_the_description() {
    assert_eq!(
        greet_tool().description(),
        "Greet somebody.\n\nSays the name as often as asked, and no more."
    );
    assert_eq!(nothing_tool().description(), "from an expression");
}

#[test]
fn effects_remember_the_path_arguments() {
    let tool = copy_tool();
    assert_eq!(tool.name().as_ref(), "copy_text");
    assert!(tool.effects().has(Effect::Writes));
    assert_eq!(tool.effects().path_arguments(), ["from", "to"]);
    assert_eq!(tool.result_limit(), ResultLimit::Unlimited);
}

#[test]
fn handlers_of_every_shape_answer() {
    let greeted = call(&greet_tool(), json!({"name": "Ada", "times": 2})).unwrap();
    assert_eq!(greeted, ToolOutput::text(r#"{"greeting":"Ada Ada"}"#));
    assert_eq!(call(&copy_tool(), json!({})).unwrap(), ToolOutput::text("copied"));
    assert_eq!(call(&nothing_tool(), json!({})).unwrap(), ToolOutput::text("null"));
    let error = call(&greet_tool(), json!({"name": 7})).unwrap_err();
    assert!(error.message().contains("`name`"), "{error}");
}

#[test]
fn tools_register_themselves_unless_manual() {
    let names: Vec<String> =
        hermes_tool::linked_tools().iter().map(|(_, tool)| tool.name().to_string()).collect();
    assert_eq!(names, ["copy_text", "greet"]);
}

#[test]
fn misuse_is_refused_with_a_hint() {
    trybuild::TestCases::new().compile_fail("tests/misuse/*.rs");
}

/// What a host keeps.
struct Ledger(u32);

/// Somebody who counts.
trait Counts: Send + Sync {
    fn up_to(&self) -> u32;
}

impl Counts for Ledger {
    fn up_to(&self) -> u32 {
        self.0
    }
}

/// Greet as often as the ledger says, and count with somebody.
#[tool(toolset = "social", effects(agent_state), manual)]
fn greet_all(
    args: Greeting,
    ledger: State<Ledger>,
    cx: &ToolContext,
    counter: State<dyn Counts>,
) -> Result<String, ToolError> {
    Ok(format!("{} {} {} {}", args.name, ledger.0, counter.up_to(), cx.ids().session_id))
}

/// The same without arguments.
#[tool(toolset = "social", effects(agent_state), manual)]
async fn greet_none(ledger: State<Ledger>) -> Result<String, ToolError> {
    Ok(ledger.0.to_string())
}

#[test]
fn state_is_found_by_type_and_by_trait() {
    let services =
        Services::default().with(Arc::new(Ledger(3))).with::<dyn Counts>(Arc::new(Ledger(9)));
    let cx: ToolContext = ContextParts { services, ..ContextParts::default() }.into();
    let tool = greet_all_tool();
    let Handler::Sync(run) = tool.handler() else { panic!("a sync function") };
    let args = json!({"name": "Ada"}).as_object().cloned().unwrap();
    assert_eq!(run(args, &cx).unwrap(), ToolOutput::text(r#""Ada 3 9 ""#));
    let states: Vec<&str> = tool.states().iter().map(hermes_tool::StateType::name).collect();
    assert_eq!(states.len(), 2);
    assert!(states[0].ends_with("Ledger") && states[1].contains("dyn "), "{states:?}");
}

#[test]
fn a_call_that_brings_no_state_is_told_so_before_its_arguments_are_read() {
    let error = call(&greet_all_tool(), json!({"name": 7})).unwrap_err();
    assert_eq!(error, ToolError::needs_agent("greet_all"));
    let error = call(&greet_none_tool(), json!({})).unwrap_err();
    assert_eq!(error.message(), "greet_none must be handled by the agent loop");
}
