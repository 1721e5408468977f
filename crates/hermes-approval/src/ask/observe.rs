//! Telling others that somebody is asked, and what they said.

use hermes_tool::BoxFuture;

use super::ApprovalQuestion;

/// Where a question is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApprovalSurface {
    /// A prompt on a terminal.
    Cli,
    /// A chat.
    Gateway,
    /// The reviewing model.
    Smart,
}

impl ApprovalSurface {
    /// The word for it in hooks.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cli => "cli",
            Self::Gateway => "gateway",
            Self::Smart => "smart",
        }
    }
}

/// A question on its way.
#[derive(Clone, Debug)]
pub struct AskEvent {
    /// Where it is put.
    pub surface: ApprovalSurface,
    /// What a person is asked, secrets left out.
    pub question: ApprovalQuestion,
}

/// Whoever wants to know about questions (the hooks `pre_approval_request` and
/// `post_approval_response`). Observers watch; what they do changes no decision.
pub trait Observer: Send + Sync {
    /// A question is about to be put.
    fn before_asking(&self, event: AskEvent) -> BoxFuture<()>;
    /// It was answered: `once`, `session`, `always`, `deny`, `timeout`; or what the reviewing
    /// model said: `approve`, `deny`, `escalate`.
    fn after_answer(&self, event: AskEvent, choice: &'static str) -> BoxFuture<()>;
}
