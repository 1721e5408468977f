//! Further models: those that step in, and those that do the work on the side.

use std::time::Duration;

use serde_json::{Value, json};

use super::choice::{EndpointChoice, resolve};
use super::{ResolveError, text, var};
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
    let mut found = Fallbacks::default();
    let newer = config["fallback_providers"].as_array().filter(|entries| !entries.is_empty());
    let older = std::slice::from_ref(&config["fallback_model"]);
    let entries = newer.map_or(older, Vec::as_slice).iter().filter(|entry| entry.is_object());
    for (place, entry) in entries.enumerate() {
        match from_entry(entry, config, lookup) {
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
fn from_entry(
    entry: &Value,
    config: &Value,
    lookup: &Lookup<'_>,
) -> Result<Endpoint, ResolveError> {
    let key = text(entry, "/api_key").map(str::to_owned);
    let key = key.or_else(|| var(lookup, text(entry, "/key_env")?));
    let choice = EndpointChoice {
        provider: text(entry, "/provider").map(str::to_owned),
        model: text(entry, "/model").map(str::to_owned),
        base_url: text(entry, "/base_url").map(str::to_owned),
        api_key: key.map(Secret::new),
    };
    let mut around = json!({});
    for section in ["providers", "custom_providers", "provider_routing", "openrouter"] {
        if let Some(value) = config.get(section) {
            around[section] = value.clone();
        }
    }
    // Which provider and model to use now says nothing about which steps in.
    let others = |name: &str| {
        let about_now = matches!(name, "HERMES_INFERENCE_PROVIDER" | "HERMES_INFERENCE_MODEL");
        if about_now { None } else { lookup(name) }
    };
    resolve(&choice, &around, &others)
}

/// A model for work on the side.
#[derive(Clone, Debug)]
pub struct Auxiliary {
    /// Where it is.
    pub endpoint: Endpoint,
    /// How long its answer may take, where the configuration says so.
    pub timeout: Option<Duration>,
}

/// The model of `auxiliary.NAME`: the main one, unless the configuration names another.
///
/// # Errors
///
/// The configuration names one that cannot be used.
pub fn auxiliary(
    name: &str,
    config: &Value,
    lookup: &Lookup<'_>,
    main: &Endpoint,
) -> Result<Auxiliary, ResolveError> {
    let entry = &config["auxiliary"][name];
    let seconds = entry["timeout"].as_f64().filter(|seconds| *seconds > 0.0 && seconds.is_finite());
    let timeout = seconds.map(|seconds| Duration::from_secs_f64(seconds.min(1e9)));
    let provider = text(entry, "/provider").filter(|name| !name.eq_ignore_ascii_case("auto"));
    let elsewhere =
        provider.is_some_and(|name| name != "main") || text(entry, "/base_url").is_some();
    let endpoint = if elsewhere {
        from_entry(entry, config, lookup)?
    } else {
        let mut endpoint = main.clone();
        if let Some(model) = text(entry, "/model") {
            model.clone_into(&mut endpoint.model);
            endpoint.context_length = None;
        }
        endpoint
    };
    Ok(Auxiliary { endpoint, timeout })
}
