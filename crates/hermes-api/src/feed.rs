//! What happens in a turn, for one reader.
//!
//! The turn never waits for the reader: what was not fetched yet is kept, and words that follow each other become one piece.
//! So what waits is at most what the turn says and does, once.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_agent::{AgentEvent, FrontEnd};
use hermes_host::NOBODY_ANSWERS;
use hermes_llm::model::BoxFuture;
use serde_json::Value;
use tokio::sync::Notify;

/// Something worth telling.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FeedItem {
    /// More of the answer.
    Text(String),
    /// More of the thinking.
    Reasoning(String),
    /// A tool begins.
    ToolStarted { id: String, tool: String, args: Value },
    /// A tool is done.
    ToolFinished { id: String, tool: String, output: String, failed: bool, took: Duration },
}

#[derive(Default)]
struct Waiting {
    items: VecDeque<FeedItem>,
    is_over: bool,
}

/// The events of one turn.
#[derive(Default)]
pub(crate) struct Feed {
    waiting: Mutex<Waiting>,
    news: Notify,
}

impl Feed {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, item: FeedItem) {
        let mut waiting = self.lock();
        match (waiting.items.back_mut(), item) {
            (Some(FeedItem::Text(last)), FeedItem::Text(more))
            | (Some(FeedItem::Reasoning(last)), FeedItem::Reasoning(more)) => last.push_str(&more),
            (_, item) => waiting.items.push_back(item),
        }
        drop(waiting);
        self.news.notify_one();
    }

    /// Nothing more will come.
    pub(crate) fn end(&self) {
        self.lock().is_over = true;
        self.news.notify_one();
    }

    /// The next item; none once the turn is over and everything was fetched.
    pub(crate) async fn next(&self) -> Option<FeedItem> {
        loop {
            let news = self.news.notified();
            {
                let mut waiting = self.lock();
                if let Some(item) = waiting.items.pop_front() {
                    return Some(item);
                }
                if waiting.is_over {
                    return None;
                }
            }
            news.await;
        }
    }
}

impl FrontEnd for Feed {
    fn on_event(&self, event: AgentEvent) {
        let item = match event {
            AgentEvent::Text(text) if !text.is_empty() => FeedItem::Text(text),
            AgentEvent::Reasoning(text) if !text.is_empty() => FeedItem::Reasoning(text),
            AgentEvent::ToolStarted { id, tool, args } => FeedItem::ToolStarted { id, tool, args },
            AgentEvent::ToolFinished { id, tool, output, failed, took, .. } => {
                FeedItem::ToolFinished { id, tool, output, failed, took }
            }
            _ => return,
        };
        self.push(item);
    }

    fn clarify<'a>(&'a self, _: &'a str, _: &'a [String]) -> BoxFuture<'a, Option<String>> {
        Box::pin(std::future::ready(Some(NOBODY_ANSWERS.to_owned())))
    }
}

/// The beginning of a call's arguments, for people.
pub(crate) fn preview(args: &Value) -> String {
    /// Characters of it.
    const LENGTH: usize = 80;
    let first = args.as_object().and_then(|args| args.values().find_map(Value::as_str));
    let line = first.unwrap_or_default().lines().next().unwrap_or_default();
    line.chars().take(LENGTH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn words_that_wait_become_one_piece_and_order_is_kept() {
        let feed = Feed::default();
        feed.on_event(AgentEvent::Text("a".into()));
        feed.on_event(AgentEvent::Text("b".into()));
        feed.on_event(AgentEvent::Reasoning("hm".into()));
        feed.on_event(AgentEvent::Text("c".into()));
        feed.end();
        assert_eq!(feed.next().await, Some(FeedItem::Text("ab".into())));
        assert_eq!(feed.next().await, Some(FeedItem::Reasoning("hm".into())));
        assert_eq!(feed.next().await, Some(FeedItem::Text("c".into())));
        assert_eq!(feed.next().await, None);
    }
}
