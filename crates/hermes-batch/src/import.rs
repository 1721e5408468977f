//! Runs of the Python program become runs of this one: what they finished is not done again.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::BatchError;
use crate::dataset::{Dataset, LineReader, MAX_LINE_BYTES};
use crate::options::RunOptions;
use crate::record::{TaskRecord, ToolCount};
use crate::run::BatchTask;
use crate::store::{IndexEntry, RunFolder, SegmentLimits, SegmentWriter};

/// Bytes after which a file of records is closed.
const SEGMENT_BYTES: u64 = 64 * 1024 * 1024;
/// How long a record waits for others to be written with.
const COMMIT: Duration = Duration::from_millis(20);
/// Records that are on their way to the disk together.
const TOGETHER: usize = 256;

/// A row as that program writes it.
#[derive(Deserialize)]
struct ForeignRow {
    prompt_index: Option<u64>,
    conversations: Value,
    #[serde(default)]
    metadata: Value,
    #[serde(default)]
    completed: bool,
    #[serde(default)]
    partial: bool,
    #[serde(default)]
    api_calls: u32,
    #[serde(default)]
    toolsets_used: Vec<String>,
    #[serde(default)]
    tool_stats: std::collections::BTreeMap<String, ToolCount>,
}

/// What was taken over, and what not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportTotals {
    /// Records that were made.
    pub records: usize,
    /// Lines that are none of that program.
    pub unreadable: usize,
    /// Rows whose prompt the data set does not have, or has no more of.
    pub unknown: usize,
}

/// Makes records of the start before the first of all files `batch_*.jsonl` in a folder. A row belongs to the place it
/// names if the prompt there is its own, else to the first row of the data set with its prompt that has no record yet.
///
/// # Errors
/// If a file cannot be read or a record not be written.
pub async fn import(
    from: &Path,
    folder: &RunFolder,
    dataset: &Dataset,
    options: &RunOptions,
) -> Result<ImportTotals, BatchError> {
    let files = foreign_files(from)?;
    let mut by_prompt: std::collections::HashMap<String, Vec<u32>> = Default::default();
    for index in (0..dataset.len()).rev() {
        let (_, row) = dataset.row(index)?;
        let place = u32::try_from(index).unwrap_or(u32::MAX);
        by_prompt.entry(row.prompt.trim().to_owned()).or_default().push(place);
    }
    let limits = SegmentLimits { bytes: SEGMENT_BYTES, commit: COMMIT };
    let writer = Arc::new(SegmentWriter::start(&folder.segments(), 0, "import", limits)?);
    let mut writing: JoinSet<std::io::Result<()>> = JoinSet::new();
    let mut totals = ImportTotals::default();
    for path in files {
        let file = std::fs::File::open(&path).map_err(BatchError::when("open", &path))?;
        let mut lines = LineReader::new(BufReader::new(file), MAX_LINE_BYTES);
        while let Some(line) = lines.next_line().map_err(BatchError::when("read", &path))? {
            let row = line.bytes.and_then(|line| serde_json::from_slice::<ForeignRow>(line).ok());
            let Some(row) = row else {
                totals.unreadable += 1;
                continue;
            };
            let Some(number) = take_place(&row, &mut by_prompt) else {
                totals.unknown += 1;
                continue;
            };
            let task = BatchTask::read(dataset, options, number)?;
            let record = record_of(&task, row);
            let entry = IndexEntry::of(&record);
            let line =
                serde_json::to_vec(&record).map_err(|error| BatchError::broken(&path, error))?;
            let writer = Arc::clone(&writer);
            writing.spawn(async move { writer.commit(entry, line).await });
            totals.records += 1;
            while writing.len() >= TOGETHER {
                written(folder, &mut writing).await?;
            }
        }
    }
    while !writing.is_empty() {
        written(folder, &mut writing).await?;
    }
    Ok(totals)
}

/// The files of records in a folder of that program.
///
/// # Errors
/// If there are none.
pub fn foreign_files(from: &Path) -> Result<Vec<PathBuf>, BatchError> {
    let mut files: Vec<PathBuf> = from
        .read_dir()
        .map_err(BatchError::when("list", from))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            name.starts_with("batch_") && name.ends_with(".jsonl")
        })
        .collect();
    files.sort();
    if files.is_empty() {
        return Err(BatchError::usage(format!("no batch_*.jsonl in {}", from.display())));
    }
    Ok(files)
}

async fn written(
    folder: &RunFolder,
    writing: &mut JoinSet<std::io::Result<()>>,
) -> Result<(), BatchError> {
    match writing.join_next().await {
        None | Some(Ok(Ok(()))) => Ok(()),
        Some(Ok(Err(error))) => Err(BatchError::when("write into", &folder.segments())(error)),
        Some(Err(error)) => Err(BatchError::broken(&folder.segments(), error)),
    }
}

/// The place of a row in the data set, which no other row gets any more.
fn take_place(
    row: &ForeignRow,
    by_prompt: &mut std::collections::HashMap<String, Vec<u32>>,
) -> Option<u32> {
    let turns = row.conversations.as_array()?;
    let prompt = turns.iter().find(|turn| turn["from"] == "human")?["value"].as_str()?.trim();
    let places = by_prompt.get_mut(prompt)?;
    let named = row.prompt_index.and_then(|index| u32::try_from(index).ok());
    match places.iter().position(|place| Some(*place) == named) {
        Some(at) => Some(places.remove(at)),
        None => places.pop(),
    }
}

fn record_of(task: &BatchTask, row: ForeignRow) -> TaskRecord {
    use crate::record::TaskStatus;
    let model = row.metadata["model"].as_str().unwrap_or_default();
    let mut record = task.begun(model, 0, jiff::Timestamp::UNIX_EPOCH);
    if let Value::Object(fields) = &row.metadata {
        for (name, value) in fields {
            record.metadata[name] = value.clone();
        }
    }
    record.metadata["imported"] = json!(true);
    record.status = match (row.partial, row.completed) {
        (true, _) => TaskStatus::Partial,
        (false, true) => TaskStatus::Ok,
        (false, false) => TaskStatus::Incomplete,
    };
    record.completed = row.completed;
    record.partial = row.partial;
    record.api_calls = row.api_calls;
    record.toolsets_used = row.toolsets_used;
    record.tool_stats = row.tool_stats.into_iter().filter(|(_, count)| count.count > 0).collect();
    let turns = row.conversations.as_array().map_or(&[][..], Vec::as_slice);
    let mine = turns.iter().filter(|turn| turn["from"] == "gpt");
    for turn in mine {
        record.reasoning.turns += 1;
        let text = turn["value"].as_str().unwrap_or_default();
        let inside = text.split_once("<think>").and_then(|(_, rest)| rest.split_once("</think>"));
        record.reasoning.with += u64::from(inside.is_some_and(|(text, _)| !text.trim().is_empty()));
    }
    record.conversations = Some(row.conversations);
    record.host = String::new();
    record
}
