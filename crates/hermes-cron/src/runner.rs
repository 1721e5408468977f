//! Whoever can do what a job says.

use std::future::Future;
use std::pin::Pin;

use tokio_util::sync::CancellationToken;

use crate::job::Job;

/// What became of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobOutcome {
    /// What was said: the answer of the agent, or the output of the script.
    pub text: String,
    /// Why it failed, if it did.
    pub error: Option<String>,
    /// Whether there is nothing to tell, by the script's own word.
    pub quiet: bool,
    /// What it wanted to do and was not allowed to, one line each. It may have come to an end all the same.
    pub refused: Vec<String>,
}

impl JobOutcome {
    /// A run that could not be, or not to its end.
    #[must_use]
    pub fn failed(error: impl Into<String>) -> Self {
        Self { error: Some(error.into()), ..Self::default() }
    }

    /// A run that said this.
    #[must_use]
    pub fn said(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// What [`JobRunner::run`] gives.
pub type RunFuture<'a> = Pin<Box<dyn Future<Output = JobOutcome> + Send + 'a>>;

/// Does what a job says. It is asked at most once for each due time, and may take as long as it likes; it ends early when
/// told to stop.
pub trait JobRunner: Send + Sync {
    /// Runs the job to its end. Whatever goes wrong is part of the outcome.
    fn run<'a>(&'a self, job: &'a Job, stop: &'a CancellationToken) -> RunFuture<'a>;
}
