//! Which trajectories are kept: rules on one record at a time.
//!
//! They are asked when a record is written, and again when files are made from the records, so that rules can change
//! without running anything again. Rules that look beyond one record ([`TrajectoryFilter::Dedup`]) or ask another program
//! ([`TrajectoryFilter::Command`]) are asked only then.

use std::collections::HashSet;
use std::time::Duration;

use hermes_process::{Command, End};
use regex::Regex;
use serde_json::Value;

use crate::BatchError;
use crate::options::TrajectoryFilter;
use crate::record::TaskRecord;

/// How long a program may take to judge one record.
const COMMAND_LIMIT: Duration = Duration::from_secs(60);

/// Rules, ready to be asked.
#[derive(Debug)]
pub struct FilterSet {
    rules: Vec<(TrajectoryFilter, Option<Regex>)>,
    known: HashSet<String>,
}

impl FilterSet {
    /// Rules for a run with these tools.
    ///
    /// # Errors
    /// If a pattern is none.
    pub fn new(
        filters: &[TrajectoryFilter],
        known: impl IntoIterator<Item = String>,
    ) -> Result<Self, BatchError> {
        let rule = |filter: &TrajectoryFilter| {
            let pattern = match filter {
                TrajectoryFilter::Regex(pattern) => Some(Regex::new(pattern).map_err(|error| {
                    BatchError::usage(format!("`{pattern}` is no pattern: {error}"))
                })?),
                _ => None,
            };
            Ok((filter.clone(), pattern))
        };
        let rules = filters.iter().map(rule).collect::<Result<_, BatchError>>()?;
        Ok(Self { rules, known: known.into_iter().collect() })
    }

    /// The first rule that drops a record, by its word. Rules for later are left out.
    #[must_use]
    pub fn drops(&self, record: &TaskRecord) -> Option<&'static str> {
        let passes = |(filter, pattern): &(TrajectoryFilter, Option<Regex>)| match filter {
            TrajectoryFilter::RequireReasoning => record.reasoning.with > 0,
            TrajectoryFilter::KnownTools => {
                record.tool_stats.keys().all(|name| self.known.contains(name))
            }
            TrajectoryFilter::VerifyPassed => record.verify.as_ref().is_some_and(|it| it.passed),
            TrajectoryFilter::Finished => record.completed,
            TrajectoryFilter::NoErrors => record.tool_stats.values().all(|it| it.failure == 0),
            TrajectoryFilter::MinTurns(least) => record.reasoning.turns >= *least,
            TrajectoryFilter::MaxTurns(most) => record.reasoning.turns <= *most,
            TrajectoryFilter::MaxTokens(most) => said_chars(record) / 4 <= *most,
            TrajectoryFilter::Regex(_) => pattern
                .as_ref()
                .is_none_or(|pattern| answers(record).any(|text| pattern.is_match(text))),
            TrajectoryFilter::Dedup | TrajectoryFilter::Command(_) => true,
        };
        self.rules.iter().find(|rule| !passes(rule)).map(|(filter, _)| filter.word())
    }

    /// Whether a program of the user's drops a record: it gets the record on its input, 0 keeps, 1 drops.
    ///
    /// # Errors
    /// If it cannot be run or says something else.
    pub fn dropped_by_command(
        &self,
        record: &TaskRecord,
    ) -> Result<Option<&'static str>, BatchError> {
        for (filter, _) in &self.rules {
            let TrajectoryFilter::Command(program) = filter else { continue };
            let wrong = |why: String| BatchError::usage(format!("the filter {program}: {why}"));
            let text = serde_json::to_vec(record).map_err(|error| wrong(error.to_string()))?;
            let ran = Command::new(program)
                .env_inherit(["HOME", "PATH", "LANG"])
                .stdin_bytes(text)
                .deadline(COMMAND_LIMIT)
                .run_blocking()
                .map_err(|error| wrong(error.to_string()))?;
            match ran.end {
                End::Exited(0) => {}
                End::Exited(1) => return Ok(Some(filter.word())),
                end => return Err(wrong(format!("{end:?} on {}; 0 keeps and 1 drops", record.id))),
            }
        }
        Ok(None)
    }

    /// Whether rows that are nearly the same as an earlier one are dropped.
    #[must_use]
    pub fn has_dedup(&self) -> bool {
        self.rules.iter().any(|(filter, _)| *filter == TrajectoryFilter::Dedup)
    }
}

/// Rules as options have them.
///
/// # Errors
/// If one of them is none, or its pattern.
pub fn written_filters(words: &[String]) -> Result<Vec<TrajectoryFilter>, BatchError> {
    let filters = words.iter().map(|word| TrajectoryFilter::try_from(word.clone()));
    let filters = filters.collect::<Result<Vec<_>, _>>().map_err(BatchError::usage)?;
    FilterSet::new(&filters, [])?;
    Ok(filters)
}

/// What the model said, turn by turn.
fn answers(record: &TaskRecord) -> impl Iterator<Item = &str> {
    let turns = record.conversations.as_ref().and_then(Value::as_array).into_iter().flatten();
    turns.filter(|turn| turn["from"] == "gpt").filter_map(|turn| turn["value"].as_str())
}

fn said_chars(record: &TaskRecord) -> u64 {
    let turns = record.conversations.as_ref().and_then(Value::as_array).into_iter().flatten();
    turns.filter_map(|turn| turn["value"].as_str()).map(|text| text.chars().count() as u64).sum()
}

/// The prompt and the answers of a record, for comparisons.
pub(crate) fn compared_text(record: &TaskRecord) -> String {
    let turns = record.conversations.as_ref().and_then(Value::as_array).into_iter().flatten();
    let said = turns.filter(|turn| turn["from"] == "gpt" || turn["from"] == "human");
    said.filter_map(|turn| turn["value"].as_str()).collect::<Vec<_>>().join("\n")
}
