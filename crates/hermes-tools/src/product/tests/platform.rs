//! Which toolsets a platform gets. Every test asks one [`Case`]; what is written back to the
//! configuration is tested in [`writing`].

use serde_json::{Value, json};

use hermes_runtime::toolsets::platform::{PlatformRequest, PlatformSettings, enabled_mcp_servers};
use hermes_runtime::toolsets::{RegisteredTools, Toolset, ToolsetTable};

use super::{Registered, table};

mod writing;

/// A platform question with everything it depends on; change what a test is about.
struct Case {
    table: ToolsetTable,
    registry: Registered,
    platform: &'static str,
    config: Value,
    plugins: Vec<String>,
    set_up: Vec<&'static str>,
}

impl Case {
    fn new(platform: &'static str, config: Value) -> Self {
        Self {
            table: table(),
            registry: Registered::default(),
            platform,
            config,
            plugins: Vec::new(),
            set_up: Vec::new(),
        }
    }

    /// A case whose platform has this list and nothing else is configured.
    fn listing(platform: &'static str, list: &[&str]) -> Self {
        Self::new(platform, json!({"platform_toolsets": {platform: list}}))
    }

    fn plugin(mut self, toolset: &str) -> Self {
        self.registry = self.registry.with(toolset, &[&format!("{toolset}_tool")]);
        self.plugins.push(toolset.to_owned());
        self
    }

    fn set_up(mut self, toolset: &'static str) -> Self {
        self.set_up.push(toolset);
        self
    }

    fn ask<T>(&self, question: impl FnOnce(&PlatformRequest<'_>, &dyn RegisteredTools) -> T) -> T {
        let request = PlatformRequest {
            platform: self.platform,
            settings: &PlatformSettings::read(&self.config, self.platform),
            plugin_toolsets: &self.plugins,
            mcp_servers: &enabled_mcp_servers(&self.config),
            set_up: &self.set_up,
        };
        question(&request, &*self.registry.snapshot())
    }

    fn toolsets(&self) -> Vec<String> {
        self.ask(|request, registry| self.table.snapshot().for_platform(request, registry))
    }

    fn has(&self, toolset: &str) -> bool {
        self.toolsets().iter().any(|name| name == toolset)
    }
}

const CLI_DEFAULT: [&str; 17] = [
    "browser",
    "clarify",
    "code_execution",
    "computer_use",
    "cronjob",
    "delegation",
    "file",
    "image_gen",
    "kanban",
    "memory",
    "session_search",
    "skills",
    "terminal",
    "todo",
    "tts",
    "vision",
    "web",
];

#[test]
fn unlisted_platforms_get_their_preset_as_toolsets() {
    assert_eq!(Case::new("cli", json!({})).toolsets(), CLI_DEFAULT);
    assert_eq!(Case::new("whatsapp_cloud", json!({})).toolsets(), CLI_DEFAULT);
    assert_eq!(Case::new("webhook", json!({})).toolsets(), ["clarify", "vision", "web"]);
    assert_eq!(
        Case::new("cli", json!({"platform_toolsets": {"cli": "web"}})).toolsets(),
        CLI_DEFAULT,
        "something that is no list counts as absent"
    );
}

#[test]
fn listed_toolsets_are_taken_literally() {
    let case = Case::listing("cli", &["web", "spotify", "video"]);
    assert_eq!(case.toolsets(), ["kanban", "spotify", "video", "web"]);
}

#[test]
fn a_composition_beside_listed_toolsets_adds_what_lies_within_it() {
    let case = Case::listing("cli", &["tts", "debugging"]);
    assert_eq!(case.toolsets(), ["debugging", "file", "kanban", "terminal", "tts", "web"]);
    let case = Case::listing("cli", &["spotify", "hermes-cli"]);
    let mut wanted = CLI_DEFAULT.to_vec();
    wanted.insert(14 - 1, "spotify");
    wanted.sort_unstable();
    assert_eq!(case.toolsets(), wanted, "homeassistant stays off although the preset has it");
}

#[test]
fn lists_without_toolsets_are_mapped_back() {
    assert_eq!(Case::listing("cli", &["hermes-cli"]).toolsets(), CLI_DEFAULT);
    assert_eq!(
        Case::listing("cli", &["hermes-webhook"]).toolsets(),
        ["clarify", "kanban", "vision", "web"]
    );
    let everything = Case::listing("cli", &["all"]);
    assert!(everything.has("yuanbao") && everything.has("web"));
    assert!(!everything.has("spotify") && !everything.has("x_search") && !everything.has("all"));
}

#[test]
fn mapping_back_looks_at_listed_tools_only() {
    let mut case = Case::listing("cli", &["hermes-cli"]);
    case.registry = case.registry.with("web", &["web_crawl"]).with("terminal", &["read_terminal"]);
    assert_eq!(case.toolsets(), CLI_DEFAULT, "a plugin's extra tool must not switch web off");
}

#[test]
fn home_assistant_needs_its_token_or_its_platform() {
    assert!(!Case::new("cli", json!({})).has("homeassistant"));
    assert!(Case::new("homeassistant", json!({})).has("homeassistant"));
    assert!(Case::new("cli", json!({})).set_up("homeassistant").has("homeassistant"));
    assert!(Case::listing("cli", &["homeassistant"]).has("homeassistant"));
}

#[test]
fn x_search_joins_when_xai_is_set_up_and_nothing_is_listed() {
    assert!(!Case::new("cli", json!({})).has("x_search"));
    assert!(Case::new("cli", json!({})).set_up("x_search").has("x_search"));
    assert!(!Case::listing("cli", &["web"]).set_up("x_search").has("x_search"));
    assert!(!Case::listing("cli", &[]).set_up("x_search").has("x_search"));
    assert!(Case::listing("cli", &["all"]).set_up("x_search").has("x_search"));
}

#[test]
fn the_mixture_joins_when_models_are_named_for_it_and_nothing_is_listed() {
    assert!(!Case::new("cli", json!({})).has("moa"));
    assert!(Case::new("cli", json!({})).set_up("moa").has("moa"));
    assert!(!Case::listing("cli", &["web"]).set_up("moa").has("moa"));
    assert!(Case::listing("cli", &["moa"]).has("moa"));
}

#[test]
fn discord_toolsets_live_on_discord_only() {
    let case = Case::listing("telegram", &["discord", "discord_admin", "web"]);
    assert!(!case.has("discord") && !case.has("discord_admin"));
    assert!(!Case::listing("telegram", &["hermes-discord"]).has("discord"));
    let unlisted = Case::new("discord", json!({}));
    assert!(unlisted.has("discord"), "named like the platform");
    assert!(!unlisted.has("discord_admin"), "off until somebody asks");
    let listed = Case::listing("discord", &["hermes-discord"]);
    assert!(listed.has("discord") && listed.has("discord_admin"));
}

#[test]
fn toolsets_nobody_can_choose_come_with_their_platform() {
    assert_eq!(Case::listing("cli", &[]).toolsets(), ["kanban"]);
    assert_eq!(
        Case::listing("feishu", &["web"]).toolsets(),
        ["feishu_doc", "feishu_drive", "kanban", "web"]
    );
    assert!(!Case::new("cli", json!({})).has("feishu_doc"));
    assert!(!Case::new("cli", json!({})).has("coding"), "a posture is not a leaf");
    let case = Case::listing("cli", &["web"]);
    case.table.create("mine", Toolset::new("").with_tools(["read_terminal"])).unwrap();
    assert!(!case.has("mine"), "people's own toolsets are never switched on by themselves");
}

#[test]
fn plugin_toolsets_are_on_until_left_out_of_a_saved_list() {
    assert!(Case::new("cli", json!({})).plugin("weather").has("weather"));
    assert!(Case::listing("cli", &["web"]).plugin("weather").has("weather"));
    let known = |list: &[&str]| {
        let config = json!({
            "platform_toolsets": {"cli": list},
            "known_plugin_toolsets": {"cli": ["weather"], "telegram": ["other"]},
        });
        Case::new("cli", config).plugin("weather").plugin("other")
    };
    assert!(!known(&["web"]).has("weather"));
    assert!(known(&["web"]).has("other"), "known elsewhere is not known here");
    assert!(known(&["web", "weather"]).has("weather"));
    assert!(known(&["weather"]).has("weather"));
    assert_eq!(known(&["weather"]).toolsets(), ["kanban", "other", "weather"]);
}

#[test]
fn a_plugin_that_extends_a_builtin_toolset_does_not_switch_it() {
    let case = Case::listing("cli", &["file"]).plugin("web").plugin("spotify");
    assert_eq!(case.toolsets(), ["file", "kanban"]);
}

#[test]
fn context_engine_tools_come_with_another_engine() {
    let config =
        |list: Value| json!({"context": {"engine": "tree"}, "platform_toolsets": {"cli": list}});
    assert!(Case::new("cli", config(Value::Null)).has("context_engine"));
    assert!(Case::new("cli", config(json!(["web"]))).has("context_engine"));
    assert!(!Case::new("cli", config(json!([]))).has("context_engine"));
    assert!(!Case::new("cli", json!({"context": {"engine": "compressor"}})).has("context_engine"));
}

#[test]
fn unknown_names_pass_and_presets_do_not() {
    let case = Case::listing("cli", &["web", "mystery", "hermes-telegram", "search"]);
    assert!(case.has("mystery") && case.has("search"));
    assert!(!case.has("hermes-telegram"));
}

#[test]
fn servers_are_all_on_unless_some_are_named_or_none_wanted() {
    let servers = |list: Value| {
        Case::new(
            "cli",
            json!({
                "platform_toolsets": {"cli": list},
                "mcp_servers": {"github": {}, "files": {}, "old": {"enabled": false}},
            }),
        )
    };
    let on = |case: &Case| ["files", "github", "old"].map(|name| case.has(name));
    assert_eq!(on(&servers(Value::Null)), [true, true, false]);
    assert_eq!(on(&servers(json!(["web"]))), [true, true, false]);
    assert_eq!(on(&servers(json!(["web", "github"]))), [false, true, false]);
    assert_eq!(on(&servers(json!(["web", "no_mcp"]))), [false, false, false]);
    assert_eq!(on(&servers(json!(["github", "no_mcp"]))), [false, false, false]);
    assert!(!servers(json!(["no_mcp"])).has("no_mcp"));
}

#[test]
fn what_is_disabled_everywhere_goes_last() {
    let config = json!({
        "platform_toolsets": {"cli": ["web", "tts", "github"]},
        "agent": {"disabled_toolsets": ["tts", "kanban", "github", "weather"]},
        "mcp_servers": {"github": {}},
    });
    assert_eq!(Case::new("cli", config).plugin("weather").toolsets(), ["web"]);
}

#[test]
fn platforms_of_plugins_use_the_preset_named_after_them() {
    let mut case = Case::new("irc", json!({}));
    assert_eq!(case.toolsets(), Vec::<String>::new(), "nobody knows this platform");
    case.registry = case.registry.platform("irc").with("irc", &["irc_op"]);
    assert_eq!(case.toolsets(), CLI_DEFAULT);
}

#[test]
fn answers_do_not_depend_on_the_order_of_the_list() {
    let forward = Case::listing("cli", &["web", "debugging", "mystery", "tts"]).toolsets();
    let backward = Case::listing("cli", &["tts", "mystery", "debugging", "web"]).toolsets();
    assert_eq!(forward, backward);
    assert!(forward.is_sorted());
}
