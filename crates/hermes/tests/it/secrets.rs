//! Secrets: in `.env`, private, and never shown.

use serde_json::json;

use crate::support::Sandbox;

#[test]
fn names_of_secrets_go_to_env_and_nowhere_else() {
    let sandbox = Sandbox::with_config("# mine\nmodel: x\n");
    let run = sandbox.run(["config", "set", "OPENAI_API_KEY", "sk-hush hush"]).exits(0).quietly();
    assert!(!run.out.contains("hush"), "{run:#?}");
    assert!(sandbox.read(".env").contains("OPENAI_API_KEY="));
    assert!(sandbox.read(".env").contains("sk-hush hush"));
    assert_eq!(sandbox.mode(".env"), 0o600);
    assert_eq!(sandbox.read("config.yaml"), "# mine\nmodel: x\n");
}

#[test]
fn a_loose_env_is_made_private_when_it_is_written() {
    let sandbox = Sandbox::new();
    sandbox.write(".env", "# keys\nOTHER=1\n");
    sandbox.set_mode(".env", 0o644);
    sandbox.run(["config", "set", "GITHUB_TOKEN", "abc"]).exits(0);
    assert_eq!(sandbox.mode(".env"), 0o600);
    assert!(sandbox.read(".env").starts_with("# keys\nOTHER=1\n"), "{}", sandbox.read(".env"));
}

#[test]
fn getting_a_secret_says_where_it_is_and_not_what() {
    let sandbox = Sandbox::new();
    sandbox.run(["config", "set", "GITHUB_TOKEN", "hush"]).exits(0);
    let run = sandbox.run(["config", "get", "GITHUB_TOKEN"]).exits(0).notes(".env");
    assert_eq!(run.out, "********\n");
    let run = sandbox.run(["config", "get", "OPENAI_API_KEY"]).exits(1);
    run.notes("OPENAI_API_KEY is not set");
    let shell = Sandbox::new().var("OPENAI_API_KEY", "hush");
    let run = shell.run(["config", "get", "OPENAI_API_KEY"]).exits(0).notes("the environment");
    assert!(!run.err.contains("hush") && !run.out.contains("hush"), "{run:#?}");
}

#[test]
fn showing_masks_secrets_in_the_file_and_names_those_in_env() {
    let sandbox = Sandbox::with_config(
        "model:\n  api_key: hush-1\n  default: m\nkeys_of: {API_KEYS: [hush-2]}\n",
    );
    sandbox.run(["config", "set", "GITHUB_TOKEN", "hush-3"]).exits(0);
    for args in [&["config", "show"][..], &["config", "show", "--json"]] {
        let run = sandbox.run(args).exits(0).says("********").says("default");
        assert!(!run.out.contains("hush") && !run.err.contains("hush"), "{run:#?}");
    }
    sandbox.run(["config", "show"]).exits(0).notes("sets GITHUB_TOKEN");
}

#[test]
fn getting_masks_secrets_wherever_they_come_from() {
    let config = "model:\n  api_key: hush-1\ncustom:\n  header: Bearer ${GITHUB_TOKEN}\n";
    let sandbox = Sandbox::with_config(config).var("GITHUB_TOKEN", "hush-2");
    let run = sandbox.run(["config", "get", "model.api_key"]).exits(0);
    assert_eq!(run.out, "********\n");
    let section = sandbox.run(["config", "get", "model"]).exits(0).json();
    assert_eq!(section, json!({"api_key": "********"}));
    let run = sandbox.run(["config", "get", "custom.header"]).exits(0);
    assert_eq!(run.out, "Bearer ********\n");
}

#[test]
fn unsetting_a_secret_takes_it_out_of_env() {
    let sandbox = Sandbox::new();
    sandbox.run(["config", "set", "GITHUB_TOKEN", "hush"]).exits(0);
    sandbox.run(["config", "unset", "GITHUB_TOKEN"]).exits(0).says("removed from");
    assert!(!sandbox.read(".env").contains("GITHUB_TOKEN"));
    sandbox.run(["config", "unset", "GITHUB_TOKEN"]).exits(2).notes("is not in");
}

#[test]
fn secrets_can_be_set_although_the_configuration_is_broken() {
    let sandbox = Sandbox::with_config("model: [x\n");
    sandbox.run(["config", "set", "GITHUB_TOKEN", "hush"]).exits(0);
    sandbox.run(["config", "get", "GITHUB_TOKEN"]).exits(0).says("********");
    assert_eq!(sandbox.read("config.yaml"), "model: [x\n");
}

#[test]
fn lines_of_env_that_mean_nothing_are_warned_about() {
    let sandbox = Sandbox::new();
    sandbox.write(".env", "GOOD=1\nno assignment\n");
    sandbox.run(["tools", "list"]).exits(0).notes("line 2: ignored");
}

/// Tokens of our own doors, keys that the configuration names, and keys that it uses in place.
#[test]
fn commands_and_scripts_do_not_see_our_own_tokens() {
    const CONFIG: &str = "custom_providers:\n  - {name: house, base_url: 'http://127.0.0.1:1/v1', \
        key_env: HOUSE_LLM}\nmcp_servers:\n  a: {command: /bin/false, enabled: false, env: \
        {A_TOKEN: '${LENT_TOKEN}'}}\napprovals:\n  headless_mode: approve\n";
    let names = ["HERMES_SERVE_TOKEN", "HERMES_MCP_TOKEN", "HOUSE_LLM", "LENT_TOKEN"];
    let mut sandbox = Sandbox::with_config(CONFIG).var("OTHER_THING", "hush-but-not-ours");
    for name in names {
        sandbox = sandbox.var(name, "hush-hush-hush-hush");
    }
    let script =
        "import os\nprint(sorted(n for n, v in os.environ.items() if v.startswith('hush-h')))";
    for (tool, arguments) in [
        ("terminal", json!({"command": "env | grep -c hush-hush; env | grep -c hush-but"})),
        ("execute_code", json!({"code": script})),
    ] {
        let run = sandbox.run(["tools", "call", tool, &arguments.to_string()]);
        for name in names {
            assert!(!run.out.contains(name), "{tool}: {run:#?}");
        }
    }
    let counted = json!({"command": "env | grep -c hush-hush; env | grep -c hush-but"}).to_string();
    let output = sandbox.run(["tools", "call", "terminal", &counted]).json()["output"].clone();
    assert_eq!(output.as_str().unwrap().trim(), "0\n1");
}

#[test]
fn the_editor_of_the_configuration_does_not_get_the_env_file() {
    let sandbox = Sandbox::new();
    let editor = sandbox.script("editor.sh", r#"env > "$0.env""#);
    sandbox.write(".env", "MY_KEY=hush\nVISUAL=/bin/false\n");
    let sandbox = sandbox.var("VISUAL", editor.clone());
    sandbox.run(["config", "edit"]).exits(0);
    let seen = std::fs::read_to_string(format!("{editor}.env")).unwrap();
    assert!(!seen.contains("MY_KEY") && !seen.contains("hush"), "{seen}");
}
