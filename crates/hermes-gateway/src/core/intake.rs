//! What adapters bring is judged and stored.

use hermes_sessions::InboxEntry;

use super::Gateway;
use crate::adapter::{AdapterFuture, InboundEvent, InboxError, Intake};
use crate::who::Verdict;

impl Intake for Gateway {
    fn accept<'a>(
        &'a self,
        platform: &'a str,
        events: Vec<InboundEvent>,
        marks: Vec<(String, String)>,
    ) -> AdapterFuture<'a, Result<(), InboxError>> {
        Box::pin(async move {
            let entries: Vec<InboxEntry> =
                events.into_iter().map(|event| self.entry(platform, event)).collect();
            let platform = platform.to_owned();
            let kept = self
                .store
                .write(move |database| database.gateway_accept(&platform, &entries, &marks))
                .await;
            kept.map_err(|error| InboxError { what: error.to_string() })?;
            self.news.notify_one();
            Ok(())
        })
    }

    fn mark<'a>(&'a self, platform: &'a str, name: &'a str) -> AdapterFuture<'a, Option<String>> {
        Box::pin(async move {
            let (platform, name) = (platform.to_owned(), name.to_owned());
            self.store.read(move |database| database.gateway_mark(&platform, &name)).await.ok()?
        })
    }
}

impl Gateway {
    /// What is stored of an event. Of a stranger's nothing but who it was.
    fn entry(&self, platform: &str, event: InboundEvent) -> InboxEntry {
        let identity = event.identity();
        let chat_id = event.source().chat_id.clone();
        let event = match (self.links.get(platform), event) {
            (Some(link), InboundEvent::Message(mut message)) => {
                let verdict = link.policy.judge(&message.source, message.is_vouched, &self.pairing);
                if verdict != Verdict::Welcome {
                    message.text.clear();
                    message.media.clear();
                    message.reply_to = None;
                    message.forwarded_from = None;
                }
                InboundEvent::Message(message)
            }
            (_, event) => event,
        };
        let event_json = serde_json::to_string(&event).unwrap_or_default();
        InboxEntry { chat_id, identity, event_json }
    }
}
