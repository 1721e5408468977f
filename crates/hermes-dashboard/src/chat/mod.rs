//! Chats whose turns outlive the tabs that show them.
//!
//! A [`room::Room`] is a session at work: what was said to it and waits, and the turn that runs as a list of blocks (words,
//! thinking, a tool, a question). A block has a number that grows whenever it changes, so a tab asks for all that is newer
//! than what it has and is never shown anything twice; however often a block changed meanwhile, it comes once.

mod block;
mod questions;
mod room;
mod rooms;
mod teller;
mod transcript;

pub(crate) use block::{Block, BlockKind, cut, is_picture};
pub(crate) use questions::{DashboardPrompter, Decision, OpenQuestions};
pub(crate) use room::{Heard, Room, Said};
pub(crate) use rooms::Rooms;
pub(crate) use teller::Teller;
pub(crate) use transcript::transcript;
