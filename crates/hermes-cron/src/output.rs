//! What runs said, as files: `cron/output/<job>/<time>.md`.

use std::fs;
use std::path::{Path, PathBuf};

use hermes_store::atomic::{self, WriteOptions};
use hermes_store::home::ensure_private_dir;
use jiff::Timestamp;

use crate::error::CronError;
use crate::job::Job;
use crate::runner::JobOutcome;
use crate::schedule::stored;
use crate::store::JobStore;

/// The heading before what was said.
const ANSWER: &str = "## Response\n\n";
/// The heading before why it failed.
const FAILURE: &str = "## Error\n\n";
/// The heading before what a rule did not let it do.
const REFUSED: &str = "## Refused\n\n";
/// Characters of a time in the name of a file.
const TIME_CHARS: usize = "2026-11-18_12-00-00".len();

fn folder(store: &JobStore, job: &str) -> PathBuf {
    store.folder().join("output").join(job)
}

/// Writes down what a run said and forgets the oldest outputs; the file.
///
/// # Errors
/// When it cannot be written.
pub fn save_output(
    store: &JobStore,
    job: &Job,
    outcome: &JobOutcome,
    kept: u32,
    now: Timestamp,
) -> Result<PathBuf, CronError> {
    let folder = folder(store, &job.id);
    ensure_private_dir(&folder)?;
    let time = now.to_zoned(store.zone().clone()).strftime("%Y-%m-%d_%H-%M-%S").to_string();
    // Runs that end in the same second are numbered; numbers go up even if older files are gone.
    let number = outputs(store, &job.id).iter().filter_map(|file| number_of(file, &time)).max();
    let file = match number {
        None => folder.join(format!("{time}.md")),
        Some(number) => folder.join(format!("{time}-{}.md", number + 1)),
    };
    let said = match &outcome.error {
        None => format!("{ANSWER}{}", outcome.text),
        Some(error) if outcome.text.is_empty() => format!("{FAILURE}{error}"),
        Some(error) => format!("{FAILURE}{error}\n\n{ANSWER}{}", outcome.text),
    };
    let refused = match outcome.refused.as_slice() {
        [] => String::new(),
        lines => format!("{REFUSED}{}\n\n", bullets(lines)),
    };
    let text = format!(
        "# {}\n\n- job: {}\n- time: {}\n- schedule: {}\n\n## Prompt\n\n{}\n\n{refused}{said}\n",
        job.name,
        job.id,
        stored(now, store.zone()),
        job.schedule_display,
        job.prompt,
    );
    atomic::write(&file, text.as_bytes(), WriteOptions::SECRET)?;
    let mut files = outputs(store, &job.id);
    let surplus = files.len().saturating_sub(kept as usize);
    for old in files.drain(..surplus) {
        // What cannot be removed is tried again after the next run.
        let _ = fs::remove_file(old);
    }
    Ok(file)
}

fn bullets(lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| format!("- {line}")).collect();
    lines.join("\n")
}

/// The outputs of a job, oldest first: their names are times.
fn outputs(store: &JobStore, job: &str) -> Vec<PathBuf> {
    let listing = fs::read_dir(folder(store, job)).into_iter().flatten().filter_map(Result::ok);
    let mut files: Vec<PathBuf> = listing
        .map(|entry| entry.path())
        .filter(|file| file.extension().is_some_and(|ending| ending == "md"))
        .collect();
    files.sort_by_key(|file| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let time: String = name.chars().take(TIME_CHARS).collect();
        (time.clone(), number_of(file, &time))
    });
    files
}

/// Which of the outputs of that second a file is; none if it is of another.
fn number_of(file: &Path, time: &str) -> Option<u32> {
    let name = file.file_stem()?.to_str()?;
    match name.strip_prefix(time)? {
        "" => Some(1),
        rest => rest.strip_prefix('-')?.parse().ok(),
    }
}

/// What the last good run of a job said.
#[must_use]
pub fn last_output(store: &JobStore, job: &str) -> Option<String> {
    outputs(store, job).iter().rev().find_map(|file| {
        let text = fs::read_to_string(file).ok()?;
        let (_, said) = text.split_once(ANSWER)?;
        (!text.contains(FAILURE)).then(|| said.trim().to_owned()).filter(|said| !said.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use hermes_store::home::Home;
    use jiff::tz::TimeZone;

    use super::*;

    #[test]
    fn the_newest_are_kept_and_the_last_good_one_is_found() {
        let home = tempfile::tempdir().unwrap();
        let store = JobStore::new(&Home::at(home.path()), TimeZone::UTC);
        let job = Job { id: "abc".into(), name: "n".into(), prompt: "p".into(), ..Job::default() };
        let now: Timestamp = "2026-11-18T12:00:00Z".parse().unwrap();
        let save = |outcome: &JobOutcome| save_output(&store, &job, outcome, 12, now).unwrap();
        let first = save(&JobOutcome::said("0"));
        assert!(first.ends_with("cron/output/abc/2026-11-18_12-00-00.md"), "{first:?}");
        for number in 1..15 {
            save(&JobOutcome::said(number.to_string()));
        }
        save(&JobOutcome::failed("broken"));
        assert_eq!(outputs(&store, "abc").len(), 12);
        assert_eq!(last_output(&store, "abc").as_deref(), Some("14"));
        assert_eq!(last_output(&store, "nobody"), None);
    }
}
