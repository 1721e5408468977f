//! Scripts that call tools, by hand and by a model.

mod asking;
mod endings;
mod secrets;
mod session;

use serde_json::json;

use crate::support::{Run, Sandbox};

/// Runs a script.
fn script(sandbox: &Sandbox, code: &str) -> Run {
    sandbox.run(["tools", "call", "execute_code", &call(code)])
}

/// The arguments of a script.
fn call(code: &str) -> String {
    json!({"code": code}).to_string()
}
