//! The request for one program, on its way from us to the supervisor that starts it.
//!
//! It is one message of descriptors ([`handover`]), among them a file in memory with arguments,
//! environment and what else the program is started with ([`image`]). It stands between the two
//! that use it: `fork_server` sends it, `supervisor` carries it out, and neither the format nor
//! the question whether a request was taken up or withdrawn depends on who they are.

pub(crate) mod handover;
pub(crate) mod image;

pub(crate) use handover::{SpawnFds, SpawnRequest};
