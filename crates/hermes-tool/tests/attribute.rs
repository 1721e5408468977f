//! The attribute as an author uses it: what it accepts, and what it says to a mistake.
#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

use hermes_tool::{
    Availability, Effect, Handler, ResultLimit, SchemaPatch, SchemaScope, ToolContext, ToolError,
    ToolOutput, Vars, tool,
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
