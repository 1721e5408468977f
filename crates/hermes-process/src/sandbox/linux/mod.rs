//! Landlock and seccomp.

pub(crate) mod enter;
mod filter;
mod ruleset;
mod support;

pub use support::kernel_support;

use std::ffi::OsStr;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;

use super::{Confinement, ConfinementError, Files, Metadata, Network};
use enter::{Instruction, Privileges, Restrictions};

/// A confinement made ready.
pub(crate) struct PreparedConfinement {
    privileges: Privileges,
    filter: Vec<Instruction>,
    ruleset: Option<OwnedFd>,
}

/// Makes ready what the new process enters.
pub(super) fn prepare(
    wanted: &Confinement,
    own_terminal: Option<BorrowedFd<'_>>,
) -> Result<PreparedConfinement, ConfinementError> {
    let (ruleset, free) = match &wanted.files {
        Files::Free => (ruleset::apart()?, wanted.network == Network::Allowed),
        Files::ReadOnlyExcept(places) => (ruleset::read_only(places, own_terminal)?, false),
    };
    if free && wanted.metadata == Metadata::Changeable {
        let privileges = Privileges::KeptIfAllowed;
        return Ok(PreparedConfinement { privileges, filter: Vec::new(), ruleset: Some(ruleset) });
    }
    if !support::has_seccomp() {
        return Err(ConfinementError::Seccomp);
    }
    let filter =
        filter::program(wanted.network, wanted.metadata).ok_or(ConfinementError::Seccomp)?;
    Ok(PreparedConfinement { privileges: Privileges::GivenUp, filter, ruleset: Some(ruleset) })
}

impl PreparedConfinement {
    /// No confinement.
    pub(crate) fn nothing() -> Self {
        Self { privileges: Privileges::Kept, filter: Vec::new(), ruleset: None }
    }

    /// What is to be executed, and with which arguments: what was asked for.
    #[expect(clippy::unused_self, reason = "elsewhere another program enters the confinement")]
    pub(crate) fn wrap<'a>(
        &'a self,
        file: &'a Path,
        args: Vec<&'a OsStr>,
    ) -> (&'a Path, Vec<&'a OsStr>) {
        (file, args)
    }

    /// What becomes of the privileges, as a word for [`Restrictions`].
    pub(crate) fn privileges(&self) -> usize {
        self.privileges as usize
    }

    /// The filter, as bytes for [`Restrictions`].
    pub(crate) fn filter(&self) -> Vec<u8> {
        self.filter.iter().flat_map(|one| one.to_bytes()).collect()
    }

    /// The rules on files, to be handed to the new process.
    pub(crate) fn ruleset(&self) -> Option<BorrowedFd<'_>> {
        self.ruleset.as_ref().map(|rules| rules.as_fd())
    }

    /// Confines the calling process. Allocates nothing.
    pub(crate) fn enter(&self) -> nix::Result<()> {
        let restrictions = Restrictions {
            privileges: self.privileges,
            filter: self.filter.as_ptr(),
            filter_len: u16::try_from(self.filter.len()).unwrap_or(u16::MAX),
        };
        enter::confinement(&restrictions, self.ruleset())
    }
}
