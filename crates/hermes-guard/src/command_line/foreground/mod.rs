//! Commands that do not belong in the foreground.
//!
//! A foreground command returns when it ends. One that never ends blocks until its time is up, and one
//! that leaves a job behind leaves something nobody watches; the tool has a background mode for both.
//! What counts is the program a command runs, not words that look like one: installing, locating,
//! printing or searching for a server is fine.

mod servers;
#[cfg(test)]
mod tests;
mod walk;

use std::fmt;

use crate::shell::{self, ListItem, ShellCommand};

use super::call::LineCall;
use super::quoted;
use walk::ForegroundWalk;

/// Why a command is not run in the foreground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForegroundRule {
    /// `nohup`, `disown` or `setsid` takes a program away from its shell.
    Detaches,
    /// `&` starts a job that is not waited for.
    LeavesJob,
    /// A server or watcher runs until it is stopped.
    RunsForever,
}

impl ForegroundRule {
    /// What to do instead, as a sentence for a model.
    #[must_use]
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Detaches => {
                "Leave nohup, disown and setsid out and start the command with background=true: it \
                 then outlives this call, and its output can be read later."
            }
            Self::LeavesJob => {
                "Leave the `&` out and start the command with background=true, or end the line with \
                 `wait` if all of it is to finish here."
            }
            Self::RunsForever => {
                "Start it with background=true, then check that it is up with a second command."
            }
        }
    }
}

impl fmt::Display for ForegroundRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Detaches => "detaches a program from its shell",
            Self::LeavesJob => "leaves a background job running",
            Self::RunsForever => "runs until it is stopped",
        })
    }
}

/// A command that is not run in the foreground.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForegroundRefusal {
    /// Which kind of command this is.
    pub rule: ForegroundRule,
    /// The command it is about, shortened.
    pub words: String,
    /// What to do instead, as a sentence for a model.
    pub advice: &'static str,
}

impl fmt::Display for ForegroundRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}. {}", self.words, self.rule, self.advice)
    }
}

/// Why a command line should not run in the foreground, if it should not.
///
/// Commands in quotes and backticks are not looked at, nor are those that only ask for help or for a
/// version.
#[must_use]
pub fn refusal(command: &str) -> Option<ForegroundRefusal> {
    let script = shell::parse(command);
    let found = ForegroundWalk::over(&script.root);
    let refuse = |rule: ForegroundRule, span| ForegroundRefusal {
        rule,
        words: quoted(command, span),
        advice: rule.advice(),
    };
    let calls = || {
        let called = found.commands.iter().filter_map(|one| Some((one.span, LineCall::of(one)?)));
        called.filter(|(_, call)| !call.asks_for_help())
    };
    if let Some((span, _)) = calls().find(|(_, call)| detaches(call)) {
        return Some(refuse(ForegroundRule::Detaches, span));
    }
    if let Some(item) = found.jobs.iter().find(|item| !only_asks_for_help(item)) {
        let span = shell::Span::new(item.chain.span.start, item.terminator_span.end);
        return Some(refuse(ForegroundRule::LeavesJob, span));
    }
    let (span, _) = calls().find(|(_, call)| runs_forever(call))?;
    Some(refuse(ForegroundRule::RunsForever, span))
}

fn detaches(call: &LineCall<'_>) -> bool {
    ["nohup", "disown", "setsid"].iter().any(|name| call.runs_through(name))
}

/// A server under `timeout` does end.
fn runs_forever(call: &LineCall<'_>) -> bool {
    !call.runs_through("timeout") && servers::runs_forever(call.words())
}

fn only_asks_for_help(job: &ListItem<'_>) -> bool {
    job.chain.pipelines().flat_map(|pipeline| &pipeline.commands).all(|command| match command {
        ShellCommand::Simple(simple) => {
            LineCall::of(simple).is_some_and(|call| call.asks_for_help())
        }
        ShellCommand::Compound(_) => false,
    })
}
