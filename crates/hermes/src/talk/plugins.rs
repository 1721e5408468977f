//! Plugins in a conversation: how long they are waited for, what they know, and their way to a model.

use std::sync::Arc;
use std::time::Duration;

use hermes_agent::World;
use hermes_llm::{Message, Request};
use hermes_plugins::{ModelDoor, Plugins};
use hermes_tool::ContextParts;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::Company;
use super::models::Models;

/// How long a person waits for plugins that have never run. Later ones join when they are ready.
const PROMPT_PATIENCE: Duration = Duration::from_secs(2);

/// How long plugins that nothing is known about are waited for.
pub(super) fn patience(plugins: &Plugins, company: &Company) -> Duration {
    // Who asks one question wants the answer with all tools; who talks wants the prompt.
    match company.asker {
        Some(_) => PROMPT_PATIENCE,
        None => plugins.start_timeout() + Duration::from_secs(1),
    }
}

/// What a call knows that a plugin makes on its own account.
pub(super) fn context(world: &World) -> ContextParts {
    ContextParts {
        cwd: Some(world.cwd.clone()),
        vars: world.vars.clone(),
        config: Arc::clone(&world.config),
        services: world.services.clone(),
        ..ContextParts::default()
    }
}

/// Lets plugins ask the conversation's model.
pub(super) fn model_door(models: &Models) -> ModelDoor {
    let seats = models.seats();
    Arc::new(move |asked| {
        let seat = seats.primary().clone();
        Box::pin(async move {
            let request = request(&asked)?;
            let cancel = CancellationToken::new();
            let answer = seat.model.answer(&request, &mut |_| {}, &cancel).await;
            let answer = answer.map_err(|problem| problem.message)?;
            let usage = answer.usage.unwrap_or_default();
            Ok(json!({
                "text": answer.content,
                "model": seat.model.name(),
                "provider": seat.model.provider(),
                "usage": {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens},
            }))
        })
    })
}

fn request(asked: &Value) -> Result<Request, String> {
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
    Ok(Request { system: system.map(Into::into), messages, max_tokens, ..Request::default() })
}
