//! Which session a conversation goes on with.

use hermes_agent::conversation::Conversation;
use hermes_store::sessions::{SessionRow, SessionStore, new_session_id};

use crate::cli::TalkFlags;
use crate::exit::UsageError;

/// A conversation, new or taken up again.
pub(super) struct Chosen {
    pub(super) id: String,
    pub(super) conversation: Conversation,
    /// The instructions it was begun with.
    pub(super) prompt: Option<String>,
}

/// The session the flags name, or a new one.
pub(super) fn choose(
    flags: &TalkFlags,
    store: &SessionStore,
    source: &str,
) -> anyhow::Result<Chosen> {
    let row = match (&flags.resume, &flags.go_on) {
        (Some(which), _) => Some(find(store, which)?),
        (None, Some(Some(title))) => Some(find(store, title)?),
        (None, Some(None)) => Some(latest(store, source)?),
        (None, None) => None,
    };
    match row {
        Some(row) => take_up(store, row),
        None => {
            let id = new_session_id();
            let conversation = Conversation::new(id.clone(), Some(store.clone()));
            Ok(Chosen { id, conversation, prompt: None })
        }
    }
}

/// Takes a session up where it ended.
pub(super) fn take_up(store: &SessionStore, row: SessionRow) -> anyhow::Result<Chosen> {
    let rows = store.messages(&row.id)?;
    store.reopen(&row.id)?;
    let conversation = Conversation::resumed(row.id.clone(), rows, store.clone());
    Ok(Chosen { id: row.id, conversation, prompt: row.system_prompt })
}

pub(super) fn find(store: &SessionStore, which: &str) -> anyhow::Result<SessionRow> {
    store.find_tip(which).map_err(|problem| UsageError::new(problem.to_string()).into())
}

fn latest(store: &SessionStore, source: &str) -> anyhow::Result<SessionRow> {
    let Some(row) = store.latest(source)? else {
        return Err(UsageError::new("there is no session to continue yet").into());
    };
    Ok(store.find_tip(&row.id)?)
}
