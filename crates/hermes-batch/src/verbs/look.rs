//! Verbs that look at runs and data sets, or make files from records.

use std::collections::HashMap;
use std::path::Path;

use hermes_host::Host;
use hermes_skills::report::{ReportPart, ReportTable, VerbReport};
use hermes_tools::product::distributions as shipped;
use serde_json::{Value, json};

use super::BatchReport;
use crate::BatchError;
use crate::dataset::Dataset;
use crate::derive::{self, ExportCut, ExportFormat, ExportOptions};
use crate::filter::written_filters;
use crate::record::TaskStatus;
use crate::run::BatchTask;
use crate::store::{RunFolder, RunIndex, RunLock, RunManifest};

/// Characters of a line that `show` prints.
const SHOWN_CHARS: usize = 2_000;

/// All records, numbered by the data set if that is there still, else as they are found.
fn index(folder: &RunFolder, manifest: &RunManifest) -> Result<(RunIndex, usize), BatchError> {
    let spool = std::env::temp_dir();
    let options = manifest.now();
    if manifest.dataset != Path::new("-")
        && manifest.dataset.exists()
        && let Ok(dataset) = Dataset::open(&manifest.dataset, &spool, options.max_samples)
    {
        let index = RunIndex::read(folder, |entry| BatchTask::find(&dataset, options, &entry.id))?;
        return Ok((index, dataset.len() * options.samples.max(1) as usize));
    }
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let index = RunIndex::read(folder, |entry| {
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        Some(*numbers.entry(entry.id.clone()).or_insert(next))
    })?;
    Ok((index, manifest.rows * options.samples.max(1) as usize))
}

/// The records by the names of their tasks, without the data set.
fn by_name(folder: &RunFolder) -> Result<(RunIndex, HashMap<String, u32>), BatchError> {
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let index = RunIndex::read(folder, |entry| {
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        Some(*numbers.entry(entry.id.clone()).or_insert(next))
    })?;
    Ok((index, numbers))
}

pub(super) fn check(source: &Path, is_json: bool) -> Result<BatchReport, BatchError> {
    let dataset = Dataset::open(source, &std::env::temp_dir(), None)?;
    let mut images = std::collections::BTreeSet::new();
    let mut characters = 0_u64;
    for index in 0..dataset.len() {
        let (_, row) = dataset.row(index)?;
        characters += row.prompt.len() as u64;
        images.extend(row.image);
    }
    let found = json!({
        "rows": dataset.len(), "skipped": dataset.skipped(), "warnings": dataset.warnings(),
        "images": images, "prompt_tokens": characters / 4, "sha256": dataset.digest(),
    });
    if is_json {
        return Ok(BatchReport::done(VerbReport::json(&found)));
    }
    let mut text = format!(
        "{} rows, {} lines that are none, about {} tokens of prompts",
        dataset.len(),
        dataset.skipped(),
        characters / 4
    );
    for image in images {
        text.push_str(&format!("\nimage {image}"));
    }
    let said = VerbReport::text(text).warned(dataset_warnings(&dataset));
    Ok(BatchReport::done(said))
}

/// What is wrong with lines: the first ones, and how many more there are.
pub(super) fn dataset_warnings(dataset: &Dataset) -> Vec<String> {
    let mut warnings = dataset.warnings().to_vec();
    let more = dataset.skipped() - warnings.len();
    if more > 0 {
        warnings.push(format!("{more} more lines are no rows"));
    }
    warnings
}

pub(super) fn status(folder: &RunFolder, is_json: bool) -> Result<BatchReport, BatchError> {
    let manifest = folder.manifest()?;
    let (index, total) = index(folder, &manifest)?;
    // Whoever works on it holds the lock; that it is free means that nobody does.
    let is_running = RunLock::is_taken(folder);
    let live: Value = std::fs::read(folder.path("status.json"))
        .ok()
        .and_then(|text| serde_json::from_slice(&text).ok())
        .filter(|_| is_running)
        .unwrap_or_default();
    let counts: serde_json::Map<String, Value> = TaskStatus::ALL
        .into_iter()
        .map(|status| (status.word().to_owned(), index.count(status).into()))
        .collect();
    let pending = total.saturating_sub(index.len());
    if is_json {
        return Ok(BatchReport::done(VerbReport::json(&json!({
            "run": manifest.name, "model": manifest.model_now(), "running": is_running,
            "tasks": {"total": total, "done": index.len(), "pending": pending},
            "by_status": counts, "superseded": index.superseded(), "damaged_lines": index.damaged().len(),
            "now": live,
        }))));
    }
    let mut lines = vec![format!(
        "run {} · {} of {total} tasks · {}",
        manifest.name,
        index.len(),
        if is_running { "running" } else { "not running" }
    )];
    let parts: Vec<String> = TaskStatus::ALL
        .into_iter()
        .filter(|status| index.count(*status) > 0)
        .map(|status| format!("{} {}", status.word(), index.count(status)))
        .collect();
    lines.extend((!parts.is_empty()).then(|| parts.join(" · ")));
    for task in live["running"].as_array().into_iter().flatten() {
        let id = task["id"].as_str().unwrap_or_default();
        lines.push(format!("  {id} turn {} for {} s", task["turn"], task["seconds"]));
    }
    if !is_running && pending > 0 {
        lines.push(format!("go on with: hermes batch resume {}", manifest.name));
    }
    let damaged = index.damaged().iter().map(|line| {
        format!(
            "{}: no record at byte {}; its task counts as pending",
            line.file.display(),
            line.offset
        )
    });
    Ok(BatchReport::done(VerbReport::text(lines.join("\n")).warned(damaged)))
}

pub(super) fn show(folder: &RunFolder, id: &str, is_raw: bool) -> Result<BatchReport, BatchError> {
    folder.manifest()?;
    let (index, numbers) = by_name(folder)?;
    let kept = numbers.get(id).and_then(|number| index.get(*number));
    let Some(kept) = kept else {
        return Err(BatchError::usage(format!(
            "no record of a task {id:?} in {}",
            folder.root().display()
        )));
    };
    let record = index.record(kept)?;
    if is_raw {
        return Ok(BatchReport::done(VerbReport::json(&record)));
    }
    let mut lines = vec![format!(
        "{} · {}{} · {} calls of the model · {} attempts · epoch {}",
        record.id,
        record.status.word(),
        record.class.as_ref().map(|class| format!(" ({class})")).unwrap_or_default(),
        record.api_calls,
        record.attempts,
        record.epoch
    )];
    lines.extend(record.reason.clone());
    for message in record.messages.as_array().into_iter().flatten() {
        let role = message["role"].as_str().unwrap_or_default();
        let mut text = message["content"].as_str().unwrap_or_default().to_owned();
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let function = &call["function"];
            let arguments = function["arguments"].as_str().unwrap_or_default();
            text.push_str(&format!(
                "\n→ {} {arguments}",
                function["name"].as_str().unwrap_or_default()
            ));
        }
        let text: String = text.trim().chars().take(SHOWN_CHARS).collect();
        lines.push(format!("\n[{role}]\n{text}"));
    }
    if let Some(verify) = &record.verify {
        lines.push(format!("\n[verify] exit {}\n{}", verify.exit_code, verify.output));
    }
    Ok(BatchReport::done(VerbReport::text(lines.join("\n"))))
}

pub(super) fn retry(
    folder: &RunFolder,
    classes: &[String],
    ids: &[String],
    discarded: bool,
) -> Result<BatchReport, BatchError> {
    let manifest = folder.manifest()?;
    let _lock = RunLock::take(folder, &manifest.name)?;
    let (index, numbers) = by_name(folder)?;
    let mut back = Vec::new();
    for id in ids {
        match numbers.get(id).filter(|number| index.get(**number).is_some()) {
            Some(_) => back.push(id.clone()),
            None => return Err(BatchError::usage(format!("no record of a task {id:?}"))),
        }
    }
    if ids.is_empty() {
        for task in index.tasks() {
            let Some(kept) = index.get(task) else { continue };
            let is_meant = kept.status == TaskStatus::Failed
                || discarded && kept.status == TaskStatus::Discarded;
            if !is_meant {
                continue;
            }
            let record = index.record(kept)?;
            let class = record.class.unwrap_or_default();
            let fits =
                |wanted: &String| class == *wanted || class.starts_with(&format!("{wanted}."));
            if classes.is_empty() || classes.iter().any(fits) {
                back.push(record.id);
            }
        }
    }
    if back.is_empty() {
        return Ok(BatchReport::done(VerbReport::text("no task fits; nothing was put back")));
    }
    folder.put_back(&back)?;
    let (count, name) = (back.len(), &manifest.name);
    let text = format!("{count} tasks were put back; run them with: hermes batch resume {name}");
    Ok(BatchReport::done(VerbReport::text(text)))
}

pub(super) fn merged(folder: &RunFolder, filters: &[String]) -> Result<BatchReport, BatchError> {
    let manifest = folder.manifest()?;
    let filters = match filters {
        [] => None,
        [word] if word == "none" => Some(Vec::new()),
        words => Some(written_filters(words)?),
    };
    let (index, _) = index(folder, &manifest)?;
    let totals = derive::merge(folder, &manifest, &index, filters.as_deref())?;
    let text = format!(
        "{} trajectories, {} failed, {} discarded in {}",
        totals.trajectories,
        totals.failed,
        totals.discarded,
        folder.root().display()
    );
    Ok(BatchReport::done(VerbReport::text(text)))
}

pub(super) fn stats(folder: &RunFolder, is_json: bool) -> Result<BatchReport, BatchError> {
    let manifest = folder.manifest()?;
    let (index, total) = index(folder, &manifest)?;
    let sums = derive::statistics(&index)?;
    let value = sums.write(folder, &manifest, &index, total)?;
    if is_json {
        return Ok(BatchReport::done(VerbReport::json(&value)));
    }
    let mut report = VerbReport::text(summary(&value));
    if let Some(table) = tool_table(&value) {
        report = report.with(ReportPart::Table(table));
    }
    Ok(BatchReport::done(report))
}

/// Counts, reasoning, tokens and cost in a few lines.
pub(super) fn summary(value: &Value) -> String {
    let counts = value["by_status"].as_object().into_iter().flatten();
    let counts: Vec<String> = counts.map(|(status, count)| format!("{status} {count}")).collect();
    let (usage, cost, turns) = (&value["usage"], &value["cost"], &value["reasoning_statistics"]);
    let unknown = cost["unknown_rows"].as_u64().unwrap_or(0);
    let unknown = if unknown > 0 {
        format!(" ({unknown} tasks without a known price)")
    } else {
        String::new()
    };
    format!(
        "{}\n{} of {} turns have reasoning\n{} requests, {} tokens in, {} cached, {} out, ${:.4}{unknown}",
        counts.join(" · "),
        turns["turns_with_reasoning"],
        turns["total_assistant_turns"],
        usage["requests"],
        usage["input"],
        usage["cache_read"],
        usage["output"],
        cost["usd"].as_f64().unwrap_or(0.0)
    )
}

/// Calls by tool.
pub(super) fn tool_table(value: &Value) -> Option<ReportTable> {
    let tools = value["tool_statistics"].as_object().filter(|tools| !tools.is_empty())?;
    let mut table = ReportTable::new(["tool", "calls", "success", "failure", "success %"]);
    table.numbers = vec![1, 2, 3, 4];
    for (name, count) in tools {
        let cell = |key: &str| count[key].to_string();
        table.row([
            name.clone(),
            cell("count"),
            cell("success"),
            cell("failure"),
            cell("success_rate"),
        ]);
    }
    Some(table)
}

/// What `export` was asked for.
pub(super) struct ExportWords<'a> {
    pub(super) format: ExportFormat,
    pub(super) out: &'a Path,
    pub(super) status: &'a [String],
    pub(super) strip_think: bool,
    pub(super) cut: ExportCut,
    pub(super) shuffle: Option<u64>,
    pub(super) shard_size: Option<usize>,
    pub(super) split: &'a [String],
}

pub(super) fn exported(
    folder: &RunFolder,
    wanted: &ExportWords<'_>,
) -> Result<BatchReport, BatchError> {
    let manifest = folder.manifest()?;
    let status = |word: &String| {
        TaskStatus::of_word(word).ok_or_else(|| {
            let known: Vec<&str> = TaskStatus::ALL.into_iter().map(TaskStatus::word).collect();
            BatchError::usage(format!("`{word}` is no status; there are {}", known.join(", ")))
        })
    };
    let part = |text: &String| {
        let (name, share) = text.split_once('=').unwrap_or((text, ""));
        let is_name =
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
        match share.parse::<f64>() {
            Ok(share) if share > 0.0 && share.is_finite() && is_name => {
                Ok((name.to_owned(), share))
            }
            _ => Err(BatchError::usage(format!("`{text}` is no part; write train=0.98,val=0.02"))),
        }
    };
    let options = ExportOptions {
        format: wanted.format,
        out: wanted.out.to_path_buf(),
        statuses: wanted.status.iter().map(status).collect::<Result<_, _>>()?,
        strip_think: wanted.strip_think,
        cut: wanted.cut,
        shuffle: wanted.shuffle,
        shard_size: wanted.shard_size,
        run: manifest.name.clone(),
        samples: manifest.now().samples,
        split: wanted.split.iter().map(part).collect::<Result<_, _>>()?,
    };
    let (index, _) = index(folder, &manifest)?;
    let totals = derive::export(folder, &index, &options)?;
    let lines: Vec<String> =
        totals.iter().map(|(path, count)| format!("{count} rows in {}", path.display())).collect();
    Ok(BatchReport::done(VerbReport::text(lines.join("\n"))))
}

pub(super) fn distributions(
    host: &Host,
    name: Option<&str>,
    is_json: bool,
) -> Result<BatchReport, BatchError> {
    let mut known = shipped();
    let problems = known.load_config(host.config().value());
    let listed: Vec<_> = match name {
        Some(name) => {
            vec![known.get(name).map_err(|error| BatchError::usage(error.to_string()))?.clone()]
        }
        None => known.list().to_vec(),
    };
    let chances =
        |shares: &[hermes_runtime::distributions::Share]| -> serde_json::Map<String, Value> {
            shares.iter().map(|share| (share.toolset.to_string(), share.percent.into())).collect()
        };
    if is_json {
        let value: Vec<Value> = listed
            .iter()
            .map(|it| json!({"name": &*it.name, "description": &*it.description, "toolsets": chances(&it.shares)}))
            .collect();
        return Ok(BatchReport::done(VerbReport::json(&value)));
    }
    let mut table = ReportTable::new(["name", "toolsets"]);
    for it in &listed {
        let shares: Vec<String> =
            it.shares.iter().map(|share| format!("{} {}%", share.toolset, share.percent)).collect();
        table.row([it.name.to_string(), shares.join(", ")]);
    }
    let warnings = problems.iter().map(ToString::to_string);
    Ok(BatchReport::done(VerbReport::table(table).warned(warnings)))
}
