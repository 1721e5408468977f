//! Responses: their output as it grows, and where they are kept.

mod items;
mod store;

pub(crate) use items::{OutputItems, Told};
pub(crate) use store::{KeptResponse, ResponseStore};
