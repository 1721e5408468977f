//! Whether this process descends from a program that a Hermes has started.
//!
//! Every supervisor gives up a *resource limit* before it starts its program. A hard limit is inherited by every
//! descendant, through `exec`, `setsid`, double forks, an emptied environment and closed descriptors, and nobody
//! may raise it again but who has the right to (on Linux `CAP_SYS_RESOURCE`: root, though not root in an ordinary
//! container; elsewhere root). It stays when the supervisor is killed. Which limit it is depends on the system:
//!
//! * On Linux the hard limit of file locks becomes zero. Kernels since 2.4 enforce nothing by it, so nobody misses
//!   it.
//! * Elsewhere there is no limit without a meaning. The size of files is limited to a number that no disk holds, so
//!   that nobody meets it; and whoever has any hard limit of that kind is taken for marked, so that lowering it does
//!   not remove the mark. A person whose system sets such a limit is taken for a command of a model, too.
//!
//! On Linux there is a second mark, and either is enough: a *supervisor among our ancestors*, by the name it gives
//! itself. A program that takes on this name gains nothing but being marked; none can take the name from a
//! supervisor. This also finds what root started, as long as it stays below: a subreaper loses nobody.
//!
//! What is not found: work handed to a process that was there before (a daemon that runs jobs, a
//! terminal of the user), and other machines and containers, which have a Hermes of their own.

use crate::system;

/// Whether a program that a Hermes has started, a command of a model above all, is an ancestor of
/// this process. Who is told so should do nothing that loosens a rule: it may be the model that asks.
///
/// Programs in the foreground of a person ([`Command::run_in_foreground`](crate::Command)) are not
/// counted.
#[must_use]
pub fn descends_from_own_command() -> bool {
    system::descends_from_marked()
}
