//! Checkpoints: copies of a project's state before a tool changes it, to go back to.
//!
//! They are for people, not for the model: tools ask for one before they write, and a user lists,
//! compares and restores them. One [`CheckpointStore`] keeps those of all directories, in one git repository
//! in the Hermes home that shares equal files between them.
//!
//! # Use
//!
//! ```no_run
//! # use std::path::Path;
//! # use std::sync::Arc;
//! # async fn example(config: &serde_json::Value, vars: &hermes_tool::Vars)
//! # -> Result<(), Box<dyn std::error::Error>> {
//! # use hermes_files::checkpoints::{self, SnapshotOutcome, CheckpointSettings, CheckpointStore};
//! let settings = CheckpointSettings::from_config(config, vars);
//! let store = Arc::new(CheckpointStore::open(Path::new("/home/me/.hermes/checkpoints"), settings));
//!
//! // Before a tool writes:
//! let dir = checkpoints::project_root(Path::new("/src/project/lib/x.rs"));
//! match store.snapshot_once("turn-17", &dir, "before write_file").await {
//!     Ok(SnapshotOutcome::Taken(hash)) => tracing::info!(hash, "checkpoint"),
//!     Ok(other) => tracing::debug!(?other, "no checkpoint"),
//!     Err(error) => tracing::warn!(%error, "no checkpoint"), // the tool runs all the same
//! }
//! // After the turn:
//! store.upkeep_in_background();
//!
//! // When the user asks:
//! let newest = &store.list(&dir).await?[0];
//! let plan = store.restore_plan(&dir, &newest.hash, None).await?;
//! println!("{} files would be removed", plan.removed.len());
//! store.restore(&dir, &newest.hash, None).await?;
//! # Ok(()) }
//! ```
//!
//! # What is saved
//!
//! Every file git can save: names of any bytes, symbolic links as such, the executable bit, and
//! the content byte for byte, whatever line endings or filters the project's attributes ask for.
//! Left out are what the project ignores, the lists of `excludes.rs`, files over the size limit,
//! and *repositories inside the directory* (clones, work trees, submodules): each is a project of
//! its own, saved when something in it is about to change. Empty directories are not recorded.
//!
//! # What never happens here
//!
//! The user's own repository is neither read nor written: not its index, refs, stash, hooks or
//! configuration. No hash changes once it was shown. No garbage is collected while someone waits.
//! No restore begins before the present state is saved. No failure stops the work that asked for
//! a checkpoint: it comes back as a value, and callers carry on.
//!
//! # Many at once
//!
//! Any number of processes can share a store. What belongs to one project is done under that
//! project's lock; refs are created only if they do not exist; and git itself keeps objects safe.

mod destructive;
mod error;
mod excludes;
mod git;
mod history;
mod locks;
mod project;
mod quoted;
mod restore;
mod settings;
mod snapshot;
mod staging;
mod status;
mod store;
mod survey;
mod turns;
mod upkeep;

#[cfg(test)]
mod tests;

pub use destructive::looks_destructive;
pub use error::{CheckpointError, Skip};
pub use history::{Checkpoint, MAX_DIFF_CHARS};
pub use project::project_root;
pub use restore::{RestorePlan, RestoreReport};
pub use settings::CheckpointSettings;
pub use snapshot::{MAX_REASON_CHARS, SnapshotOutcome};
pub use status::{CheckpointStatus, ProjectStatus};
pub use store::CheckpointStore;
pub use survey::MAX_ENTRIES;
pub use upkeep::{Upkeep, UpkeepReport, UpkeepTrigger};
