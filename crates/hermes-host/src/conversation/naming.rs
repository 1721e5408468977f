//! Titles that conversations get by themselves.

use std::sync::Arc;

use hermes_agent::{Agent, title};
use hermes_sessions::SessionDatabase;
use hermes_tool::settings::Settings;
use tokio_util::sync::CancellationToken;

use super::{AgentConversation, lock};
use crate::Host;

/// What the user decided about titles.
#[derive(Settings)]
#[settings(path = "auxiliary.title_generation", about = "The model that names conversations", open)]
struct TitleSettings {
    /// Whether conversations get titles by themselves.
    #[setting(default = true)]
    enabled: bool,
}

/// Whether conversations get titles by themselves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    On,
    Off,
}

impl Naming {
    pub(super) fn read(host: &Host) -> Self {
        let settings = TitleSettings::read(host.config().value(), host.vars());
        if settings.enabled { Self::On } else { Self::Off }
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
