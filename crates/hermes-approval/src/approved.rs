//! What only the gate can make.
//!
//! Whatever starts a process for a model takes an [`Approved`] value, and the only way to one is
//! [`Approvals::admit`](crate::Approvals::admit). It cannot be built elsewhere, copied, or changed
//! after the decision:
//!
//! ```compile_fail,E0451
//! # fn f(line: hermes_approval::ShellLine, grant: hermes_approval::Grant) {
//! let forged = hermes_approval::Approved { subject: line, grant };
//! # }
//! ```
//!
//! ```compile_fail,E0624
//! # fn f(line: hermes_approval::ShellLine, grant: hermes_approval::Grant) {
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

use crate::request::{Place, Purpose};
use crate::{Grant, Request};

/// Something that may run, because the gate said so.
#[derive(Debug)]
pub struct Approved<T> {
    subject: T,
    grant: Grant,
}

impl<T> Approved<T> {
    pub(crate) fn new(subject: T, grant: Grant) -> Self {
        Self { subject, grant }
    }

    /// Who let it through.
    #[must_use]
    pub fn grant(&self) -> &Grant {
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
    place: Place,
    purpose: Purpose,
}

impl ShellLine {
    pub(crate) fn of(request: Request) -> Self {
        Self {
            text: request.command,
            cwd: request.around.cwd,
            session: request.session,
            place: request.place,
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

    /// The place it was judged for.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place
    }

    /// On whose behalf it runs.
    #[must_use]
    pub fn purpose(&self) -> Purpose {
        self.purpose
    }
}

/// An approval for one place does not count in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the command was approved for another place ({approved:?}) than it would run in ({place:?})"
)]
pub struct WrongPlace {
    /// Where it may run.
    pub approved: Place,
    /// Where it would have run.
    pub place: Place,
}

impl Approved<ShellLine> {
    /// The command to run, if it was approved for this place: what was let through because a
    /// sandbox holds it must not reach the host.
    pub fn text_for(&self, place: Place) -> Result<&str, WrongPlace> {
        let approved = self.subject.place;
        if approved == place { Ok(&self.subject.text) } else { Err(WrongPlace { approved, place }) }
    }
}

/// A whole script, for tools that execute code.
#[derive(Debug)]
pub struct Script {
    code: String,
    session: String,
    place: Place,
}

impl Script {
    pub(crate) fn new(code: String, session: String, place: Place) -> Self {
        Self { code, session, place }
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

    /// The place it was judged for.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place
    }
}

impl Approved<Script> {
    /// The code to run, if it was approved for this place.
    pub fn code_for(&self, place: Place) -> Result<&str, WrongPlace> {
        let approved = self.subject.place;
        if approved == place { Ok(&self.subject.code) } else { Err(WrongPlace { approved, place }) }
    }
}
