//! The jobs of a home as a session may change them.

use hermes_cron::{JobOrigin, JobStore, PinnedModel};
use hermes_tool::{ToolContext, ToolError};

/// The jobs a session can see and change.
#[derive(Clone, Debug)]
pub struct CronJobs {
    /// The jobs, or why there are none to speak of.
    pub store: Result<JobStore, String>,
    /// The model that a new job keeps.
    pub pinned: Option<PinnedModel>,
    /// Whether this session may change jobs: one that was scheduled itself may not, unless the user says so.
    pub may_change: bool,
}

impl CronJobs {
    /// The jobs, to look at.
    pub(super) fn store(&self) -> Result<&JobStore, ToolError> {
        self.store.as_ref().map_err(|problem| ToolError::answer(problem.clone()))
    }

    /// The jobs, to change them.
    pub(super) fn changeable(&self) -> Result<&JobStore, ToolError> {
        if !self.may_change {
            return Err(ToolError::answer(
                "A scheduled job does not change what is scheduled: say in your answer what you would change",
            ));
        }
        self.store()
    }
}

/// The chat a call comes from, if it comes from one.
pub(super) fn origin(cx: &ToolContext) -> Option<JobOrigin> {
    let var = |name: &str| cx.vars().non_blank(name).map(str::to_owned);
    Some(JobOrigin {
        platform: var("HERMES_SESSION_PLATFORM")?,
        chat_id: var("HERMES_SESSION_CHAT_ID")?,
        thread_id: var("HERMES_SESSION_THREAD_ID"),
        ..JobOrigin::default()
    })
}
