//! The file of jobs: `cron/jobs.json`.
//!
//! Read whenever something is asked, so that a job another process made counts at once; changed under a lock that every
//! writer takes, and replaced whole. What stands there and is no job for us is kept as it is.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_guard::threats::{self, ThreatScope};
use hermes_store::atomic::{self, WriteOptions};
use hermes_store::clock;
use hermes_store::home::{Home, ensure_private_dir};
use hermes_store::lock::{FileLock, Wait};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::delivery::Deliveries;
use crate::error::CronError;
use crate::job::{Job, JobOrigin, JobState, RepeatCount};
use crate::schedule::{Schedule, stored};

/// How long a change waits for another process.
const LOCK_WAIT: Duration = Duration::from_secs(30);
/// Longest prompt, in characters.
pub(crate) const PROMPT_CHARS: usize = 20_000;
/// Most jobs of one home.
const MOST_JOBS: usize = 5_000;

/// What a job is made of, or what is changed of one: what is absent stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobDraft {
    /// When it runs.
    pub schedule: Option<String>,
    /// What the agent is asked.
    pub prompt: Option<String>,
    /// What people call it.
    pub name: Option<String>,
    /// How often it runs; 0 is without end.
    pub repeat: Option<u64>,
    /// Who hears of it.
    pub deliver: Option<String>,
    /// The chat it is made in.
    pub origin: Option<JobOrigin>,
    /// Skills that are loaded for it.
    pub skills: Option<Vec<String>>,
    /// The model; empty for the configured one.
    pub model: Option<String>,
    /// Who serves the model.
    pub provider: Option<String>,
    /// A program of the home's `scripts`; empty for none.
    pub script: Option<String>,
    /// Whether no agent is asked.
    pub no_agent: Option<bool>,
    /// Jobs whose output it gets.
    pub context_from: Option<Vec<String>>,
    /// Its toolsets; none for those of scheduled jobs.
    pub toolsets: Option<Vec<String>>,
    /// The folder it works in; empty for none.
    pub workdir: Option<String>,
}

/// The model a job keeps, whatever is configured later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedModel {
    /// As the provider names it.
    pub model: String,
    /// Who serves it.
    pub provider: String,
}

impl JobDraft {
    /// The same with a model of its own, if it names none and one is asked for.
    #[must_use]
    pub fn pinned(self, model: Option<&PinnedModel>) -> Self {
        match model.filter(|_| self.model.is_none() && self.provider.is_none()) {
            Some(PinnedModel { model, provider }) if self.no_agent != Some(true) => {
                let (model, provider) = (Some(model.clone()), Some(provider.clone()));
                Self { model, provider, ..self }
            }
            _ => self,
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Entry {
    Job(Box<Job>),
    /// Not a job for us.
    Other(Value),
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct JobFile {
    jobs: Vec<Entry>,
    updated_at: Option<String>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// The jobs of one home, on the clock of a zone.
#[derive(Clone, Debug)]
pub struct JobStore {
    folder: PathBuf,
    scripts: PathBuf,
    zone: TimeZone,
    deliveries: Deliveries,
}

impl JobStore {
    /// The jobs of this home. Touches nothing.
    #[must_use]
    pub fn new(home: &Home, zone: TimeZone) -> Self {
        let (folder, scripts) = (home.cron(), home.root().join("scripts"));
        Self { folder, scripts, zone, deliveries: Deliveries::default() }
    }

    /// The same with platforms that jobs may tell of their runs.
    #[must_use]
    pub fn with_deliveries(self, deliveries: Deliveries) -> Self {
        Self { deliveries, ..self }
    }

    /// Who can be told of runs.
    #[must_use]
    pub fn deliveries(&self) -> &Deliveries {
        &self.deliveries
    }

    /// Where everything about jobs is kept.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the programs of jobs are.
    #[must_use]
    pub fn scripts(&self) -> &Path {
        &self.scripts
    }

    /// The zone of its times.
    #[must_use]
    pub fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// The file itself.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        self.folder.join("jobs.json")
    }

    /// All jobs, in the order they were made.
    ///
    /// # Errors
    /// When the file cannot be read or understood.
    pub fn jobs(&self) -> Result<Vec<Job>, CronError> {
        let entries = self.read()?.jobs.into_iter();
        Ok(entries
            .filter_map(|entry| match entry {
                Entry::Job(job) if !job.id.is_empty() => Some(*job),
                Entry::Job(_) | Entry::Other(_) => None,
            })
            .collect())
    }

    /// The job that goes by an id, the beginning of one, or a name.
    ///
    /// # Errors
    /// When none or several do.
    pub fn find(&self, asked: &str) -> Result<Job, CronError> {
        find_in(&self.jobs()?, asked).cloned()
    }

    /// The skills that jobs name, which are not to be put away.
    #[must_use]
    pub fn named_skills(&self) -> HashSet<String> {
        let jobs = self.jobs().unwrap_or_else(|problem| {
            tracing::warn!(%problem, "skills of jobs are not known");
            Vec::new()
        });
        jobs.iter().flat_map(Job::named_skills).map(str::to_owned).collect()
    }

    /// Makes a job.
    ///
    /// # Errors
    /// When it makes no sense, or cannot be written down.
    pub fn create(&self, draft: &JobDraft, now: Timestamp) -> Result<Job, CronError> {
        let schedule = draft.schedule.as_deref().unwrap_or_default();
        Schedule::parse(schedule, now, &self.zone)?;
        let fresh = Job {
            id: format!("{:012x}", clock::random() & 0xffff_ffff_ffff),
            enabled: true,
            deliver: if draft.origin.is_some() { "origin" } else { "local" }.to_owned(),
            created_at: Some(stored(now, &self.zone)),
            ..Job::default()
        };
        self.change(|jobs| {
            if jobs.len() >= MOST_JOBS {
                return Err(CronError::BadJob(format!(
                    "there are {MOST_JOBS} jobs already; remove some first (`hermes cron remove ID`)"
                )));
            }
            let job = self.with_draft(fresh, draft, jobs, now)?;
            jobs.push(job.clone());
            Ok(job)
        })
    }

    /// Changes what the draft says of a job.
    ///
    /// # Errors
    /// When there is none, or it would make no sense.
    pub fn edit(&self, asked: &str, draft: &JobDraft, now: Timestamp) -> Result<Job, CronError> {
        self.change_job(asked, |job, jobs| self.with_draft(job, draft, jobs, now))
    }

    /// Has a job wait, until [`resume`](Self::resume).
    ///
    /// # Errors
    /// When there is none.
    pub fn pause(&self, asked: &str) -> Result<Job, CronError> {
        self.change_job(asked, |job, _| {
            Ok(Job { enabled: false, state: JobState::Paused, next_run_at: None, ..job })
        })
    }

    /// Lets a job run again, from now on.
    ///
    /// # Errors
    /// When there is none, or its time is over.
    pub fn resume(&self, asked: &str, now: Timestamp) -> Result<Job, CronError> {
        self.change_job(asked, |job, _| {
            let next = job.when(&self.zone).and_then(|schedule| schedule.next_after(now, &self.zone));
            let Some(next) = next else {
                return Err(CronError::BadJob(format!(
                    "the time of `{}` is over; give it a new one: hermes cron edit {} --schedule '30m'",
                    job.name, job.id
                )));
            };
            let next_run_at = Some(stored(next, &self.zone));
            Ok(Job { enabled: true, state: JobState::Scheduled, next_run_at, ..job })
        })
    }

    /// Has a job run at the next tick, whenever it was to run.
    ///
    /// # Errors
    /// When there is none.
    pub fn make_due(&self, asked: &str, now: Timestamp) -> Result<Job, CronError> {
        self.change_job(asked, |job, _| {
            let next_run_at = Some(stored(now, &self.zone));
            Ok(Job { enabled: true, state: JobState::Scheduled, next_run_at, ..job })
        })
    }

    /// Removes a job; its outputs stay.
    ///
    /// # Errors
    /// When there is none.
    pub fn remove(&self, asked: &str) -> Result<Job, CronError> {
        self.change(|jobs| {
            let id = find_in(jobs, asked)?.id.clone();
            let place = jobs.iter().position(|job| job.id == id);
            place.map(|place| jobs.remove(place)).ok_or_else(|| no_such_job(asked))
        })
    }

    fn change_job(
        &self,
        asked: &str,
        change: impl FnOnce(Job, &[Job]) -> Result<Job, CronError>,
    ) -> Result<Job, CronError> {
        self.change(|jobs| {
            let job = find_in(jobs, asked)?.clone();
            let changed = change(job, jobs)?;
            if let Some(place) = jobs.iter_mut().find(|job| job.id == changed.id) {
                *place = changed.clone();
            }
            Ok(changed)
        })
    }

    fn with_draft(
        &self,
        mut job: Job,
        draft: &JobDraft,
        jobs: &[Job],
        now: Timestamp,
    ) -> Result<Job, CronError> {
        let text = |text: &String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        if let Some(prompt) = &draft.prompt {
            check_prompt(prompt)?;
            job.prompt = prompt.trim().to_owned();
        }
        job.skills = draft.skills.clone().unwrap_or(job.skills);
        job.script = draft.script.as_ref().map_or(job.script, text);
        job.no_agent = draft.no_agent.unwrap_or(job.no_agent);
        job.model = draft.model.as_ref().map_or(job.model, text);
        job.provider = draft.provider.as_ref().map_or(job.provider, text);
        job.workdir = draft.workdir.as_ref().map_or(job.workdir, text);
        job.origin = draft.origin.clone().or(job.origin);
        job.deliver = draft.deliver.as_ref().and_then(text).unwrap_or(job.deliver);
        if let Some(toolsets) = &draft.toolsets {
            job.enabled_toolsets = Some(toolsets.clone()).filter(|toolsets| !toolsets.is_empty());
        }
        if let Some(from) = &draft.context_from {
            let found = from.iter().map(|asked| find_in(jobs, asked).map(|job| job.id.clone()));
            job.context_from = found.collect::<Result<_, _>>()?;
        }
        if let Some(times) = draft.repeat {
            job.repeat.times = Some(times).filter(|times| *times > 0);
        }
        if let Some(schedule) = &draft.schedule {
            let schedule = Schedule::parse(schedule, now, &self.zone)?;
            job.schedule = schedule.record(&self.zone);
            job.schedule_display = schedule.display(&self.zone);
            let next = schedule.first(now, &self.zone);
            job.next_run_at = next.map(|next| stored(next, &self.zone));
            job.repeat = match schedule.is_once() {
                true => RepeatCount { times: Some(1), completed: 0, ..job.repeat },
                false => RepeatCount { completed: 0, ..job.repeat },
            };
            if job.state != JobState::Paused {
                (job.enabled, job.state) = (true, JobState::Scheduled);
            }
        }
        self.check(&job)?;
        let subject = [job.prompt.as_str(), job.skills.first().map_or("", String::as_str)];
        let subject =
            subject.into_iter().chain(job.script.as_deref()).find(|text| !text.is_empty());
        let given = draft.name.as_ref().and_then(text);
        job.name = match given {
            Some(name) => name,
            None if job.name.is_empty() => Job::name_from(subject.unwrap_or_default()),
            None => job.name,
        };
        Ok(job)
    }

    fn check(&self, job: &Job) -> Result<(), CronError> {
        let bad = |text: String| Err(CronError::BadJob(text));
        if job.prompt.is_empty() && job.skills.is_empty() && job.script.is_none() {
            return bad("a job needs something to do: a prompt, a skill or a script".into());
        }
        if job.no_agent && job.script.is_none() {
            return bad("a job without an agent needs a script".into());
        }
        self.deliveries.destinations(&job.deliver, job.origin.as_ref())?;
        if let Some(script) = &job.script {
            self.script_path(script)?;
        }
        if let Some(folder) = &job.workdir
            && !(Path::new(folder).is_absolute() && Path::new(folder).is_dir())
        {
            return bad(format!(
                "`{folder}` is no folder to work in: give the whole path of one that exists"
            ));
        }
        Ok(())
    }

    /// Where the script of a job is: a file in the home's `scripts`, by whatever links it gets there.
    ///
    /// # Errors
    /// When it is not there, or not below that folder.
    pub fn script_path(&self, script: &str) -> Result<PathBuf, CronError> {
        let asked = self.scripts.join(script);
        let real = asked.canonicalize().ok().zip(self.scripts.canonicalize().ok());
        match real {
            Some((file, folder)) if file.starts_with(&folder) && file.is_file() => Ok(file),
            _ => Err(CronError::BadJob(format!(
                "`{script}` is no script of this home: put it into {} and give its name",
                self.scripts.display()
            ))),
        }
    }

    fn read(&self) -> Result<JobFile, CronError> {
        let file = self.file();
        let bytes = match std::fs::read(&file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(JobFile::default());
            }
            Err(source) => return Err(CronError::Read { file, source }),
        };
        let broken = |problem: serde_json::Error| CronError::Broken {
            file: file.clone(),
            problem: problem.to_string(),
        };
        let value: Value = serde_json::from_slice(&bytes).map_err(broken)?;
        match value {
            // An older form is the bare list.
            Value::Array(_) => serde_json::from_value(value)
                .map(|jobs| JobFile { jobs, ..JobFile::default() })
                .map_err(broken),
            value => serde_json::from_value(value).map_err(broken),
        }
    }

    /// Changes the jobs under their lock. Nothing is written if the change fails or changes nothing.
    pub(crate) fn change<T>(
        &self,
        change: impl FnOnce(&mut Vec<Job>) -> Result<T, CronError>,
    ) -> Result<T, CronError> {
        ensure_private_dir(&self.folder)?;
        let _lock = FileLock::acquire(&self.folder.join(".jobs.lock"), Wait::AtMost(LOCK_WAIT))?;
        let mut file = self.read()?;
        let (mut jobs, mut others) = (Vec::new(), Vec::new());
        for entry in file.jobs {
            match entry {
                Entry::Job(job) if !job.id.is_empty() => jobs.push(*job),
                other => others.push(other),
            }
        }
        let before = jobs.clone();
        let answer = change(&mut jobs)?;
        if jobs != before {
            let ours = jobs.into_iter().map(|job| Entry::Job(Box::new(job)));
            file.jobs = ours.chain(others).collect();
            file.updated_at = Some(stored(Timestamp::now(), &self.zone));
            let mut bytes = serde_json::to_vec_pretty(&file).map_err(|problem| {
                CronError::Broken { file: self.file(), problem: problem.to_string() }
            })?;
            bytes.push(b'\n');
            atomic::write(&self.file(), &bytes, WriteOptions::SECRET)?;
        }
        Ok(answer)
    }
}

fn no_such_job(asked: &str) -> CronError {
    CronError::NoSuchJob { asked: asked.to_owned() }
}

fn find_in<'a>(jobs: &'a [Job], asked: &str) -> Result<&'a Job, CronError> {
    let asked = asked.trim();
    if let Some(job) = jobs.iter().find(|job| job.id == asked) {
        return Ok(job);
    }
    let by =
        |is_it: &dyn Fn(&Job) -> bool| jobs.iter().filter(|job| is_it(job)).collect::<Vec<_>>();
    let named = by(&|job| job.name == asked);
    let named =
        if named.is_empty() { by(&|job| job.name.eq_ignore_ascii_case(asked)) } else { named };
    let found = if named.is_empty() { by(&|job| job.id.starts_with(asked)) } else { named };
    match found.as_slice() {
        _ if asked.is_empty() => Err(no_such_job(asked)),
        [] => Err(no_such_job(asked)),
        [one] => Ok(one),
        several => Err(CronError::Ambiguous {
            asked: asked.to_owned(),
            ids: several.iter().map(|job| job.id.clone()).collect(),
        }),
    }
}

/// Refuses a prompt that is too long or wants to take over whoever reads it.
pub(crate) fn check_prompt(prompt: &str) -> Result<(), CronError> {
    if prompt.chars().count() > PROMPT_CHARS {
        return Err(CronError::BadJob(format!("a prompt has at most {PROMPT_CHARS} characters")));
    }
    match threats::scan(prompt, ThreatScope::Strict).first() {
        None => Ok(()),
        Some(threat) => Err(CronError::BadJob(format!(
            "the prompt looks like an attack on the agent that would read it ({}: {:?}); say plainly what is to be done",
            threat.id, threat.excerpt
        ))),
    }
}

#[cfg(test)]
mod tests;
