//! `hermes batch compress`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_host::Host;
use hermes_skills::report::VerbReport;
use serde_json::json;

use super::args::CompressArgs;
use super::{BatchEnd, BatchReport};
use crate::BatchError;
use crate::compress::{CompressJob, CompressOptions, TrajectorySummariser, compress};
use crate::run::{RunControl, RunFront};

/// How often the way is told.
const TOLD_EVERY: Duration = Duration::from_secs(10);

pub(super) async fn compressed(
    host: &Host,
    args: &CompressArgs,
    front: &dyn RunFront,
    control: &RunControl,
) -> Result<BatchReport, BatchError> {
    if !args.input.exists() {
        let place = args.input.display();
        return Err(BatchError::NoValidRow(format!("there is no {place} to compress")));
    }
    let mut options = CompressOptions::read(args.config.as_deref())?;
    options.target = args.target_max_tokens.unwrap_or(options.target);
    options.sample_percent = args.sample_percent.unwrap_or(options.sample_percent);
    options.seed = args.seed;
    options.tokenizer = args.tokenizer.clone().unwrap_or(options.tokenizer);
    let summary = &mut options.summary;
    summary.model = args.model.clone().or(summary.model.take());
    summary.base_url = args.base_url.clone().or(summary.base_url.take());
    summary.api_key_env = args.api_key_env.clone().or(summary.api_key_env.take());
    let summariser = Arc::new(TrajectorySummariser::of(host, &options).await?);
    let out = match &args.out {
        Some(out) => out.clone(),
        None => named(&args.input, &options.suffix),
    };
    if out == args.input {
        return Err(BatchError::usage("the output would be the input; give another --out"));
    }
    let job = CompressJob {
        input: args.input.clone(),
        out,
        options,
        summariser: (!args.dry_run).then(|| Arc::clone(&summariser)),
    };
    let mut told_at = Instant::now();
    let done = compress(&job, &control.drain, |bytes, totals| {
        if told_at.elapsed() >= TOLD_EVERY {
            told_at = Instant::now();
            let (mb, rows, shorter) = (bytes >> 20, totals.rows, totals.compressed);
            front.note(&format!("{mb} MB read · {rows} rows · {shorter} compressed"));
        }
    })
    .await?;
    if args.dry_run {
        let (rows, tokens) = (done.would_compress, done.region_tokens);
        let price = summariser.price(rows, tokens);
        let found = json!({
            "rows": done.totals.rows, "would_compress": rows, "tokens_to_summarise": tokens,
            "model": summariser.model(), "cost_usd": price, "still_over_limit": done.totals.long,
            "bad_lines": done.totals.bad_lines,
        });
        if args.json {
            return Ok(BatchReport::done(VerbReport::json(&found).warned(done.warnings)));
        }
        let price =
            price.map_or("a price that is not known".to_owned(), |usd| format!("about ${usd:.2}"));
        let text = format!(
            "{rows} of {} rows would be compressed: {tokens} tokens to summarise by {}, for {price}; {} rows stay too long",
            done.totals.rows,
            summariser.model(),
            done.totals.long
        );
        return Ok(BatchReport::done(VerbReport::text(text).warned(done.warnings)));
    }
    let totals = &done.totals;
    let text = format!(
        "{} rows: {} compressed, {} short enough, {} still too long, {} without a summary, {} bad lines · {}",
        totals.rows,
        totals.compressed,
        totals.short,
        totals.long,
        totals.failed,
        totals.bad_lines,
        job.out.display()
    );
    let said = if args.json { VerbReport::json(&done.metrics) } else { VerbReport::text(text) };
    let said = said.warned(done.warnings);
    Ok(match (done.is_stopped, totals.failed) {
        (true, _) => BatchReport {
            said: said.noted(["stopped; the same command goes on where it was"]),
            end: BatchEnd::Stopped,
        },
        (false, 0) => BatchReport::done(said),
        _ => BatchReport { said, end: BatchEnd::Failed },
    })
}

/// The name of the input with something before its ending.
fn named(input: &Path, suffix: &str) -> PathBuf {
    let stem = input.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
    let end = input.extension().map(|end| format!(".{}", end.to_string_lossy()));
    let end = end.filter(|_| !input.is_dir()).unwrap_or_default();
    input.with_file_name(format!("{stem}{suffix}{end}"))
}
