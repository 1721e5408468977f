//! What a tool says about the treatment of its calls, beside its schema and its effects.
//!
//! An agent loop, a chat and the runtime treat some tools differently from others: a command that
//! ended with exit code 1 has failed although its answer holds no error; a step that only ran a
//! script is not counted; words that were said before the notes were put in order still stand. Who
//! needs to know that asks the tool ([`Tool::policy`](crate::Tool::policy)) and keeps no list of
//! names. The defaults suit most tools, so most say nothing.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::{CallDisplay, Summary};

/// How calls of one tool want to be treated.
#[derive(Clone, Copy, Debug)]
pub struct ToolPolicy {
    /// Names it had before. They are understood in calls, allow-lists and toolsets while no other
    /// tool has them, and are never offered.
    pub aliases: &'static [&'static str],
    /// How a result is judged.
    pub failure: FailureRule,
    /// Whether a step of the loop counts that made no other call.
    pub budget: BudgetRule,
    /// Whether what a model said beside the call is its answer all the same.
    pub upkeep: UpkeepRule,
    /// Whether a result that is too long is moved to a file.
    pub spill: SpillRule,
    /// When a call is ended whose caller has set no limit of its own.
    pub deadline: Option<Duration>,
    /// How a chat tells of a call.
    pub display: CallDisplay,
    /// The line that is left of an old result; by default one made of the arguments.
    pub summary: Option<Summary>,
    /// What becomes of results when a history is pruned.
    pub history: HistoryRule,
    /// A paragraph of the system prompt, as long as the tool is on offer.
    pub guidance: Option<&'static str>,
    /// Whose text a result is.
    pub output: OutputRule,
    /// Whether subagents have the tool.
    pub subagents: SubagentRule,
}

impl Default for ToolPolicy {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl ToolPolicy {
    /// What suits most tools; for tables of policies.
    pub const DEFAULT: Self = Self {
        aliases: &[],
        failure: FailureRule::General,
        budget: BudgetRule::Counted,
        upkeep: UpkeepRule::Work,
        spill: SpillRule::Moved,
        deadline: None,
        display: CallDisplay::DEFAULT,
        summary: None,
        history: HistoryRule::Shortened,
        guidance: None,
        output: OutputRule::FromEffects,
        subagents: SubagentRule::Shared,
    };
}

/// How a result is told from a failure.
#[derive(Clone, Copy, Debug, Default)]
pub enum FailureRule {
    /// By an `error` that says something, or words to that effect.
    #[default]
    General,
    /// By `exit_code` alone: the output of a command may say "error" and mean well.
    ExitCode,
    /// By this function first, given the fields of the result; where it has no opinion, as usual.
    Custom(fn(&Map<String, Value>) -> Option<CallJudgement>),
}

/// How a call went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallJudgement {
    /// Nothing says that it failed.
    Ok,
    /// It failed.
    Failed(FailureKind),
}

impl CallJudgement {
    /// Whether the call failed.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

/// What sort of failure, for display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// A command ended with another exit code than zero (absent when it is not a whole number).
    ExitCode(Option<i64>),
    /// There is no room for what was to be kept.
    Full,
    /// Anything else.
    Error,
}

/// Whether calls are counted against the steps of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BudgetRule {
    /// Each step counts.
    #[default]
    Counted,
    /// A step with just this one call costs nothing.
    Free,
}

/// Whether calls are work on the task or upkeep of the agent itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpkeepRule {
    /// What comes of it matters for the answer.
    #[default]
    Work,
    /// Notes put in order: what was said before still stands as the answer.
    Upkeep,
}

/// What becomes of results that are too long for a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpillRule {
    /// They are moved to a file, and a preview takes their place.
    #[default]
    Moved,
    /// They stay, whatever the settings say: moved results are read back with this very tool.
    Never,
}

/// What becomes of old results when a history gets too long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HistoryRule {
    /// They shrink to a line.
    #[default]
    Shortened,
    /// The newest one stays as it is: it is the state the tool goes on from.
    NewestKept,
}

/// Whether results hold text of strangers, which may try to steer whoever reads it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputRule {
    /// Those of network tools and of MCP servers do.
    #[default]
    FromEffects,
    /// They do, whatever the effects.
    Untrusted,
    /// They do not, whatever the effects.
    Trusted,
}

/// What subagents have of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SubagentRule {
    /// They have it like their parent.
    #[default]
    Shared,
    /// They do not: it asks the person, reaches other people, or outlives the subagent.
    Withheld,
    /// It makes subagents. They have it only if they may make some themselves, and one answer may hold
    /// no more calls of it than subagents may work at once.
    Delegates,
}
