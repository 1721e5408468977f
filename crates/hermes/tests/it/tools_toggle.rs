//! `hermes tools enable` and `disable`.

use crate::support::{Sandbox, column};

const COMMENTED: &str = "\
# top
model: some # the good one

platform_toolsets:
  # what my terminal has
  cli:
    - memory
    - todo
  telegram: [todo]

display:
  skin: default   # plain
";

#[test]
fn disabling_takes_one_line_out_and_keeps_comments() {
    let sandbox = Sandbox::with_config(COMMENTED);
    let run = sandbox.run(["tools", "disable", "todo"]).exits(0).quietly();
    assert_eq!(run.out, "disabled todo on cli\n");
    let text = sandbox.read("config.yaml");
    for comment in ["# top", "# the good one", "# what my terminal has", "# plain"] {
        assert!(text.contains(comment), "{comment} is gone:\n{text}");
    }
    assert!(text.contains("  telegram: [todo]\n"), "{text}");
    let tools = sandbox.run(["tools", "list", "--json"]).exits(0).json();
    assert_eq!(column(&tools, "name"), ["memory"]);
}

#[test]
fn comments_that_cannot_be_kept_are_told_and_saved() {
    let text = "platform_toolsets:\n  cli:\n    - memory  # why I have it\n    - todo\n";
    let sandbox = Sandbox::with_config(text);
    let run = sandbox.run(["tools", "disable", "todo"]).exits(0);
    if !sandbox.read("config.yaml").contains("# why I have it") {
        run.notes("warning: 1 comment could not be kept").notes("config.yaml.bak");
        assert_eq!(sandbox.read("config.yaml.bak"), text);
        assert_eq!(sandbox.mode("config.yaml.bak"), 0o600);
    }
}

#[test]
fn enabling_adds_and_keeps_comments() {
    let sandbox = Sandbox::with_config(COMMENTED);
    let run = sandbox.run(["tools", "enable", "clarify", "session_search"]).exits(0);
    assert_eq!(run.out, "enabled clarify on cli\nenabled session_search on cli\n");
    assert!(sandbox.read("config.yaml").contains("# what my terminal has"));
    let tools = sandbox.run(["tools", "list", "--json"]).exits(0).json();
    assert_eq!(column(&tools, "name"), ["clarify", "memory", "session_search", "todo"]);
}

#[test]
fn the_first_disable_starts_from_what_the_platform_has() {
    let sandbox = Sandbox::new();
    sandbox.run(["tools", "disable", "todo"]).exits(0);
    let tools = sandbox.run(["tools", "list", "--json"]).exits(0).json();
    let names = column(&tools, "name");
    assert!(names.contains(&"memory") && !names.contains(&"todo"), "{names:?}");
    assert_eq!(sandbox.mode("config.yaml"), 0o600);
}

#[test]
fn there_and_back_is_where_it_was() {
    let sandbox = Sandbox::new();
    let before = sandbox.run(["tools", "list", "--json"]).exits(0).out;
    sandbox.run(["tools", "disable", "memory"]).exits(0);
    sandbox.run(["tools", "enable", "memory"]).exits(0);
    assert_eq!(sandbox.run(["tools", "list", "--json"]).exits(0).out, before);
}

#[test]
fn other_platforms_are_left_alone() {
    let sandbox = Sandbox::with_config(COMMENTED);
    let args = ["tools", "disable", "todo", "--platform", "telegram"];
    sandbox.run(args).exits(0).says("disabled todo on telegram");
    let tools = sandbox.run(["tools", "list", "--json"]).exits(0).json();
    assert_eq!(column(&tools, "name"), ["memory", "todo"]);
}

#[test]
fn unknown_names_get_a_suggestion_and_change_nothing() {
    let sandbox = Sandbox::with_config(COMMENTED);
    let run = sandbox.run(["tools", "enable", "todoo"]).exits(2);
    run.notes("unknown toolset `todoo`").notes("did you mean `todo`?");
    let run = sandbox.run(["tools", "enable", "todo", "--platform", "telegrm"]).exits(2);
    run.notes("unknown platform `telegrm`").notes("did you mean `telegram`?");
    sandbox.run(["tools", "enable", "all"]).exits(2).notes("name the toolsets one by one");
    sandbox.run(["tools", "enable", "server:tool"]).exits(2).notes("no MCP server `server`");
    sandbox.run(["tools", "enable"]).exits(2).notes("Usage");
    assert_eq!(sandbox.read("config.yaml"), COMMENTED);
}

#[test]
fn known_names_beside_unknown_ones_are_switched() {
    let sandbox = Sandbox::with_config(COMMENTED);
    let run = sandbox.run(["tools", "enable", "clarify", "todoo"]).exits(2);
    run.says("enabled clarify on cli").notes("unknown toolset `todoo`");
}

#[test]
fn single_tools_of_a_server_are_switched_in_its_section() {
    let sandbox = Sandbox::with_config("mcp_servers:\n  github: # mine\n    command: gh-mcp\n");
    sandbox.run(["tools", "disable", "github:delete_repo"]).exits(0);
    let text = sandbox.read("config.yaml");
    assert!(text.contains("# mine") && text.contains("- delete_repo"), "{text}");
    sandbox.run(["tools", "enable", "github:delete_repo"]).exits(0);
    assert!(!sandbox.read("config.yaml").contains("- delete_repo"));
}

#[test]
fn a_broken_configuration_is_named_once_and_left_alone() {
    let broken = "platform_toolsets:\n  cli: [memory\nmodel: x\n";
    let sandbox = Sandbox::with_config(broken);
    for verb in ["enable", "disable"] {
        let run = sandbox.run(["tools", verb, "todo"]).exits(1).notes("config.yaml:");
        assert_eq!(run.err.matches("config.yaml:").count(), 1, "{run:#?}");
        assert_eq!(run.out, "");
    }
    assert_eq!(sandbox.read("config.yaml"), broken);
}
