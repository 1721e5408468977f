//! Which session an agent goes on with.

use hermes_agent::conversation::Conversation;
use hermes_sessions::{SessionDatabase, SessionRow, SessionStore, new_session_id};

use crate::HostError;

/// Which session an agent begins in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Continue {
    /// A new one.
    #[default]
    New,
    /// The one of this id, beginning of an id, or title.
    Named(String),
    /// The newest of the same source.
    Latest,
}

/// A conversation, new or resumed.
pub struct ChosenSession {
    /// The id in the database.
    pub id: String,
    /// What was said in it so far, and where it is kept.
    pub conversation: Conversation,
    /// The system prompt it was begun with.
    pub prompt: Option<String>,
}

/// The session that was asked for, or a new one.
pub(super) async fn choose(
    which: &Continue,
    store: &SessionStore,
    source: &str,
) -> Result<ChosenSession, HostError> {
    match which {
        Continue::Named(which) => resume_session(store, find_session(store, which).await?).await,
        Continue::Latest => resume_session(store, latest(store, source).await?).await,
        Continue::New => {
            let id = new_session_id();
            let conversation = Conversation::new(id.clone(), Some(store.clone()));
            Ok(ChosenSession { id, conversation, prompt: None })
        }
    }
}

/// Opens a session again where it ended.
///
/// # Errors
/// If the database cannot be read.
pub async fn resume_session(
    store: &SessionStore,
    row: SessionRow,
) -> Result<ChosenSession, HostError> {
    let id = row.id.clone();
    let rows = store.read(move |database| database.messages(&id)).await?;
    let conversation = Conversation::resumed(row.id.clone(), rows, store.clone());
    Ok(ChosenSession { id: row.id, conversation, prompt: row.system_prompt })
}

/// The newest continuation of the session of this id, beginning of an id, or title.
///
/// # Errors
/// If there is none, or several.
pub async fn find_session(store: &SessionStore, which: &str) -> Result<SessionRow, HostError> {
    let which = which.to_owned();
    let found = store.read(move |database| database.find_tip(&which)).await;
    found.map_err(HostError::NoSuchSession)
}

async fn latest(store: &SessionStore, source: &str) -> Result<SessionRow, HostError> {
    let source = source.to_owned();
    let look = move |database: &SessionDatabase| match database.latest(&source)? {
        Some(row) => database.find_tip(&row.id).map(Some),
        None => Ok(None),
    };
    store.read(look).await?.ok_or(HostError::NothingToContinue)
}
