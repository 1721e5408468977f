//! Compaction in the middle of a turn, when the conversation has grown too long for the model.

use hermes_llm::ModelError;

use super::{LoopStep, Turn, TurnEnd};
use crate::agent::compact::{Compacted, CompactionRequest};
use crate::compaction::{Automatic, CompactionExtent};
use crate::event::NoticeLevel;

/// How often the history is made shorter before a turn begins.
const MAX_PASSES: u32 = 3;
/// A pass that saves less than this share was not worth another.
const WORTH_IT: f64 = 0.05;
/// A connection that breaks above this share of the window may break because of it.
const LARGE_SHARE: f64 = 0.6;
/// Or above this many tokens in a window of ordinary size, or this many messages.
const LARGE_TOKENS: u64 = 120_000;
const ORDINARY_WINDOW: u64 = 256_000;
const MANY_MESSAGES: usize = 200;

impl Turn<'_> {
    /// Before the turn's first question: as often as it helps.
    pub(super) async fn compact_before(&mut self) {
        for _ in 0..MAX_PASSES {
            let (tokens, messages) =
                (self.agent.context_tokens, self.agent.conversation.messages().len());
            if !self.is_too_long() || !self.compact_now(CompactionExtent::Enough).await {
                return;
            }
            let saved = tokens.saturating_sub(self.agent.context_tokens) as f64;
            let fewer = self.agent.conversation.messages().len() < messages;
            if !fewer && saved < tokens as f64 * WORTH_IT {
                return;
            }
        }
    }

    /// Before each question. A long job does so as often as it makes progress (`AntiThrash` counts).
    pub(super) async fn compact_if_long(&mut self) {
        if self.is_too_long() {
            self.compact_now(CompactionExtent::Enough).await;
        }
    }

    /// The provider says that the conversation does not fit.
    pub(super) async fn too_long(&mut self, limit: Option<u64>, error: ModelError) -> LoopStep {
        if let Some(limit) = limit {
            self.agent.chain.current().window.learn(limit);
        }
        let is_allowed = self.agent.compaction.settings.automatic == Automatic::On;
        if !self.agent.request_size().is_hopeless()
            && is_allowed
            && self.compact_now(CompactionExtent::Summary).await
        {
            return LoopStep::AgainForFree;
        }
        if self.cancel.is_cancelled() {
            return LoopStep::End(self.interrupted(""));
        }
        LoopStep::End(TurnEnd::failed(self.agent.request_size().does_not_fit(Some(&error))))
    }

    /// Instructions and tools alone fill the window: many a server would cut them without a word.
    pub(super) fn leaves_no_room(&self) -> Option<TurnEnd> {
        let size = self.agent.request_size();
        size.is_hopeless().then(|| TurnEnd::failed(size.does_not_fit(None)))
    }

    fn is_too_long(&self) -> bool {
        self.agent.compaction.settings.automatic == Automatic::On
            && self.agent.context_tokens.max(self.agent.estimate()) >= self.agent.threshold()
    }

    /// Whether it is shorter now.
    async fn compact_now(&mut self, extent: CompactionExtent) -> bool {
        let request = CompactionRequest { extent, focus: None, keep_last: None, insist: false };
        match self.agent.compact(request, self.cancel).await {
            Compacted::Yes { before, after, how } => {
                let text = format!(
                    "the conversation was made shorter ({before} to {after} tokens): {how}"
                );
                self.notice(NoticeLevel::Info, text);
                true
            }
            Compacted::No(why) => {
                // Each further question of the turn would say the same.
                if self.not_shorter.as_ref() != Some(&why) {
                    let text = format!("the conversation is long and was not made shorter: {why}");
                    self.notice(NoticeLevel::Warning, text);
                    self.not_shorter = Some(why);
                }
                false
            }
        }
    }

    /// Whether the conversation is so long that a broken connection may be due to that.
    pub(super) fn is_long(&self) -> bool {
        let window = self.agent.chain.current().window.tokens();
        let tokens = self.agent.context_tokens;
        tokens as f64 > window as f64 * LARGE_SHARE
            || (tokens > LARGE_TOKENS && window <= ORDINARY_WINDOW)
            || self.agent.conversation.messages().len() > MANY_MESSAGES
    }
}
