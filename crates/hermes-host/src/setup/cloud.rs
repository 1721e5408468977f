//! A provider that wants a key.

use hermes_llm::provider::ProviderEntry;
use hermes_llm::{EndpointChoice, Secret};

use super::{Candidate, ModelSetupError, SetupPrompter};
use crate::Host;

/// Asks for the key, unless it is set, and for the model. Nothing if the person has left.
pub(super) fn ask(
    host: &Host,
    prompter: &mut dyn SetupPrompter,
    provider: &ProviderEntry,
) -> Result<Option<Candidate>, ModelSetupError> {
    let mut secret = None;
    if let Some(variable) = provider.key_vars.first() {
        let has_key = provider.key_vars.iter().any(|name| host.vars().non_blank(name).is_some());
        let question = match has_key {
            true => format!("{variable} is set; Enter keeps it, or type another: "),
            false => format!("{variable} (is not shown while you type): "),
        };
        match prompter.ask_secret(&question)? {
            Some(key) if !key.is_empty() => secret = Some(((*variable).to_owned(), key)),
            Some(_) if has_key => {}
            _ => return Ok(None),
        }
    }
    let model = prompter.ask(&match provider.default_model {
        "" => "Model: ".to_owned(),
        default => format!("Model (Enter for {default}): "),
    })?;
    let model = match model {
        None => return Ok(None),
        Some(model) if model.is_empty() => provider.default_model.to_owned(),
        Some(model) => model,
    };
    if model.is_empty() {
        prompter.say("A model is needed; nothing was changed.")?;
        return Ok(None);
    }
    let choice = EndpointChoice {
        provider: Some(provider.name.to_owned()),
        model: Some(model.clone()),
        api_key: secret.as_ref().map(|(_, key)| Secret::new(key.clone())),
        ..EndpointChoice::default()
    };
    let settings = vec![("model.provider", provider.name.to_owned()), ("model.default", model)];
    Ok(Some(Candidate { choice, settings, secret }))
}
