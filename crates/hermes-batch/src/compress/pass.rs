//! One pass over the input: rows are read, decided on, summarised and written in their order.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufReader, BufWriter, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_runtime::distributions::DrawSource as _;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::decide::{CompressPlan, decide};
use super::options::CompressOptions;
use super::progress::CompressProgress;
use super::summary::{Summarised, TrajectorySummariser, as_text};
use super::tokens::TokenCounter;
use super::totals::{CompressTotals, CompressedRegion, RowMetrics, round};
use super::{TrajectoryTurn, is_paired};
use crate::BatchError;
use crate::dataset::{LineReader, MAX_LINE_BYTES, hex};
use crate::seed::TaskStream;

/// Bytes of rows that wait for a summary, or behind one that does.
const WINDOW_BYTES: usize = 24 * 1024 * 1024;
/// How often the disk is told how far we are.
const SAVE_EVERY: Duration = Duration::from_secs(1);
/// Rows after which other tasks get their turn.
const ROWS_IN_A_ROW: u32 = 64;
/// Bad lines that are named.
const NAMED: usize = 20;

/// What is compressed, and into what.
pub struct CompressJob {
    /// A file, or a folder of `.jsonl` files.
    pub input: PathBuf,
    /// A file, or a folder for those of the input.
    pub out: PathBuf,
    /// Decides which rows change, and into what.
    pub options: CompressOptions,
    /// Who writes summaries; without one nothing is written, and what would be done is counted.
    pub summariser: Option<Arc<TrajectorySummariser>>,
}

/// What came of it.
#[derive(Debug)]
pub struct Compressed {
    /// Over all rows, those of earlier starts included.
    pub totals: CompressTotals,
    /// The file of totals, as it is written.
    pub metrics: Value,
    /// Tokens that were or would be summarised.
    pub region_tokens: u64,
    /// Rows that would be compressed, where nothing is written.
    pub would_compress: u64,
    /// What is wrong with lines and rows: the first ones.
    pub warnings: Vec<String>,
    /// Whether it was stopped; the same command goes on.
    pub is_stopped: bool,
}

/// Compresses all rows of the input. Goes on where an earlier start of the same job was killed or stopped.
///
/// # Errors
/// If a file cannot be read or written. What was done so far stays.
pub async fn compress(
    job: &CompressJob,
    stop: &CancellationToken,
    mut told: impl FnMut(u64, &CompressTotals),
) -> Result<Compressed, BatchError> {
    let counter = TokenCounter::of_name(&job.options.tokenizer).ok_or_else(|| {
        let (name, known) = (&job.options.tokenizer, TokenCounter::NAMES);
        BatchError::usage(format!(
            "no tokenizer {name:?} is part of this program; there is {known}, which counts four characters as a token"
        ))
    })?;
    let files = files_of(job)?;
    let sizes: Vec<(&Path, u64)> = files
        .iter()
        .map(|(from, _)| (from.as_path(), from.metadata().map_or(0, |about| about.len())))
        .collect();
    let name = hex(&Sha256::digest(json!([job.options, sizes]).to_string()));
    let place = CompressProgress::path(&job.out);
    let earlier = CompressProgress::read(&place, &name).filter(|_| job.summariser.is_some());
    let progress = earlier.unwrap_or_else(|| CompressProgress {
        job: name,
        began: jiff::Timestamp::now().to_string(),
        ..CompressProgress::default()
    });
    let mut pass = Pass {
        job,
        counter,
        place,
        progress,
        saved_at: Instant::now(),
        warnings: Vec::new(),
        unnamed: 0,
        region_tokens: 0,
        would_compress: 0,
        stop,
    };
    let done_before: u64 = sizes.iter().take(pass.progress.files).map(|(_, size)| size).sum();
    let mut done = done_before;
    let mut is_stopped = false;
    while let Some((from, to)) = files.get(pass.progress.files) {
        if !pass.file(from, to, |offset, totals| told(done + offset, totals)).await? {
            is_stopped = true;
            break;
        }
        done += sizes[pass.progress.files - 1].1;
    }
    let began = pass.progress.began.parse().unwrap_or_else(|_| jiff::Timestamp::now());
    let metrics = pass.progress.totals.to_json(began, jiff::Timestamp::now());
    if job.summariser.is_some() && !is_stopped {
        if let Some(name) = &job.options.metrics_file {
            let folder =
                if job.input.is_dir() { Some(job.out.as_path()) } else { job.out.parent() };
            let path = folder.unwrap_or(Path::new("")).join(name);
            let text = format!("{metrics:#}\n");
            use hermes_store::atomic::{self, WriteOptions};
            atomic::write(&path, text.as_bytes(), WriteOptions::KEEP)?;
        }
        match std::fs::remove_file(&pass.place) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(BatchError::when("remove", &pass.place)(error));
            }
            _ => {}
        }
    }
    if pass.unnamed > 0 {
        pass.warnings.push(format!("{} more lines or rows like these", pass.unnamed));
    }
    Ok(Compressed {
        totals: pass.progress.totals,
        metrics,
        region_tokens: pass.region_tokens,
        would_compress: pass.would_compress,
        warnings: pass.warnings,
        is_stopped,
    })
}

/// The files of the input in order, each with that of its output.
fn files_of(job: &CompressJob) -> Result<Vec<(PathBuf, PathBuf)>, BatchError> {
    if !job.input.is_dir() {
        return Ok(vec![(job.input.clone(), job.out.clone())]);
    }
    let entries = job.input.read_dir().map_err(BatchError::when("list", &job.input))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
    files.sort();
    if files.is_empty() {
        return Err(BatchError::NoValidRow(format!("no *.jsonl in {}", job.input.display())));
    }
    let out = |from: PathBuf| {
        let to = job.out.join(from.file_name().unwrap_or_default());
        (from, to)
    };
    Ok(files.into_iter().map(out).collect())
}

/// What of a row is looked at.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow, default)]
    conversations: Option<Vec<TrajectoryTurn<'a>>>,
    #[serde(default)]
    id: Option<Value>,
}

/// A row that waits until those before it are written.
struct Waiting {
    /// Where the input stands behind it.
    offset: u64,
    lines: u32,
    bytes: usize,
    what: Row,
}

enum Row {
    Ready(RowDone),
    Asked(JoinHandle<RowDone>),
}

/// A row that can be written.
struct RowDone {
    /// None if it is left out.
    line: Option<Vec<u8>>,
    metrics: RowMetrics,
    /// Why it has no summary, or what is odd about it.
    trouble: Option<String>,
    is_failed: bool,
    is_unpaired: bool,
}

impl RowDone {
    fn unchanged(line: Option<Vec<u8>>, metrics: RowMetrics) -> Self {
        Self { line, metrics, trouble: None, is_failed: false, is_unpaired: false }
    }
}

struct Pass<'a> {
    job: &'a CompressJob,
    counter: TokenCounter,
    place: PathBuf,
    progress: CompressProgress,
    saved_at: Instant,
    warnings: Vec<String>,
    unnamed: usize,
    region_tokens: u64,
    would_compress: u64,
    stop: &'a CancellationToken,
}

/// The output of a file on its way.
struct Output {
    path: PathBuf,
    writer: Option<BufWriter<File>>,
}

impl Output {
    fn put(&mut self, line: &[u8]) -> Result<u64, BatchError> {
        let Some(writer) = &mut self.writer else { return Ok(0) };
        let write = writer.write_all(line).and_then(|()| writer.write_all(b"\n"));
        write.map_err(BatchError::when("write", &self.path)).map(|()| line.len() as u64 + 1)
    }

    fn sync(&mut self) -> Result<(), BatchError> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let sync = writer.flush().and_then(|()| writer.get_ref().sync_data());
        sync.map_err(BatchError::when("flush", &self.path))
    }
}

impl Pass<'_> {
    /// Does one file; false if it was stopped before its end.
    async fn file(
        &mut self,
        from: &Path,
        to: &Path,
        mut told: impl FnMut(u64, &CompressTotals),
    ) -> Result<bool, BatchError> {
        let new = with_end(to, ".new");
        if self.progress.is_whole {
            return self.finish(&new, to).map(|()| true);
        }
        let mut file = File::open(from).map_err(BatchError::when("open", from))?;
        file.seek(SeekFrom::Start(self.progress.offset)).map_err(BatchError::when("read", from))?;
        let reader = BufReader::with_capacity(1 << 18, file);
        let mut lines =
            LineReader::at(reader, MAX_LINE_BYTES, self.progress.offset, self.progress.lines);
        let mut output = self.output(&new)?;
        let mut waiting: VecDeque<Waiting> = VecDeque::new();
        let (mut bytes, mut asked, mut in_a_row) = (0, 0, 0);
        loop {
            if self.stop.is_cancelled() {
                self.save(&mut output)?;
                return Ok(false);
            }
            let Some(line) = lines.next_line().map_err(BatchError::when("read", from))? else {
                break;
            };
            let what = match self.look(line.bytes, from, line.number) {
                None => None,
                // Nothing stands before it and it stays as it is: it need not be copied.
                Some(Looked::Unchanged(metrics)) if waiting.is_empty() => {
                    let row = line.bytes.unwrap_or_default();
                    self.progress.written += output.put(row)?;
                    self.progress.totals.add(&metrics);
                    None
                }
                Some(Looked::Unchanged(metrics)) => {
                    let row = line.bytes.map(<[u8]>::to_vec);
                    Some(Row::Ready(RowDone::unchanged(row, metrics)))
                }
                Some(Looked::Left(metrics)) => Some(Row::Ready(RowDone::unchanged(None, metrics))),
                Some(Looked::Ask(ask)) => {
                    asked += 1;
                    Some(Row::Asked(tokio::spawn(ask.run(self.stop.child_token()))))
                }
            };
            let size = line.bytes.map_or(0, <[u8]>::len);
            let (offset, number) = (lines.offset(), lines.lines());
            match what {
                None if waiting.is_empty() => {
                    (self.progress.offset, self.progress.lines) = (offset, number);
                }
                None => {
                    // A line that leaves nothing behind: those before it decide when it counts.
                    if let Some(last) = waiting.back_mut() {
                        (last.offset, last.lines) = (offset, number);
                    }
                }
                Some(what) => {
                    bytes += size;
                    waiting.push_back(Waiting { offset, lines: number, bytes: size, what });
                }
            }
            in_a_row += 1;
            if in_a_row >= ROWS_IN_A_ROW {
                in_a_row = 0;
                told(self.progress.offset, &self.progress.totals);
                tokio::task::yield_now().await;
            }
            while let Some(front) = waiting.front() {
                let is_done = match &front.what {
                    Row::Ready(_) => true,
                    Row::Asked(row) => row.is_finished(),
                };
                let is_full = bytes >= WINDOW_BYTES || asked >= self.job.options.requests;
                if !is_done && !is_full {
                    break;
                }
                if !self.put_front(&mut waiting, &mut bytes, &mut asked, &mut output).await? {
                    return Ok(false);
                }
            }
            self.save_now_and_then(&mut output)?;
        }
        while !waiting.is_empty() {
            if !self.put_front(&mut waiting, &mut bytes, &mut asked, &mut output).await? {
                return Ok(false);
            }
            told(self.progress.offset, &self.progress.totals);
            self.save_now_and_then(&mut output)?;
        }
        self.progress.is_whole = true;
        self.save(&mut output)?;
        drop(output);
        self.finish(&new, to)?;
        Ok(true)
    }

    /// Writes the row that has waited longest, once it has its summary; false if it was stopped before.
    async fn put_front(
        &mut self,
        waiting: &mut VecDeque<Waiting>,
        bytes: &mut usize,
        asked: &mut usize,
        output: &mut Output,
    ) -> Result<bool, BatchError> {
        let Some(front) = waiting.pop_front() else { return Ok(true) };
        let done = match front.what {
            Row::Ready(done) => done,
            Row::Asked(row) => {
                *asked -= 1;
                let done = row.await.map_err(|error| {
                    BatchError::broken(
                        &self.job.input,
                        format!("a row could not be worked on: {error}"),
                    )
                })?;
                if self.stop.is_cancelled() {
                    self.save(output)?;
                    return Ok(false);
                }
                done
            }
        };
        *bytes -= front.bytes;
        if let Some(line) = &done.line {
            self.progress.written += output.put(line)?;
        }
        let totals = &mut self.progress.totals;
        totals.add(&done.metrics);
        totals.failed += u64::from(done.is_failed);
        totals.unpaired += u64::from(done.is_unpaired);
        (self.progress.offset, self.progress.lines) = (front.offset, front.lines);
        if let Some(why) = done.trouble {
            self.warn(format!("line {}: {why}", front.lines));
        }
        Ok(true)
    }

    /// What is to be done with a line; nothing if it is none of the output.
    fn look(&mut self, bytes: Option<&[u8]>, from: &Path, number: u32) -> Option<Looked> {
        let Some(line) = bytes else {
            self.bad(from, number, "it is too long");
            return None;
        };
        if line.trim_ascii().is_empty() {
            return None;
        }
        let options = &self.job.options;
        let head: Head<'_> = match serde_json::from_slice(line) {
            Ok(head) => head,
            Err(error) => {
                if serde_json::from_slice::<serde::de::IgnoredAny>(line).is_err()
                    || line.trim_ascii_start().first() != Some(&b'{')
                {
                    self.bad(from, number, &error.to_string());
                    return None;
                }
                self.warn(format!("line {number}: its conversation has another form; it stays"));
                Head { conversations: None, id: None }
            }
        };
        if options.sample_percent < 100.0
            && !is_drawn(head.id.as_ref(), line, options.seed, options.sample_percent)
        {
            return None;
        }
        let Some(turns) = head.conversations else {
            return Some(Looked::Unchanged(RowMetrics::default()));
        };
        let speakers: Vec<&str> = turns.iter().map(|turn| &*turn.from).collect();
        let tokens: Vec<u64> = turns.iter().map(|turn| self.counter.count(&turn.value)).collect();
        let total = tokens.iter().sum();
        let mut metrics = RowMetrics::unchanged(total, turns.len());
        match decide(&speakers, &tokens, &options.protected, options.target, options.summary_tokens)
        {
            CompressPlan::Short => metrics.skipped_under_target = true,
            CompressPlan::Stuck => {
                metrics.still_over_limit = true;
                if !options.keep_long {
                    return Some(Looked::Left(metrics));
                }
            }
            CompressPlan::Region(region) => {
                self.region_tokens += tokens[region.clone()].iter().sum::<u64>();
                self.would_compress += 1;
                let Some(summariser) = &self.job.summariser else {
                    return Some(Looked::Unchanged(metrics));
                };
                return Some(Looked::Ask(Box::new(Ask {
                    text: as_text(&turns[region.clone()], region.start),
                    line: line.to_vec(),
                    region,
                    metrics,
                    counter: self.counter,
                    options: options.clone(),
                    summariser: Arc::clone(summariser),
                })));
            }
        }
        Some(Looked::Unchanged(metrics))
    }

    fn bad(&mut self, from: &Path, number: u32, why: &str) {
        self.progress.totals.bad_lines += 1;
        self.warn(format!("{} line {number} is left out: {why}", from.display()));
    }

    fn warn(&mut self, text: String) {
        if self.warnings.len() < NAMED {
            self.warnings.push(text);
        } else {
            self.unnamed += 1;
        }
    }

    /// The file that becomes the output, cut to what is known to be in it.
    fn output(&self, new: &Path) -> Result<Output, BatchError> {
        if self.job.summariser.is_none() {
            return Ok(Output { path: new.to_path_buf(), writer: None });
        }
        if let Some(folder) = new.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(BatchError::when("make", folder))?;
        }
        let open = || {
            let mut file = File::options().write(true).create(true).truncate(false).open(new)?;
            file.set_len(self.progress.written)?;
            file.seek(SeekFrom::End(0))?;
            Ok(BufWriter::with_capacity(1 << 18, file))
        };
        let writer = open().map_err(BatchError::when("write", new))?;
        Ok(Output { path: new.to_path_buf(), writer: Some(writer) })
    }

    fn save_now_and_then(&mut self, output: &mut Output) -> Result<(), BatchError> {
        if self.saved_at.elapsed() < SAVE_EVERY {
            return Ok(());
        }
        self.save(output)
    }

    /// First the rows, then how far they go: what is said to be there is there.
    fn save(&mut self, output: &mut Output) -> Result<(), BatchError> {
        self.saved_at = Instant::now();
        if output.writer.is_none() {
            return Ok(());
        }
        output.sync()?;
        self.progress.write(&self.place)
    }

    /// Puts a whole output in its place and turns to the next file.
    fn finish(&mut self, new: &Path, to: &Path) -> Result<(), BatchError> {
        if self.job.summariser.is_some() {
            match std::fs::rename(new, to) {
                // A kill came between this step and the note about it.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound && to.exists() => {}
                renamed => renamed.map_err(BatchError::when("replace", to))?,
            }
        }
        let CompressProgress { job, began, files, totals, .. } = std::mem::take(&mut self.progress);
        self.progress = CompressProgress {
            job,
            began,
            files: files + 1,
            totals,
            ..CompressProgress::default()
        };
        if self.job.summariser.is_some() { self.progress.write(&self.place) } else { Ok(()) }
    }
}

/// What is to be done with a row.
enum Looked {
    /// Nothing.
    Unchanged(RowMetrics),
    /// It is left out.
    Left(RowMetrics),
    Ask(Box<Ask>),
}

/// A row whose region is to be summarised.
struct Ask {
    text: String,
    line: Vec<u8>,
    region: std::ops::Range<usize>,
    metrics: RowMetrics,
    counter: TokenCounter,
    options: CompressOptions,
    summariser: Arc<TrajectorySummariser>,
}

impl Ask {
    async fn run(mut self: Box<Self>, cancel: CancellationToken) -> RowDone {
        let seed: [u8; 32] = Sha256::digest(&self.line).into();
        let seed = seed.iter().take(8).fold(0, |seed, byte| seed << 8 | u64::from(*byte));
        let mut stream = TaskStream::new(seed);
        let limit = Duration::try_from_secs_f64(self.options.row_timeout).unwrap_or(Duration::MAX);
        let text = std::mem::take(&mut self.text);
        let summary = self.summariser.summarise(text, || stream.draw(), &cancel);
        let Summarised { text, calls, errors } =
            tokio::time::timeout(limit, summary).await.unwrap_or_else(|_| Summarised {
                text: Err(format!("no summary within {} s", self.options.row_timeout)),
                calls: 1,
                errors: 1,
            });
        self.metrics.summarization_api_calls = calls;
        self.metrics.summarization_errors = errors;
        let done = text.and_then(|summary| self.replaced(&summary));
        match done {
            Ok(done) => done,
            Err(why) => {
                self.metrics.still_over_limit = true;
                let line = self.options.keep_long.then_some(self.line);
                let trouble = Some(format!("it stays as it is: {why}"));
                let metrics = self.metrics;
                RowDone { line, metrics, trouble, is_failed: true, is_unpaired: false }
            }
        }
    }

    /// The row with the summary instead of the region.
    fn replaced(&self, summary: &str) -> Result<RowDone, String> {
        let mut row: Value =
            serde_json::from_slice(&self.line).map_err(|error| error.to_string())?;
        let Some(Value::Array(turns)) = row.get_mut("conversations") else {
            return Err("it has no conversation".to_owned());
        };
        replace(turns, self.region.clone(), summary, self.options.notice.as_deref());
        let after: Vec<TrajectoryTurn<'_>> =
            turns.iter().filter_map(|turn| TrajectoryTurn::deserialize(turn).ok()).collect();
        let tokens: u64 = after.iter().map(|turn| self.counter.count(&turn.value)).sum();
        let is_unpaired = !is_paired(&after);
        let before = self.metrics.original_tokens;
        let count = after.len();
        let metrics = RowMetrics {
            compressed_tokens: tokens,
            tokens_saved: before.saturating_sub(tokens),
            compression_ratio: round(tokens as f64 / before.max(1) as f64, 4),
            compressed_turns: count,
            turns_removed: self.metrics.original_turns.saturating_sub(count),
            compression_region: CompressedRegion {
                start_idx: self.region.start as i64,
                end_idx: self.region.end as i64,
                turns_count: self.region.len(),
            },
            was_compressed: true,
            still_over_limit: tokens > self.options.target,
            ..self.metrics.clone()
        };
        if self.options.row_metrics {
            row["compression_metrics"] = json!(metrics);
        }
        let line = (self.options.keep_long || !metrics.still_over_limit)
            .then(|| row.to_string().into_bytes());
        let trouble = is_unpaired.then(|| "calls and results in it do not match up".to_owned());
        Ok(RowDone { line, metrics, trouble, is_failed: false, is_unpaired })
    }
}

/// Puts a summary where a region was. It joins a neighbour that is a person's turn: two of them never follow each other.
fn replace(
    turns: &mut Vec<Value>,
    region: std::ops::Range<usize>,
    summary: &str,
    notice: Option<&str>,
) {
    let is_human = |turn: Option<&Value>| turn.is_some_and(|turn| turn["from"] == "human");
    let text_of = |turn: &Value| turn["value"].as_str().unwrap_or_default().to_owned();
    if let Some(notice) = notice
        && let Some(system) = turns[..region.start].iter_mut().find(|turn| turn["from"] == "system")
    {
        system["value"] = json!(text_of(system) + notice);
    }
    let start = region.start;
    if is_human(turns.get(region.end)) {
        let next = &mut turns[region.end];
        next["value"] = json!(format!("{summary}\n\n{}", text_of(next)));
        turns.drain(region);
    } else if let Some(before) = start.checked_sub(1).filter(|place| is_human(turns.get(*place))) {
        let before = &mut turns[before];
        before["value"] = json!(format!("{}\n\n{summary}", text_of(before)));
        turns.drain(region);
    } else {
        turns.splice(region, [json!({"from": "human", "value": summary})]);
    }
}

/// Whether a row is in the sample: by its name and the seed alone, so that a larger sample has the smaller one in it.
fn is_drawn(id: Option<&Value>, line: &[u8], seed: u64, percent: f64) -> bool {
    let mut hash = Sha256::new();
    hash.update(seed.to_string());
    hash.update([0]);
    match id {
        Some(Value::String(id)) => hash.update(id),
        Some(id) if !id.is_null() => hash.update(id.to_string()),
        _ => hash.update(line),
    }
    let digest: [u8; 32] = hash.finalize().into();
    let number = digest.iter().take(4).fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
    f64::from(number) / 4_294_967_296.0 * 100.0 < percent
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(end);
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_joins_a_neighbour_that_is_a_persons_turn() {
        let turn = |from: &str, value: &str| json!({"from": from, "value": value});
        let mut turns =
            vec![turn("system", "s"), turn("gpt", "a"), turn("gpt", "b"), turn("human", "h")];
        replace(&mut turns, 1..3, "sum", Some(" notice"));
        assert_eq!(turns, [turn("system", "s notice"), turn("human", "sum\n\nh")]);
        let mut turns = vec![turn("human", "h"), turn("gpt", "a"), turn("gpt", "b")];
        replace(&mut turns, 1..2, "sum", Some(" notice"));
        assert_eq!(turns, [turn("human", "h\n\nsum"), turn("gpt", "b")]);
        let mut turns = vec![turn("gpt", "x"), turn("gpt", "a"), turn("gpt", "b")];
        replace(&mut turns, 1..2, "sum", None);
        assert_eq!(turns, [turn("gpt", "x"), turn("human", "sum"), turn("gpt", "b")]);
    }

    #[test]
    fn a_larger_sample_has_the_smaller_one_in_it() {
        let drawn = |percent: f64| -> Vec<usize> {
            (0..1000).filter(|n| is_drawn(Some(&json!(n)), b"", 42, percent)).collect()
        };
        let (small, large) = (drawn(10.0), drawn(30.0));
        assert!((60..140).contains(&small.len()) && (240..360).contains(&large.len()));
        assert!(small.iter().all(|row| large.contains(row)));
        assert_eq!(drawn(100.0).len(), 1000);
    }
}
