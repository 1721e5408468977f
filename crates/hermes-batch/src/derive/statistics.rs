//! `statistics.json`: of all records, whichever start wrote them.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::BatchError;
use crate::record::{ReasoningCount, TaskStatus, TaskUsage, ToolCount};
use crate::store::{RunFolder, RunIndex, RunManifest};

/// Sums over the records of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RunStatistics {
    /// Tasks by how they ended.
    pub by_status: BTreeMap<&'static str, u64>,
    /// Tasks by the class of that.
    pub by_class: BTreeMap<String, u64>,
    /// Tasks by the rule that drops them.
    pub by_filter: BTreeMap<String, u64>,
    /// Calls by tool.
    pub tools: BTreeMap<String, ToolCount>,
    /// Turns with and without reasoning.
    pub reasoning: ReasoningCount,
    /// Tokens and requests.
    pub usage: TaskUsage,
    /// Dollars of the records whose cost is known.
    pub cost_usd: f64,
    /// Records whose cost is not.
    pub unknown_cost: u64,
    /// Checks that passed.
    pub verify_passed: u64,
    /// Checks that did not.
    pub verify_failed: u64,
    /// Requests to the model of each task, sorted.
    #[serde(skip)]
    pub turns: Vec<u32>,
    /// Checks by row: passed and all.
    #[serde(skip)]
    pub checks: BTreeMap<String, (u64, u64)>,
    /// Secrets that were masked.
    pub redactions: u64,
    /// Milliseconds in tools.
    pub tools_ms: u64,
    /// Milliseconds waiting for permission to ask.
    pub wait_ms: u64,
}

/// Reads all records and sums them up.
///
/// # Errors
/// If a record cannot be read.
pub fn statistics(index: &RunIndex) -> Result<RunStatistics, BatchError> {
    let mut sums = RunStatistics::default();
    for task in index.tasks() {
        let Some(kept) = index.get(task) else { continue };
        let record = index.record(kept)?;
        *sums.by_status.entry(record.status.word()).or_default() += 1;
        if let Some(class) = &record.class {
            *sums.by_class.entry(class.clone()).or_default() += 1;
            if record.status == TaskStatus::Discarded {
                *sums.by_filter.entry(class.clone()).or_default() += 1;
            }
        }
        for (name, count) in &record.tool_stats {
            let sum = sums.tools.entry(name.clone()).or_default();
            sum.count += count.count;
            sum.success += count.success;
            sum.failure += count.failure;
        }
        sums.reasoning.turns += record.reasoning.turns;
        sums.reasoning.with += record.reasoning.with;
        match record.usage.cost_usd {
            Some(usd) => sums.cost_usd += usd,
            None => sums.unknown_cost += 1,
        }
        sums.usage.add(&record.usage);
        if let Some(verify) = &record.verify {
            let (passed, all) = sums.checks.entry(record.row_id.clone()).or_default();
            *passed += u64::from(verify.passed);
            *all += 1;
            sums.verify_passed += u64::from(verify.passed);
            sums.verify_failed += u64::from(!verify.passed);
        }
        sums.turns.push(record.api_calls);
        sums.redactions += record.redactions;
        sums.tools_ms += record.timing.tools_ms;
        sums.wait_ms += record.timing.wait_ms;
    }
    sums.turns.sort_unstable();
    Ok(sums)
}

impl RunStatistics {
    /// With what rules drop only when files are made.
    #[must_use]
    pub fn with_filtered(mut self, more: BTreeMap<String, u64>) -> Self {
        more.into_iter()
            .for_each(|(word, count)| *self.by_filter.entry(word).or_default() += count);
        self
    }

    /// The share of rows of which at least one of `k` samples passes, as drawn without putting back; none if no row
    /// has so many checks.
    #[must_use]
    pub fn pass_at(&self, k: u64) -> Option<f64> {
        let rows: Vec<&(u64, u64)> =
            self.checks.values().filter(|(_, all)| *all >= k && k > 0).collect();
        let chance = |(passed, all): &(u64, u64)| {
            let none: f64 = (0..k)
                .map(|i| (all - passed).saturating_sub(i) as f64 / (all - i) as f64)
                .product();
            1.0 - none
        };
        (!rows.is_empty())
            .then(|| rows.iter().map(|row| chance(row)).sum::<f64>() / rows.len() as f64)
    }

    /// The file, in the form other programs know, with more beside it.
    #[must_use]
    pub fn to_json(&self, manifest: &RunManifest, index: &RunIndex, total: usize) -> Value {
        let tools: Map<String, Value> = self
            .tools
            .iter()
            .map(|(name, count)| {
                let value = json!({
                    "count": count.count, "success": count.success, "failure": count.failure,
                    "success_rate": percent(count.success, count.success + count.failure),
                    "failure_rate": percent(count.failure, count.success + count.failure),
                });
                (name.clone(), value)
            })
            .collect();
        let samples = u64::from(manifest.now().samples.max(1));
        let pass_at: Map<String, Value> = [1, samples]
            .into_iter()
            .filter_map(|k| Some((k.to_string(), json!(round(self.pass_at(k)?, 4)))))
            .collect();
        let place = |share: f64| {
            let last = self.turns.len().saturating_sub(1) as f64;
            self.turns.get((last * share).round() as usize).copied().unwrap_or(0)
        };
        json!({
            "run_name": manifest.name,
            "distribution": manifest.now().distribution,
            "total_prompts": manifest.rows,
            "total_batches": 1,
            "batch_size": manifest.rows,
            "model": manifest.model_now(),
            "completed_at": jiff::Timestamp::now().to_string(),
            "tool_statistics": tools,
            "reasoning_statistics": {
                "total_assistant_turns": self.reasoning.turns,
                "turns_with_reasoning": self.reasoning.with,
                "turns_without_reasoning": self.reasoning.turns - self.reasoning.with,
            },
            "by_status": self.by_status,
            "by_class": self.by_class,
            "by_filter": self.by_filter,
            "tasks": {"total": total, "done": index.len(), "pending": total.saturating_sub(index.len())},
            "usage": self.usage,
            "cost": {"usd": round(self.cost_usd, 6), "unknown_rows": self.unknown_cost},
            "turns": {"p50": place(0.5), "p90": place(0.9), "max": place(1.0)},
            "tool_ms": self.tools_ms,
            "wait_ms": self.wait_ms,
            "verify": {"passed": self.verify_passed, "failed": self.verify_failed},
            "pass_at_k": pass_at,
            "superseded": index.superseded(),
            "damaged_lines": index.damaged().len(),
            "redactions": self.redactions,
            "epochs": index.epochs(),
        })
    }

    /// Writes `statistics.json`.
    ///
    /// # Errors
    /// If that fails.
    pub fn write(
        &self,
        folder: &RunFolder,
        manifest: &RunManifest,
        index: &RunIndex,
        total: usize,
    ) -> Result<Value, BatchError> {
        let value = self.to_json(manifest, index, total);
        folder.write("statistics.json", format!("{value:#}\n").as_bytes())?;
        Ok(value)
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { round(part as f64 * 100.0 / whole as f64, 2) }
}

fn round(value: f64, places: i32) -> f64 {
    let unit = 10_f64.powi(places);
    (value * unit).round() / unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pass_at_k_is_right_for_a_known_table() {
        let checks = BTreeMap::from([
            ("a".to_owned(), (1, 4)),
            ("b".to_owned(), (4, 4)),
            ("c".to_owned(), (0, 4)),
        ]);
        let sums = RunStatistics { checks, ..RunStatistics::default() };
        assert_eq!(sums.pass_at(1).map(|share| round(share, 4)), Some(0.4167));
        assert_eq!(sums.pass_at(2).map(|share| round(share, 4)), Some(0.5));
        assert_eq!(sums.pass_at(4).map(|share| round(share, 4)), Some(0.6667));
        assert_eq!(sums.pass_at(5), None);
    }
}
