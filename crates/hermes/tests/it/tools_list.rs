//! `hermes tools list` and `hermes tools show`.

use serde_json::Value;

use crate::support::{Sandbox, column};

fn list(args: &[&str]) -> Value {
    let args = ["tools", "list", "--json"].iter().chain(args);
    Sandbox::new().run(args).exits(0).json()
}

#[test]
fn the_table_shows_tool_toolset_and_status() {
    let run = Sandbox::new().run(["tools", "list"]).exits(0);
    let mut lines = run.out.lines();
    let header: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    assert_eq!(header, ["TOOL", "TOOLSET", "STATUS", "ABOUT"]);
    let row = lines.find(|line| line.contains(" memory ")).unwrap();
    assert!(row.contains("✓ available"), "{row}");
    assert!(run.err.contains("available"), "the summary is for people: {}", run.err);
}

#[test]
fn json_is_sorted_by_name_and_complete() {
    let tools = list(&[]);
    let names = column(&tools, "name");
    assert!(names.is_sorted(), "{names:?}");
    for name in ["clarify", "delegate_task", "memory", "session_search", "todo"] {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
    for tool in tools.as_array().unwrap() {
        assert_eq!(tool["status"], "available", "{tool}");
        assert!(tool["effects"].is_array() && tool["requires_env"].is_array(), "{tool}");
        assert!(tool["description"].as_str().unwrap().len() > 20, "{tool}");
    }
}

#[test]
fn two_runs_print_the_same_bytes() {
    let sandbox = Sandbox::new();
    let args = ["tools", "list", "--all", "--json"];
    assert_eq!(sandbox.run(args).exits(0).out, sandbox.run(args).exits(0).out);
}

#[test]
fn a_toolset_narrows_the_list() {
    let tools = list(&["--toolset", "todo"]);
    assert_eq!(column(&tools, "name"), ["todo"]);
}

#[test]
fn all_shows_tools_this_build_does_not_have() {
    let run = Sandbox::new().run(["tools", "list", "--all"]).exits(0);
    run.says("– not in this build");
    let tools = list(&["--all"]);
    let missing = |tool: &&Value| tool["status"] == "not in this build";
    assert!(tools.as_array().unwrap().iter().filter(missing).count() > 0);
    // A tool that is there is there with --all, too.
    assert!(column(&tools, "name").contains(&"todo"));
}

#[test]
fn unknown_toolsets_get_a_suggestion() {
    let run = Sandbox::new().run(["tools", "list", "--toolset", "fle"]).exits(2);
    assert_eq!(run.out, "");
    run.notes("unknown toolset `fle`").notes("did you mean `file`?").notes("hermes toolsets list");
    let run = Sandbox::new().run(["tools", "list", "--toolset", "qqqqqq"]).exits(2);
    assert!(!run.err.contains("did you mean"), "{run:#?}");
}

#[test]
fn the_list_follows_the_configuration() {
    let sandbox = Sandbox::with_config("platform_toolsets:\n  cli: [todo]\n");
    let tools = sandbox.run(["tools", "list", "--json"]).exits(0).json();
    assert_eq!(column(&tools, "name"), ["todo"]);
}

#[test]
fn one_tool_is_shown_with_its_arguments() {
    let run = Sandbox::new().run(["tools", "show", "todo"]).exits(0).quietly();
    run.says("toolset  todo\n")
        .says("status   available\n")
        .says("effects  reads, writes, agent-state\n")
        .says("ARGUMENT  TYPE")
        .says("todos     object list");
}

#[test]
fn one_tool_as_json_has_its_schema() {
    let tool = Sandbox::new().run(["tools", "show", "clarify", "--json"]).exits(0).json();
    assert_eq!(tool["name"], "clarify");
    assert_eq!(tool["available"], true);
    assert_eq!(tool["parameters"]["type"], "object");
    assert_eq!(tool["parameters"]["required"], serde_json::json!(["question"]));
}

#[test]
fn nothing_is_cut_off_in_a_pipe() {
    let sandbox = Sandbox::new();
    let tool = sandbox.run(["tools", "show", "todo", "--json"]).json();
    let about = tool["parameters"]["properties"]["merge"]["description"].as_str().unwrap();
    sandbox.run(["tools", "show", "todo"]).exits(0).says(about);
    for args in [["tools", "list"], ["config", "keys"], ["toolsets", "list"]] {
        let run = sandbox.run(args).exits(0);
        assert!(!run.out.lines().any(|line| line.ends_with('…')), "{run:#?}");
    }
}

#[test]
fn misspelt_tools_get_a_suggestion() {
    let run = Sandbox::new().run(["tools", "show", "tood"]).exits(2);
    assert_eq!(run.out, "");
    run.notes("unknown tool `tood`").notes("did you mean `todo`?").notes("hermes tools list");
}

#[test]
fn names_that_leave_no_doubt_are_taken_with_a_note() {
    Sandbox::new().run(["tools", "show", "Session-Search"]).exits(0).notes("(taking");
}

#[test]
fn tools_of_other_builds_are_told_from_typing_errors() {
    // The first toolset tool that is not here; which one changes as tools are added.
    let all = list(&["--all"]);
    let missing =
        all.as_array().unwrap().iter().find(|tool| tool["status"] == "not in this build").unwrap();
    let name = missing["name"].as_str().unwrap();
    Sandbox::new().run(["tools", "show", name]).exits(2).notes("this build does not have it");
}
