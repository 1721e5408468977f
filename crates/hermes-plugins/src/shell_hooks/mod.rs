//! Shell hooks: commands in the settings that run when something happens.
//!
//! ```yaml
//! hooks:
//!   pre_tool_call:
//!     - command: ~/hooks/no-force-push.sh   # run without a shell
//!       matcher: terminal|execute_code      # full match on the tool's name
//!       timeout: 10                         # seconds
//! ```
//!
//! The way of a hook: [`read_config`] turns the settings into [`ShellHook`]s; [`register`] asks for
//! consent ([`consent`]) and hands them to the runtime; when the event comes, a [`HookRunner`] starts
//! the command, writes the event to its standard input (`input`) and reads its answer (`answer`).
//! [`test_run`] does the same for a made-up event and shows every step.
//!
//! # The protocol
//!
//! The command reads one JSON object:
//!
//! | field | content |
//! |---|---|
//! | `hook_event_name` | such as `pre_tool_call` |
//! | `tool_name`, `tool_input` | the tool and its arguments, or null |
//! | `session_id` | the session, else the parent's session, else empty |
//! | `cwd` | the directory the command runs in |
//! | `extra` | every other field of the event |
//!
//! It may answer with one JSON object on standard output, whatever its exit code:
//!
//! | event | answer | effect |
//! |---|---|---|
//! | `pre_tool_call` | `{"action": "block", "message": …}` or `{"decision": "block", "reason": …}` | the tool does not run; the model reads the text |
//! | `pre_verify` | `{"action": "continue", "message": …}` or `{"decision": "block", "reason": …}` | the turn goes on with the text |
//! | others | `{"context": …}` | the text is handed to whoever raised the event |
//!
//! Anything else has no effect: no output, output that is not an object, a time-out, a command that
//! cannot be started. A hook cannot approve a call, only keep it from running.

mod answer;
mod config;
pub mod consent;
mod input;
mod matcher;
mod register;
mod run;
mod sample;
mod words;

pub use answer::{DEFAULT_BLOCK_NOTICE, HookAnswer};
pub use config::{DEFAULT_TIMEOUT, MAX_TIMEOUT, MIN_TIMEOUT, ReadConfig, read_config};
pub use consent::{Allowlist, ConsentPolicy, ConsentSources, HookConsent};
pub use hermes_process::End;
pub use matcher::Matcher;
pub use register::{
    Active, Agreed, RegisteredHooks, SAFE_MODE_VARIABLE, SkipReason, Skipped, register,
};
pub use run::{
    HookRunner, MAX_OUTPUT_CHARS, PASSED_VARIABLES, Run, RunError, TestReport, test_run,
};
pub use sample::sample_payload;
pub use words::{BadCommand, Words};

use std::time::Duration;

use hermes_runtime::hooks::{HookEvent, Payload};
use serde_json::Value;

/// A command that runs when something happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellHook {
    /// When it runs.
    pub event: HookEvent,
    /// What runs, as written in the settings; part of what a person agrees to.
    pub command: String,
    /// For which tools, on events that are about a tool; `None` means all.
    pub matcher: Option<Matcher>,
    /// How long it may take.
    pub timeout: Duration,
}

impl ShellHook {
    /// A hook for every tool, with the default time limit.
    pub fn new(event: HookEvent, command: impl Into<String>) -> Self {
        Self { event, command: command.into(), matcher: None, timeout: DEFAULT_TIMEOUT }
    }

    /// Whether it runs for an event with these fields.
    #[must_use]
    pub fn applies_to(&self, payload: &Payload) -> bool {
        let Some(matcher) = &self.matcher else { return true };
        payload.get("tool_name").and_then(Value::as_str).is_some_and(|tool| matcher.matches(tool))
    }

    /// The name it is registered under. Hooks that differ in command or matcher differ in name, as
    /// both are quoted.
    #[must_use]
    pub fn owner(&self) -> String {
        match &self.matcher {
            Some(matcher) => {
                format!("shell hook {:?} for {:?}", self.command, matcher.source())
            }
            None => format!("shell hook {:?}", self.command),
        }
    }
}

#[cfg(test)]
mod tests;
