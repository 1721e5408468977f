//! Scheduled jobs: when they are due, what is kept of them, and that each is run once and no more.
//!
//! ```text
//! Schedule          the text a person writes, on the clock of a zone
//! JobStore          cron/jobs.json: what is to be done; changed under a lock, replaced whole
//! Ledger            cron/executions.db: who claimed which run, and how it ended
//! claim             takes what is due: recorded, then moved on in the file, then handed out
//! Ticker            sleeps until something is due, claims it, has a JobRunner run it; one at a time in a home
//! Suggestions       cron/suggestions.json: jobs somebody might want, until a person says yes or no
//! output, delivery  what a run said: a file in cron/output/, and whoever else is to hear of it
//! ```
//!
//! The crate knows no agent. Whoever can run a job implements [`JobRunner`], with an agent of its own
//! for each run. Whoever can reach people implements [`DeliveryTarget`].
//!
//! # Once and no more
//!
//! A due time is claimed in this order, under the lock of the job store: a row in the ledger, then the job's next time in
//! `jobs.json`, then the run begins. A process that dies between any two of these leaves a row whose owner is gone. The
//! next one to look calls it `unknown` and says so once; the run is not repeated, since it may have begun. A due time
//! that has a row already is never claimed again.
//!
//! # What never happens here
//!
//! A job is run because of a clock that went back, or many times because the machine slept: whatever was missed, a job
//! runs once and goes on from now. A field of a job that this version does not know is lost. A file that cannot be
//! understood is written over.

pub mod blueprints;
mod claim;
mod delivery;
mod error;
mod finish;
mod job;
mod job_text;
mod ledger;
mod output;
mod runner;
pub mod schedule;
mod settings;
mod store;
mod suggestions;
mod ticker;
pub mod verbs;

pub use claim::{ClaimSource, ClaimedRun, LostRun};
pub use delivery::{Deliveries, DeliveryFuture, DeliveryTarget, Destination};
pub use error::CronError;
pub use finish::{finish, told};
pub use job::{JOB_NAME_CHARS, Job, JobOrigin, JobState, RepeatCount};
pub use job_text::{ContextText, JobPrompt, is_silent, wake_agent};
pub use ledger::{Execution, ExecutionStatus, Ledger, LedgerOwner};
pub use output::{last_output, save_output};
pub use runner::{JobOutcome, JobRunner, RunFuture};
pub use settings::CronSettings;
pub use store::{JobDraft, JobStore, PinnedModel};
pub use suggestions::{
    JobSuggestion, SuggestedJob, SuggestionSource, SuggestionStatus, Suggestions,
};
pub use ticker::{TickEvent, Ticked, Ticker, TickerHealth, ticker_health};
