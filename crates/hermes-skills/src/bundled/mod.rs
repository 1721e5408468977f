//! The skills we ship: put into a home, kept current, and never against the user's will.
//!
//! [`sync`] compares three things: the stock in this program, the copy in the home, and the manifest that says what
//! the copy looked like when it was seeded. A copy that somebody changed is theirs; one that somebody deleted stays
//! deleted; only a copy that is as it was seeded follows the stock.
//!
//! Folders change by one rename each, so a process that is killed leaves the old skill or the new one.

pub mod manifest;
mod stock;
mod sync;
mod upkeep;

#[cfg(test)]
mod tests;

pub use stock::{Stock, StockSkill, hash};
pub use sync::{SyncReport, sync};
pub use upkeep::{
    ModifiedSkill, OptedOut, RepairedStock, diff, list_modified, opt_in, opt_out, repair, reset,
    restore_stock,
};

/// The difference between two texts, in the usual form.
#[must_use]
pub fn unified(path: &str, old: &str, new: &str) -> String {
    hermes_files::edit::unified_diff(old.as_bytes(), new.as_bytes(), path)
}
