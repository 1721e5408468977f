//! The session database: sessions and their messages, in one SQLite file with full-text search.
//!
//! The file is `state.db` of a home. There are two ways to it:
//!
//! * [`SessionDatabase`] has all the acts, as plain functions that wait for the disk. Command-line
//!   commands use it, and whoever works on a thread of their own.
//! * [`SessionStore`] is for async programs. It runs the same acts on two threads of its own, one that
//!   writes and one that reads; a [`SessionRecorder`] queues what is said in one conversation.
//!
//! Both are cheap to clone and open nothing before they are used; looking something up in a file that
//! does not exist answers "nothing" and makes none.
//!
//! ```
//! use hermes_sessions::{NewMessage, NewSession, SessionDatabase, new_session_id};
//! # let folder = tempfile::tempdir()?;
//! # let home = hermes_store::home::Home::at(folder.path());
//! let database = SessionDatabase::at(home.state_db());
//! let id = new_session_id();
//! database.create(&NewSession { id: id.clone(), source: "cli".into(), ..NewSession::default() })?;
//! database.append(&id, &[NewMessage::new("user", "Where is the zebra?")])?;
//! database.append(&id, &[NewMessage::new("assistant", "In the savanna.")])?;
//! assert_eq!(database.messages(&id)?.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What holds:
//!
//! * **One writer.** A [`SessionStore`] writes on one thread, in the order in which it was asked to.
//!   Every change is one transaction that claims the right to write at its beginning, so two processes
//!   never deadlock; they wait for each other, with random pauses. The thread that reads changes
//!   something only to mend a damaged search index.
//! * **What was acknowledged is kept.** When a call returns, or a recorder says
//!   [`Recorded::Written`], a process may be killed: the rows are there. A write-ahead log with
//!   `synchronous = NORMAL` is enough for that, since the system keeps what a dead process has written.
//!   A power cut may take the last transactions, never the soundness of the file.
//! * **A locked database holds nobody up.** While another program holds it, a recorder puts what is said
//!   into a file beside it and says [`Recorded::Beside`]. It moves to the database, once and in order,
//!   when that is free, or when the next process starts ([`recover`]).
//! * **Nothing is lost by looking away.** Rewinding and summarising set rows aside by a mark
//!   (`active`, `compacted`); only deleting and pruning remove any.
//! * **The file belongs to others as well.** Its form is that of version 22, which the Python
//!   program of the same name writes; files of version 11 and later are used as they are, and what
//!   they lack is added. Columns, tables and indexes of others stay.
//!
//! What never happens here: text of a user or a model becomes part of a statement. Search terms are
//! taken apart and quoted one by one.

mod backup;
mod change;
mod compaction;
mod compaction_lock;
mod content;
mod database;
mod error;
mod export;
#[cfg(test)]
mod file_tests;
mod find;
mod fts;
mod gateway;
mod ids;
mod insights;
mod journal;
mod lineage;
mod message;
mod notes;
mod open;
mod page;
mod recorder;
mod repair;
mod row;
mod schema;
pub mod search;
mod session;
mod store;
#[cfg(test)]
mod store_tests;
mod tables;
#[cfg(test)]
mod tests;
mod title;
mod upkeep;
mod usage;
mod writer;

pub use change::MessageRef;
pub use compaction::LOCK_LIFE;
pub use compaction_lock::CompactionLock;
pub use content::Content;
pub use database::SessionDatabase;
pub use error::{DatabaseTrouble, Result, SessionsError};
pub use export::{Export, Format, Only, Redact};
pub use find::{Archived, HIDDEN_SOURCES, ListFilter, SessionSummary};
pub use fts::IndexKind;
pub use gateway::{InboxEntry, InboxRow, InboxState, Obligation, ObligationState, RoutingRow};
pub use ids::new_session_id;
pub use insights::{DayInsight, Insights, ModelInsight};
pub use journal::recover;
pub use lineage::{BRANCHED_FROM, COMPRESSION, DELEGATE_FROM};
pub use message::{MessageRow, NewMessage, Rewound};
pub use page::laid_out;
pub use recorder::{Recorded, SessionRecorder};
pub use repair::Repaired;
pub use session::{Archive, NewSession, SessionRow};
pub use store::SessionStore;
pub use tables::{OLDEST_VERSION, VERSION};
pub use title::{MAX_TITLE, TitleError, base_title, clean_title};
pub use upkeep::{Act, Optimized, PruneFilter, Stats};
pub use usage::Usage;
