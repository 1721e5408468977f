//! The sandbox of a local command: rights taken away from a program, with the kernel's own means.
//!
//! A [`Confinement`] says what a program and all its descendants may not do: write outside listed
//! places, use the network. No container, no mount, no helper program and no privilege is needed
//! for it; nothing has to be cleaned up after it, and nobody inside can lift it.
//!
//! Two parts of the kernel do the work. *Landlock* decides on files by where they are (`ruleset`).
//! *Seccomp* refuses whole system calls (`filter`): sockets that are not local, looking into other
//! processes, and ways around Landlock. Both are prepared by us, where one may allocate and fail
//! in peace, and entered by the new process just before `exec` (`enter`).
//!
//! # What holds
//!
//! * **Files.** Nothing outside the listed places is created, written, truncated, renamed, linked
//!   or removed, through whatever path, link or descriptor the program gets at it. Everything may
//!   be read that the user may read. Inside the listed places everything is allowed but making
//!   device nodes.
//! * **Devices.** `/dev/null`, `/dev/zero`, `/dev/full` and `/dev/tty` may be written to, as may
//!   the terminal given by [`Command::pty`](crate::Command::pty). Not the rest of `/dev/pts`:
//!   whoever writes to another terminal writes to its user. Not `/dev/shm`: other programs share
//!   memory there; list it for programs that need it (semaphores in Python, browsers). Neither is
//!   `/tmp` listed by itself: give the program a `TMPDIR` of its own.
//! * **Network.** See [`Network`].
//! * **Other processes.** None outside the confinement can be traced, and neither its memory nor
//!   its environment be read, not even by root. From Linux 6.12 on none can be signalled, either.
//! * **Privileges.** Set-user-id programs (`sudo`) gain nothing, and root loses the rights that
//!   the above would not hold against.
//!
//! # What does not
//!
//! * Mode, owner, times and attributes of files elsewhere can be changed, if they are the user's:
//!   Landlock has no say in that. [`Metadata::Frozen`] forbids it everywhere.
//! * A service that listens on a Unix socket and acts for the user (Docker, systemd, an agent with
//!   keys) does what it is asked to, also by a confined program. [`Network::Nothing`] forbids these
//!   sockets as well.
//! * Nobody is kept from using up memory, processor or the room in the listed places.
//!
//! # Failing closed
//!
//! A kernel that cannot do what is asked for is a [`ConfinementError`], and the program does not
//! run. Files need Landlock in its third version (Linux 6.2), since before it a file could be
//! emptied without being written to. What later versions can do in addition, they do.

pub(crate) mod enter;
mod filter;
mod ruleset;
mod support;

pub(crate) use filter::Instruction;
pub use support::{KernelSupport, kernel_support};

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use enter::{Privileges, Restrictions};

/// What sockets a confined program may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Network {
    /// Any.
    Allowed,
    /// Unix sockets only: no network, not even this machine's own (`localhost`). Connecting fails
    /// with "permission denied" and at once.
    #[default]
    UnixSockets,
    /// None but pairs of connected sockets.
    Nothing,
}

/// Whether a confined program may change modes, owners, times and attributes of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Metadata {
    /// Of all files that are the user's, wherever they are.
    #[default]
    Changeable,
    /// Of none, in the writable places either. Many programs that unpack, copy or build do not
    /// work then.
    Frozen,
}

/// Why a program cannot be confined.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfinementError {
    /// The kernel's Landlock is missing or too old.
    #[error(
        "the kernel {}, but version {needed} is needed; use Linux 6.2 or later with `landlock` \
         in its `lsm=` list, a container, or no confinement", have(*.found)
    )]
    Landlock {
        /// The version found; none, if it is missing or switched off.
        found: Option<u32>,
        /// The version needed.
        needed: u32,
    },

    /// The kernel filters no system calls, or we do not know this processor's.
    #[error(
        "the kernel cannot filter system calls here (seccomp); \
         use a kernel with CONFIG_SECCOMP_FILTER on x86_64 or aarch64, a container, or no \
         confinement"
    )]
    Seccomp,

    /// A place that was to be writable cannot be opened.
    #[error("{} cannot be made writable: {source}; check that it exists", path.display())]
    Path {
        /// The place.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },

    /// The kernel did not accept the rules, or not at the last moment.
    #[error("the kernel refused the rules: {source}")]
    Refused {
        /// What the system said.
        source: io::Error,
    },
}

fn have(landlock: Option<u32>) -> String {
    match landlock {
        Some(version) => format!("has Landlock in version {version}"),
        None => "has no Landlock, or has it switched off".into(),
    }
}

/// What a program may not do. See [`Command::confine`](crate::Command::confine).
///
/// ```
/// use hermes_process::{Command, Confinement, Network};
///
/// let command = Command::new("make")
///     .cwd("/project")
///     .confine(Confinement::read_only().writable("/project").network(Network::Allowed));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confinement {
    files: Files,
    network: Network,
    metadata: Metadata,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Files {
    Free,
    ReadOnlyExcept(Vec<PathBuf>),
}

impl Confinement {
    /// No writing anywhere (but to harmless devices), no network.
    pub fn read_only() -> Self {
        let files = Files::ReadOnlyExcept(Vec::new());
        Self { files, network: Network::default(), metadata: Metadata::default() }
    }

    /// Only keeps the program from looking into processes outside: their memory, environment and
    /// open files. Files and network are not touched, and other processes may be signalled.
    ///
    /// For programs run by root, from whom
    /// [`shield_own_environment`](crate::shield_own_environment) alone hides nothing. Costs the
    /// program an administrator's rights to trace processes, to mount file systems and to make
    /// namespaces; run by an ordinary user, it costs `sudo` as well.
    pub fn processes_only() -> Self {
        Self { files: Files::Free, network: Network::Allowed, metadata: Metadata::Changeable }
    }

    /// Makes a directory with all below it, or a file, writable. It must exist when the program is
    /// started. Changes nothing about [`Confinement::processes_only`], where all is writable.
    #[must_use]
    pub fn writable(mut self, path: impl Into<PathBuf>) -> Self {
        if let Files::ReadOnlyExcept(places) = &mut self.files {
            places.push(path.into());
        }
        self
    }

    /// Chooses what sockets may be made.
    #[must_use]
    pub fn network(mut self, network: Network) -> Self {
        self.network = network;
        self
    }

    /// Chooses whether modes, owners, times and attributes may be changed.
    #[must_use]
    pub fn metadata(mut self, metadata: Metadata) -> Self {
        self.metadata = metadata;
        self
    }

    /// Whether the kernel can do what is asked for, and all places exist. Starting a program finds
    /// out by itself; this is for saying so early.
    pub fn check(&self) -> Result<(), ConfinementError> {
        self.prepare(None).map(|_| ())
    }

    /// Makes ready what the new process enters.
    pub(crate) fn prepare(
        &self,
        own_terminal: Option<BorrowedFd<'_>>,
    ) -> Result<PreparedConfinement, ConfinementError> {
        let (ruleset, free) = match &self.files {
            Files::Free => (ruleset::apart()?, self.network == Network::Allowed),
            Files::ReadOnlyExcept(places) => (ruleset::read_only(places, own_terminal)?, false),
        };
        if free && self.metadata == Metadata::Changeable {
            let privileges = Privileges::KeptIfAllowed;
            return Ok(PreparedConfinement {
                privileges,
                filter: Vec::new(),
                ruleset: Some(ruleset),
            });
        }
        if !support::has_seccomp() {
            return Err(ConfinementError::Seccomp);
        }
        let filter =
            filter::program(self.network, self.metadata).ok_or(ConfinementError::Seccomp)?;
        Ok(PreparedConfinement { privileges: Privileges::GivenUp, filter, ruleset: Some(ruleset) })
    }
}

/// A confinement made ready.
pub(crate) struct PreparedConfinement {
    pub(crate) privileges: Privileges,
    pub(crate) filter: Vec<Instruction>,
    pub(crate) ruleset: Option<OwnedFd>,
}

impl PreparedConfinement {
    /// No confinement.
    pub(crate) fn nothing() -> Self {
        Self { privileges: Privileges::Kept, filter: Vec::new(), ruleset: None }
    }

    /// Confines the calling process. Allocates nothing.
    pub(crate) fn enter(&self) -> nix::Result<()> {
        let restrictions = Restrictions {
            privileges: self.privileges,
            filter: self.filter.as_ptr(),
            filter_len: u16::try_from(self.filter.len()).unwrap_or(u16::MAX),
        };
        enter::confinement(&restrictions, self.ruleset.as_ref().map(|rules| rules.as_fd()))
    }
}
