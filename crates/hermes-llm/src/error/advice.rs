//! What to do about a failure, one line each.

use crate::endpoint::Endpoint;
use crate::model::ErrorClass;

/// What a person can do about a failure of this class, if anything.
#[must_use]
pub fn advice(endpoint: &Endpoint, class: ErrorClass) -> Option<String> {
    let model = &endpoint.model;
    let provider = &endpoint.provider;
    Some(match class {
        ErrorClass::Auth => match &endpoint.key_var {
            Some(var) => format!("Check the key in {var} (hermes setup changes it)."),
            None => "Check model.api_key in config.yaml, or run hermes setup.".to_owned(),
        },
        ErrorClass::Billing => {
            format!("Add credit to your {provider} account, or choose another provider with hermes model.")
        }
        ErrorClass::RateLimit | ErrorClass::UpstreamRateLimit => {
            "Wait a little, or add an entry to fallback_providers in config.yaml.".to_owned()
        }
        ErrorClass::Overloaded => {
            "The provider is busy; try again, or add an entry to fallback_providers.".to_owned()
        }
        ErrorClass::ModelNotFound => {
            format!("Is {model:?} the right name? hermes model lists what {provider} has.")
        }
        ErrorClass::Policy => {
            format!("Your account's data settings at {provider} exclude every server of {model}.")
        }
        ErrorClass::NotRunning if endpoint.server.is_some() => {
            "`hermes local list` shows the models that are here; hermes setup chooses another way."
                .to_owned()
        }
        ErrorClass::Dropped if endpoint.server.is_some() => {
            "If it ends again and again, the model may be too large for the memory of this machine: \
             `hermes local list` shows what each one takes."
                .to_owned()
        }
        ErrorClass::NotRunning => {
            "Start the server there, or correct model.base_url in config.yaml.".to_owned()
        }
        ErrorClass::Timeout if endpoint.is_local() => {
            format!("Is the server running at {}?", endpoint.base_url)
        }
        ErrorClass::Timeout | ErrorClass::Dropped => {
            "Check the network, or raise HERMES_API_TIMEOUT for slow models.".to_owned()
        }
        ErrorClass::PayloadTooLarge | ErrorClass::ContextOverflow => {
            "Shorten the conversation (/compress or /new), offer fewer toolsets, or use a model with \
             a larger window."
                .to_owned()
        }
        ErrorClass::OutputCap => "Lower model.max_tokens in config.yaml.".to_owned(),
        ErrorClass::ThinkingSignature => {
            "Thinking of an earlier answer was refused; it is left out from now on.".to_owned()
        }
        ErrorClass::SchemaGrammar => {
            "The server cannot read a tool's schema; update it, or turn that toolset off.".to_owned()
        }
        ErrorClass::ImageRejected => format!("{model} does not take images; use a model with vision."),
        ErrorClass::ContentPolicy => {
            "The provider refused the content; rephrase it, or use another model.".to_owned()
        }
        ErrorClass::Tls => {
            "Check the address, the clock and any proxy; a private authority goes into the system's \
             certificates."
                .to_owned()
        }
        ErrorClass::InvalidResponse => {
            format!("Does {} really speak this protocol? Check the address.", endpoint.base_url)
        }
        ErrorClass::FormatError
        | ErrorClass::ServerError
        | ErrorClass::StreamUnsupported
        | ErrorClass::Cancelled
        | ErrorClass::Unknown => return None,
    })
}
