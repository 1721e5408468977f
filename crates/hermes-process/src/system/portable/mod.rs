//! The means that every Unix has.
//!
//! There is no subreaper here, no parent-death signal, and no descriptor of a process. What follows for the
//! promises of this crate:
//!
//! * **Trees** are remembered instead of owned (`tree`, `roster`): the supervisor writes down who it has seen
//!   below its program, looks again and again, and finds everyone in the sessions that belong to them. One that
//!   begins a session of its own *and* whose parents end before the next look is not found, and lives on.
//! * **A killed supervisor** does not take its program along by itself: we notice, and kill the program's group. If
//!   both are killed at once, the program lives on.
//! * **A signal to a process of an earlier run** goes by its number, right after a look at its start time.
//! * **The request for a program** lies in shared memory without a name (`command_file`), with a mark in place of
//!   the seal: the same promise.
//! * **A directory** to start in must be readable on systems without `O_SEARCH`, not only enterable.
//! * **Programs in the foreground** are hung up by their terminal, not by us.
//!
//! All else holds as it does on Linux, and is shown there by the same tests.

mod command_file;
mod descriptors;
mod lineage;
mod roster;
mod signals;
mod start;
mod tree;

pub(crate) use command_file::{MAPPING, create as create_command_file, take, withdraw_in_time};
pub(crate) use descriptors::{
    PLACE, RECEIVE, SEND, close_range, keep_private, open_terminal, pipe, socket_pair,
};
pub(crate) use lineage::{descends_from_marked, mark};
pub(crate) use signals::{last_signal, signal_exactly};
pub(crate) use start::{
    PROGRAM_DIES_WITH_SUPERVISOR, adopt_orphans, die_with_parent, start_beside,
};
pub(crate) use tree::Tree;
