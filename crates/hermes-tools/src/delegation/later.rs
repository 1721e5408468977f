//! Work that goes on after the call that asked for it, and where its reports go.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

/// What came of work in the background, for the session that asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LateReport {
    /// Whose work it was.
    pub session: String,
    /// For the model of that session.
    pub text: String,
}

/// A surface that can wake a session: it takes reports when they come, which may be long after the turn. Among the
/// services of agents on such a surface; where it is missing, nobody would hear, and nothing begins.
#[derive(Clone, Debug)]
pub struct LateReports {
    sender: UnboundedSender<LateReport>,
    running: Arc<AtomicUsize>,
    stop: CancellationToken,
}

/// Room for one piece of work; given back when it is dropped.
pub struct LateWork {
    reports: LateReports,
}

impl LateReports {
    /// A way for reports, and its other end. There are never more of them than pieces of work that were let begin.
    #[must_use]
    pub fn new() -> (Self, UnboundedReceiver<LateReport>) {
        let (sender, receiver) = unbounded_channel();
        let reports = Self { sender, running: Arc::default(), stop: CancellationToken::new() };
        (reports, receiver)
    }

    /// Room for one more piece of work, if fewer than `most` run.
    #[must_use]
    pub fn begin(&self, most: usize) -> Option<LateWork> {
        let one_more = |running| (running < most).then_some(running + 1);
        let taken = self.running.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_more);
        taken.ok().map(|_| LateWork { reports: self.clone() })
    }

    /// Ends all that runs.
    pub fn stop(&self) {
        self.stop.cancel();
    }
}

impl LateWork {
    /// Cancelled when the surface ends.
    #[must_use]
    pub fn cancellation(&self) -> CancellationToken {
        self.reports.stop.child_token()
    }

    /// Hands over what came of it.
    pub fn report(self, report: LateReport) {
        // A surface that is gone has nobody to tell.
        let _ = self.reports.sender.send(report);
    }
}

impl Drop for LateWork {
    fn drop(&mut self) {
        self.reports.running.fetch_sub(1, Ordering::SeqCst);
    }
}

impl fmt::Debug for LateWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LateWork")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn room_is_given_back_and_reports_arrive() {
        let (reports, mut arriving) = LateReports::new();
        let (one, two) = (reports.begin(2).unwrap(), reports.begin(2).unwrap());
        assert!(reports.begin(2).is_none());
        drop(one);
        let report = LateReport { session: "s".to_owned(), text: "done".to_owned() };
        two.report(report.clone());
        assert_eq!(arriving.recv().await, Some(report));
        let again = reports.begin(1).unwrap();
        reports.stop();
        assert!(again.cancellation().is_cancelled());
    }
}
