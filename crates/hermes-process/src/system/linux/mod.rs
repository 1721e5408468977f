//! The means of Linux.

mod command_file;
mod descriptors;
mod lineage;
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
