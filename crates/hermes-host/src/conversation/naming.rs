//! Titles that conversations get by themselves.

use std::sync::Arc;

use hermes_agent::{Agent, title};
use hermes_sessions::SessionDatabase;
use tokio_util::sync::CancellationToken;

use super::{AgentConversation, lock};
use crate::Host;

/// Whether conversations get titles by themselves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    On,
    Off,
}

impl Naming {
    pub(super) fn read(host: &Host) -> Self {
        match host.config().value()["auxiliary"]["title_generation"]["enabled"].as_bool() {
            Some(false) => Self::Off,
            _ => Self::On,
        }
    }
}

impl AgentConversation {
    /// Gives the conversation a title after its first exchange, beside whatever happens next.
    pub(super) fn name_it(&self, agent: &Agent) {
        if self.naming == Naming::Off || lock(&self.status).title.is_some() {
            return;
        }
        let Some(request) = title::request(agent.conversation().messages()) else { return };
        let (model, store) = (Arc::clone(&agent.chain().current().model), self.parts.store.clone());
        let (session, status) = (agent.conversation().id().to_owned(), Arc::clone(&self.status));
        // One try: if it fails, the next exchange brings another.
        tokio::spawn(async move {
            let cancel = CancellationToken::new();
            let Ok(answer) = model.answer(&request, &mut |_| {}, &cancel).await else { return };
            let Some(title) = title::read(&answer.content) else { return };
            let id = session.clone();
            let name = move |database: &SessionDatabase| database.set_title_if_none(&id, &title);
            if let Ok(kept) = store.write(name).await {
                let mut status = lock(&status);
                if status.session_id == session {
                    status.title = Some(kept);
                }
            }
        });
    }
}
