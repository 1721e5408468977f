//! What only the gate can make.
//!
//! Whatever starts a process for a model takes an [`Approved`] value, and the only way to one is
//! [`Approvals::admit`](crate::Approvals::admit). It cannot be built elsewhere, copied, or changed
//! after the decision:
//!
//! ```compile_fail,E0451
//! # fn f(line: hermes_approval::ShellLine, grant: hermes_approval::ApprovalGrant) {
//! let forged = hermes_approval::Approved { subject: line, grant };
//! # }
//! ```
//!
//! ```compile_fail,E0624
//! # fn f(line: hermes_approval::ShellLine, grant: hermes_approval::ApprovalGrant) {
//! let forged = hermes_approval::Approved::new(line, grant);
//! # }
//! ```
//!
//! ```compile_fail,E0599
//! # fn f(approved: hermes_approval::Approved<hermes_approval::ShellLine>) {
//! let twice: (_, hermes_approval::Approved<_>) = (approved.clone(), approved);
//! # }
//! ```
//!
//! ```compile_fail,E0596
//! # fn f(mut approved: hermes_approval::Approved<hermes_approval::ShellLine>) {
//! let line: &mut hermes_approval::ShellLine = &mut approved;
//! # }
//! ```

use std::ops::Deref;
use std::sync::Arc;

use hermes_guard::command::KeptShell;

use crate::request::{ExecutionTarget, Purpose};
use crate::{ApprovalGrant, CommandRequest};

/// Something that may run, because the gate said so.
#[derive(Debug)]
pub struct Approved<T> {
    subject: T,
    grant: ApprovalGrant,
}

impl<T> Approved<T> {
    pub(crate) fn new(subject: T, grant: ApprovalGrant) -> Self {
        Self { subject, grant }
    }

    /// Who let it through.
    #[must_use]
    pub fn grant(&self) -> &ApprovalGrant {
        &self.grant
    }
}

impl<T> Deref for Approved<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.subject
    }
}

/// A command for a shell, with what the decision was based on.
#[derive(Debug)]
pub struct ShellLine {
    text: String,
    cwd: Option<String>,
    session: String,
    shell: Option<Arc<KeptShell>>,
    target: ExecutionTarget,
    purpose: Purpose,
}

impl ShellLine {
    pub(crate) fn of(request: CommandRequest) -> Self {
        Self {
            text: request.command,
            cwd: request.host.cwd,
            session: request.session,
            shell: request.shell,
            target: request.target,
            purpose: request.purpose,
        }
    }

    /// The command, to be shown. To run it, take [`text_for`](Approved::text_for).
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The directory it was judged in.
    #[must_use]
    pub fn cwd(&self) -> Option<&str> {
        self.cwd.as_deref()
    }

    /// The session that asked.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The shell it was judged in: in another one its words may mean something else.
    #[must_use]
    pub fn shell(&self) -> Option<&Arc<KeptShell>> {
        self.shell.as_ref()
    }

    /// The execution target it was judged for.
    #[must_use]
    pub fn target(&self) -> ExecutionTarget {
        self.target
    }

    /// On whose behalf it runs.
    #[must_use]
    pub fn purpose(&self) -> Purpose {
        self.purpose
    }
}

/// An approval for one execution target does not count for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the command was approved for another execution target ({approved:?}) than the one it would run \
     on ({target:?})"
)]
pub struct WrongTarget {
    /// Where it may run.
    pub approved: ExecutionTarget,
    /// Where it would have run.
    pub target: ExecutionTarget,
}

impl Approved<ShellLine> {
    /// The command to run, if it was approved for this target: what was let through because a
    /// sandbox holds it must not reach the host.
    pub fn text_for(&self, target: ExecutionTarget) -> Result<&str, WrongTarget> {
        let approved = self.subject.target;
        if approved == target {
            Ok(&self.subject.text)
        } else {
            Err(WrongTarget { approved, target })
        }
    }
}

/// A whole script, for tools that execute code.
#[derive(Debug)]
pub struct ScriptText {
    code: String,
    session: String,
    target: ExecutionTarget,
}

impl ScriptText {
    pub(crate) fn new(code: String, session: String, target: ExecutionTarget) -> Self {
        Self { code, session, target }
    }

    /// The code, to be shown. To run it, take [`code_for`](Approved::code_for).
    #[must_use]
    pub fn code(&self) -> &str {
        &self.code
    }

    /// The session that asked.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The execution target it was judged for.
    #[must_use]
    pub fn target(&self) -> ExecutionTarget {
        self.target
    }
}

impl Approved<ScriptText> {
    /// The code to run, if it was approved for this target.
    pub fn code_for(&self, target: ExecutionTarget) -> Result<&str, WrongTarget> {
        let approved = self.subject.target;
        if approved == target {
            Ok(&self.subject.code)
        } else {
            Err(WrongTarget { approved, target })
        }
    }
}

/// Text for a program that already runs.
#[derive(Debug)]
pub struct ProgramInput {
    text: String,
    target: ExecutionTarget,
}

impl ProgramInput {
    pub(crate) fn new(text: String, target: ExecutionTarget) -> Self {
        Self { text, target }
    }

    /// The text, to be shown. To type it, take [`input_for`](Approved::input_for).
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Approved<ProgramInput> {
    /// The text to type, if it was approved for a program on this target.
    pub fn input_for(&self, target: ExecutionTarget) -> Result<&str, WrongTarget> {
        let approved = self.subject.target;
        if approved == target {
            Ok(&self.subject.text)
        } else {
            Err(WrongTarget { approved, target })
        }
    }
}
