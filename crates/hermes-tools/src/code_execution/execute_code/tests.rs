//! The functions, the module and the description.

use std::collections::BTreeSet;

use hermes_tool::linked_tools;
use serde_json::{Value, json};

use super::*;

fn description(available: &[&str], config: &Value) -> String {
    let available: BTreeSet<Arc<str>> = available.iter().map(|name| Arc::from(*name)).collect();
    let vars = Vars::default();
    let scope = SchemaScope {
        available: &available,
        vars: &vars,
        config,
        detail: hermes_tool::SchemaDetail::Full,
    };
    match described(&scope) {
        SchemaPatch::Merge(fields) => fields["description"].as_str().unwrap().to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_description_lists_the_functions_that_are_there() {
    let text = description(&["terminal", "read_file", "memory"], &Value::Null);
    assert!(text.contains("  read_file(path, offset=1, limit=500)\n"), "{text}");
    assert!(text.contains("  terminal(command, timeout=None, workdir=None)\n"), "{text}");
    assert!(!text.contains("write_file") && !text.contains("memory"), "{text}");
    assert!(text.contains("300 seconds, 50 tool calls") && text.contains("working directory"));
    let own = json!({"code_execution": {"mode": "strict", "timeout": 9, "max_tool_calls": 2}});
    let text = description(&[], &own);
    assert!(text.contains("No tool can be called") && text.contains("9 seconds, 2 tool calls"));
    assert!(text.contains("temporary directory"), "{text}");
}

/// The functions of the linked tools, each with its tool.
fn linked() -> Vec<(&'static functions::Function, hermes_tool::Tool)> {
    let tools = linked_tools();
    let find = |name: &str| tools.iter().find(|(_, tool)| tool.name().as_ref() == name);
    functions::named(|_| true)
        .filter_map(|function| Some((function, find(function.name)?.1.clone())))
        .collect()
}

#[test]
fn every_parameter_of_a_function_is_one_of_its_tool() {
    let linked = linked();
    let names: Vec<&str> = linked.iter().map(|(function, _)| function.name).collect();
    assert_eq!(
        names,
        [
            "web_search",
            "web_extract",
            "read_file",
            "write_file",
            "search_files",
            "patch",
            "terminal"
        ]
    );
    for (function, tool) in &linked {
        for parameter in function.parameters() {
            let property = &tool.parameters()["properties"][parameter];
            assert!(property.is_object(), "{} has no {parameter}", function.name);
        }
    }
}

#[test]
fn the_module_has_a_function_for_each_tool_and_says_what_it_is_for() {
    let text = module::text(&linked());
    assert!(text.contains("def patch(path=None, old_string=None, new_string=None, "), "{text}");
    assert!(text.contains(r#"return _call("terminal", {"command": command, "timeout": timeout"#));
    assert!(text.contains("    \"Run a shell command. "), "{text}");
    assert!(text.contains(r#"__all__ = ["json_parse","patch","read_file","retry","#), "{text}");
    let none = module::text(&[]);
    assert!(none.contains("def retry") && !none.contains("def terminal"), "{none}");
}
