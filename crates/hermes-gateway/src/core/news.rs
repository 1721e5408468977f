//! What became of work in the background: a process that ended or wrote what is watched for, subagents that are done. It comes
//! into the inbox like a message, of the chat and the person whose turn began the work, so that it survives a kill and is
//! answered once; it is no command, decides no question and interrupts nothing.

use std::sync::Arc;

use hermes_exec::background::{ProcessEventKind, Processes};
use hermes_tools::delegation::LateReport;
use tokio::sync::mpsc::UnboundedReceiver;

use super::{Gateway, lock, token};
use crate::adapter::{ChatSource, InboundEvent, InboundMessage, Intake as _};

/// Sessions that are minded before those without processes are forgotten.
const MAX_MINDED: usize = 1_000;
/// Most characters of one piece of news.
const MAX_NEWS: usize = 60_000;

impl Gateway {
    /// Remembers where a session talks, for what it begins.
    pub(super) fn mind(&self, session: &str, source: &ChatSource) {
        let mut minded = lock(&self.minded);
        if minded.len() >= MAX_MINDED && !minded.contains_key(session) {
            let tracked = self.processes().list();
            minded.retain(|known, _| tracked.iter().any(|one| one.start.session_key == *known));
        }
        minded.insert(session.to_owned(), source.clone());
    }

    fn processes(&self) -> &Arc<Processes> {
        self.factory.tools().environments().processes()
    }

    /// Brings news to the chats they belong to until the gateway ends.
    pub(crate) async fn tell_news(self: Arc<Self>, mut later: UnboundedReceiver<LateReport>) {
        loop {
            tokio::select! {
                () = self.processes().news() => self.tell_of_processes().await,
                Some(report) = later.recv() => self.wake(&report.session, &report.text).await,
            }
        }
    }

    async fn tell_of_processes(&self) {
        let sessions: Vec<String> = lock(&self.minded).keys().cloned().collect();
        for session in sessions {
            for event in self.processes().drain(&session) {
                let is_end = matches!(event.kind, ProcessEventKind::Completion { .. });
                // Whoever waited for the end knows of it.
                if !(is_end && self.processes().is_consumed(&event.id)) {
                    self.wake(&session, &event.render()).await;
                }
            }
        }
    }

    async fn wake(&self, session: &str, text: &str) {
        let Some(source) = lock(&self.minded).get(session).cloned() else {
            tracing::info!(session, "news of a session that talks nowhere");
            return;
        };
        let platform = source.platform.clone();
        let said = InboundMessage {
            source: ChatSource { message_id: None, ..source },
            message_id: format!("news-{}", token(16)),
            text: text.chars().take(MAX_NEWS).collect(),
            is_news: true,
            ..InboundMessage::default()
        };
        let event = InboundEvent::Message(Box::new(said));
        if let Err(error) = self.accept(&platform, vec![event], Vec::new()).await {
            tracing::warn!(%error, "news of work in the background are lost");
        }
    }
}
