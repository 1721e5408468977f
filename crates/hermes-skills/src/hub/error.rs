//! What can go wrong between asking for a skill and having it.

use std::path::PathBuf;
use std::time::Duration;

use hermes_guard::url::UrlRefusal;
use hermes_store::atomic::AtomicError;
use hermes_store::lock::LockError;
use hermes_web::FetchError;

use super::record::HubRecord;

/// Why the hub did not do what was asked. The text says what to do next where something can be done.
#[derive(Debug, thiserror::Error)]
pub enum HubError {
    /// Nobody knows this name or identifier.
    #[error("no source has {0}; `hermes skills search WORD` finds what there is")]
    NotFound(String),
    /// Several skills have the name.
    #[error("{name} is the name of {} skills; install one by its identifier", .matches.len())]
    Ambiguous {
        /// The name that was asked for.
        name: String,
        /// All that have it.
        matches: Vec<HubRecord>,
    },
    /// The identifier cannot be meant seriously.
    #[error("`{identifier}` is no identifier of a skill: {why}")]
    Identifier {
        /// As it was given.
        identifier: String,
        /// What is wrong with it.
        why: String,
    },
    /// A server has had enough of us.
    #[error("{service} limits how often it is asked, and the limit is used up{}; {advice}", wait_text(.wait))]
    RateLimited {
        /// Who limits.
        service: String,
        /// How long until it may be asked again, if it says.
        wait: Option<Duration>,
        /// How to be allowed more.
        advice: &'static str,
    },
    /// A server answered with an error.
    #[error("{service} answered {status} for {what}")]
    Status {
        /// Who answered.
        service: String,
        /// The status.
        status: u16,
        /// What was asked for.
        what: String,
    },
    /// A server answered something that makes no sense.
    #[error("the answer of {service} cannot be used: {why}")]
    Answer {
        /// Who answered.
        service: String,
        /// What is wrong with it.
        why: String,
    },
    /// No answer, or a rule against asking.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The bundle is not one that may be written to a disk.
    #[error("the bundle is refused: {0}")]
    Bundle(String),
    /// Something is there already.
    #[error("{0}")]
    Exists(String),
    /// The scanner and the policy say no.
    #[error("{0}")]
    Blocked(String),
    /// The person said no.
    #[error("cancelled; nothing was installed")]
    Cancelled,
    /// What was asked for makes no sense.
    #[error("{0}")]
    Usage(String),
    /// A file of the hub's own state cannot be used.
    #[error("{} cannot be used: {why}", .file.display())]
    State {
        /// The file.
        file: PathBuf,
        /// What is wrong, and what to do.
        why: String,
    },
    /// Another process is at work.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The disk.
    #[error(transparent)]
    Disk(#[from] AtomicError),
}

impl HubError {
    /// Whether a rule said no, rather than something failing.
    #[must_use]
    pub fn is_block(&self) -> bool {
        match self {
            Self::Blocked(_) => true,
            // Nobody said no: there is no network, or no such name.
            Self::Fetch(FetchError::Refused(UrlRefusal::Unresolved(_))) => false,
            Self::Fetch(error) => error.is_refusal(),
            _ => false,
        }
    }

    /// Whether what was asked for is simply not there.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::NotFound(_) | Self::Status { status: 404 | 410, .. })
    }
}

fn wait_text(wait: &Option<Duration>) -> String {
    wait.map_or_else(String::new, |wait| format!(" for another {} s", wait.as_secs().max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without a network nothing was forbidden: what was kept may be used, and the exit code is that of a failure.
    #[test]
    fn a_name_that_leads_nowhere_is_a_failure_and_no_rule() {
        let nowhere = FetchError::Refused(UrlRefusal::Unresolved("x.example".to_owned()));
        assert!(!HubError::Fetch(nowhere).is_block());
        let private = UrlRefusal::Private { host: "10.0.0.1".to_owned(), range: "private" };
        assert!(HubError::Fetch(FetchError::Refused(private)).is_block());
    }
}
