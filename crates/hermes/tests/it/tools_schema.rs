//! `hermes tools schema`: what a model would see.

use serde_json::Value;

use crate::support::Sandbox;

fn schema(args: &[&str]) -> Value {
    let args = ["tools", "schema"].iter().chain(args);
    Sandbox::new().run(args).exits(0).quietly().json()
}

#[test]
fn two_runs_print_the_same_bytes() {
    for provider in ["openai", "anthropic", "gemini"] {
        let args = ["tools", "schema", "--toolsets", "all", "--provider", provider];
        let (one, two) = (Sandbox::new().run(args).exits(0), Sandbox::new().run(args).exits(0));
        assert!(!one.out.is_empty());
        assert_eq!(one.out, two.out, "{provider}");
    }
}

#[test]
fn the_order_of_toolsets_makes_no_difference() {
    let print = |list| Sandbox::new().run(["tools", "schema", "--toolsets", list]).exits(0).out;
    assert_eq!(print("todo,memory,clarify"), print("clarify,todo,memory,todo"));
}

#[test]
fn the_default_is_the_chat_completions_shape() {
    let functions = schema(&["--toolsets", "todo"]);
    assert_eq!(functions.as_array().unwrap().len(), 1);
    assert_eq!(functions[0]["type"], "function");
    assert_eq!(functions[0]["function"]["name"], "todo");
    assert_eq!(functions[0]["function"]["parameters"]["type"], "object");
}

#[test]
fn providers_get_their_own_shapes() {
    let anthropic = schema(&["--toolsets", "todo", "--provider", "anthropic"]);
    assert_eq!(anthropic[0]["name"], "todo");
    assert_eq!(anthropic[0]["input_schema"]["type"], "object");
    for provider in ["gemini", "moonshot", "xai", "llama.cpp"] {
        let functions = schema(&["--toolsets", "todo", "--provider", provider]);
        let text = functions[0].to_string();
        assert!(text.contains("\"todo\"") && text.contains("\"todos\""), "{provider}: {text}");
    }
}

#[test]
fn toolsets_can_be_taken_away() {
    let functions = schema(&["--toolsets", "todo,memory", "--disable", "todo"]);
    assert_eq!(functions.as_array().unwrap().len(), 1);
    assert_eq!(functions[0]["function"]["name"], "memory");
}

#[test]
fn a_comma_at_the_end_does_no_harm() {
    assert_eq!(schema(&["--toolsets", "todo,"]), schema(&["--toolsets", "todo"]));
    assert_eq!(schema(&["--toolsets", ""]), serde_json::json!([]));
}

#[test]
fn sizes_are_those_of_the_printed_schema() {
    let printed = Sandbox::new().run(["tools", "schema"]).exits(0).out;
    let sizes = schema(&["--size", "--json"]);
    assert_eq!(sizes["total_bytes"], printed.trim_end().len());
    let tools = sizes["tools"].as_array().unwrap();
    let bytes = |tool: &Value| tool["bytes"].as_u64().unwrap();
    assert!(tools.is_sorted_by(|a, b| bytes(a) >= bytes(b)), "the largest comes first: {sizes}");
    let commas_and_brackets = tools.len() as u64 + 1;
    assert_eq!(tools.iter().map(bytes).sum::<u64>() + commas_and_brackets, sizes["total_bytes"]);
}

#[test]
fn sizes_for_people_are_a_table_with_a_sum() {
    let run = Sandbox::new().run(["tools", "schema", "--size"]).exits(0);
    run.says("TOOL").says("~TOKENS").says("todo").notes("tokens (characters / 4)");
}

#[test]
fn unknown_names_are_usage_errors() {
    let run = Sandbox::new().run(["tools", "schema", "--provider", "opnai"]).exits(2);
    run.notes("`opnai`").notes("openai, anthropic, gemini");
    let run = Sandbox::new().run(["tools", "schema", "--toolsets", "todo,memry"]).exits(2);
    assert_eq!(run.out, "");
    run.notes("unknown toolset `memry`").notes("did you mean `memory`?");
    let run = Sandbox::new().run(["tools", "schema", "--disable", "tood"]).exits(2);
    run.notes("did you mean `todo`?");
}
