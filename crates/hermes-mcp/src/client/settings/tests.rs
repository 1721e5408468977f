use super::*;
use hermes_tool::Vars;
use serde_json::{Value, json};

fn read(entry: &Value) -> ServerEntry {
    read_servers(&json!({"mcp_servers": {"files": entry}}), &Vars::default()).remove(0)
}

fn settings(entry: &Value) -> ServerSettings {
    let entry = read(entry);
    assert_eq!(entry.problems, [], "no problems expected");
    entry.settings.expect("usable").as_ref().clone()
}

#[test]
fn a_program_needs_only_its_command() {
    let settings = settings(&json!({"command": "npx"}));
    assert!(settings.enabled && settings.resources && settings.prompts && !settings.roots);
    assert_eq!(settings.timeout.as_secs(), 300);
    assert_eq!(settings.connect_timeout.as_secs(), 60);
    assert_eq!(settings.keepalive_interval.as_secs(), 180);
    assert_eq!(settings.calls, CallOrder::OneByOne);
    assert_eq!(settings.sampling.max_tokens_cap, 4096);
    assert_eq!(settings.transport.label(), "stdio");
}

#[test]
fn an_address_wins_over_a_command_with_a_warning() {
    let entry = read(&json!({"command": "npx", "url": " https://x.test/mcp "}));
    assert_eq!(entry.problems.len(), 1);
    let settings = entry.settings.unwrap();
    let TransportSettings::Http(http) = &settings.transport else { panic!("{settings:?}") };
    assert_eq!(http.url.as_str(), "https://x.test/mcp");
}

#[test]
fn unusable_entries_say_which_server_and_why() {
    for (entry, expected) in [
        (json!({"args": ["x"]}), "neither `command`"),
        (json!("npx"), "must be a map"),
        (json!({"url": "ftp://x/y"}), "http://"),
        (json!({"url": "not an address"}), "no usable address"),
        (json!({"url": 7}), "it is no text"),
        (json!({"url": "https://"}), "no usable address"),
    ] {
        let error = read(&entry).settings.unwrap_err().to_string();
        assert!(error.contains("'files'") && error.contains(expected), "{entry}: {error}");
    }
}

#[test]
fn sse_is_chosen_by_name() {
    let http = json!({"url": "http://127.0.0.1:1/sse", "transport": "SSE"});
    assert_eq!(settings(&http).transport.label(), "sse");
}

#[test]
fn limits_may_stand_under_lifecycle_and_the_top_level_wins() {
    let both = settings(&json!({"command": "x", "idle_timeout_seconds": 5,
        "lifecycle": {"idle_timeout_seconds": 9, "max_lifetime_seconds": "60"}}));
    assert_eq!(both.idle_timeout, Some(Duration::from_secs(5)));
    assert_eq!(both.max_lifetime, Some(Duration::from_secs(60)));
    let wrong = read(&json!({"command": "x", "idle_timeout_seconds": -1}));
    assert_eq!(wrong.settings.unwrap().idle_timeout, None);
    assert_eq!(wrong.problems.len(), 1);
}

#[test]
fn keepalive_has_a_floor() {
    let quick = settings(&json!({"command": "x", "keepalive_interval": 1}));
    assert_eq!(quick.keepalive_interval.as_secs(), 5);
}

#[test]
fn filters_take_a_text_or_a_list_and_include_wins() {
    let one = settings(&json!({"command": "x", "tools": {"include": "a", "exclude": ["b"]}}));
    assert_eq!(one.tools, ToolFilter::Include(vec!["a".into()]));
    let list = settings(&json!({"command": "x", "tools": {"exclude": ["b", 7]}}));
    assert!(list.tools.allows("a") && !list.tools.allows("b") && !list.tools.allows("7"));
    let wrong = read(&json!({"command": "x", "tools": {"include": {"a": 1}}}));
    assert_eq!(wrong.settings.unwrap().tools, ToolFilter::All);
    assert_eq!(wrong.problems.len(), 1);
}

#[test]
fn certificates_come_in_three_forms_and_not_in_two_at_once() {
    let url = "https://x.test/mcp";
    let of = |entry: &Value| {
        read(entry).settings.map(|settings| match &settings.transport {
            TransportSettings::Http(http) => http.tls.client.clone(),
            _ => None,
        })
    };
    let locked = of(&json!({"url": url, "client_cert": ["c", "k", "pw"]})).unwrap().unwrap();
    assert_eq!(locked.password.as_deref(), Some("pw"));
    let two = of(&json!({"url": url, "client_cert": "c", "client_key": "k"})).unwrap().unwrap();
    assert_eq!(two.key.as_deref(), Some("k"));
    let twice = of(&json!({"url": url, "client_cert": ["c", "k"], "client_key": "k"}));
    assert!(matches!(twice, Err(McpSettingsError::CertificateTwice { .. })));
}

#[test]
fn debug_output_shows_no_secret() {
    let entry = json!({"url": "https://x.test/mcp?k=hidden1", "headers": {"X-Key": "hidden2"},
        "auth": "oauth", "oauth": {"client_secret": "hidden3"}});
    let program = json!({"command": "x", "args": ["hidden4"], "env": {"T": "hidden5"}});
    for entry in [entry, program] {
        let shown = format!("{:?}", read(&entry));
        assert!(!shown.contains("hidden"), "{shown}");
    }
}

#[test]
fn the_wait_for_the_first_list_is_configurable() {
    assert_eq!(discovery_timeout(&json!({})), Duration::from_millis(1500));
    assert_eq!(discovery_timeout(&json!({"mcp_discovery_timeout": "0"})), Duration::ZERO);
    assert_eq!(discovery_timeout(&json!({"mcp_discovery_timeout": "x"})).as_millis(), 1500);
}
