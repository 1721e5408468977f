//! Fallback models, as the configuration names them (`fallback_providers`).
//!
//! When one takes over is decided by [`crate::retry`]; which one serves is kept by the agent's model chain.

use serde_json::Value;

use super::choice::{EndpointChoice, resolve_by};
use super::settings::{ModelEntry, ModelSettings, given};
use super::{ResolveError, var};
use crate::endpoint::Endpoint;
use crate::http::Lookup;
use crate::secret::Secret;

/// The models that step in when the first cannot answer.
#[derive(Clone, Debug, Default)]
pub struct Fallbacks {
    /// In the order in which they are tried.
    pub endpoints: Vec<Endpoint>,
    /// What is wrong with entries that were left out, one line each.
    pub problems: Vec<String>,
}

/// The models of `fallback_providers` (or the older `fallback_model`) that are not the current one.
#[must_use]
pub fn fallbacks(config: &Value, lookup: &Lookup<'_>, current: &Endpoint) -> Fallbacks {
    let settings = ModelSettings::from_config(config);
    let mut found = Fallbacks::default();
    let newer = settings.fallback_providers.0.as_slice();
    let entries = if newer.is_empty() { settings.fallback_model.as_slice() } else { newer };
    for (place, entry) in entries.iter().enumerate() {
        match from_entry(entry, &settings, lookup) {
            Ok(endpoint) => {
                let known = found.endpoints.iter().any(|other| other.is_same_as(&endpoint));
                if !known && !endpoint.is_same_as(current) {
                    found.endpoints.push(endpoint);
                }
            }
            Err(error) => found.problems.push(format!("fallback_providers[{place}]: {error}")),
        }
    }
    found
}

/// An entry stands for itself: nothing under `model` is about it, but the named providers are known.
pub(super) fn from_entry(
    entry: &ModelEntry,
    settings: &ModelSettings,
    lookup: &Lookup<'_>,
) -> Result<Endpoint, ResolveError> {
    let key = given(&entry.api_key).map(str::to_owned);
    let key = key.or_else(|| var(lookup, given(&entry.key_env)?));
    let choice = EndpointChoice {
        provider: given(&entry.provider).map(str::to_owned),
        model: given(&entry.model).map(str::to_owned),
        base_url: given(&entry.base_url).map(str::to_owned),
        api_key: key.map(Secret::new),
    };
    // Which provider and model to use now says nothing about which steps in.
    let others = |name: &str| {
        let about_now = matches!(name, "HERMES_INFERENCE_PROVIDER" | "HERMES_INFERENCE_MODEL");
        if about_now { None } else { lookup(name) }
    };
    resolve_by(&choice, &settings.of_others(), &others)
}
