//! The dashboard in a real Chromium, driven by other people's library, looked at by other people's checker.

use std::process::Stdio;

use hermes_testkit::{ModelServer, Step, part};
use serde_json::json;

use super::{HOSTILE, serve, settings, write_deep};
use crate::support::{Sandbox, std_command};

const DANGER: &str = "mkdir -p precious; rm -r precious; touch ran.mark";

/// What the script does, in this order: log in by the link, a turn whose stream is reloaded in its middle, a question
/// allowed in one tab and seen in another, one denied, a turn stopped, hostile words, a key stored, every page looked
/// at in light and dark, wide and narrow.
#[test]
fn people_can_do_all_of_it_and_nothing_runs_that_is_not_ours() {
    let danger = || Step::call("terminal", json!({"command": DANGER}));
    let model = ModelServer::start([
        Step::text("one two three four five six seven eight nine ten").chunk(4),
        danger(),
        Step::text("It is gone."),
        danger(),
        Step::text("I was not allowed to."),
        Step::call("terminal", json!({"command": "sleep 600"})),
        Step::text(HOSTILE).and_call(
            "terminal",
            json!({"command": format!("echo '{}'", HOSTILE.replace('\'', ""))}),
        ),
        Step::text(format!("[link](javascript:alert(1)) {HOSTILE}")),
    ]);
    let sandbox = Sandbox::with_config(&settings(&model, "approvals:\n  mode: manual\n"));
    write_deep(&sandbox, "logs/agent.log", &format!("INFO {HOSTILE}\n"));
    write_deep(&sandbox, "memories/USER.md", HOSTILE);
    let server = serve(&sandbox);
    let programs = part("HERMES_TEST_PLAYWRIGHT_MCP").replace("/.bin/playwright-mcp", "");
    let clients = part("HERMES_TEST_CLIENTS");
    let mut command = std_command(format!("{clients}/node/node"));
    command.args(["--input-type=module", "-e", include_str!("../fixtures/dashboard_browser.mjs")]);
    command.current_dir(programs.trim_end_matches("/node_modules")).env_clear();
    command.env("PATH", "/usr/bin:/bin").env("HOME", sandbox.scratch("user"));
    command.env("LINK", &server.url).env("CHROMIUM", part("HERMES_TEST_CHROMIUM"));
    let output = command.stdin(Stdio::null()).output().unwrap();
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.contains("all of it"), "{out}\n{err}");
}
