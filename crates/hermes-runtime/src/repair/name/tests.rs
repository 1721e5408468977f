//! Tests of name repair, rule by rule.

use proptest::prelude::*;

use super::{How, Known, MAX_COMPARED_CHARS, NameRepair, repair_name};

fn known() -> Known {
    Known::new([
        "read_file",
        "write_file",
        "search_files",
        "terminal",
        "web_search",
        "todo",
        "html_view",
        "mcp__my_server__Create_Issue",
        "Odd",
    ])
}

/// The result, where every tool but those that write or run is read-only.
fn repair<'k>(name: &str, known: &'k Known) -> NameRepair<'k> {
    repair_name(name, known, |tool| !matches!(tool, "write_file" | "terminal" | "todo"))
}

#[track_caller]
fn repaired(name: &str, tool: &str, how: How) {
    assert_eq!(repair(name, &known()), NameRepair::Repaired(tool, how), "{name}");
}

#[track_caller]
fn unknown(name: &str, nearest: Option<&str>) {
    assert_eq!(repair(name, &known()), NameRepair::Unknown { nearest }, "{name}");
}

#[test]
fn known_names_are_exact() {
    assert_eq!(repair("read_file", &known()), NameRepair::Exact("read_file"));
    assert_eq!(repair("Odd", &known()), NameRepair::Exact("Odd"));
}

#[test]
fn blank_names_have_no_nearest_tool() {
    for name in ["", " ", "\n\t"] {
        unknown(name, None);
    }
}

#[test]
fn markup_behind_a_name_is_cut_off() {
    for name in ["read_file\" path=", "read_file'", "read_file<|end|>", "read_file>", " read_file "]
    {
        repaired(name, "read_file", How::Cut);
    }
    repaired("Odd<", "Odd", How::Cut);
    repaired("READ_FILE\"", "read_file", How::LowerCase);
}

#[test]
fn punctuation_around_a_name_is_no_part_of_it() {
    for name in [
        "<read_file>",
        "<read_file",
        "read_file()",
        "read_file();",
        "`read_file`",
        "``read_file``",
        "\"read_file\"",
        "'read_file'",
        "\u{201c}read_file\u{201d}",
        "[read_file]",
        "{read_file}",
        "*read_file*",
        "**read_file**:",
        "read_file.",
        "$read_file",
        "(\"read_file\")",
        "read_file(path=\"a\")",
        "read_file{\"path\": 1}",
    ] {
        repaired(name, "read_file", How::Cut);
    }
    repaired("<Terminal>", "terminal", How::LowerCase);
    repaired("`readFile`()", "read_file", How::CamelCase);
    repaired("<terminal_tool>", "terminal", How::ToolSuffix);
    repaired("\"mcp-my-server:Create-Issue\"", "mcp__my_server__Create_Issue", How::McpForm);
    for nothing in ["()", "<>", "\"\"", "``", "...", "functions.", "tools.()", "functions.:0"] {
        assert!(matches!(repair(nothing, &known()), NameRepair::Unknown { .. }), "{nothing}");
    }
}

#[test]
fn namespaces_models_were_taught_with_are_no_part_of_a_name() {
    for name in [
        "functions.read_file",
        "tools.read_file",
        "default_api.read_file",
        "default_api:read_file",
        "Functions.read_file",
        "functions.read_file()",
        "<functions.read_file>",
        "functions.read_file:0",
        "functions.read_file:12",
        "functions.tools.read_file",
        "default_api.`read_file`",
    ] {
        repaired(name, "read_file", How::Cut);
    }
    repaired("functions.ReadFile", "read_file", How::CamelCase);
    repaired("functions.terminal-tool", "terminal", How::ToolSuffix);
    // Any other namespace may be one of the model's own making.
    assert!(!matches!(repair("os.terminal", &known()), NameRepair::Repaired("terminal", _)));
}

#[test]
fn letter_case_is_forgiven() {
    repaired("Read_File", "read_file", How::LowerCase);
    repaired("TODO", "todo", How::LowerCase);
}

#[test]
fn spaces_and_hyphens_are_separators() {
    repaired("read-file", "read_file", How::Separators);
    repaired("Web Search", "web_search", How::Separators);
}

#[test]
fn camel_case_is_split() {
    repaired("ReadFile", "read_file", How::CamelCase);
    repaired("webSearch", "web_search", How::CamelCase);
    repaired("HTMLView", "html_view", How::CamelCase);
}

#[test]
fn up_to_two_tool_suffixes_are_stripped() {
    repaired("read_file_tool", "read_file", How::ToolSuffix);
    repaired("read-file-tool", "read_file", How::ToolSuffix);
    repaired("terminaltool", "terminal", How::ToolSuffix);
    repaired("WriteFileTool", "write_file", How::ToolSuffix);
    repaired("TodoTool_tool", "todo", How::ToolSuffix);
    repaired("OddTool", "Odd", How::ToolSuffix);
    unknown("todo_tool_tool_tool", None);
    // Nothing would be left.
    unknown("_tool", Some("todo"));
}

#[test]
fn follow_mcp_wire_names_and_accept_the_form_with_a_colon() {
    let name = "mcp__my_server__Create_Issue";
    repaired("mcp-my-server:Create-Issue", name, How::McpForm);
    repaired("mcp-my.server:Create Issue", name, How::McpForm);
    assert!(matches!(repair("mcp-other:x", &known()), NameRepair::Unknown { .. }));
}

#[test]
fn old_names_lead_to_current_tools() {
    let known = known()
        .with_legacy("run_shell", "terminal")
        .with_legacy("read_file", "write_file")
        .with_legacy("gone", "also_gone");
    let terminal = NameRepair::Repaired("terminal", How::Legacy);
    for name in ["run_shell", "RunShell", "run-shell-tool"] {
        assert_eq!(repair(name, &known), terminal, "{name}");
    }
    assert_eq!(repair("read_file", &known), NameRepair::Exact("read_file"));
    assert_eq!(repair("ReadFile", &known), NameRepair::Repaired("read_file", How::CamelCase));
    assert_eq!(repair("gone", &known), NameRepair::Unknown { nearest: None });
}

#[test]
fn a_unique_read_only_tool_is_found_by_likeness() {
    repaired("html_views", "html_view", How::CloseMatch);
    repaired("WebSearches", "web_search", How::CloseMatch);
    // A rival exactly at the cutoff, as `write_file` is here, does not stand in the way.
    let known = Known::new(["read_file", "write_file"]);
    let found = NameRepair::Repaired("read_file", How::CloseMatch);
    assert_eq!(repair("read_files", &known), found);
}

#[test]
fn a_similar_tool_that_changes_something_is_only_named() {
    unknown("terminals", Some("terminal"));
    unknown("write_fil", Some("write_file"));
}

#[test]
fn the_name_of_a_server_makes_no_two_tools_alike() {
    let known = Known::new(["mcp__my_desk__greet"]);
    let nearest = Some("mcp__my_desk__greet");
    assert_eq!(repair("mcp__my_desk__fly", &known), NameRepair::Unknown { nearest });
    let found = NameRepair::Repaired("mcp__my_desk__greet", How::CloseMatch);
    assert_eq!(repair("mcp__my_desk__greets", &known), found);
}

#[test]
fn several_similar_tools_are_not_chosen_between() {
    // `search_files` is similar enough to be meant as well.
    unknown("read_files", Some("read_file"));
    let known = Known::new(["browser_click", "browser_clicks_all", "browser_clock"]);
    let nearest = Some("browser_click");
    assert_eq!(repair("browser_clik", &known), NameRepair::Unknown { nearest });
    // Equally near: the first in the alphabet is named.
    let known = Known::new(["abcdefx", "abcdefy"]);
    assert_eq!(repair("abcdefz", &known), NameRepair::Unknown { nearest: Some("abcdefx") });
    // Equally near, exactly at the cutoff.
    let known = Known::new(["abcdefgxxx", "abcdefgyyy"]);
    assert_eq!(repair("abcdefgzzz", &known), NameRepair::Unknown { nearest: Some("abcdefgxxx") });
}

#[test]
fn the_cutoff_itself_is_near_enough() {
    let known = Known::new(["abcdefgxxx"]);
    let found = NameRepair::Repaired("abcdefgxxx", How::CloseMatch);
    assert_eq!(repair("abcdefgzzz", &known), found);
    assert_eq!(repair("abcdefzzzz", &known), NameRepair::Unknown { nearest: Some("abcdefgxxx") });
}

#[test]
fn names_without_likeness_or_beyond_measure_have_no_nearest() {
    unknown("qqqq", None);
    unknown(&"read_file".repeat(MAX_COMPARED_CHARS), None);
    assert_eq!(repair("x", &Known::default()), NameRepair::Unknown { nearest: None });
}

proptest! {
    #[test]
    fn only_known_tools_come_out(name in any::<String>()) {
        let known = known();
        let tool = match repair(&name, &known) {
            NameRepair::Exact(tool) | NameRepair::Repaired(tool, _) => Some(tool),
            NameRepair::Unknown { nearest } => nearest,
        };
        prop_assert!(tool.is_none_or(|tool| known.names.contains(tool)));
    }

    #[test]
    fn likeness_never_leads_to_a_tool_that_changes_something(name in "[a-z_]{1,12}") {
        if let NameRepair::Repaired(tool, How::CloseMatch) = repair(&name, &known()) {
            prop_assert!(!matches!(tool, "write_file" | "terminal" | "todo"));
        }
    }
}
