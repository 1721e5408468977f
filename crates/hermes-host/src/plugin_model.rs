//! The way of plugins to the model of their session.

use std::sync::Arc;

use hermes_llm::{Message, ModelRequest};
use hermes_plugins::ModelDoor;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::models::SessionModels;

/// Lets plugins ask the conversation's model.
pub(crate) fn model_door(models: &SessionModels) -> ModelDoor {
    let chain = models.chain();
    Arc::new(move |asked| {
        let entry = chain.primary().clone();
        Box::pin(async move {
            let request = request(&asked)?;
            let cancel = CancellationToken::new();
            let answer = entry.model.answer(&request, &mut |_| {}, &cancel).await;
            let answer = answer.map_err(|problem| problem.message)?;
            let usage = answer.usage.unwrap_or_default();
            Ok(json!({
                "text": answer.content,
                "model": entry.model.name(),
                "provider": entry.model.provider(),
                "usage": {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens},
            }))
        })
    })
}

fn request(asked: &Value) -> Result<ModelRequest, String> {
    let mut system = asked["system"].as_str().map(str::to_owned);
    let mut messages = Vec::new();
    for message in asked["messages"].as_array().into_iter().flatten() {
        let text = message["content"].as_str().unwrap_or_default();
        match message["role"].as_str() {
            Some("system") => system = Some(text.to_owned()),
            Some("assistant") => messages.push(Message::assistant(text)),
            _ => messages.push(Message::user(text)),
        }
    }
    if messages.is_empty() {
        return Err("llm: `messages` is empty".to_owned());
    }
    let max_tokens = asked["max_tokens"].as_u64().and_then(|most| u32::try_from(most).ok());
    Ok(ModelRequest {
        system: system.map(Into::into),
        messages,
        max_tokens,
        ..ModelRequest::default()
    })
}
