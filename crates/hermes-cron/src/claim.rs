//! Taking what is due, so that nobody else does.

use std::collections::HashSet;

use jiff::Timestamp;

use crate::error::CronError;
use crate::job::{Job, JobState};
use crate::ledger::{Execution, ExecutionStatus, Ledger, LedgerOwner};
use crate::schedule::stored;
use crate::store::JobStore;

/// What is written down about a run whose owner is gone.
const OWNER_GONE: &str = "the process that ran it ended before it was done; it was not repeated";

/// Why a run is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimSource {
    /// It was due.
    Schedule,
    /// Somebody wants it now.
    Manual,
}

impl ClaimSource {
    fn word(self) -> &'static str {
        match self {
            Self::Schedule => "schedule",
            Self::Manual => "manual",
        }
    }
}

/// A run that is ours, and the job as it was when it was taken.
#[derive(Clone, Debug)]
pub struct ClaimedRun {
    /// Its name in the ledger.
    pub execution: String,
    /// Why it was taken.
    pub source: ClaimSource,
    /// What is to be done.
    pub job: Job,
}

/// A run that somebody began and nobody will end.
#[derive(Clone, Debug)]
pub struct LostRun {
    /// Whose run it was; as it stands now.
    pub job: Job,
    /// What became of it.
    pub error: String,
}

impl JobStore {
    /// Takes what is due now, the longest overdue first, at most so many. Jobs that still run wait, and so do those that
    /// work in a folder another one works in.
    ///
    /// # Errors
    /// When the file or the ledger cannot be used; what was taken until then is found by [`recover`](Self::recover).
    pub fn claim_due(
        &self,
        ledger: &mut Ledger,
        owner: &LedgerOwner,
        now: Timestamp,
        most: usize,
    ) -> Result<Vec<ClaimedRun>, CronError> {
        // Most looks find nothing; they take no lock.
        if most == 0 || !self.jobs()?.iter().any(|job| self.is_due(job, now)) {
            return Ok(Vec::new());
        }
        self.change(|jobs| {
            let open: HashSet<String> =
                ledger.open_runs()?.into_iter().map(|run| run.job_id).collect();
            let at_work = jobs.iter().filter(|job| open.contains(&job.id));
            let mut folders: HashSet<String> =
                at_work.filter_map(|job| job.workdir.clone()).collect();
            let mut due: Vec<usize> = (0..jobs.len())
                .filter(|place| self.is_due(&jobs[*place], now) && !open.contains(&jobs[*place].id))
                .collect();
            due.sort_by_key(|place| jobs[*place].due(self.zone()));
            let mut claimed = Vec::new();
            for place in due {
                if claimed.len() == most {
                    break;
                }
                let job = &mut jobs[place];
                if job.workdir.as_ref().is_some_and(|folder| !folders.insert(folder.clone())) {
                    continue;
                }
                let due_at = job.next_run_at.clone();
                let source = ClaimSource::Schedule;
                let execution = ledger.claim(&job.id, source.word(), due_at.as_deref(), owner)?;
                let taken = job.clone();
                job.next_run_at = match job.is_last_run(self.zone()) {
                    true => None,
                    false => self.following(job, now),
                };
                // A due time that was taken before, by a process that ended right then, is only moved on.
                claimed.extend(execution.map(|execution| ClaimedRun {
                    execution,
                    source,
                    job: taken,
                }));
            }
            Ok(claimed)
        })
    }

    /// Takes one job now, whenever it is due. Its schedule goes on as it was.
    ///
    /// # Errors
    /// When there is no such job, or it runs already.
    pub fn claim_now(
        &self,
        ledger: &mut Ledger,
        owner: &LedgerOwner,
        asked: &str,
    ) -> Result<ClaimedRun, CronError> {
        self.change(|_| {
            let job = self.find(asked)?;
            if let Some(run) = ledger.open_runs()?.into_iter().find(|run| run.job_id == job.id) {
                let by = run.pid.map(|pid| format!(" (process {pid})")).unwrap_or_default();
                return Err(CronError::BadJob(format!(
                    "`{}` runs already{by}; `hermes cron runs {}` shows it",
                    job.name, job.id
                )));
            }
            let source = ClaimSource::Manual;
            match ledger.claim(&job.id, source.word(), None, owner)? {
                Some(execution) => Ok(ClaimedRun { execution, source, job }),
                None => {
                    Err(CronError::BadJob(format!("`{}` was taken by another process", job.name)))
                }
            }
        })
    }

    /// Finds runs whose owner is gone, calls them `unknown`, and says which; each of them once.
    ///
    /// # Errors
    /// When the file or the ledger cannot be used.
    pub fn recover(&self, ledger: &Ledger, now: Timestamp) -> Result<Vec<LostRun>, CronError> {
        let lost = |ledger: &Ledger| -> Result<Vec<Execution>, CronError> {
            Ok(ledger.open_runs()?.into_iter().filter(|run| !run.has_owner()).collect())
        };
        if lost(ledger)?.is_empty() {
            return Ok(Vec::new());
        }
        self.change(|jobs| {
            let mut told = Vec::new();
            for run in lost(ledger)? {
                ledger.finished(&run.id, ExecutionStatus::Unknown, Some(OWNER_GONE))?;
                let Some(job) = jobs.iter_mut().find(|job| job.id == run.job_id) else { continue };
                job.last_run_at = Some(stored(now, self.zone()));
                (job.last_status, job.last_error) = (Some("error".into()), Some(OWNER_GONE.into()));
                if job.next_run_at == run.due_at && run.due_at.is_some() {
                    // It ended before the job was moved on: this due time is spent.
                    job.next_run_at = match job.is_last_run(self.zone()) {
                        true => None,
                        false => self.following(job, now),
                    };
                }
                if run.due_at.is_some() && job.next_run_at.is_none() {
                    (job.enabled, job.state) = (false, JobState::Error);
                }
                told.push(LostRun { job: job.clone(), error: OWNER_GONE.to_owned() });
            }
            Ok(told)
        })
    }

    /// When the next job is due, among those that do not run.
    ///
    /// # Errors
    /// When the file or the ledger cannot be used.
    pub fn next_due(&self, ledger: &Ledger) -> Result<Option<Timestamp>, CronError> {
        let open: HashSet<String> = ledger.open_runs()?.into_iter().map(|run| run.job_id).collect();
        let jobs = self.jobs()?;
        let waiting =
            jobs.iter().filter(|job| !open.contains(&job.id) && job.when(self.zone()).is_some());
        Ok(waiting.filter_map(|job| job.due(self.zone())).min())
    }

    fn is_due(&self, job: &Job, now: Timestamp) -> bool {
        job.due(self.zone()).is_some_and(|due| due <= now) && job.when(self.zone()).is_some()
    }

    fn following(&self, job: &Job, now: Timestamp) -> Option<String> {
        let next = job.when(self.zone())?.next_after(now, self.zone())?;
        Some(stored(next, self.zone()))
    }
}
