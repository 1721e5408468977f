//! A no: why, and what can be done about it.
//!
//! The message goes to the model, so it must leave no room for trying again in other words: it
//! names the rule, the words of the command that broke it, and who can lift it (the user, never
//! the model). [`ApprovalRefusal::to_result`] is the complete result of a terminal call that was refused.

mod message;

use std::fmt;

use serde_json::{Map, Value, json};

use crate::GrantScope;
use crate::concern::{Concern, describe, keys};
use crate::display::shown;

/// Why something may not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefusalReason {
    /// A command nobody may run through Hermes.
    Floor,
    /// It makes sudo read a password from its input, and none is configured.
    SudoStdin,
    /// This entry of `approvals.deny`.
    DenyRule(String),
    /// It was flagged, and a scheduled job has nobody to ask.
    Cron,
    /// It was flagged, and nobody is there to ask.
    Headless,
    /// A person said no, perhaps with a reason.
    Denied(Option<String>),
    /// A person did not answer in time; the seconds waited.
    TimedOut(u64),
    /// A person could not be reached: why.
    Unreachable(String),
    /// The call was interrupted while a person was asked.
    Interrupted,
    /// The reviewing model said no, and no person overruled it.
    SmartDenied,
    /// A person has to agree first; nobody was there to tell them.
    Pending,
    /// The same for a plugin's rule.
    Required,
}

impl RefusalReason {
    /// The word for it in logs and for programs.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Floor => "hardline",
            Self::SudoStdin => "sudo stdin",
            Self::DenyRule(_) => "deny rule",
            Self::Cron => "approvals.cron_mode",
            Self::Headless => "approvals.headless_mode",
            Self::Denied(_) => "user",
            Self::TimedOut(_) => "timeout",
            Self::Unreachable(_) => "unreachable",
            Self::Interrupted => "interrupted",
            Self::SmartDenied => "smart",
            Self::Pending | Self::Required => "pending",
        }
    }

    /// The rule that decided, if it was one of the user's.
    #[must_use]
    pub fn rule(&self) -> Option<&str> {
        match self {
            Self::DenyRule(pattern) => Some(pattern),
            _ => None,
        }
    }
}

/// A no.
#[derive(Clone)]
pub struct ApprovalRefusal(Box<RefusalParts>);

#[derive(Clone)]
struct RefusalParts {
    reason: RefusalReason,
    command: String,
    concerns: Vec<Concern>,
    widest: GrantScope,
    smart_denied: bool,
    message: String,
}

/// Whether the reviewing model had said no before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    None,
    ReviewerSaidNo,
}

impl ApprovalRefusal {
    pub(crate) fn new(reason: RefusalReason, command: &str, concerns: Vec<Concern>) -> Self {
        Self::after_asking(reason, command, concerns, GrantScope::Once, Doubt::None)
    }

    pub(crate) fn after_asking(
        reason: RefusalReason,
        command: &str,
        concerns: Vec<Concern>,
        widest: GrantScope,
        doubt: Doubt,
    ) -> Self {
        let message = message::message(&reason, &concerns);
        let smart_denied = doubt == Doubt::ReviewerSaidNo || reason == RefusalReason::SmartDenied;
        let command = shown(command);
        Self(Box::new(RefusalParts { reason, command, concerns, widest, smart_denied, message }))
    }

    /// Why.
    #[must_use]
    pub fn reason(&self) -> &RefusalReason {
        &self.0.reason
    }

    /// What was wrong.
    #[must_use]
    pub fn concerns(&self) -> &[Concern] {
        &self.0.concerns
    }

    /// What the model is told.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// `blocked`, or that somebody has to agree first.
    #[must_use]
    pub fn status(&self) -> &'static str {
        match self.0.reason {
            RefusalReason::Pending => "pending_approval",
            RefusalReason::Required => "approval_required",
            _ => "blocked",
        }
    }

    /// The complete result of a terminal call that was refused.
    #[must_use]
    pub fn to_result(&self) -> Map<String, Value> {
        let parts = &*self.0;
        let mut result = Map::new();
        let mut put = |name: &str, value: Value| {
            result.insert(name.to_owned(), value);
        };
        let is_pending = matches!(parts.reason, RefusalReason::Pending | RefusalReason::Required);
        put("output", "".into());
        put("exit_code", (-1).into());
        put("error", if is_pending { "" } else { &parts.message }.into());
        put("status", self.status().into());
        match parts.reason {
            RefusalReason::Floor => put("hardline", true.into()),
            RefusalReason::DenyRule(_) => put("user_deny", true.into()),
            RefusalReason::Denied(_) | RefusalReason::Interrupted => {
                put("outcome", "denied".into());
            }
            RefusalReason::TimedOut(_) => put("outcome", "timeout".into()),
            _ => {}
        }
        let was_asked = matches!(
            parts.reason,
            RefusalReason::Denied(_) | RefusalReason::TimedOut(_) | RefusalReason::Interrupted
        );
        if was_asked {
            put("user_consent", false.into());
        }
        if is_pending {
            put("approval_pending", true.into());
            put("command", parts.command.as_str().into());
            put("message", parts.message.as_str().into());
            put("allow_permanent", (parts.widest == GrantScope::Always).into());
        }
        if parts.smart_denied {
            put("smart_denied", true.into());
        } else if is_pending {
            put("smart_denied", false.into());
        }
        if !parts.concerns.is_empty() {
            put("description", describe(&parts.concerns).into());
            put("pattern_key", parts.concerns[0].key.as_str().into());
            let all: Vec<&str> =
                parts.concerns.iter().map(|concern| concern.key.as_str()).collect();
            put("pattern_keys", json!(all));
        }
        result
    }
}

impl fmt::Display for ApprovalRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for ApprovalRefusal {
    /// Without the command, which may hold secrets of its own kind.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refusal")
            .field("reason", &self.0.reason)
            .field("concerns", &keys(&self.0.concerns))
            .finish_non_exhaustive()
    }
}

impl std::error::Error for ApprovalRefusal {}

#[cfg(test)]
mod tests;
