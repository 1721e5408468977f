//! What is written back to the configuration.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use hermes_runtime::toolsets::platform::{ConfigEdit, Switch, ToggleOutcome, ToggleProblem};

use super::{CLI_DEFAULT, Case};

impl Case {
    fn save(&self, chosen: &[&str]) -> Vec<ConfigEdit> {
        let chosen: BTreeSet<String> = chosen.iter().map(|name| (*name).to_owned()).collect();
        self.ask(|request, registry| {
            self.table.snapshot().save_platform(request, &chosen, registry)
        })
    }

    fn toggle(&self, switch: Switch, names: &[&str]) -> ToggleOutcome {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        self.ask(|request, registry| {
            self.table.snapshot().toggle(switch, &names, &self.config, request, registry)
        })
    }

    /// Carries the edits out, as the configuration store would.
    fn apply(&mut self, edits: &[ConfigEdit]) {
        for edit in edits {
            let mut place = &mut self.config;
            for key in &edit.path {
                place = &mut place[key.as_str()];
            }
            *place = edit.value.clone();
        }
    }
}

fn edit(path: &str, value: Value) -> ConfigEdit {
    ConfigEdit { path: path.split('.').map(str::to_owned).collect(), value }
}

#[test]
fn saving_keeps_unknown_names_and_drops_presets_and_no_mcp() {
    let case = Case::listing("cli", &["hermes-cli", "github", "no_mcp", "mystery", "tts", "all"]);
    assert_eq!(
        case.save(&["web", "file"]),
        [edit("platform_toolsets.cli", json!(["file", "github", "mystery", "web"]))]
    );
}

#[test]
fn saving_records_the_plugins_of_today() {
    let config = json!({"known_plugin_toolsets": {"cli": ["gone"]}});
    let case = Case::new("cli", config).plugin("weather");
    let edits = case.save(&["web"]);
    assert_eq!(
        edits,
        [
            edit("platform_toolsets.cli", json!(["web"])),
            edit("known_plugin_toolsets.cli", json!(["gone", "weather"])),
        ]
    );
}

#[test]
fn a_plugin_left_out_of_a_saved_choice_stays_off() {
    let mut case = Case::new("cli", json!({})).plugin("weather");
    let edits = case.save(&["web"]);
    case.apply(&edits);
    assert_eq!(case.toolsets(), ["kanban", "web"]);
}

#[test]
fn saving_takes_the_chosen_off_the_disabled_ones() {
    let case = Case::new("cli", json!({"agent": {"disabled_toolsets": ["web", "tts"]}}));
    let edits = case.save(&["web"]);
    assert!(edits.contains(&edit("agent.disabled_toolsets", json!(["tts"]))));
}

#[test]
fn saving_what_is_already_there_changes_nothing() {
    let case = Case::listing("cli", &["file", "web"]);
    assert_eq!(case.save(&["web", "file"]), []);
}

#[test]
fn saving_leaves_out_other_platforms_toolsets() {
    let case = Case::listing("telegram", &[]);
    assert_eq!(
        case.save(&["web", "discord"]),
        [edit("platform_toolsets.telegram", json!(["web"]))]
    );
}

#[test]
fn saving_does_not_turn_servers_into_an_allow_list() {
    let config = json!({"mcp_servers": {"github": {}, "files": {}}});
    let case = Case::new("cli", config);
    assert_eq!(case.save(&["web", "github"]), [edit("platform_toolsets.cli", json!(["web"]))]);
}

#[test]
fn switching_off_starts_from_what_the_platform_has() {
    let mut case = Case::new("cli", json!({}));
    let outcome = case.toggle(Switch::Off, &["browser"]);
    assert_eq!(outcome.switched, ["browser"]);
    let listed: Vec<&str> =
        CLI_DEFAULT.into_iter().filter(|name| !["browser", "kanban"].contains(name)).collect();
    assert_eq!(outcome.edits, [edit("platform_toolsets.cli", json!(listed))]);
    case.apply(&outcome.edits);
    assert!(!case.has("browser") && case.has("kanban") && case.has("web"));
}

#[test]
fn switching_on_and_off_again_returns_to_the_same_toolsets() {
    let mut case = Case::new("cli", json!({"mcp_servers": {"github": {}}}));
    let before = case.toolsets();
    for switch in [Switch::On, Switch::Off] {
        let outcome = case.toggle(switch, &["spotify"]);
        case.apply(&outcome.edits);
        assert_eq!(case.has("spotify"), switch == Switch::On);
    }
    assert_eq!(case.toolsets(), before, "and the server did not become an allow-list");
}

#[test]
fn switching_on_undoes_disabling_everywhere() {
    let mut case = Case::new("cli", json!({"agent": {"disabled_toolsets": ["web"]}}));
    assert!(!case.has("web"));
    let outcome = case.toggle(Switch::On, &["web"]);
    case.apply(&outcome.edits);
    assert!(case.has("web"));
}

#[test]
fn switching_the_last_one_off_leaves_an_empty_list() {
    let mut case = Case::listing("cli", &["web"]);
    let outcome = case.toggle(Switch::Off, &["web"]);
    assert_eq!(outcome.edits, [edit("platform_toolsets.cli", json!([]))]);
    case.apply(&outcome.edits);
    assert_eq!(case.toolsets(), ["kanban"]);
}

#[test]
fn compositions_and_plugins_can_be_switched_like_any_toolset() {
    let mut case = Case::listing("cli", &["tts"]).plugin("weather");
    let outcome = case.toggle(Switch::On, &["debugging"]);
    assert_eq!(outcome.problems, []);
    case.apply(&outcome.edits);
    assert!(case.has("debugging"));
    let outcome = case.toggle(Switch::Off, &["debugging", "weather"]);
    case.apply(&outcome.edits);
    assert!(!case.has("debugging") && !case.has("weather"));
}

#[test]
fn names_that_cannot_be_switched_are_explained() {
    let config = json!({"mcp_servers": {"github": {}, "files": {"tools": {"include": ["read"]}}}});
    let case = Case::new("cli", config);
    let texts = |switch, name: &str| -> Vec<String> {
        let outcome = case.toggle(switch, &[name]);
        assert_eq!((outcome.edits.len(), outcome.switched.len()), (0, 0), "{name}");
        outcome.problems.iter().map(ToString::to_string).collect()
    };
    assert_eq!(texts(Switch::On, "webb"), ["unknown toolset `webb`; did you mean `web`?"]);
    assert_eq!(texts(Switch::On, "discord"), ["toolset `discord` does not work on platform `cli`"]);
    assert!(texts(Switch::On, "hermes-telegram")[0].contains("a whole preset"));
    assert!(texts(Switch::Off, "all")[0].contains("a whole preset"));
    assert!(texts(Switch::Off, "kanban")[0].contains("agent.disabled_toolsets"));
    assert!(texts(Switch::Off, "github")[0].contains("github:TOOL"));
    assert_eq!(
        texts(Switch::Off, "gihub:list"),
        ["there is no MCP server `gihub` in the configuration; did you mean `github`?"]
    );
    assert!(texts(Switch::Off, "files:read")[0].contains("tools.include"));
}

#[test]
fn one_bad_name_does_not_stop_the_others() {
    let case = Case::listing("cli", &["web"]);
    let outcome = case.toggle(Switch::On, &["nonsense-name", "tts"]);
    assert_eq!(outcome.switched, ["tts"]);
    assert!(matches!(outcome.problems[..], [ToggleProblem::UnknownToolset { .. }]));
    assert_eq!(outcome.edits, [edit("platform_toolsets.cli", json!(["tts", "web"]))]);
}

#[test]
fn tools_of_a_server_are_switched_in_its_exclude_list() {
    let mut case = Case::new(
        "cli",
        json!({"mcp_servers": {"github": {"tools": {"exclude": ["push"]}}, "a:b": {}}}),
    );
    let outcome = case.toggle(Switch::Off, &["github:list", "github:push", "a:b:c"]);
    assert_eq!(
        outcome.edits,
        [
            edit("mcp_servers.a:b.tools.exclude", json!(["c"])),
            edit("mcp_servers.github.tools.exclude", json!(["list", "push"])),
        ]
    );
    case.apply(&outcome.edits);
    let outcome = case.toggle(Switch::On, &["github:push"]);
    assert_eq!(outcome.edits, [edit("mcp_servers.github.tools.exclude", json!(["list"]))]);
    case.apply(&outcome.edits);
    assert_eq!(case.toggle(Switch::On, &["github:push"]).edits, []);
}
