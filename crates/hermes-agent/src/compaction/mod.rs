//! Context compaction (`compression` in the configuration, `/compress` in the chat): making a long conversation short
//! enough to go on.
//!
//! When a conversation comes near the end of the model's context window ([`CompactionSettings::threshold_tokens`]),
//! [`compact`] makes a shorter history from it:
//!
//! 1. old results become one line each, repeated ones stand once, old images go ([`CompactionJob`] says how
//!    many of the newest messages are left alone). If that is enough, it ends here and no model is asked;
//! 2. the history is cut into a head, a middle and a tail, never between a call and its results;
//! 3. a model summarises the middle. An earlier summary is brought up to date, not put into another. Should
//!    the model fail for good, an outline is put together without one; should it fail for now (no network,
//!    no quota), the history stays and the caller waits before it tries again;
//! 4. head, summary, the person's newest message, open todo items and tail are joined.
//!
//! What never happens here: anything is stored. The answer is the new history and how much of the old one
//! stands at its beginning ([`CompactedHistory::kept`]); the caller marks the messages after that as
//! compacted and appends the rest. The result is never longer than what it came from, and the person's
//! newest message is always in it word for word.

mod cut;
mod one_line;
mod outline;
mod prune;
mod settings;
mod summary;
mod thrash;

#[cfg(test)]
mod tests;

use std::time::Duration;

use hermes_llm::message::{Message, Role};
use hermes_llm::metadata::estimate_message;
use hermes_llm::model::{BoxFuture, ErrorClass, ModelError, ModelRequest};
use hermes_tool::ToolPolicy;

use crate::history::estimate_tokens;

pub use settings::{Automatic, CompactionSettings, OnFailure};
pub use summary::{END as SUMMARY_END, PREFIX as SUMMARY_PREFIX};
pub use thrash::AntiThrash;

/// How long to wait after a failure that passes by itself.
pub const COOLDOWN: Duration = Duration::from_secs(600);

/// The model that writes summaries, as a compaction sees it.
pub trait Summariser: Send + Sync {
    /// Answers the request with text.
    fn summarise<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxFuture<'a, Result<String, ModelError>>;
}

/// What the tool of a name declares; the usual for tools that are no longer there.
pub type PolicyLookup<'a> = &'a (dyn Fn(&str) -> ToolPolicy + Send + Sync);

/// What is to be made shorter, and the limits it has to meet.
pub struct CompactionJob<'a> {
    /// The stored conversation, without the system prompt.
    pub history: &'a [Message],
    /// The section `compression` of the configuration.
    pub settings: &'a CompactionSettings,
    /// The model's window in tokens.
    pub window: u64,
    /// Tokens from which the conversation is too long.
    pub threshold: u64,
    /// Tokens of the last request, instructions and tools included, as counted or estimated.
    pub request_tokens: u64,
    /// How far to go.
    pub extent: CompactionExtent,
    /// What the user wants kept above all (`/compress FOCUS`).
    pub focus: Option<&'a str>,
    /// The open steps of the todo list.
    pub todo_note: Option<String>,
    /// What tools declare about their old results.
    pub policies: PolicyLookup<'a>,
}

/// How far a compaction goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompactionExtent {
    /// No further than is needed.
    Enough,
    /// With a summary in any case.
    Summary,
}

/// What a compaction led to.
#[derive(Debug)]
pub enum CompactionOutcome {
    /// There is a shorter history.
    Changed(CompactedHistory),
    /// Nothing can be made shorter.
    Unchanged,
    /// The summary failed; the history stays as it is for now.
    Postponed {
        /// How the summarising model failed.
        error: ModelError,
        /// How long to wait before the next try.
        cooldown: Duration,
        /// What pruning alone would give, for a request that must be made shorter at any price.
        pruned: Option<CompactedHistory>,
    },
}

/// A history after a compaction, and how much of the old one it begins with.
#[derive(Debug)]
pub struct CompactedHistory {
    /// The messages from now on.
    pub messages: Vec<Message>,
    /// How many of the old ones stand unchanged at the beginning. The old ones after them are to be marked
    /// as compacted and `messages[kept..]` appended.
    pub kept: usize,
    /// Estimated tokens of the old messages.
    pub tokens_before: u64,
    /// Estimated tokens of the new ones.
    pub tokens_after: u64,
    /// Which of the steps were needed.
    pub how: CompactionMethod,
}

impl CompactedHistory {
    /// Tokens there are fewer of, as estimated.
    #[must_use]
    pub fn freed(&self) -> u64 {
        self.tokens_before.saturating_sub(self.tokens_after)
    }
}

/// How a history was made shorter.
#[derive(Debug)]
pub enum CompactionMethod {
    /// By pruning alone.
    Pruned,
    /// With a summary by a model.
    Summarised,
    /// With an outline, because the model failed.
    Outline {
        /// How it failed.
        error: ModelError,
    },
}

/// Makes a history shorter, by pruning alone where that is enough.
pub async fn compact(job: &CompactionJob<'_>, summariser: &dyn Summariser) -> CompactionOutcome {
    let before = estimate_tokens(job.history);
    let pruned = prune::prune(job.history, job.settings.protect_last, job.policies);
    let rest = job.request_tokens.saturating_sub(before);
    // A little below the threshold, or the next call would be here again.
    let goal = job.threshold / 10 * 8;
    let after = estimate_tokens(&pruned);
    let is_enough =
        after + rest <= goal && thrash::is_worth_it(before.saturating_sub(after), job.window);
    if job.extent == CompactionExtent::Enough && is_enough {
        return changed(job, pruned, CompactionMethod::Pruned)
            .map_or(CompactionOutcome::Unchanged, CompactionOutcome::Changed);
    }

    let (mut plain, previous) = summary::take_out(&pruned);
    plain.retain(is_sent);
    let head = if previous.is_some() { 0 } else { job.settings.protect_first };
    let Some(cut) = cut::cut(&plain, head, job.settings.tail_tokens(job.threshold)) else {
        return changed(job, pruned, CompactionMethod::Pruned)
            .map_or(CompactionOutcome::Unchanged, CompactionOutcome::Changed);
    };
    let middle = cut.summarised(&plain);
    let budget = summary::budget(tokens_of(&middle), job.window);
    let wanted = summary::SummaryInput {
        messages: &middle,
        previous: previous.as_deref(),
        focus: job.focus,
        budget,
        window: job.window,
    };
    let answer = summariser.summarise(&summary::request(&wanted)).await;
    let answer = answer.and_then(|text| summary::accept(&text, budget).ok_or_else(no_summary));
    let (text, how) = match answer {
        Ok(text) => (text, CompactionMethod::Summarised),
        Err(error) if passes(&error) || job.settings.on_failure == OnFailure::Keep => {
            let pruned = changed(job, pruned, CompactionMethod::Pruned);
            return CompactionOutcome::Postponed { error, cooldown: COOLDOWN, pruned };
        }
        Err(error) => {
            let outline = outline::summarise(&middle, previous.as_deref(), job.policies);
            (outline, CompactionMethod::Outline { error })
        }
    };
    let joined = join(&plain, &cut, &text, job.todo_note.as_deref());
    let shorter =
        changed(job, joined, how).or_else(|| changed(job, pruned, CompactionMethod::Pruned));
    shorter.map_or(CompactionOutcome::Unchanged, CompactionOutcome::Changed)
}

/// Head, summary, open steps, the newest wish, tail. Neighbours of one role become one when sent.
fn join(plain: &[Message], cut: &cut::HistoryCut, text: &str, todo: Option<&str>) -> Vec<Message> {
    let mut joined = plain[..cut.middle.start].to_vec();
    joined.push(summary::message(text));
    joined.extend(todo.map(Message::user));
    joined.extend(cut.asked.map(|at| plain[at].clone()));
    joined.extend_from_slice(&plain[cut.middle.end..]);
    joined
}

/// The change, unless it is none for the better.
fn changed(
    job: &CompactionJob<'_>,
    messages: Vec<Message>,
    how: CompactionMethod,
) -> Option<CompactedHistory> {
    let tokens_before = estimate_tokens(job.history);
    let tokens_after = estimate_tokens(&messages);
    if tokens_after >= tokens_before {
        return None;
    }
    let same = job.history.iter().zip(&messages).take_while(|(old, new)| old == new);
    let kept = same.count();
    Some(CompactedHistory { messages, kept, tokens_before, tokens_after, how })
}

/// Whether a message is sent at all; see [`crate::history`].
fn is_sent(message: &Message) -> bool {
    match message.role {
        Role::System => false,
        Role::User => !(message.content.is_blank() && message.api_content.is_none()),
        Role::Assistant => !(message.content.is_blank() && message.tool_calls.is_empty()),
        Role::Tool => true,
    }
}

fn tokens_of(messages: &[&Message]) -> u64 {
    messages.iter().map(|message| estimate_message(message)).sum()
}

/// Whether a failure has to do with the moment and not with what was asked.
fn passes(error: &ModelError) -> bool {
    matches!(
        error.class,
        ErrorClass::Auth
            | ErrorClass::Billing
            | ErrorClass::RateLimit
            | ErrorClass::UpstreamRateLimit
            | ErrorClass::Overloaded
            | ErrorClass::Timeout
            | ErrorClass::NotRunning
            | ErrorClass::ServerError
            | ErrorClass::Tls
            | ErrorClass::Dropped
            | ErrorClass::Cancelled
    )
}

fn no_summary() -> ModelError {
    ModelError {
        class: ErrorClass::InvalidResponse,
        message: "the model gave no summary".to_owned(),
        advice: None,
        status: None,
        retry_after: None,
        limit: None,
        partial: None,
    }
}
