//! One short question, to see whether a model answers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_llm::{Message, Model as _, ModelClient, ModelRequest};
use tokio_util::sync::CancellationToken;

use super::Candidate;
use crate::Host;
use crate::models::ModelSources;

/// A server may have to load the model first.
const PATIENCE: Duration = Duration::from_secs(180);
/// More is not needed to see that there is an answer.
const MAX_TOKENS: u32 = 16;

/// Asks once; how long it took, or why there was no answer.
pub(super) async fn asks(host: &Host, candidate: &Candidate) -> Result<Duration, String> {
    let sources = ModelSources::of(host);
    // An engine lives as long as the question.
    let endpoint = sources.endpoint(&candidate.choice).map_err(|error| error.to_string())?;
    let client = ModelClient::new(endpoint, sources.options());
    let request = ModelRequest {
        system: None,
        messages: vec![Message::user("Answer with one word: ready")],
        tools: Arc::from([]),
        max_tokens: Some(MAX_TOKENS),
        effort: None,
        temperature: None,
        session_id: None,
        cache: Default::default(),
    };
    let begun = Instant::now();
    let mut nobody = |_| {};
    let cancel = CancellationToken::new();
    let asked = client.answer(&request, &mut nobody, &cancel);
    match tokio::time::timeout(PATIENCE, asked).await {
        Ok(Ok(_)) => Ok(begun.elapsed()),
        Ok(Err(error)) => Err(match error.advice {
            Some(advice) => format!("{}\n  {advice}", error.message),
            None => error.message,
        }),
        Err(_) => Err(format!("nothing came within {} seconds", PATIENCE.as_secs())),
    }
}
