//! `hermes plugins`.

use serde_json::json;

use super::{install, nothing_is_left, with_plugins};
use crate::support::Sandbox;

#[test]
fn without_plugins_there_is_nothing_to_list_and_nothing_to_pay() {
    let sandbox = Sandbox::new();
    sandbox.run(["plugins", "list"]).exits(0).notes("no plugin is installed");
    let sandbox = Sandbox::new();
    sandbox.run(["tools", "list"]).exits(0);
    assert!(sandbox.entries().is_empty(), "{:?}", sandbox.entries());
}

#[test]
fn enabling_keeps_comments_and_shows_what_the_plugin_brings() {
    let sandbox = Sandbox::with_config("# mine\nplugins:\n  # chosen with care\n  enabled: []\n");
    install(&sandbox, "trip-desk");
    let listed = sandbox.run(["plugins", "list", "--json"]).exits(0).json();
    assert_eq!(listed[0]["status"], "not enabled");
    assert_eq!(listed[0]["requires_env"], json!(["TRIP_KEY", "TRIP_OTHER"]));
    sandbox.run(["tools", "call", "trip_quote"]).exits(2).notes("unknown tool");

    let enabled = sandbox.run(["plugins", "enable", "trip-desk", "--env", "TRIP_KEY"]).exits(0);
    assert!(enabled.out.contains("enabled trip-desk"), "{enabled:?}");
    assert!(
        enabled.out.contains("trip_quote") && enabled.out.contains("/trip PLACE"),
        "{enabled:?}"
    );
    assert!(enabled.out.contains("command /help: Hermes has one of that name"), "{enabled:?}");
    assert!(enabled.err.contains("TRIP_KEY is not set yet"), "{enabled:?}");
    let config = sandbox.read("config.yaml");
    assert!(config.contains("# mine") && config.contains("# chosen with care"), "{config}");
    assert!(config.contains("trip-desk"), "{config}");

    // From here on its tools are listed without starting it.
    let before = sandbox.read("logs/plugins/trip-desk.log");
    let tools = sandbox.run(["tools", "list", "--json"]).exits(0).json();
    let quote = tools.as_array().unwrap().iter().find(|tool| tool["name"] == "trip_quote").unwrap();
    assert_eq!(quote["effects"], json!(["network"]));
    assert_eq!(sandbox.read("logs/plugins/trip-desk.log"), before);

    let listed = sandbox.run(["plugins", "list", "-v"]).exits(0);
    for told in [
        "not given TRIP_OTHER",
        "noted only   platform telegraph",
        "noted only   web_search_provider",
        "skills       trip-desk:packing",
        "middleware llm_request: not raised by this build yet",
        "hermes plugins run trips",
    ] {
        assert!(listed.out.contains(told), "{told}: {}", listed.out);
    }

    sandbox.run(["plugins", "disable", "trip-desk"]).exits(0).says("disabled trip-desk");
    assert!(sandbox.read("config.yaml").contains("# chosen with care"));
    sandbox.run(["tools", "call", "trip_quote"]).exits(2);
    let listed = sandbox.run(["plugins", "list", "--json"]).exits(0).json();
    assert_eq!(listed[0]["status"], "disabled");
    sandbox.run(["plugins", "enable", "trip-desk", "--no-start"]).exits(0);
    sandbox.run(["tools", "call", "trip_quote"]).exits(0);
    nothing_is_left(&sandbox);
}

#[test]
fn testing_starts_a_plugin_that_is_not_enabled_and_calls_its_tool() {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", "");
    install(&sandbox, "dice");
    let tested =
        sandbox.run(["plugins", "test", "dice", "--call", "roll_dice", r#"{"sides": 8}"#]).exits(0);
    assert!(tested.out.contains("✓ dice started in"), "{tested:?}");
    assert!(tested.out.contains(r#"{"sides": 8, "rolled": 4}"#), "{tested:?}");
    sandbox.run(["plugins", "test", "dice", "--call", "rol"]).exits(2).notes("it has: roll_dice");
    sandbox.run(["tools", "call", "roll_dice"]).exits(2);
    sandbox.run(["plugins", "test", "dise"]).exits(2).notes("did you mean `dice`?");
    nothing_is_left(&sandbox);
}

#[test]
fn a_changed_plugin_is_heard_again() {
    let sandbox = with_plugins(&["greedy"], "");
    sandbox.run(["tools", "call", "greedy_own"]).exits(0);
    let code = sandbox.read("plugins/greedy/__init__.py").replace("greedy_own", "greedy_new");
    sandbox.write("plugins/greedy/__init__.py", &code);
    sandbox.run(["tools", "call", "greedy_new"]).exits(0);
    sandbox.run(["tools", "call", "greedy_own"]).exits(2);
}

#[test]
fn a_command_for_the_shell_is_run_with_its_arguments() {
    let sandbox = with_plugins(&["trip-desk"], "");
    let run = sandbox.run(["plugins", "run", "trips", "--to", "Rome"]).exits(0);
    assert_eq!(run.out, "trips to Rome\n");
    sandbox.run(["plugins", "run", "trips"]).exits(2).notes("--to");
    sandbox.run(["plugins", "run", "tripz"]).exits(2).notes("there are: trips");
}

#[test]
fn an_enabled_plugin_that_is_not_there_is_told() {
    let sandbox = Sandbox::with_config("plugins:\n  enabled: [gone]\n");
    let run = sandbox.run(["tools", "call", "terminal", r#"{"command": "true"}"#]).exits(0);
    assert!(run.err.contains("plugin `gone` is enabled and was not found"), "{run:?}");
    sandbox.run(["plugins", "disable", "gone"]).exits(0);
    let run = sandbox.run(["tools", "list"]).exits(0);
    assert!(!run.err.contains("gone"), "{run:?}");
}

#[test]
fn a_projects_plugins_take_part_only_when_asked() {
    let sandbox = Sandbox::with_config("plugins:\n  enabled: [dice]\n");
    super::copy(&super::fixture("dice"), &sandbox.scratch(".hermes/plugins/dice"));
    sandbox.run(["tools", "call", "roll_dice"]).exits(2).notes("was not found");
    let sandbox = sandbox.var("HERMES_ENABLE_PROJECT_PLUGINS", "1");
    sandbox.run(["tools", "call", "roll_dice"]).exits(0);
}

#[test]
fn the_debug_variable_shows_logs_as_they_come() {
    let sandbox = with_plugins(&["banner"], "");
    let sandbox = sandbox.var("HERMES_PLUGINS_DEBUG", "1");
    sandbox
        .run(["tools", "call", "banner_show"])
        .exits(0)
        .notes("plugin banner: stdout: Welcome to banner!");
}
