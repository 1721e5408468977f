//! Who can be asked, and how one of them is chosen.
//!
//! The known providers are a table (`table`). [`resolve`] turns what the person wants, what the
//! configuration says and what keys there are into an [`Endpoint`](crate::Endpoint); [`fallbacks`] and [`auxiliary`] do the
//! same for the places where the configuration names further models ([`ModelSettings`]). Nothing here touches the
//! network or the environment: the configuration is a JSON value, variables come through a function.
//!
//! One rule is above all others: **a key is never sent to a host it was not meant for.** A key from a
//! variable goes to its vendor's hosts, or to the address that the vendor's own variable gives; a key
//! written beside an address goes to that address.

mod auxiliary;
mod choice;
mod fallback;
mod keys;
mod named;
mod settings;
mod table;

pub use auxiliary::{Auxiliary, auxiliary, side_task};
pub use choice::{EndpointChoice, resolve};
pub use fallback::{Fallbacks, fallbacks};
pub use settings::{AuxiliaryModel, ModelSettings};
pub use table::{BUILT_IN, PROVIDERS, ProviderEntry, find};

use crate::http::Lookup;

/// No endpoint can be made of what is given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// Nothing says which model to ask.
    #[error(
        "no model provider is set up. Run `hermes setup`, or set one of OPENROUTER_API_KEY, \
         ANTHROPIC_API_KEY or OPENAI_API_KEY"
    )]
    NothingSetUp,
    /// The provider is not in the table and not in the configuration.
    #[error("there is no provider {name:?}{}. Known: {known}", near(.nearest))]
    UnknownProvider {
        /// What was asked for.
        name: String,
        /// A known one that is almost called so.
        nearest: Option<String>,
        /// All that are known.
        known: String,
    },
    /// The provider wants a key.
    #[error("{provider} needs a key: set {vars}, or run `hermes setup`")]
    NoKey {
        /// The provider.
        provider: String,
        /// The variables that could hold it.
        vars: String,
    },
    /// The provider has no address of its own.
    #[error(
        "{provider} needs an address: set model.base_url in config.yaml (Ollama: \
         http://localhost:11434/v1, llama.cpp: http://localhost:8080/v1, vLLM: \
         http://localhost:8000/v1, LM Studio: http://localhost:1234/v1)"
    )]
    NoAddress {
        /// The provider.
        provider: String,
    },
    /// The address cannot be used.
    #[error("{url:?} is no http or https address ({place})")]
    BadAddress {
        /// What is given.
        url: String,
        /// Where it is given.
        place: String,
    },
}

fn near(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|name| format!(" (did you mean {name:?}?)")).unwrap_or_default()
}

/// A variable; blank is as good as absent.
fn var(lookup: &Lookup<'_>, name: &str) -> Option<String> {
    lookup(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests;
