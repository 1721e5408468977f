//! `hermes config` on a configuration in good order.
//!
//! Reading, setting, unsetting, checking and editing, always with an eye on the comments: a file
//! that people write by hand stays theirs. What happens to a file that cannot be read is in
//! `broken_config`, what happens to secrets in `secrets`.

use serde_json::json;

use hermes_testkit::Step;

use crate::agent::{Scene, Wire};
use crate::support::Sandbox;

const COMMENTED: &str = "\
# my settings
model: some  # the good one

tools:
  # how arguments are mended
  coercion: reference
";

#[test]
fn showing_prints_what_is_set() {
    let sandbox = Sandbox::with_config(COMMENTED);
    let run = sandbox.run(["config", "show"]).exits(0);
    assert_eq!(run.out, "model: some\ntools:\n  coercion: reference\n");
    let file = sandbox.path("config.yaml");
    run.notes(&format!("# {}", file.display()));
    let shown = sandbox.run(["config", "show", "--json"]).exits(0).quietly().json();
    assert_eq!(shown, json!({"model": "some", "tools": {"coercion": "reference"}}));
}

#[test]
fn an_absent_file_is_an_empty_configuration() {
    let run = Sandbox::new().run(["config", "show"]).exits(0);
    assert_eq!(run.out, "");
    run.notes("every setting has its default");
    assert_eq!(Sandbox::new().run(["config", "show", "--json"]).exits(0).json(), json!({}));
}

#[test]
fn getting_answers_the_value_or_the_default() {
    let sandbox = Sandbox::with_config(COMMENTED);
    let run = sandbox.run(["config", "get", "tools.coercion"]).exits(0).quietly();
    assert_eq!(run.out, "reference\n");
    let run = Sandbox::new().run(["config", "get", "tools.coercion"]).exits(0);
    assert_eq!(run.out, "deep\n");
    run.notes("this is the default");
    let section = sandbox.run(["config", "get", "tools"]).exits(0).json();
    assert_eq!(section, json!({"coercion": "reference"}));
}

#[test]
fn getting_what_is_neither_set_nor_defaulted_fails() {
    let run = Sandbox::new().run(["config", "get", "model.default"]).exits(1);
    assert_eq!(run.out, "");
    run.notes("not set and has no default");
}

#[test]
fn unknown_keys_get_a_suggestion() {
    let run = Sandbox::new().run(["config", "get", "tools.coercio"]).exits(2);
    run.notes("unknown setting `tools.coercio`").notes("did you mean `tools.coercion`?");
    Sandbox::new().run(["config", "get", "a..b"]).exits(2).notes("a part between dots is empty");
}

#[test]
fn variables_are_expanded_where_the_value_counts_and_not_where_the_file_is_shown() {
    let sandbox = Sandbox::with_config("terminal:\n  cwd: ${PLACE}\n").var("PLACE", "/somewhere");
    sandbox.run(["config", "get", "terminal.cwd"]).exits(0).says("/somewhere\n");
    sandbox.run(["config", "show"]).exits(0).says("${PLACE}");
}

#[test]
fn setting_keeps_comments_and_order() {
    let sandbox = Sandbox::with_config(COMMENTED);
    let run = sandbox.run(["config", "set", "tools.coercion", "deep"]).exits(0).quietly();
    assert!(run.out.starts_with("tools.coercion set in "), "{run:#?}");
    assert_eq!(sandbox.read("config.yaml"), COMMENTED.replace("reference", "deep"));
    sandbox.run(["config", "set", "model", "other"]).exits(0).quietly();
    assert!(sandbox.read("config.yaml").contains("model: other  # the good one\n"));
}

#[test]
fn values_are_read_as_yaml() {
    let sandbox = Sandbox::new();
    for (value, expected) in [
        ("true", json!(true)),
        ("42", json!(42)),
        ("[a, b]", json!(["a", "b"])),
        ("plain text", json!("plain text")),
        ("'42'", json!("42")),
    ] {
        sandbox.run(["config", "set", "custom.value", value]).exits(0);
        let shown = sandbox.run(["config", "show", "--json"]).exits(0).json();
        assert_eq!(shown["custom"]["value"], expected, "{value}");
    }
}

#[test]
fn a_new_file_is_private_and_sound() {
    let sandbox = Sandbox::new();
    sandbox.run(["config", "set", "terminal.timeout", "30"]).exits(0);
    assert_eq!(sandbox.mode("config.yaml"), 0o600);
    assert_eq!(sandbox.mode(""), 0o700);
    sandbox.run(["config", "check"]).exits(0).quietly().says("is fine");
}

#[test]
fn doubtful_settings_are_set_with_a_warning() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["config", "set", "tools.corcion", "deep"]).exits(0);
    run.notes("warning: tools.corcion is not a known setting")
        .notes("did you mean tools.coercion?");
    let run = sandbox.run(["config", "set", "tools.coercion", "wild"]).exits(0);
    run.notes("warning: tools.coercion").notes("deep, reference");
}

#[test]
fn a_value_in_the_way_of_a_section_is_not_lost() {
    let sandbox = Sandbox::with_config(COMMENTED);
    let run = sandbox.run(["config", "set", "model.default", "x"]).exits(1);
    run.notes("was not changed").notes("unset model first");
    assert_eq!(sandbox.read("config.yaml"), COMMENTED);
}

#[test]
fn unsetting_removes_one_setting_and_keeps_comments() {
    let sandbox = Sandbox::with_config(COMMENTED);
    sandbox.run(["config", "unset", "model"]).exits(0).says("model removed from");
    let text = sandbox.read("config.yaml");
    assert!(!text.contains("some") && text.contains("# how arguments are mended"), "{text}");
    let run = sandbox.run(["config", "unset", "model"]).exits(2);
    run.notes("not set; nothing was changed");
}

#[test]
fn the_path_is_printed_whether_the_file_exists_or_not() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["config", "path"]).exits(0).quietly();
    assert_eq!(run.out, format!("{}\n", sandbox.path("config.yaml").display()));
}

#[test]
fn checking_finds_misspelt_keys_and_wrong_kinds() {
    let sandbox = Sandbox::with_config("toolz: {}\nplatform_toolsets: 7\n");
    let run = sandbox.run(["config", "check"]).exits(0).says("has 2 warnings");
    run.notes("toolz is not a known setting").notes("platform_toolsets is a number");
    let checked = sandbox.run(["config", "check", "--json"]).exits(0).json();
    assert_eq!(checked["valid"], true);
    assert_eq!(checked["findings"].as_array().unwrap().len(), 2);
}

#[test]
fn misspelt_keys_at_any_depth_are_named_with_the_nearest_by_check_doctor_and_every_session() {
    let config = "\
agent: {max_turn: 5}
terminal: {Time-Out: 7}
fallback_providers: [{provider: openrouter, modle: x}]
auxiliary: {compression: {modl: x}}
plugins: {entries: {p: {evn: [A]}}}
hooks: {pre_tool_cal: []}
mcp_servers: {\"my.files\": {command: nothing, enabled: false, tools: {inclde: [a]}}}
skills_of_a_newer_version: {}
";
    let named = [
        ("agent.max_turn", "agent.max_turns"),
        ("terminal.Time-Out", "terminal.timeout"),
        ("fallback_providers[0].modle", "fallback_providers[0].model"),
        ("auxiliary.compression.modl", "auxiliary.compression.model"),
        ("plugins.entries.p.evn", "plugins.entries.p.env"),
        ("hooks.pre_tool_cal", "hooks.pre_tool_call"),
        ("mcp_servers.\"my.files\".tools.inclde", "mcp_servers.\"my.files\".tools.include"),
    ];
    let line = |(wrong, right): &(&str, &str)| {
        format!("{wrong} is not a known setting; did you mean {right}?")
    };
    let scene = Scene::with_config(Wire::Chat, [Step::text("done")], config);
    let checked = scene.sandbox.run(["config", "check"]).exits(0).says("has 8 warnings");
    let checked = checked.notes("skills_of_a_newer_version is not a known setting");
    let doctor = scene.sandbox.run(["doctor"]).exits(0);
    let session = scene.asks("hello").exits(0).says("done");
    for line in named.iter().map(line) {
        assert!(checked.err.contains(&line), "{line}: {}", checked.err);
        assert!(doctor.out.contains(&line), "{line}: {}", doctor.out);
        assert!(session.err.contains(&format!("config.yaml: {line}")), "{line}: {}", session.err);
    }
    // What is not almost a key may be another version's, and is no news at every start.
    assert!(!session.err.contains("skills_of_a_newer_version"), "{}", session.err);
}

#[test]
fn a_number_out_of_range_is_named_and_a_short_form_is_not() {
    let config = "model: some\nagent: {max_turns: 0, clarify_timeout: \"5\"}\ncheckpoints: true\n";
    let run = Sandbox::with_config(config).run(["config", "check"]).exits(0).says("has 1 warning");
    run.notes("agent.max_turns is a number, expected a whole number of at least 1");
}

#[test]
fn every_part_knows_its_own_keys() {
    let good = r#"
_config_version: 33
model: {default: x/y, anything: [1]}
providers: {house: {base_url: "http://h/v1", key_env: HOUSE_KEY}}
tools:
  tool_search: {enabled: true, threshold_pct: 10, pinned: [a]}
  coercion: deep
  check_timeout_seconds: 5
tool_output: {max_bytes: "${MAX}", max_lines: "2000"}
tool_loop_guardrails: {warn_after: {exact_failure: 2}, no_progress_warn_after: 2}
platform_toolsets: {cli: [web, file]}
custom_toolsets: {mine: {description: d, tools: [a], includes: []}}
distributions: {mine: {web: 50, file: 0.5}}
plugins: {enabled: [p], entries: {p: {allow_tool_override: true, own: 1}}}
hooks: {pre_tool_call: [{command: x}], output_spill: {enabled: false}}
terminal: {backend: Docker, of_a_newer_version: 1, timeout: null}
mcp_servers: {files: {command: npx, of_a_newer_version: 1}}
approvals: {mode: off, headless_mode: allow}
"#;
    Sandbox::with_config(good).run(["config", "check"]).exits(0).quietly().says("is fine");
    let wrong = Sandbox::with_config("threshold_pct: 5\n").run(["config", "check"]).exits(0);
    wrong.notes("did you mean tools.tool_search.threshold_pct?");
}

#[test]
fn follow_terminal_backends_of_the_terminal_page() {
    for backend in
        ["local", "docker", "ssh", "singularity", "apptainer", "modal", "daytona", "vercel_sandbox"]
    {
        let sandbox = Sandbox::with_config(&format!("terminal: {{backend: {backend}}}\n"));
        sandbox.run(["config", "check"]).exits(0).says("is fine");
    }
    let wrong = Sandbox::with_config("terminal: {backend: kubernetes}\n");
    let run = wrong.run(["config", "check"]).exits(0).says("has 1 warning");
    run.notes("terminal.backend is a text, expected one of local, docker, ssh");
}

#[test]
fn another_file_can_be_checked_if_it_is_there() {
    let sandbox = Sandbox::new();
    let file = sandbox.scratch("other.yaml");
    crate::support::write(&file, b"model: x\n");
    sandbox.run(["config", "check", file.to_str().unwrap()]).exits(0).says("is fine");
    let run = sandbox.run(["config", "check", "/no/such.yaml"]).exits(1);
    run.notes("/no/such.yaml").notes("No such file");
}

#[test]
fn the_known_keys_are_listed_with_defaults() {
    Sandbox::new().run(["config", "keys"]).exits(0).says("tools.coercion").says("DEFAULT");
    let keys = Sandbox::new().run(["config", "keys", "--json"]).exits(0).json();
    let keys = keys.as_array().unwrap();
    let key = keys.iter().find(|key| key["path"] == "tools.coercion").unwrap();
    assert_eq!(key["default"], "deep");
    assert!(!key["about"].as_str().unwrap().is_empty());
}

#[test]
fn editing_runs_the_editor_and_checks_afterwards() {
    let sandbox = Sandbox::with_config("model: x\n");
    let editor = sandbox.script("editor", "echo 'toolz: {}' >> \"$2\"; echo \"flag $1\" >&2");
    let sandbox = sandbox.var("EDITOR", format!("{editor} -w"));
    let run = sandbox.run(["config", "edit"]).exits(0);
    assert_eq!(sandbox.read("config.yaml"), "model: x\ntoolz: {}\n");
    run.says("has 1 warning").notes("flag -w").notes("toolz is not a known setting");
}

#[test]
fn visual_comes_before_editor() {
    let sandbox = Sandbox::with_config("");
    let editor = sandbox.script("visual", "echo 'model: y' > \"$1\"");
    let sandbox = sandbox.var("VISUAL", editor).var("EDITOR", "/bin/false");
    sandbox.run(["config", "edit"]).exits(0);
    assert_eq!(sandbox.read("config.yaml"), "model: y\n");
}

#[test]
fn editing_can_start_a_configuration() {
    let sandbox = Sandbox::new();
    let editor = sandbox.script("editor", "echo 'model: y' > \"$1\"");
    let sandbox = sandbox.var("EDITOR", editor);
    sandbox.run(["config", "edit"]).exits(0).says("is fine");
    assert_eq!(sandbox.read("config.yaml"), "model: y\n");
    assert_eq!(sandbox.mode(""), 0o700);
}

#[test]
fn an_editor_that_fails_or_breaks_the_file_is_a_failure() {
    let sandbox = Sandbox::with_config("model: x\n").var("EDITOR", "/bin/false");
    sandbox.run(["config", "edit"]).exits(1).notes("`/bin/false` ended with");
    let editor = sandbox.script("editor", "echo 'model: [x' > \"$1\"");
    sandbox.var("EDITOR", editor).run(["config", "edit"]).exits(1).notes("config.yaml:");
}

#[test]
fn without_an_editor_the_file_is_named() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["config", "edit"]).exits(2);
    run.notes("set VISUAL or EDITOR").notes(sandbox.path("config.yaml").to_str().unwrap());
}

#[test]
fn keys_that_there_are_not_are_named_with_the_nearest() {
    let sandbox = Sandbox::with_config(
        "display:\n  vim_keys: true\nkeys:\n  expand: ctl-o\n  editor: f3\n  leave: f4, f3\n  clear: x\n  expnd: f2\n  send: none\n",
    );
    let run = sandbox.run(["config", "check"]).exits(0);
    let said = format!("{}{}", run.out, run.err);
    for part in [
        "keys.expnd is not a known setting; did you mean keys.expand?",
        "there is no key \"ctl-o\"; did you mean ctrl-o?",
        "F3 is that of keys.editor already",
        "x alone is typed; hold ctrl or alt with it",
    ] {
        assert!(said.contains(part), "{part} is not in {said}");
    }
    assert!(!said.contains("keys.send") && !said.contains("vim_keys"), "{said}");
    let keys = Sandbox::new().run(["config", "get", "keys.expand"]).exits(0);
    assert_eq!(keys.out, "ctrl-o\n");
}
