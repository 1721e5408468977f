//! Sessions and their messages, in one SQLite file with full-text search.
//!
//! A [`SessionStore`] stands for the file `state.db` of a home. It is cheap to clone, and it opens
//! nothing before it is used; looking something up in a file that does not exist answers "nothing"
//! and makes none.
//!
//! ```
//! use hermes_store::sessions::{NewMessage, NewSession, SessionStore, new_session_id};
//! # let folder = tempfile::tempdir()?;
//! # let home = hermes_store::home::Home::at(folder.path());
//! let store = SessionStore::at(home.state_db());
//! let id = new_session_id();
//! store.create(&NewSession { id: id.clone(), source: "cli".into(), ..NewSession::default() })?;
//! store.append(&id, &[NewMessage::new("user", "Where is the zebra?")])?;
//! store.append(&id, &[NewMessage::new("assistant", "In the savanna.")])?;
//! assert_eq!(store.messages(&id)?.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What holds:
//!
//! * **One writer.** Each process has one connection a file; calls take turns on it. Every change is
//!   one transaction that claims the right to write at its beginning, so two processes never
//!   deadlock; they wait for each other, with pauses drawn by chance.
//! * **What was acknowledged is kept.** When a call returns, a process may be killed: the rows are
//!   there. A write-ahead log with `synchronous = NORMAL` is enough for that, since the system
//!   keeps what a dead process has written. A power cut may take the last transactions, never the
//!   soundness of the file.
//! * **Nothing is lost by looking away.** Rewinding and summarising set rows aside by a mark
//!   (`active`, `compacted`); only deleting and pruning remove any.
//! * **The file belongs to others as well.** Its form is that of version 22, which the Python
//!   program of the same name writes; files of version 11 and later are used as they are, and what
//!   they lack is added. Columns, tables and indexes of others stay.
//! * **No call waits for anything but the disk and other writers.** All calls are plain functions
//!   that take well under a millisecond for a message; async code calls them as they are, or on a
//!   thread for blocking work when they read much.
//!
//! What never happens here: text of a user or a model becomes part of a statement. Search terms are
//! taken apart and quoted one by one.

mod compression;
mod content;
mod delegations;
mod error;
mod export;
#[cfg(test)]
mod file_tests;
mod find;
mod fts;
mod ids;
mod insights;
mod lineage;
mod message;
mod notes;
mod open;
mod repair;
mod row;
mod schema;
pub mod search;
mod session;
mod store;
#[cfg(test)]
mod tests;
mod title;
mod upkeep;
mod usage;

pub use compression::{CompressionLock, CompressionTrouble, LOCK_LIFE};
pub use content::Content;
pub use delegations::Delegation;
pub use error::{SessionsError, Trouble};
pub use export::{Export, Format, Only, Redact};
pub use find::{Archived, HIDDEN_SOURCES, ListFilter, SessionSummary};
pub use fts::IndexKind;
pub(crate) use ids::random as chance;
pub use ids::{new_session_id, now, when};
pub use insights::{Insights, ModelInsight};
pub use lineage::{BRANCHED_FROM, COMPRESSION, DELEGATE_FROM};
pub use message::{MessageRow, NewMessage, Rewound};
pub use repair::Repaired;
pub use schema::{OLDEST_VERSION, VERSION};
pub use session::{Archive, NewSession, SessionRow};
pub use store::{Result, SessionStore};
pub use title::{MAX_TITLE, TitleError, base_title, clean_title};
pub use upkeep::{Act, Optimized, PruneFilter, Stats};
pub use usage::Usage;
