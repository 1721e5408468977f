//! `trajectories.jsonl` and its neighbours, in the order of the data set.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};

use super::NewFile;
use super::dedup::NearCopies;
use crate::BatchError;
use crate::filter::{FilterSet, compared_text};
use crate::options::TrajectoryFilter;
use crate::record::{TaskRecord, TaskStatus, ToolCount};
use crate::store::{RunFolder, RunIndex, RunManifest};
use crate::trajectory;

/// How many rows went where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergeTotals {
    /// Into `trajectories.jsonl`.
    pub trajectories: usize,
    /// Into `failed.jsonl`.
    pub failed: usize,
    /// Into `discarded.jsonl`: dropped by a filter, or refused by the model.
    pub discarded: usize,
    /// Those of them that rules drop now and did not when the record was written, by rule.
    pub by_filter: BTreeMap<String, u64>,
}

/// Definitions of tools, read once each.
pub(super) struct ToolTexts<'a> {
    folder: &'a RunFolder,
    texts: HashMap<String, String>,
}

impl<'a> ToolTexts<'a> {
    pub(super) fn of(folder: &'a RunFolder) -> Self {
        Self { folder, texts: HashMap::new() }
    }

    /// The text behind `sha256:…`; an empty list if it is gone.
    pub(super) fn text(&mut self, reference: &str) -> &str {
        let Self { folder, texts } = self;
        texts.entry(reference.to_owned()).or_insert_with(|| {
            let digest = reference.trim_start_matches("sha256:");
            let path = folder.path(&format!("tools/{digest}.json"));
            std::fs::read_to_string(path).unwrap_or_else(|_| "[]".to_owned())
        })
    }
}

/// The turns of a record with its tools written out.
pub(super) fn whole_conversation(record: &TaskRecord, tools: &mut ToolTexts<'_>) -> Option<Value> {
    let turns = record.conversations.clone()?;
    let text = tools.text(&record.tools);
    Some(trajectory::with_tools(turns, &record.tools, text))
}

/// Makes the files anew from the records. The rules of the run are asked again; with others, what was dropped by a rule
/// may come back.
///
/// # Errors
/// If a record cannot be read, a file not be written or a rule not be asked.
pub fn merge(
    folder: &RunFolder,
    manifest: &RunManifest,
    index: &RunIndex,
    filters: Option<&[TrajectoryFilter]>,
) -> Result<MergeTotals, BatchError> {
    let known = known_tools(folder);
    let rules = filters.unwrap_or(&manifest.now().filters);
    let mut judge = MergeJudge {
        rules: FilterSet::new(rules, known.iter().cloned())?,
        is_anew: filters.is_some(),
        copies: NearCopies::default(),
    };
    let mut tools = ToolTexts::of(folder);
    let mut trajectories = NewFile::beside(&folder.path("trajectories.jsonl"))?;
    let mut failed = NewFile::beside(&folder.path("failed.jsonl"))?;
    let mut discarded = NewFile::beside(&folder.path("discarded.jsonl"))?;
    let mut totals = MergeTotals::default();
    let mut completed = Vec::new();
    for task in index.tasks() {
        let Some(kept) = index.get(task) else { continue };
        let mut record = index.record(kept)?;
        if let Some(word) = judge.look(&mut record)? {
            *totals.by_filter.entry(word.to_owned()).or_default() += 1;
        }
        match record.status {
            TaskStatus::Failed => {
                totals.failed += 1;
                failed.line(&record)?;
            }
            TaskStatus::Refused | TaskStatus::Discarded => {
                totals.discarded += 1;
                discarded.line(&record)?;
            }
            TaskStatus::Ok | TaskStatus::Incomplete | TaskStatus::Partial => {
                totals.trajectories += 1;
                let turns = whole_conversation(&record, &mut tools);
                trajectories.line(&reference_row(&record, turns.as_ref(), &known))?;
            }
        }
        if record.status != TaskStatus::Failed && completed.last() != Some(&record.prompt_index) {
            completed.push(record.prompt_index);
        }
    }
    trajectories.put()?;
    failed.put()?;
    discarded.put()?;
    completed.sort_unstable();
    let checkpoint = json!({
        "run_name": manifest.name, "completed_prompts": completed, "batch_stats": {},
        "last_updated": jiff::Timestamp::now().to_string(),
    });
    folder.write("checkpoint.json", checkpoint.to_string().as_bytes())?;
    Ok(totals)
}

/// Asks the rules again, also those that look beyond one record.
struct MergeJudge {
    rules: FilterSet,
    is_anew: bool,
    copies: NearCopies,
}

impl MergeJudge {
    /// Drops a record or takes it back; the rule that drops it now and did not before.
    fn look(&mut self, record: &mut TaskRecord) -> Result<Option<&'static str>, BatchError> {
        if record.status == TaskStatus::Discarded && self.is_anew && record.conversations.is_some()
        {
            record.status = match (record.partial, record.completed) {
                (true, _) => TaskStatus::Partial,
                (false, true) => TaskStatus::Ok,
                (false, false) => TaskStatus::Incomplete,
            };
            record.class = None;
        }
        // What was taken over from elsewhere used tools of there.
        let is_foreign = record.metadata["imported"] == true;
        if !record.status.has_trajectory() || is_foreign {
            return Ok(None);
        }
        let mut word = self.rules.drops(record);
        if word.is_none() {
            word = self.rules.dropped_by_command(record)?;
        }
        if word.is_none() && self.rules.has_dedup() && self.copies.is_copy(&compared_text(record)) {
            word = Some(TrajectoryFilter::Dedup.word());
        }
        if let Some(word) = word {
            record.status = TaskStatus::Discarded;
            record.class = Some(word.to_owned());
        }
        Ok(word)
    }
}

fn known_tools(folder: &RunFolder) -> Vec<String> {
    let text = std::fs::read(folder.path("tools/known.json")).unwrap_or_default();
    let mut known: Vec<String> = serde_json::from_slice(&text).unwrap_or_default();
    known.sort();
    known
}

/// A row as other programs know it: every known tool has its counters, so that all rows have the same columns.
fn reference_row(record: &TaskRecord, turns: Option<&Value>, known: &[String]) -> Value {
    let mut stats: BTreeMap<&str, ToolCount> =
        known.iter().map(|name| (name.as_str(), ToolCount::default())).collect();
    stats.extend(record.tool_stats.iter().map(|(name, count)| (name.as_str(), *count)));
    let errors: Map<String, Value> =
        stats.iter().map(|(name, count)| ((*name).to_owned(), count.failure.into())).collect();
    json!({
        "prompt_index": record.prompt_index, "id": record.id, "conversations": turns,
        "metadata": record.metadata, "completed": record.completed, "partial": record.partial,
        "api_calls": record.api_calls, "toolsets_used": record.toolsets_used,
        "tool_stats": stats, "tool_error_counts": errors,
    })
}
