//! `execute_code`: a Python script that calls tools.
//!
//! The way of a script: the tools it may call are found out, the place where it will run, and the gate
//! is asked about it as a whole; then it runs there ([`hermes_exec::code`]) and every call it makes
//! takes the way of any other call ([`calls`]), so that a command that is dangerous elsewhere is
//! dangerous here. What it wrote is made fit to be read ([`answer`]).
//!
//! | file | what it holds |
//! |---|---|
//! | `functions` | the tools a script can call, as functions with their parameters |
//! | `module`, `module.py` | the text of the module `hermes_tools` |
//! | `calls` | what becomes of a call |
//! | `settings` | what the user decides |
//! | `answer` | the result |

use std::sync::Arc;

use hermes_exec::code::{RunScript, ScriptMode};
use hermes_tool::{
    Availability, CallDisplay, ResultView, SchemaPatch, SchemaScope, ShownCall, ToolContext,
    ToolError, ToolResult, Vars, tool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

mod answer;
mod calls;
mod functions;
mod module;
mod settings;

use crate::terminal::context::{TerminalContext, blueprint, unavailable};
use calls::Calls;
use settings::Settings;

/// Arguments of `execute_code`.
#[derive(Deserialize, JsonSchema)]
struct ExecuteCode {
    /// The whole script, in Python.
    code: String,
}

#[tool(
    toolset = "code_execution",
    emoji = "🐍",
    effects(runs),
    max_result_chars = 100_000,
    free_of_budget,
    subagents = withheld,
    display = CallDisplay::verb("exec").detail(first_line).view(ResultView::Output),
    check = available,
    dynamic_schema = described,
    description = include_str!("execute_code.md").trim_ascii_end()
)]
async fn execute_code(args: ExecuteCode, cx: &ToolContext) -> ToolResult {
    if args.code.trim().is_empty() {
        return Err(ToolError::answer("code is empty; give the whole script"));
    }
    let settings = Settings::read(cx.config(), cx.vars());
    let terminal = TerminalContext::of(cx)?;
    let place = match terminal.environments.scripts_of_task(terminal.task()).await {
        Ok(place) => place,
        Err(error) => return answer::not_run(&error.to_string()),
    };
    let script = match terminal.admit_script(args.code, &place).await {
        Ok(script) => script,
        Err(refusal) => return answer::refused(&refusal),
    };
    let cwd = terminal.directory().unwrap_or_else(|| place.cwd());
    let functions = functions::of_session(cx);
    let calls = Arc::new(Calls::new(cx, &functions, &cwd, settings.max_calls));
    let how = RunScript {
        module: module::text(&functions),
        mode: settings.mode,
        session: terminal.conversation().to_owned(),
        cwd,
        python: settings.python,
        variables: settings.variables,
        timeout: settings.timeout,
        cancel: terminal.cancellation(),
        calls: Arc::clone(&calls) as _,
    };
    match place.run(&script, how).await {
        Ok(ran) => answer::ran(&terminal, &ran, calls.made(), settings.timeout),
        Err(error) => answer::not_run(&error.to_string()),
    }
}

/// Whether scripts could run where the settings say, without starting anything.
fn available(vars: &Vars) -> Availability {
    let blueprint = match blueprint(vars) {
        Ok(blueprint) => blueprint,
        Err(missing) => return missing,
    };
    let here = match blueprint.check().and_then(|()| blueprint.scripts()) {
        Ok(Some(here)) => here,
        Ok(None) => return Availability::Available,
        Err(error) => return unavailable(&error),
    };
    let settings = Settings::read(&blueprint.config, vars);
    if !here.has_python(settings.python.as_deref()) {
        let reason = match &settings.python {
            Some(named) => format!("code_execution.python is no program: {}", named.display()),
            None => "no python3 in PATH".to_owned(),
        };
        let fix = "install Python 3.8 or newer, or name one with code_execution.python";
        return Availability::unavailable(reason, fix);
    }
    match here.can_confine() {
        Ok(()) => Availability::Available,
        Err(why) => Availability::unavailable(
            format!("scripts cannot be kept from looking into other processes: {why}"),
            "use a newer kernel, or accept it with code_execution.confine: false",
        ),
    }
}

/// The description, with the functions that are there and where the script runs.
fn described(scope: &SchemaScope<'_>) -> SchemaPatch {
    let settings = Settings::read(scope.config, scope.vars);
    let mut text = include_str!("execute_code.md").trim_end().to_owned();
    text.push_str("\n\n");
    let functions: Vec<_> = functions::named(|name| scope.available.contains(name)).collect();
    if functions.is_empty() {
        text.push_str("No tool can be called from scripts in this session.");
    } else {
        text.push_str("Functions (from hermes_tools import ...), each returning decoded JSON:\n");
        for function in &functions {
            text.push_str(&format!("  {}\n", function.signature(|_| true)));
        }
    }
    text.push_str(
        "\nHelpers, imported from there as well: json_parse(text), shell_quote(text), \
         retry(function, max_attempts=3, delay=2).\n\n",
    );
    text.push_str(&format!(
        "Limits: {} seconds, {} tool calls, 50 KB of output (beginning and end are kept). ",
        settings.timeout.as_secs(),
        settings.max_calls
    ));
    text.push_str(match settings.mode {
        ScriptMode::Project => {
            "It runs in the session's working directory with the project's Python."
        }
        ScriptMode::Strict => "It runs in a temporary directory of its own; use absolute paths.",
    });
    let mut patch = Map::new();
    patch.insert("description".to_owned(), text.into());
    SchemaPatch::Merge(patch)
}

/// The first line of the script that says something.
fn first_line(call: &ShownCall<'_>) -> String {
    let code = call.args.get("code").and_then(Value::as_str).unwrap_or_default();
    code.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
