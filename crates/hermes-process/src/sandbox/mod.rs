//! The sandbox of a local command (`terminal.sandbox`): rights taken away from a program, with the kernel's own means.
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
//! # macOS
//!
//! There the same is asked of *Seatbelt*, by a profile that is given to `/usr/bin/sandbox-exec`
//! (`portable`). It has been compiled but not tried. What differs, as far as the profile language goes:
//! metadata outside the listed places cannot be changed at all, [`Metadata::Frozen`] means the listed places,
//! too; other processes can neither be looked at nor signalled; no program can be opened through the desktop.
//! On all other systems nothing can be confined.
//!
//! # Failing closed
//!
//! A kernel that cannot do what is asked for is a [`ConfinementError`], and the program does not
//! run. Files need Landlock in its third version (Linux 6.2), since before it a file could be
//! emptied without being written to. What later versions can do in addition, they do.

#[cfg(all(target_os = "linux", not(hermes_portable)))]
mod linux;
#[cfg(any(not(target_os = "linux"), hermes_portable))]
mod portable;

#[cfg(all(target_os = "linux", not(hermes_portable)))]
use linux as backend;
#[cfg(any(not(target_os = "linux"), hermes_portable))]
use portable as backend;

pub use backend::kernel_support;
pub(crate) use backend::{PreparedConfinement, enter};

use std::io;
use std::os::fd::BorrowedFd;
use std::path::PathBuf;

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

    /// The system has no means to confine a program, or none that is known here.
    #[error(
        "there is nothing here that could confine a program ({missing}); \
         use a container, or no confinement"
    )]
    Unsupported {
        /// What was looked for.
        missing: &'static str,
    },

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
        backend::prepare(self, own_terminal)
    }
}

/// What of this crate's needs the running system has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelSupport {
    /// Version of Landlock; none, if it is missing or switched off. Read-only confinement needs 3;
    /// from 5 on devices are kept safe, from 6 on processes outside cannot be signalled.
    pub landlock_abi: Option<u32>,
    /// Whether system calls can be filtered.
    pub seccomp: bool,
    /// Whether there is Seatbelt, which confines programs on macOS in place of these two.
    pub seatbelt: bool,
    /// Whether the settings let an ordinary user make user namespaces, which container programs
    /// without a daemon need. A container around us may forbid it all the same.
    pub user_namespaces: bool,
    /// Whether processes can be held by a descriptor (Linux 5.3). Without it, a signal to a process
    /// of an earlier run goes by its number, right after a look at its start time.
    pub pidfd: bool,
    /// Whether the kernel's table of processes shows those that our numbers mean (`/proc` on Linux).
    /// Without it, trees are killed by group only.
    pub proc: bool,
}
