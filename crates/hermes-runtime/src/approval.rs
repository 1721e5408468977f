//! Asking a person, when a hook or a guard wants a person asked.
//!
//! The runtime only knows the question and the answer; who asks (a terminal prompt, an MCP
//! elicitation, nobody) is the host's. Without a host the answer is no.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use hermes_tool::{Args, BoxFuture};
use sha2::{Digest, Sha256};

/// A question to a person.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalRequest {
    /// The tool that wants to run.
    pub tool: String,
    /// Its arguments.
    pub args: Args,
    /// Why somebody is asked.
    pub reason: String,
    /// What a lasting yes covers.
    pub rule_key: String,
    /// The session the question belongs to.
    pub session_id: String,
}

/// What the person said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Yes, this time.
    Once,
    /// Yes, and the same rule need not be asked again in this session.
    ForSession,
    /// No.
    Denied,
    /// No answer in time.
    TimedOut,
    /// Nobody is there to ask.
    NobodyThere,
}

/// Whoever can ask a person.
pub trait Approver: Send + Sync {
    /// Asks and waits for the answer.
    fn ask(&self, request: ApprovalRequest) -> BoxFuture<Decision>;
}

/// The approver of a host without a person: every question is answered with nobody there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Approver for Nobody {
    fn ask(&self, _: ApprovalRequest) -> BoxFuture<Decision> {
        Box::pin(async { Decision::NobodyThere })
    }
}

/// Rules a person has said yes to for the rest of a session.
#[derive(Debug, Default)]
pub struct ApprovalMemory(Mutex<HashSet<(String, String)>>);

impl ApprovalMemory {
    /// Whether this session's person has said yes to the rule.
    #[must_use]
    pub fn covers(&self, request: &ApprovalRequest) -> bool {
        self.set().contains(&(request.session_id.clone(), request.rule_key.clone()))
    }

    /// Remembers a yes.
    pub fn remember(&self, request: &ApprovalRequest) {
        self.set().insert((request.session_id.clone(), request.rule_key.clone()));
    }

    fn set(&self) -> std::sync::MutexGuard<'_, HashSet<(String, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The key of a rule that has none of its own. It is derived from the reason too, so that a lasting
/// yes to one rule on a tool says nothing about another rule on the same tool.
#[must_use]
pub fn derived_rule_key(tool: &str, reason: &str) -> String {
    let digest = Sha256::digest(reason.as_bytes());
    let mut key = format!("{tool}:");
    for byte in &digest[..8] {
        let _ = write!(key, "{byte:02x}");
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_without_a_key_are_told_apart_by_their_reason() {
        let a = derived_rule_key("terminal", "touches production");
        let b = derived_rule_key("terminal", "spends money");
        assert_ne!(a, b);
        assert_eq!(a, derived_rule_key("terminal", "touches production"));
        assert!(a.starts_with("terminal:"));
    }
}
