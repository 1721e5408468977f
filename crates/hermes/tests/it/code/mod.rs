//! Scripts that call tools, by hand and by a model.

mod asking;
mod endings;
mod secrets;
mod session;

use serde_json::json;

use crate::support::{Run, Sandbox};

/// The rule by which scripts run although nobody is there to be asked.
const SCRIPTS_MAY_RUN: &str = "approvals:\n  allow: [execute_code]\n";

/// Lets scripts run in a sandbox.
fn allow_scripts(sandbox: &Sandbox) {
    let file = sandbox.path("config.yaml");
    let before = std::fs::read_to_string(file).unwrap_or_default();
    if !before.contains("approvals:") {
        sandbox.write("config.yaml", &format!("{before}{SCRIPTS_MAY_RUN}"));
    }
}

/// Runs a script.
fn script(sandbox: &Sandbox, code: &str) -> Run {
    allow_scripts(sandbox);
    sandbox.run(["tools", "call", "execute_code", &call(code)])
}

/// The arguments of a script.
fn call(code: &str) -> String {
    json!({"code": code}).to_string()
}
