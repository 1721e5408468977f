//! `hermes toolsets`.

use serde_json::{Value, json};

use crate::support::{Sandbox, column};

fn json_of(args: &[&str]) -> Value {
    Sandbox::new().run(args).exits(0).json()
}

#[test]
fn the_list_counts_the_tools_of_this_build() {
    let run = Sandbox::new().run(["toolsets", "list"]).exits(0).notes("HERE counts");
    let row = run.out.lines().find(|line| line.starts_with("todo ")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells[..4], ["todo", "1", "1", "built-in"]);
}

#[test]
fn the_list_as_json_is_sorted() {
    let toolsets = json_of(&["toolsets", "list", "--json"]);
    let names = column(&toolsets, "name");
    assert!(names.is_sorted() && names.contains(&"file") && names.contains(&"hermes-cli"));
}

#[test]
fn one_toolset_is_shown_with_what_is_missing() {
    let run = Sandbox::new().run(["toolsets", "show", "todo"]).exits(0);
    run.says("  📋 todo\n").notes("1 tool\n");
    let shown = json_of(&["toolsets", "show", "debugging", "--json"]);
    assert_eq!(shown["source"], "built-in");
    assert!(
        shown["tools"].as_array().unwrap().len() > shown["own_tools"].as_array().unwrap().len()
    );
}

#[test]
fn everything_can_be_shown_like_a_toolset() {
    let shown = json_of(&["toolsets", "show", "all", "--json"]);
    let resolved = json_of(&["toolsets", "resolve", "all", "--json"]);
    assert_eq!(shown["tools"], resolved["tools"]);
    Sandbox::new().run(["toolsets", "show", "all"]).exits(0).says("todo");
}

#[test]
fn names_resolve_to_sorted_tools() {
    let run = Sandbox::new().run(["toolsets", "resolve", "todo", "file"]).exits(0);
    let tools: Vec<&str> = run.out.lines().collect();
    assert_eq!(tools, ["patch", "read_file", "search_files", "todo", "write_file"]);
    run.notes("5 tools from todo, file");
}

#[test]
fn what_resolves_is_told_from_what_is_available() {
    let resolved = json_of(&["toolsets", "resolve", "todo", "x_search", "--json"]);
    assert_eq!(resolved["toolsets"], json!(["todo", "x_search"]));
    assert_eq!(resolved["tools"], json!(["todo", "x_search"]));
    assert_eq!(resolved["available"], json!(["todo"]));
}

#[test]
fn without_names_the_platform_decides() {
    let sandbox = Sandbox::with_config("platform_toolsets:\n  telegram: [memory]\n");
    let tools = |platform| {
        let args = ["toolsets", "resolve", "--platform", platform, "--json"];
        sandbox.run(args).exits(0).json()["available"].clone()
    };
    assert_eq!(tools("telegram"), json!(["memory"]));
    assert!(tools("cli").as_array().unwrap().contains(&json!("todo")));
}

#[test]
fn a_toolset_may_list_a_tool_by_an_older_name_which_is_never_offered() {
    let sandbox = Sandbox::with_config("custom_toolsets:\n  mine: [search, todo]\n");
    let resolved = sandbox.run(["toolsets", "resolve", "mine", "--json"]).exits(0).json();
    assert_eq!(resolved["available"], json!(["search_files", "todo"]));
    let schema = sandbox.run(["tools", "schema", "--toolsets", "mine"]).exits(0).out;
    assert!(schema.contains("\"search_files\"") && !schema.contains("\"search\""), "{schema}");
}

#[test]
fn the_mixture_is_a_toolset_of_the_product() {
    let shown = json_of(&["toolsets", "show", "moa", "--json"]);
    assert_eq!(shown["source"], "built-in");
    assert_eq!(shown["description"], "Put one question to several models");
}

#[test]
fn custom_toolsets_of_the_configuration_count() {
    let sandbox = Sandbox::with_config(
        "custom_toolsets:\n  notes:\n    description: Mine\n    tools: [todo]\n    includes: [memory]\n",
    );
    let run = sandbox.run(["toolsets", "resolve", "notes"]).exits(0);
    assert_eq!(run.out, "memory\ntodo\n");
}

#[test]
fn unknown_names_get_a_suggestion() {
    for args in [&["toolsets", "show", "tdo"][..], &["toolsets", "resolve", "file", "todoo"]] {
        let run = Sandbox::new().run(args).exits(2).notes("did you mean `todo`?");
        assert_eq!(run.out, "");
    }
    let run = Sandbox::new().run(["toolsets", "resolve", "--platform", "telegrm"]).exits(2);
    run.notes("unknown platform `telegrm`").notes("did you mean `telegram`?");
}

#[test]
fn distributions_are_listed_with_their_shares() {
    Sandbox::new().run(["toolsets", "distributions"]).exits(0).says("default").says("web 100");
    let all = json_of(&["toolsets", "distributions", "--json"]);
    let minimal = all.as_array().unwrap().iter().find(|one| one["name"] == "minimal").unwrap();
    assert_eq!(minimal["shares"], json!({"web": 100.0}));
}

#[test]
fn a_seed_makes_a_draw_repeatable() {
    let draw = |name: &str, seed: u32| {
        let seed = seed.to_string();
        Sandbox::new()
            .run(["toolsets", "distributions", "--sample", name, "--seed", &seed])
            .exits(0)
            .out
    };
    assert_eq!(draw("default", 1), draw("default", 1));
    assert_eq!(draw("balanced", 1), draw("balanced", 1));
    let draws: std::collections::BTreeSet<String> =
        (0..8).map(|seed| draw("balanced", seed)).collect();
    assert!(draws.len() > 1, "other seeds draw otherwise: {draws:?}");
}

#[test]
fn unknown_distributions_get_a_suggestion() {
    let run = Sandbox::new().run(["toolsets", "distributions", "--sample", "defalt"]).exits(2);
    run.notes("did you mean `default`?");
    Sandbox::new().run(["toolsets", "distributions", "--seed", "1"]).exits(2).notes("--sample");
}

#[test]
fn a_platform_without_tools_or_known_only_to_the_configuration_is_told() {
    let sandbox = Sandbox::with_config(
        "platform_toolsets:\n  pager: []\n  telegrm: [memory]\n  cli: [file]\n",
    );
    let resolve = |platform: &str| sandbox.run(["toolsets", "resolve", "--platform", platform]);
    resolve("pager").exits(0).notes("the platform `pager` gets no tools");
    resolve("telegrm").exits(0).says("memory").notes("only platform_toolsets");
    let run = resolve("cli").exits(0);
    assert!(!run.err.contains("warning"), "{run:#?}");
}
