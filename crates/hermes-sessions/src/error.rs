//! What can go wrong with the database, in kinds a host can act on.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use super::title::TitleError;

/// What kind of trouble the database is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseTrouble {
    /// Another process kept it locked for too long.
    Busy,
    /// Its bytes make no sense, or it is no database at all.
    Corrupt,
    /// The disk is full.
    Full,
    /// The file, its folder or its file system cannot be written to.
    ReadOnly,
    /// It cannot be opened.
    CannotOpen,
    /// Anything else.
    Other,
}

impl DatabaseTrouble {
    pub(super) fn of(error: &rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Corrupt,
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly,
            Some(ErrorCode::CannotOpen) => Self::CannotOpen,
            _ => Self::Other,
        }
    }

    fn explained(self) -> &'static str {
        match self {
            Self::Busy => "another program holds it locked; try again when that one is done",
            Self::Corrupt => "it is damaged; `hermes sessions repair` saves what can be read",
            Self::Full => "the disk is full; free some space and try again",
            Self::ReadOnly => "it cannot be written to; check the permissions of the folder",
            Self::CannotOpen => "it cannot be opened; check that the folder can be used",
            Self::Other => "the database refused",
        }
    }
}

/// What every act on the database answers: an error says which file it is about.
pub type Result<T> = std::result::Result<T, SessionsError>;

/// Why something about sessions could not be done.
#[derive(Debug, thiserror::Error)]
pub enum SessionsError {
    /// The database could not do it.
    #[error("sessions database {}: {} ({source})", .path.display(), .trouble.explained())]
    Database {
        /// What kind of trouble.
        trouble: DatabaseTrouble,
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// A file beside the database could not be made or copied.
    #[error("cannot {act} {}: {source}", .path.display())]
    File {
        /// What was tried.
        act: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// The database is from before the oldest form that can be read.
    #[error(
        "sessions database {}: its form {version} is older than {}, the oldest that can be read; \
         move the file away to begin a new one",
        .path.display(), super::tables::OLDEST_VERSION
    )]
    TooOld {
        /// The file.
        path: PathBuf,
        /// The version it states.
        version: i64,
    },
    /// No session goes by this name.
    #[error("there is no session `{wanted}`; `hermes sessions list` shows them")]
    NoSession {
        /// The id, beginning of an id or title.
        wanted: String,
    },
    /// A session does not hold this message.
    #[error("session {session} has no message {message}")]
    NoMessage {
        /// The session.
        session: String,
        /// The number of the message.
        message: i64,
    },
    /// The conversation that asks is the one asked about.
    #[error("session {session} is the present conversation: what was said in it is known already")]
    OwnConversation {
        /// The session.
        session: String,
    },
    /// Several ids begin like this.
    #[error("`{wanted}` is the beginning of several sessions: {}", .ids.join(", "))]
    Ambiguous {
        /// The beginning.
        wanted: String,
        /// Some of the ids.
        ids: Vec<String>,
    },
    /// A session with this id exists already.
    #[error("there is already a session `{id}`")]
    Exists {
        /// The id.
        id: String,
    },
    /// What was queued is not in the database yet, because another program holds it locked.
    #[error(
        "{changes} changes are not in the session database yet, which another program holds locked; \
         they are kept in {} and written when Hermes next uses it", .file.display()
    )]
    Unwritten {
        /// How many.
        changes: usize,
        /// Where they are kept meanwhile.
        file: PathBuf,
    },
    /// The thread that works on the database could not be started, or has ended.
    #[error("the thread for the session database is not there: {why}")]
    NoThread {
        /// What is known about it.
        why: String,
    },
    /// The title cannot be used.
    #[error(transparent)]
    Title(#[from] TitleError),
}

impl SessionsError {
    /// What kind of trouble the database is in, if that is what went wrong.
    #[must_use]
    pub fn trouble(&self) -> Option<DatabaseTrouble> {
        match self {
            Self::Database { trouble, .. } => Some(*trouble),
            _ => None,
        }
    }

    /// Whether another process is in the way, and the same act may work a moment later.
    pub(super) fn is_busy(&self) -> bool {
        self.trouble() == Some(DatabaseTrouble::Busy)
    }

    /// Whether nothing can be kept from now on: the host goes on without, and says so.
    #[must_use]
    pub fn ends_persistence(&self) -> bool {
        match self {
            Self::Database { trouble, .. } => *trouble != DatabaseTrouble::Busy,
            Self::File { .. } | Self::TooOld { .. } => true,
            _ => false,
        }
    }

    /// What is said when nobody asked SQLite, because others wait before.
    pub(super) fn busy(file: &Path) -> Self {
        let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
        Self::from(rusqlite::Error::SqliteFailure(code, None)).at(file)
    }

    /// The same error, with the file it is about.
    pub(super) fn at(mut self, file: &Path) -> Self {
        if let Self::Database { path, .. } | Self::TooOld { path, .. } = &mut self {
            file.clone_into(path);
        }
        self
    }
}

impl From<rusqlite::Error> for SessionsError {
    /// The file is filled in where it is known.
    fn from(source: rusqlite::Error) -> Self {
        Self::Database { trouble: DatabaseTrouble::of(&source), path: PathBuf::new(), source }
    }
}
