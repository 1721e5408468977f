//! Asking a person: the question, the answer, and who carries them.
//!
//! The gate decides *that* somebody is asked and what their answer means; an [`ApprovalPrompter`] knows how:
//! a prompt on a terminal, or a [`ApprovalQueue`] for chats. Whatever goes wrong on the way counts as no.

mod observe;
mod queue;

use std::time::Duration;

use hermes_tool::{BoxFuture, CallIds};
use tokio_util::sync::CancellationToken;

pub use observe::{ApprovalSurface, AskEvent, Observer};
pub use queue::{AnswerTarget, ApprovalQueue, Notifier, WaitingQuestion};

use crate::concern::Concern;
use crate::request::{GrantScope, Purpose};

/// A question to a person.
#[derive(Clone, Debug)]
pub struct ApprovalQuestion {
    /// The session it belongs to.
    pub session: String,
    /// On whose behalf.
    pub purpose: Purpose,
    /// What would run, as it may be shown: secrets hidden, no tricks.
    pub command: String,
    /// Every reason to hesitate.
    pub concerns: Vec<Concern>,
    /// The longest-lasting yes that may be given; a longer one counts as this.
    pub widest: GrantScope,
    /// Whether the reviewing model has said no, so that a yes overrules it.
    pub reviewer_said_no: bool,
    /// The call it belongs to.
    pub call: CallIds,
    /// How long there is to answer.
    pub wait: Duration,
    /// Cancelled when the answer is no longer wanted.
    pub cancellation: CancellationToken,
}

/// What the person said, or why nothing was heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalAnswer {
    /// Yes, for this long.
    Allowed(GrantScope),
    /// No, perhaps with a reason.
    Denied {
        /// Their words.
        reason: Option<String>,
    },
    /// No answer in time.
    TimedOut,
    /// Nobody is there to ask.
    NobodyThere,
    /// The question could not be put: why.
    Failed(String),
}

impl ApprovalAnswer {
    /// A plain no.
    #[must_use]
    pub fn no() -> Self {
        Self::Denied { reason: None }
    }

    /// The word for it in hooks and logs.
    #[must_use]
    pub fn choice(&self) -> &'static str {
        match self {
            Self::Allowed(scope) => scope.name(),
            Self::Denied { .. } | Self::NobodyThere | Self::Failed(_) => "deny",
            Self::TimedOut => "timeout",
        }
    }
}

/// A question whose answer nobody may see.
#[derive(Clone, Debug)]
pub struct SecretQuestion {
    /// What is wanted, for the person.
    pub text: String,
    /// How long there is to answer.
    pub wait: Duration,
    /// Cancelled when the answer is no longer wanted.
    pub cancellation: CancellationToken,
}

/// How long whoever asks a person waits for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AskPatience {
    /// As long as the settings say (`approvals.timeout`).
    #[default]
    Limited,
    /// As long as it takes: the question stands before somebody at a terminal.
    UntilAnswered,
}

/// Knows how to ask a person.
pub trait ApprovalPrompter: Send + Sync {
    /// Asks and waits for the answer. Dropped when nobody wants it any more.
    fn ask(&self, question: ApprovalQuestion) -> BoxFuture<ApprovalAnswer>;

    /// How long an answer may take.
    fn patience(&self) -> AskPatience {
        AskPatience::Limited
    }

    /// Asks for something that is typed unseen. Nothing, if there is no answer or no way to hide it.
    fn secret(&self, _question: SecretQuestion) -> BoxFuture<Option<String>> {
        Box::pin(std::future::ready(None))
    }
}
