//! Exports: records in the forms that trainers read, with one schema for all rows of a file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::NewFile;
use super::merge::{ToolTexts, whole_conversation};
use super::parquet::{ColumnKind, ParquetColumn, ParquetWriter};
use crate::BatchError;
use crate::record::{TaskRecord, TaskStatus};
use crate::seed::task_seed;
use crate::store::{RunFolder, RunIndex};

/// The forms there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// `conversations` with `from` and `value`
    Sharegpt,
    /// `messages` and `tools`, as fine-tuning services and TRL take them
    Openai,
    /// `prompt` and `completion`, cut before the first answer
    TrlPrompt,
    /// `chosen` against `rejected`: the samples of a row, by what their check said
    Preference,
    /// `prompt`, `completion` and whether the check passed
    Unpaired,
    /// Parquet with prompts to learn on, one for each row, as verl takes them
    Verl,
    /// Parquet with everything in the records
    Parquet,
    /// Token ids with masks and scores, which need a server that tells them
    Atropos,
}

/// Where a conversation is cut into prompt and completion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ExportCut {
    /// Before the first answer of the model
    #[default]
    First,
    /// Before its last one
    Last,
}

/// What is exported, and where to.
#[derive(Clone, Debug)]
pub struct ExportOptions {
    /// Which trainer it is written for.
    pub format: ExportFormat,
    /// The file.
    pub out: PathBuf,
    /// Only tasks that ended so.
    pub statuses: Vec<TaskStatus>,
    /// Leaves out reasoning within `<think>` tags.
    pub strip_think: bool,
    /// Where prompt and completion part.
    pub cut: ExportCut,
    /// Rows in an order drawn with this number, instead of that of the data set.
    pub shuffle: Option<u64>,
    /// Rows of a file; then another one is begun.
    pub shard_size: Option<usize>,
    /// What the run is called.
    pub run: String,
    /// Tasks of each row.
    pub samples: u32,
    /// Names and shares of parts; each goes into a file of its own. All samples of a row go into the same one.
    pub split: Vec<(String, f64)>,
}

/// How many rows were written, by file.
pub type ExportTotals = BTreeMap<PathBuf, usize>;

/// Writes an export.
///
/// # Errors
/// If a record cannot be read or the file not be written.
pub fn export(
    folder: &RunFolder,
    index: &RunIndex,
    options: &ExportOptions,
) -> Result<ExportTotals, BatchError> {
    if options.format == ExportFormat::Atropos {
        return Err(BatchError::usage(
            "records hold no token ids, and ids made from text again would not be those of the model; export openai or sharegpt instead",
        ));
    }
    let mut tools = ToolTexts::of(folder);
    let parts: Vec<(PathBuf, f64)> = match options.split.as_slice() {
        [] => vec![(options.out.clone(), 1.0)],
        split => {
            split.iter().map(|(name, share)| (part_path(&options.out, name), *share)).collect()
        }
    };
    let mut files = parts
        .iter()
        .map(|(path, _)| ExportFiles::begin(path, options))
        .collect::<Result<Vec<_>, _>>()?;
    let shares: Vec<f64> = parts.iter().map(|(_, share)| *share).collect();
    let mut put = |row_id: &str, row: Value| -> Result<(), BatchError> {
        files[part_of(row_id, &shares)].row(&row)
    };
    let mut group: Vec<TaskRecord> = Vec::new();
    let mut last_row = None;
    for task in in_order(index.tasks(), options) {
        let Some(kept) = index.get(task) else { continue };
        if !options.statuses.contains(&kept.status) {
            continue;
        }
        let record = index.record(kept)?;
        if options.format == ExportFormat::Preference {
            if group.first().is_some_and(|first| first.row_id != record.row_id) {
                let done = std::mem::take(&mut group);
                if let Some(row) = preference(&done, options) {
                    put(&done[0].row_id, row)?;
                }
            }
            group.push(record);
            continue;
        }
        // The samples of a row share its prompt.
        let is_again = last_row.as_ref() == Some(&record.row_id);
        if options.format == ExportFormat::Verl && is_again {
            continue;
        }
        if let Some(row) = row(&record, &mut tools, options) {
            put(&record.row_id, row)?;
            last_row = Some(record.row_id);
        }
    }
    if let Some(row) = preference(&group, options) {
        put(&group[0].row_id, row)?;
    }
    let mut totals = ExportTotals::new();
    for file in files {
        file.end(&mut totals)?;
    }
    Ok(totals)
}

/// Tasks as they are written: in the order of the data set, or with the rows in a drawn order.
fn in_order(mut tasks: Vec<u32>, options: &ExportOptions) -> Vec<u32> {
    if let Some(seed) = options.shuffle {
        let samples = options.samples.max(1);
        tasks.sort_by_cached_key(|task| (task_seed(seed, &(task / samples).to_string()), *task));
    }
    tasks
}

/// The files of one part of an export.
struct ExportFiles<'a> {
    path: PathBuf,
    options: &'a ExportOptions,
    file: Option<ExportFile>,
    /// Rows of the file that is written, and how many files are whole.
    rows: usize,
    whole: Vec<(PathBuf, usize)>,
}

enum ExportFile {
    Lines(NewFile),
    Parquet(Box<ParquetWriter<NewFile>>),
}

impl<'a> ExportFiles<'a> {
    fn begin(path: &Path, options: &'a ExportOptions) -> Result<Self, BatchError> {
        let mut files =
            Self { path: path.to_path_buf(), options, file: None, rows: 0, whole: Vec::new() };
        files.next()?;
        Ok(files)
    }

    fn next(&mut self) -> Result<(), BatchError> {
        let path = match self.options.shard_size {
            None => self.path.clone(),
            Some(_) => part_path(&self.path, &format!("{:05}", self.whole.len())),
        };
        let new = NewFile::beside(&path)?;
        self.file = Some(match columns(self.options.format) {
            None => ExportFile::Lines(new),
            Some(columns) => {
                let writer = ParquetWriter::new(new, columns);
                ExportFile::Parquet(Box::new(writer.map_err(BatchError::when("write", &path))?))
            }
        });
        Ok(())
    }

    fn row(&mut self, row: &Value) -> Result<(), BatchError> {
        if self.options.shard_size.is_some_and(|most| self.rows >= most.max(1)) {
            self.close()?;
            self.next()?;
        }
        self.rows += 1;
        match &mut self.file {
            Some(ExportFile::Lines(file)) => file.line(row),
            Some(ExportFile::Parquet(file)) => {
                file.row(row).map_err(BatchError::when("write", &self.path))
            }
            None => Ok(()),
        }
    }

    fn close(&mut self) -> Result<(), BatchError> {
        let file = match self.file.take() {
            None => return Ok(()),
            Some(ExportFile::Lines(file)) => file,
            Some(ExportFile::Parquet(file)) => {
                file.finish().map_err(BatchError::when("write", &self.path))?
            }
        };
        self.whole.push((file.path().to_path_buf(), std::mem::take(&mut self.rows)));
        file.put()
    }

    fn end(mut self, totals: &mut ExportTotals) -> Result<(), BatchError> {
        self.close()?;
        totals.extend(self.whole);
        Ok(())
    }
}

/// The columns of forms that are Parquet.
fn columns(format: ExportFormat) -> Option<Vec<ParquetColumn>> {
    use ColumnKind::{Bool, Float, Int, List, Struct, Text};
    let parts = |parts: &[(&'static str, ColumnKind)]| -> Vec<ParquetColumn> {
        parts.iter().map(|(name, kind)| ParquetColumn::new(name, kind.clone())).collect()
    };
    let many = |kind| List(Box::new(kind));
    match format {
        ExportFormat::Verl => Some(parts(&[
            ("data_source", Text),
            ("prompt", many(Struct(parts(&[("role", Text), ("content", Text)])))),
            ("ability", Text),
            ("reward_model", Struct(parts(&[("style", Text), ("ground_truth", Text)]))),
            ("extra_info", Struct(parts(&[("index", Int), ("id", Text), ("split", Text)]))),
        ])),
        ExportFormat::Parquet => {
            let function = Struct(parts(&[("name", Text), ("arguments", Text)]));
            let call = Struct(parts(&[("id", Text), ("type", Text), ("function", function)]));
            let message = Struct(parts(&[
                ("role", Text),
                ("content", Text),
                ("tool_calls", many(call)),
                ("tool_call_id", Text),
                ("name", Text),
            ]));
            Some(parts(&[
                ("id", Text),
                ("row_id", Text),
                ("sample", Int),
                ("prompt_index", Int),
                ("status", Text),
                ("class", Text),
                ("completed", Bool),
                ("partial", Bool),
                ("conversations", many(Struct(parts(&[("from", Text), ("value", Text)])))),
                ("messages", many(message)),
                ("tools", Text),
                ("toolsets_used", many(Text)),
                ("api_calls", Int),
                ("tool_stats", Text),
                ("passed", Bool),
                ("model", Text),
                ("seed", Text),
                ("input_tokens", Int),
                ("output_tokens", Int),
                ("cost_usd", Float),
                ("metadata", Text),
            ]))
        }
        _ => None,
    }
}

fn part_path(out: &Path, name: &str) -> PathBuf {
    let stem = out.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
    let end = out.extension().map(|end| format!(".{}", end.to_string_lossy())).unwrap_or_default();
    out.with_file_name(format!("{stem}-{name}{end}"))
}

/// Which part a row belongs to: by its name alone, so that it stays there in every export.
fn part_of(row_id: &str, shares: &[f64]) -> usize {
    let digest: [u8; 32] = Sha256::digest(row_id).into();
    let [a, b, c, d, ..] = digest;
    let mut place =
        f64::from(u32::from_be_bytes([a, b, c, d])) / 4_294_967_296.0 * shares.iter().sum::<f64>();
    for (part, share) in shares.iter().enumerate() {
        if place < *share {
            return part;
        }
        place -= share;
    }
    shares.len().saturating_sub(1)
}

fn row(record: &TaskRecord, tools: &mut ToolTexts<'_>, options: &ExportOptions) -> Option<Value> {
    match options.format {
        ExportFormat::Sharegpt => {
            let mut turns = whole_conversation(record, tools)?;
            if options.strip_think {
                for turn in turns.as_array_mut().into_iter().flatten() {
                    if let Some(Value::String(text)) = turn.get_mut("value") {
                        *text = without_think(text);
                    }
                }
            }
            Some(json!({
                "id": record.id, "conversations": turns, "model": record.metadata["model"],
                "completed": record.completed, "passed": record.verify.as_ref().map(|it| it.passed),
                "toolsets_used": record.toolsets_used, "tool_stats": json!(record.tool_stats).to_string(),
            }))
        }
        ExportFormat::Openai => {
            let tools: Value = serde_json::from_str(tools.text(&record.tools)).unwrap_or_default();
            let tools: Vec<Value> = tools.as_array().into_iter().flatten().map(even_tool).collect();
            Some(json!({"id": record.id, "messages": messages(record, options), "tools": tools}))
        }
        ExportFormat::TrlPrompt => {
            let (prompt, completion) = cut(record, options)?;
            Some(json!({"id": record.id, "prompt": prompt, "completion": completion}))
        }
        ExportFormat::Unpaired => {
            let passed = record.verify.as_ref()?.passed;
            let (prompt, completion) = cut(record, options)?;
            Some(
                json!({"id": record.id, "prompt": prompt, "completion": completion, "label": passed}),
            )
        }
        ExportFormat::Verl => {
            let first = ExportOptions { cut: ExportCut::First, ..options.clone() };
            let (prompt, _) = cut(record, &first)?;
            let said = |name: &str| record.metadata[name].as_str().map(str::to_owned);
            let answer = match &record.metadata["ground_truth"] {
                Value::Null => record.metadata["answer"].clone(),
                other => other.clone(),
            };
            Some(json!({
                "data_source": said("data_source").unwrap_or_else(|| options.run.clone()),
                "prompt": prompt, "ability": said("ability"),
                "reward_model": {"style": "rule", "ground_truth": answer},
                "extra_info": {"index": record.prompt_index, "id": record.row_id, "split": said("split")},
            }))
        }
        ExportFormat::Parquet => {
            let turns = whole_conversation(record, tools);
            Some(json!({
                "id": record.id, "row_id": record.row_id, "sample": record.sample,
                "prompt_index": record.prompt_index, "status": record.status.word(), "class": record.class,
                "completed": record.completed, "partial": record.partial, "conversations": turns,
                "messages": messages(record, options), "tools": tools.text(&record.tools),
                "toolsets_used": record.toolsets_used, "api_calls": record.api_calls,
                "tool_stats": json!(record.tool_stats).to_string(),
                "passed": record.verify.as_ref().map(|it| it.passed), "model": record.metadata["model"],
                "seed": record.seed.to_string(), "input_tokens": record.usage.input,
                "output_tokens": record.usage.output, "cost_usd": record.usage.cost_usd,
                "metadata": record.metadata.to_string(),
            }))
        }
        ExportFormat::Preference | ExportFormat::Atropos => None,
    }
}

/// The best against the worst of a row; none if all are alike.
fn preference(samples: &[TaskRecord], options: &ExportOptions) -> Option<Value> {
    let passed = |record: &&TaskRecord| record.verify.as_ref().is_some_and(|it| it.passed);
    let failed = |record: &&TaskRecord| record.verify.as_ref().is_some_and(|it| !it.passed);
    let (best, worst) = (samples.iter().find(passed)?, samples.iter().find(failed)?);
    let (prompt, chosen) = cut(best, options)?;
    let (_, rejected) = cut(worst, options)?;
    Some(json!({
        "id": best.row_id, "prompt": prompt, "chosen": chosen, "rejected": rejected,
        "score_chosen": 1.0, "score_rejected": 0.0,
    }))
}

/// A definition with its free-form part as text: objects with different keys would make every row's type another one.
fn even_tool(tool: &Value) -> Value {
    let function = &tool["function"];
    json!({"type": "function", "function": {
        "name": function["name"], "description": function["description"].as_str().unwrap_or_default(),
        "parameters": function["parameters"].to_string(),
    }})
}

/// The history with the same fields in every message.
fn messages(record: &TaskRecord, options: &ExportOptions) -> Vec<Value> {
    let message = |message: &Value| {
        let content = match &message["content"] {
            Value::String(text) if options.strip_think => without_think(text),
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        let calls: Vec<Value> = message["tool_calls"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|call| {
                let function = &call["function"];
                json!({"id": call["id"].as_str().unwrap_or_default(), "type": "function", "function": {
                    "name": function["name"].as_str().unwrap_or_default(),
                    "arguments": function["arguments"].as_str().unwrap_or("{}"),
                }})
            })
            .collect();
        let calls = (!calls.is_empty()).then_some(calls);
        json!({"role": message["role"], "content": content, "tool_calls": calls,
            "tool_call_id": message["tool_call_id"].as_str(), "name": message["name"].as_str()})
    };
    record.messages.as_array().into_iter().flatten().map(message).collect()
}

fn cut(record: &TaskRecord, options: &ExportOptions) -> Option<(Vec<Value>, Vec<Value>)> {
    let mut prompt = messages(record, options);
    let is_answer = |message: &Value| message["role"] == "assistant";
    let place = match options.cut {
        ExportCut::First => prompt.iter().position(is_answer)?,
        ExportCut::Last => prompt.iter().rposition(is_answer)?,
    };
    let completion = prompt.split_off(place);
    Some((prompt, completion))
}

fn without_think(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some(begin) = rest.find("<think>") {
        kept.push_str(&rest[..begin]);
        match rest[begin..].find("</think>") {
            Some(end) => rest = rest[begin + end + "</think>".len()..].trim_start_matches('\n'),
            None => rest = "",
        }
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinking_is_left_out_and_nothing_else() {
        assert_eq!(without_think("<think>\nx\n</think>\nanswer"), "answer");
        assert_eq!(without_think("a <think>b</think>c<think>d"), "a c");
        assert_eq!(without_think("plain"), "plain");
    }

    #[test]
    fn a_row_stays_in_its_part() {
        let shares = [0.9, 0.1];
        let parts: Vec<usize> = (0..1000).map(|n| part_of(&format!("row{n}"), &shares)).collect();
        let second = parts.iter().filter(|part| **part == 1).count();
        assert!((60..140).contains(&second), "{second}");
        assert_eq!(part_of("row7", &shares), parts[7]);
    }
}
