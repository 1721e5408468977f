//! Asks a model for the summary of turns.

use std::sync::Arc;
use std::time::Duration;

use hermes_agent::model_chain::Pricing;
use hermes_host::{Host, ModelSources, SessionModels};
use hermes_llm::provider::EndpointChoice;
use hermes_llm::{Message, Model, ModelRequest, Secret, TokenUsage};
use tokio_util::sync::CancellationToken;

use super::TrajectoryTurn;
use super::options::{CompressOptions, SummaryOptions};
use crate::BatchError;

/// What the model of summaries is called where none is configured.
const USUAL_MODEL: &str = "google/gemini-3-flash-preview";
/// Who serves it.
const USUAL_PROVIDER: &str = "openrouter";
/// The variable with the key for it.
const USUAL_KEY: &str = "OPENROUTER_API_KEY";
/// What every summary begins with.
pub(super) const MARK: &str = "[CONTEXT SUMMARY]:";
/// Characters of a turn that are shown whole; of longer ones the begin and the end.
const SHOWN: (usize, usize, usize) = (3_000, 1_500, 500);
/// Longest wait between two tries, in seconds.
const LONGEST_WAIT: f64 = 30.0;

/// Writes summaries.
pub struct TrajectorySummariser {
    model: Arc<dyn Model>,
    pricing: Option<Pricing>,
    options: SummaryOptions,
    tokens: u64,
}

/// A summary, or why there is none, and what was asked for it.
pub(super) struct Summarised {
    pub(super) text: Result<String, String>,
    pub(super) calls: u32,
    pub(super) errors: u32,
}

impl TrajectorySummariser {
    /// Finds the model. The usual one is taken if nothing else is said and there is a key for it, else the configured
    /// one.
    ///
    /// # Errors
    /// If no model can be asked, or the variable with the key is not set.
    pub async fn of(host: &Host, options: &CompressOptions) -> Result<Self, BatchError> {
        let wanted = &options.summary;
        let key = |name: &str| host.vars().get(name).filter(|key| !key.is_empty());
        let named = match wanted.api_key_env.as_deref() {
            None => None,
            Some(name) => Some(key(name).ok_or_else(|| {
                BatchError::usage(format!(
                    "the variable {name}, which should hold the key for summaries, is not set"
                ))
            })?),
        };
        let is_said = wanted.model.is_some() || wanted.base_url.is_some();
        let choice = match (is_said, key(USUAL_KEY)) {
            (false, Some(usual)) => EndpointChoice {
                provider: Some(USUAL_PROVIDER.to_owned()),
                model: Some(USUAL_MODEL.to_owned()),
                base_url: None,
                api_key: Some(Secret::new(named.unwrap_or(usual).to_owned())),
            },
            _ => EndpointChoice {
                provider: None,
                model: wanted.model.clone(),
                base_url: wanted.base_url.clone(),
                api_key: named.map(|key| Secret::new(key.to_owned())),
            },
        };
        let chain = SessionModels::of(&ModelSources::of(host), &choice).await?.chain();
        let primary = chain.primary();
        Ok(Self {
            model: Arc::clone(&primary.model),
            pricing: primary.pricing.clone(),
            options: wanted.clone(),
            tokens: options.summary_tokens,
        })
    }

    /// Which model it asks.
    #[must_use]
    pub fn model(&self) -> &str {
        self.model.name()
    }

    /// Dollars for so many summaries of so many tokens together, if the price is known.
    #[must_use]
    pub fn price(&self, rows: u64, tokens: u64) -> Option<f64> {
        let usage = TokenUsage {
            input_tokens: tokens,
            output_tokens: rows * self.tokens,
            ..TokenUsage::default()
        };
        self.pricing.as_ref().and_then(|price| price(&usage))
    }

    /// Asks until there is a summary or the tries are used up. `first` is the place of the first turn.
    pub(super) async fn summarise(
        &self,
        text: String,
        mut jitter: impl FnMut() -> f64 + Send,
        cancel: &CancellationToken,
    ) -> Summarised {
        let request = ModelRequest {
            system: None,
            messages: vec![Message::user(question(&text, self.tokens))],
            tools: Arc::new([]),
            max_tokens: u32::try_from(self.tokens * 2).ok(),
            effort: None,
            temperature: Some(self.options.temperature),
            session_id: None,
            cache: hermes_llm::model::CachePlan::Once,
        };
        let (mut calls, mut errors) = (0, 0);
        loop {
            calls += 1;
            let why = match self.model.answer(&request, &mut |_| {}, cancel).await {
                Ok(answer) if !answer.content.trim().is_empty() => {
                    return Summarised { text: Ok(marked(&answer.content)), calls, errors };
                }
                Ok(_) => "the model said nothing".to_owned(),
                Err(error) => error.message,
            };
            errors += 1;
            if calls > self.options.max_retries || cancel.is_cancelled() {
                return Summarised { text: Err(why), calls, errors };
            }
            let wait = (self.options.retry_delay * 2_f64.powi(calls as i32 - 1)).min(LONGEST_WAIT);
            let wait = Duration::try_from_secs_f64(wait * (1.0 + jitter() / 2.0));
            tokio::select! {
                () = cancel.cancelled() => {}
                () = tokio::time::sleep(wait.unwrap_or_default()) => {}
            }
        }
    }
}

fn marked(text: &str) -> String {
    let text = text.trim();
    let text = text.strip_prefix(MARK).map_or(text, str::trim_start);
    format!("{MARK} {text}")
}

fn question(turns: &str, tokens: u64) -> String {
    format!(
        "Below are turns from the middle of a conversation between a person, a model and its tools. They will be \
         replaced by your summary, and the model goes on from there. Say what was tried, what was found out (names, \
         paths, numbers, errors as they were), what was decided and what is still open. Write in the past tense and \
         in plain sentences, at most about {tokens} tokens. Begin with {MARK}\n\n{turns}"
    )
}

/// Turns as text for the model of summaries; `first` is the place of the first of them.
pub(super) fn as_text(turns: &[TrajectoryTurn<'_>], first: usize) -> String {
    let mut text = String::new();
    for (place, turn) in turns.iter().enumerate() {
        let role = turn.from.to_uppercase();
        text.push_str(&format!(
            "[TrajectoryTurn {} - {role}]:\n{}\n\n",
            first + place,
            shortened(&turn.value)
        ));
    }
    text
}

fn shortened(value: &str) -> std::borrow::Cow<'_, str> {
    let (most, begin, end) = SHOWN;
    let count = value.chars().count();
    if count <= most {
        return value.into();
    }
    let at = |chars: usize| value.char_indices().nth(chars).map_or(value.len(), |(place, _)| place);
    let left_out = count - begin - end;
    let (head, tail) = (&value[..at(begin)], &value[at(count - end)..]);
    format!("{head}\n… {left_out} characters are left out here …\n{tail}").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_turns_are_shown_by_their_begin_and_end() {
        let long = format!("{}{}{}", "ä".repeat(1_500), "x".repeat(5_000), "ö".repeat(500));
        let short = shortened(&long);
        assert!(
            short.starts_with("ää") && short.ends_with("öö") && !short.contains('x'),
            "{short}"
        );
        assert!(short.contains("5000 characters"));
        assert_eq!(shortened(&"x".repeat(3_000)).len(), 3_000);
    }

    #[test]
    fn the_mark_stands_there_once() {
        assert_eq!(marked(" [CONTEXT SUMMARY]: did it \n"), "[CONTEXT SUMMARY]: did it");
        assert_eq!(marked("did it"), "[CONTEXT SUMMARY]: did it");
    }
}
