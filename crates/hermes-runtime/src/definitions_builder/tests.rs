use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hermes_tool::{Check, Effects, ToolOutput, Vars};

use super::*;
use crate::availability::Clock;
use crate::definitions::ToolScope;
use crate::toolsets::catalog::sample;
use crate::toolsets::{Toolset, ToolsetCatalog};

fn tool(name: &str, toolset: &str) -> Tool {
    builder(name, toolset).handler(|_, _| Ok(ToolOutput::text("{}")))
}

fn builder(name: &str, toolset: &str) -> hermes_tool::ToolBuilder {
    Tool::builder(name, toolset)
        .description(format!("The {name} tool."))
        .parameters(json!({"type": "object", "properties": {"a": {"type": "string"}}}))
        .effects(Effects::NONE)
}

fn runtime(tools: impl IntoIterator<Item = Tool>) -> Runtime {
    let runtime = Runtime::builder().build();
    runtime.registry().register_all(tools);
    runtime
}

fn request(enabled: &[&str]) -> DefinitionRequest {
    DefinitionRequest {
        scope: ToolScope {
            enabled: Some(enabled.iter().map(ToString::to_string).collect()),
            disabled: Vec::new(),
        },
        ..DefinitionRequest::default()
    }
}

fn names(definitions: &Definitions) -> Vec<&str> {
    definitions
        .functions()
        .iter()
        .map(|function| function["function"]["name"].as_str().unwrap())
        .collect()
}

#[test]
fn tools_come_sorted_and_wrapped() {
    let runtime = runtime([tool("write_file", "file"), tool("read_file", "file")]);
    let definitions = runtime.definitions(&request(&["file"]));
    assert_eq!(names(&definitions), ["read_file", "write_file"]);
    assert_eq!(definitions.functions()[0]["type"], "function");
}

#[test]
fn the_bytes_do_not_depend_on_the_order_of_registration() {
    let tools = ["b", "c", "a"].map(|name| tool(name, "x"));
    let mut reversed = tools.clone();
    reversed.reverse();
    let (one, other) = (runtime(tools), runtime(reversed));
    let request = request(&["x"]);
    assert_eq!(one.definitions(&request).json(), other.definitions(&request).json());
}

#[test]
fn unknown_toolsets_are_reported_and_ignored() {
    let runtime = runtime([tool("read_file", "file")]);
    let definitions = runtime.definitions(&request(&["file", "flie"]));
    assert_eq!(names(&definitions), ["read_file"]);
    assert_eq!(definitions.unknown()[0].suggestion.as_deref(), Some("file"));
}

#[test]
fn an_empty_list_offers_nothing_and_no_list_everything() {
    let runtime = runtime([tool("read_file", "file")]);
    assert!(runtime.definitions(&request(&[])).functions().is_empty());
    assert_eq!(names(&runtime.definitions(&DefinitionRequest::default())), ["read_file"]);
}

#[test]
fn follow_disabled_toolsets_are_subtracted_last() {
    let runtime = runtime([tool("read_file", "file"), tool("web_search", "web")]);
    let mut request = request(&["file", "web"]);
    request.scope.disabled = vec!["web".into()];
    assert_eq!(names(&runtime.definitions(&request)), ["read_file"]);
}

#[test]
fn a_board_task_brings_the_board_tools() {
    let vars: Vars = [("HERMES_KANBAN_TASK".to_owned(), "7".to_owned())].into_iter().collect();
    let catalog = ToolsetCatalog { board: Some("kanban"), ..ToolsetCatalog::default() };
    let runtime = Runtime::builder().toolsets(Arc::new(catalog)).vars(vars).build();
    runtime.registry().register_all([tool("kanban_show", "kanban"), tool("read_file", "file")]);
    let names = names(&runtime.definitions(&request(&["file"]))).len();
    assert_eq!(names, 2);
}

#[test]
fn the_registered_name_wins_over_a_dynamic_one() {
    let dynamic = builder("real", "x")
        .dynamic_schema(|scope| {
            let mut fields = Map::new();
            fields.insert("name".into(), "fake".into());
            fields.insert("description".into(), format!("{} beside", scope.available.len()).into());
            SchemaPatch::Merge(fields)
        })
        .handler(|_, _| Ok(ToolOutput::text("{}")));
    let runtime = runtime([dynamic, tool("other", "x")]);
    let definitions = runtime.definitions(&request(&["x"]));
    assert_eq!(names(&definitions), ["other", "real"]);
    assert_eq!(definitions.functions()[1]["function"]["description"], "2 beside");
}

#[test]
fn schemas_name_only_tools_that_survived_filtering() {
    let mentions = builder("navigator", "x")
        .dynamic_schema(|scope| {
            let mut fields = Map::new();
            if scope.available.contains("web_search") {
                fields.insert("description".into(), "Prefer web_search.".into());
            }
            SchemaPatch::Merge(fields)
        })
        .handler(|_, _| Ok(ToolOutput::text("{}")));
    let runtime = runtime([mentions, tool("web_search", "web")]);
    let text = |enabled: &[&str]| {
        let definitions = runtime.definitions(&request(enabled));
        definitions.functions()[0]["function"]["description"].as_str().unwrap().to_owned()
    };
    assert_eq!(text(&["x"]), "The navigator tool.");
    assert_eq!(text(&["x", "web"]), "Prefer web_search.");
}

#[test]
fn a_dynamic_schema_may_withdraw_its_tool_and_may_panic() {
    let withdrawn = builder("gone", "x")
        .dynamic_schema(|_| SchemaPatch::Remove)
        .handler(|_, _| Ok(ToolOutput::text("{}")));
    let broken = builder("broken", "x")
        .dynamic_schema(|_| panic!("bug"))
        .handler(|_, _| Ok(ToolOutput::text("{}")));
    let runtime = runtime([withdrawn, broken]);
    let definitions = runtime.definitions(&request(&["x"]));
    assert_eq!(names(&definitions), ["broken"]);
    assert_eq!(definitions.functions()[0]["function"]["description"], "The broken tool.");
}

#[test]
fn equal_requests_share_one_result() {
    let runtime = runtime([tool("read_file", "file")]);
    let first = runtime.definitions(&request(&["file"]));
    assert!(Arc::ptr_eq(&first, &runtime.definitions(&request(&["file"]))));
    runtime.registry().register(tool("patch", "file"));
    assert_eq!(names(&runtime.definitions(&request(&["file"]))), ["patch", "read_file"]);
}

struct HandClock(std::time::Instant, Mutex<Duration>);

impl Clock for HandClock {
    fn now(&self) -> std::time::Instant {
        self.0 + *self.1.lock().unwrap()
    }
}

#[test]
fn memo_notices_availability_and_toolset_edits() {
    let clock = Arc::new(HandClock(std::time::Instant::now(), Mutex::default()));
    let has_key = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&has_key);
    let gated = builder("gated", "x")
        .check(Check::new(move |_: &Vars| seen.load(Ordering::SeqCst)))
        .handler(|_, _| Ok(ToolOutput::text("{}")));
    let runtime = Runtime::builder().clock(clock.clone()).build();
    runtime.registry().register_all([gated, tool("plain", "x")]);
    assert_eq!(names(&runtime.definitions(&request(&["x"]))), ["plain"]);
    has_key.store(true, Ordering::SeqCst);
    assert_eq!(names(&runtime.definitions(&request(&["x"]))), ["plain"], "within the TTL");
    *clock.1.lock().unwrap() += Duration::from_secs(30);
    assert_eq!(names(&runtime.definitions(&request(&["x"]))), ["gated", "plain"]);

    runtime.toolsets().create("mine", Toolset::new("Mine.").with_tools(["plain"])).unwrap();
    assert_eq!(names(&runtime.definitions(&request(&["mine"]))), ["plain"]);
    runtime.toolsets().create("mine", Toolset::new("Mine.").with_tools(["gated"])).unwrap();
    assert_eq!(names(&runtime.definitions(&request(&["mine"]))), ["gated"]);
}

#[test]
fn a_changed_configuration_is_noticed() {
    let runtime = runtime([tool("plain", "x")]);
    assert!(runtime.definitions(&request(&["mine"])).functions().is_empty());
    let config = json!({"custom_toolsets": {"mine": {"tools": ["plain"]}}});
    assert_eq!(runtime.reload(config, Vars::default()), []);
    assert_eq!(names(&runtime.definitions(&request(&["mine"]))), ["plain"]);
}

#[test]
fn the_latest_definitions_are_what_a_session_sees() {
    let runtime = runtime([tool("read_file", "file"), tool("plain", "x")]);
    runtime.definitions(&request(&["x"]));
    assert_eq!(runtime.visible_tools().iter().map(AsRef::as_ref).collect::<Vec<&str>>(), ["plain"]);
}

#[test]
fn rare_tools_hide_behind_bridges_unless_pinned_or_never() {
    let config = json!({"tools": {"tool_search": {"enabled": "on", "pinned": ["kept"]}}});
    let runtime = Runtime::builder().toolsets(sample::catalog()).config(config).build();
    let tools = [("look", "seeing"), ("rare", "x"), ("kept", "x")];
    runtime.registry().register_all(tools.map(|(name, toolset)| tool(name, toolset)));
    let mut request = request(&["seeing", "x"]);
    let definitions = runtime.definitions(&request);
    assert_eq!(names(&definitions), ["kept", "look", "tool_search", "tool_describe", "tool_call"]);
    assert_eq!(definitions.deferred().len(), 1);
    request.deferral = Deferral::Never;
    assert_eq!(names(&runtime.definitions(&request)), ["kept", "look", "rare"]);
}
