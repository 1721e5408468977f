//! Jobs that somebody might want: `cron/suggestions.json`.
//!
//! A suggestion is only ever a line in a list. It becomes a job when a person says yes, and what a person said no to
//! is not suggested again.

use std::path::PathBuf;
use std::time::Duration;

use hermes_store::atomic::{self, WriteOptions};
use hermes_store::clock;
use hermes_store::home::ensure_private_dir;
use hermes_store::lock::{FileLock, Wait};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::blueprints::{self, BLUEPRINTS};
use crate::error::CronError;
use crate::job::Job;
use crate::store::{JobDraft, JobStore};

/// Most that wait for an answer at a time: a longer list is read by nobody.
const MOST_PENDING: usize = 5;
/// How long a change waits for another process.
const LOCK_WAIT: Duration = Duration::from_secs(10);

/// Who thought of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SuggestionSource {
    /// The list of ready-made jobs.
    #[default]
    Catalog,
    /// A ready-made job that fits what was asked.
    Blueprint,
    /// What the person does again and again.
    Usage,
    /// A service that was set up.
    Integration,
}

/// What became of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SuggestionStatus {
    /// Nobody has answered yet.
    #[default]
    Pending,
    /// It became a job.
    Accepted,
    /// It is not wanted, now or later.
    Dismissed,
}

/// The job it would become.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SuggestedJob {
    /// When it would run.
    pub schedule: String,
    /// What the agent would be asked.
    pub prompt: String,
    /// What it would be called.
    pub name: String,
}

/// A job that somebody might want.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct JobSuggestion {
    /// Its own name.
    pub id: String,
    /// Who thought of it.
    pub source: SuggestionSource,
    /// The same for all suggestions of one thing, so that it is not made twice.
    pub dedup_key: String,
    /// One line.
    pub title: String,
    /// Why it might be wanted.
    pub reason: String,
    /// The job it would become.
    pub job_spec: SuggestedJob,
    /// What became of it.
    pub status: SuggestionStatus,
    /// What other programs keep here.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct SuggestionFile {
    suggestions: Vec<JobSuggestion>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// The suggestions of a home.
#[derive(Clone, Debug)]
pub struct Suggestions {
    store: JobStore,
}

impl Suggestions {
    /// Those beside these jobs. Touches nothing.
    #[must_use]
    pub fn of(store: &JobStore) -> Self {
        Self { store: store.clone() }
    }

    /// Those that wait for an answer, the oldest first.
    ///
    /// # Errors
    /// When the file cannot be read or understood.
    pub fn pending(&self) -> Result<Vec<JobSuggestion>, CronError> {
        let all = self.read()?.suggestions.into_iter();
        Ok(all.filter(|one| one.status == SuggestionStatus::Pending).collect())
    }

    /// Suggests something, unless it was suggested before or enough wait for an answer. Whether it was.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn suggest(&self, suggestion: JobSuggestion) -> Result<bool, CronError> {
        self.change(|all| {
            let is_known = all.iter().any(|known| known.dedup_key == suggestion.dedup_key);
            let waiting = all.iter().filter(|known| known.status == SuggestionStatus::Pending);
            if is_known || waiting.count() >= MOST_PENDING {
                return Ok(false);
            }
            let id = format!("{:08x}", clock::random() & 0xffff_ffff);
            all.push(JobSuggestion { id, status: SuggestionStatus::Pending, ..suggestion });
            Ok(true)
        })
    }

    /// Suggests ready-made jobs that nobody has yet; how many.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn suggest_catalog(&self) -> Result<usize, CronError> {
        let jobs = self.store.jobs()?;
        let mut added = 0;
        for blueprint in BLUEPRINTS {
            let is_there = jobs.iter().any(|job| job.name == blueprint.name);
            // What leaves something open cannot be made by a bare yes.
            let Some(draft) = blueprints::fill(blueprint.name, &[]).ok().filter(|_| !is_there)
            else {
                continue;
            };
            let job_spec = SuggestedJob {
                schedule: draft.schedule.unwrap_or_default(),
                prompt: draft.prompt.unwrap_or_default(),
                name: blueprint.name.to_owned(),
            };
            added += usize::from(self.suggest(JobSuggestion {
                source: SuggestionSource::Catalog,
                dedup_key: format!("catalog:{}", blueprint.name),
                title: blueprint.about.to_owned(),
                reason: "one of the ready-made jobs".to_owned(),
                job_spec,
                ..JobSuggestion::default()
            })?);
        }
        Ok(added)
    }

    /// Makes the job of the n-th suggestion that waits, counted from one. It stays a suggestion if the job cannot be made.
    ///
    /// # Errors
    /// When there is none, or its job cannot be made.
    pub fn accept(&self, number: usize, now: Timestamp) -> Result<Job, CronError> {
        self.change(|all| {
            let one = nth(all, number)?;
            let spec = one.job_spec.clone();
            let draft = JobDraft {
                schedule: Some(spec.schedule),
                prompt: Some(spec.prompt),
                name: Some(spec.name).filter(|name| !name.is_empty()),
                ..JobDraft::default()
            };
            let job = self.store.create(&draft, now)?;
            one.status = SuggestionStatus::Accepted;
            Ok(job)
        })
    }

    /// Has the n-th suggestion that waits never come again; its title.
    ///
    /// # Errors
    /// When there is none.
    pub fn dismiss(&self, number: usize) -> Result<String, CronError> {
        self.change(|all| {
            let one = nth(all, number)?;
            one.status = SuggestionStatus::Dismissed;
            Ok(one.title.clone())
        })
    }

    /// Takes back all that wait; how many. They may come again.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn clear(&self) -> Result<usize, CronError> {
        self.change(|all| {
            let before = all.len();
            all.retain(|one| one.status != SuggestionStatus::Pending);
            Ok(before - all.len())
        })
    }

    fn file(&self) -> PathBuf {
        self.store.folder().join("suggestions.json")
    }

    fn read(&self) -> Result<SuggestionFile, CronError> {
        let file = self.file();
        match std::fs::read(&file) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|problem| CronError::Broken { file, problem: problem.to_string() }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok(SuggestionFile::default())
            }
            Err(source) => Err(CronError::Read { file, source }),
        }
    }

    fn change<T>(
        &self,
        change: impl FnOnce(&mut Vec<JobSuggestion>) -> Result<T, CronError>,
    ) -> Result<T, CronError> {
        ensure_private_dir(self.store.folder())?;
        let lock = self.store.folder().join(".suggestions.lock");
        let _lock = FileLock::acquire(&lock, Wait::AtMost(LOCK_WAIT))?;
        let mut file = self.read()?;
        let before = file.suggestions.clone();
        let answer = change(&mut file.suggestions)?;
        if file.suggestions != before {
            let mut bytes = serde_json::to_vec_pretty(&file).map_err(|problem| {
                CronError::Broken { file: self.file(), problem: problem.to_string() }
            })?;
            bytes.push(b'\n');
            atomic::write(&self.file(), &bytes, WriteOptions::SECRET)?;
        }
        Ok(answer)
    }
}

fn nth(all: &mut [JobSuggestion], number: usize) -> Result<&mut JobSuggestion, CronError> {
    let waiting = all.iter_mut().filter(|one| one.status == SuggestionStatus::Pending);
    let found = number.checked_sub(1).and_then(|place| waiting.into_iter().nth(place));
    found.ok_or_else(|| {
        CronError::BadJob(format!(
            "no suggestion has the number {number}; `hermes cron suggestions` lists them"
        ))
    })
}

#[cfg(test)]
mod tests {
    use hermes_store::home::Home;
    use jiff::tz::TimeZone;

    use super::*;

    #[test]
    fn a_yes_makes_a_job_a_no_is_for_good_and_five_are_enough() {
        let folder = tempfile::tempdir().unwrap();
        let store = JobStore::new(&Home::at(folder.path()), TimeZone::UTC);
        let suggestions = Suggestions::of(&store);
        assert_eq!(suggestions.suggest_catalog().unwrap(), MOST_PENDING);
        assert_eq!(suggestions.suggest_catalog().unwrap(), 0, "five are enough");
        let first = suggestions.pending().unwrap()[0].clone();
        let job = suggestions.accept(1, Timestamp::now()).unwrap();
        assert_eq!((&job.name, store.jobs().unwrap().len()), (&first.job_spec.name, 1));
        let dismissed = suggestions.dismiss(1).unwrap();
        assert_eq!(suggestions.clear().unwrap(), MOST_PENDING - 2);
        suggestions.suggest_catalog().unwrap();
        let titles: Vec<String> =
            suggestions.pending().unwrap().into_iter().map(|one| one.title).collect();
        assert!(!titles.contains(&dismissed) && !titles.contains(&first.title), "{titles:?}");
        assert!(suggestions.accept(9, Timestamp::now()).is_err());
        assert!(suggestions.dismiss(0).is_err());
    }
}
