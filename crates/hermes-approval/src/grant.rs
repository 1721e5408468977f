//! A yes, and who said it.

use crate::GrantScope;
use crate::concern::{Concern, keys};

/// Why something may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalGrant {
    /// Who said yes.
    pub by: GrantedBy,
    /// What they said yes to; empty if nothing was wrong with it, or nobody looked.
    pub concerns: Vec<Concern>,
}

/// Who said yes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrantedBy {
    /// It runs where it can do no harm.
    Isolation,
    /// Nothing was found.
    NothingFlagged,
    /// Everything is allowed for this process (`--yolo`).
    Yolo,
    /// Everything is allowed for this session.
    SessionYolo,
    /// `approvals.mode` is off.
    ModeOff,
    /// This entry of `approvals.allow` or `command_allowlist`.
    AllowRule(String),
    /// A yes that was given before and still counts.
    Remembered,
    /// `approvals.cron_mode`.
    CronMode,
    /// `approvals.headless_mode`.
    HeadlessMode,
    /// The kernel lets it write in listed places only (`terminal.sandbox`).
    Sandbox,
    /// A gate further on: what the script does is looked at call by call.
    LaterGates,
    /// A person, for this long.
    Person(GrantScope),
    /// The model that reviews commands, for this one.
    Reviewer,
}

impl GrantedBy {
    /// The word for it in logs and for programs.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Isolation => "isolation",
            Self::NothingFlagged => "nothing flagged",
            Self::Yolo => "yolo",
            Self::SessionYolo => "session yolo",
            Self::ModeOff => "approvals.mode off",
            Self::AllowRule(_) => "allow rule",
            Self::Remembered => "remembered",
            Self::CronMode => "approvals.cron_mode",
            Self::HeadlessMode => "approvals.headless_mode",
            Self::Sandbox => "terminal.sandbox",
            Self::LaterGates => "later gates",
            Self::Person(_) => "user",
            Self::Reviewer => "smart",
        }
    }

    /// The rule that decided, if it was one of the user's.
    #[must_use]
    pub fn rule(&self) -> Option<&str> {
        match self {
            Self::AllowRule(pattern) => Some(pattern),
            _ => None,
        }
    }
}

impl ApprovalGrant {
    pub(crate) fn by(by: GrantedBy) -> Self {
        Self { by, concerns: Vec::new() }
    }

    /// A note for the result: who let a flagged command through. `None` when nobody was asked.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let keys = keys(&self.concerns);
        match &self.by {
            GrantedBy::Person(GrantScope::Once) => Some(format!(
                "This command was flagged ({keys}) and the user approved it for this one run."
            )),
            GrantedBy::Person(GrantScope::Session) => Some(format!(
                "This command was flagged ({keys}) and the user approved it for the session."
            )),
            GrantedBy::Person(GrantScope::Always) => Some(format!(
                "This command was flagged ({keys}) and the user approved it for good."
            )),
            GrantedBy::Reviewer => Some(format!(
                "This command was flagged ({keys}) and the automatic review let it through."
            )),
            _ => None,
        }
    }

    /// The note for a run that was interrupted afterwards: it says so, and claims no success.
    #[must_use]
    pub fn note_interrupted(&self) -> Option<String> {
        self.note().map(|note| {
            format!("{note} It was interrupted before it ended: do not assume that it worked.")
        })
    }
}
