//! What a run is configured with: kept in `run.json`, the same for all its starts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How the tasks of a run are run. Nothing in it is secret.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunOptions {
    /// Toolsets are drawn from this distribution.
    pub distribution: String,
    /// Its chances, where it is the user's own: toolset to percent, in order.
    pub distribution_table: Option<Vec<(String, f64)>>,
    /// These toolsets for all tasks, instead of a distribution.
    pub toolsets: Option<Vec<String>>,
    /// The model, if not the configured one.
    pub model: Option<String>,
    /// Who serves it.
    pub provider: Option<String>,
    /// Where it is served.
    pub base_url: Option<String>,
    /// Whom an aggregator may ask, as its section of the settings says it.
    pub routing: Option<Map<String, Value>>,
    /// Most model calls of a task.
    pub max_turns: u32,
    /// Most tokens of an answer.
    pub max_tokens: Option<u32>,
    /// How freely the model chooses words.
    pub temperature: Option<f64>,
    /// How much it thinks.
    pub reasoning_effort: Option<String>,
    /// More instructions, which no trajectory shows.
    pub ephemeral_system_prompt: Option<String>,
    /// What was said before, as far as the model knows.
    pub prefill: Vec<Value>,
    /// All chance of the run comes from it.
    pub seed: u64,
    /// Tasks for each row.
    pub samples: u32,
    /// Whether the samples of a row share their toolsets.
    pub group_tools: bool,
    /// Only the first rows.
    pub max_samples: Option<usize>,
    /// Seconds a task may take.
    pub row_timeout_s: f64,
    /// Tokens a task may use.
    pub max_task_tokens: Option<u64>,
    /// Tries after the first.
    pub retries: u32,
    /// Where tasks run.
    pub backend: Option<String>,
    /// Whether their containers reach the network.
    pub network: bool,
    /// Processors of a container.
    pub cpus: f64,
    /// MB of memory of a container.
    pub memory_mb: u64,
    /// MB of disk of a container.
    pub disk_mb: u64,
    /// Processes of a task.
    pub pids: u64,
    /// Whether these limits were asked for, and hold on this machine too.
    pub is_limited: bool,
    /// A command before the first turn of every task.
    pub setup: Option<String>,
    /// A command after the last turn of every task.
    pub verify: Option<String>,
    /// Which trajectories are dropped.
    pub filters: Vec<TrajectoryFilter>,
}

impl RunOptions {
    /// What differs, as lines for people; empty if nothing does.
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let fields = |options: &Self| -> BTreeMap<String, Value> {
            serde_json::to_value(options)
                .ok()
                .and_then(|value| serde_json::from_value(value).ok())
                .unwrap_or_default()
        };
        let (mine, theirs) = (fields(self), fields(other));
        let differs = mine.iter().filter(|(name, value)| theirs.get(*name) != Some(value));
        differs
            .map(|(name, value)| {
                format!("{name}: {value} → {}", theirs.get(name).unwrap_or(&Value::Null))
            })
            .collect()
    }
}

/// A rule by which a trajectory is kept or dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum TrajectoryFilter {
    /// Some turn has reasoning in it.
    RequireReasoning,
    /// Every tool that was called is there.
    KnownTools,
    /// The task's check passed.
    VerifyPassed,
    /// The model came to an end by itself.
    Finished,
    /// No call failed.
    NoErrors,
    /// At least so many turns of the model.
    MinTurns(u64),
    /// At most so many.
    MaxTurns(u64),
    /// At most so many tokens, four characters each.
    MaxTokens(u64),
    /// Something the model said fits this pattern.
    Regex(String),
    /// No earlier row has nearly the same prompt and answers.
    Dedup,
    /// A program that gets the record keeps it.
    Command(String),
}

impl TrajectoryFilter {
    /// How every rule is written in options.
    pub const FORMS: &str = "require_reasoning, known_tools, verify_passed, finished, no_errors, min_turns:N, \
                             max_turns:N, max_tokens:N, regex:PATTERN, dedup, cmd:PROGRAM";

    /// The word in records.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::RequireReasoning => "require_reasoning",
            Self::KnownTools => "known_tools",
            Self::VerifyPassed => "verify_passed",
            Self::Finished => "finished",
            Self::NoErrors => "no_errors",
            Self::MinTurns(_) => "min_turns",
            Self::MaxTurns(_) => "max_turns",
            Self::MaxTokens(_) => "max_tokens",
            Self::Regex(_) => "regex",
            Self::Dedup => "dedup",
            Self::Command(_) => "cmd",
        }
    }
}

impl From<TrajectoryFilter> for String {
    fn from(filter: TrajectoryFilter) -> Self {
        let word = filter.word();
        match filter {
            TrajectoryFilter::MinTurns(n)
            | TrajectoryFilter::MaxTurns(n)
            | TrajectoryFilter::MaxTokens(n) => format!("{word}:{n}"),
            TrajectoryFilter::Regex(text) | TrajectoryFilter::Command(text) => {
                format!("{word}:{text}")
            }
            _ => word.to_owned(),
        }
    }
}

impl TryFrom<String> for TrajectoryFilter {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (word, value) = text.split_once(':').unwrap_or((&text, ""));
        let number = || {
            value
                .trim()
                .parse()
                .map_err(|_| format!("`{word}` wants a number behind a colon: {word}:5"))
        };
        let known = match (word, value) {
            ("require_reasoning", "") => Self::RequireReasoning,
            ("known_tools", "") => Self::KnownTools,
            ("verify_passed", "") => Self::VerifyPassed,
            ("finished", "") => Self::Finished,
            ("no_errors", "") => Self::NoErrors,
            ("dedup", "") => Self::Dedup,
            ("min_turns", _) => Self::MinTurns(number()?),
            ("max_turns", _) => Self::MaxTurns(number()?),
            ("max_tokens", _) => Self::MaxTokens(number()?),
            ("regex", pattern) if !pattern.is_empty() => Self::Regex(pattern.to_owned()),
            ("cmd", program) if !program.is_empty() => Self::Command(program.to_owned()),
            _ => return Err(format!("`{text}` is no filter; there are {}", Self::FORMS)),
        };
        Ok(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_read_as_they_are_written() {
        for text in ["dedup", "min_turns:3", "regex:a:b", "cmd:/bin/x", "require_reasoning"] {
            let filter = TrajectoryFilter::try_from(text.to_owned()).unwrap();
            assert_eq!(String::from(filter), text);
        }
        for text in ["", "min_turns", "max_turns:x", "regex:", "dedup:1"] {
            assert!(TrajectoryFilter::try_from(text.to_owned()).is_err(), "{text}");
        }
    }

    #[test]
    fn differences_name_the_option_and_both_values() {
        let one = RunOptions { seed: 1, ..RunOptions::default() };
        let two = RunOptions { seed: 2, ..RunOptions::default() };
        assert_eq!(one.differences(&two), ["seed: 1 → 2"]);
        assert!(one.differences(&one.clone()).is_empty());
    }
}
