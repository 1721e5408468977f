//! Auxiliary models: those that do the work on the side, such as summaries and reviews.

use std::time::Duration;

use hermes_tool::settings::Seconds;
use serde_json::Value;

use super::ResolveError;
use super::choice::{EndpointChoice, resolve_by};
use super::fallback::from_entry;
use super::settings::ModelSettings;
use crate::endpoint::Endpoint;
use crate::http::Lookup;

/// A model for work on the side.
#[derive(Clone, Debug)]
pub struct Auxiliary {
    /// Where it is.
    pub endpoint: Endpoint,
    /// How long its answer may take, where the configuration says so.
    pub timeout: Option<Duration>,
}

/// The model for a side task, for whoever has no conversation: that of `auxiliary.NAME`, or the main one. A task that
/// names a server of its own needs no main model.
///
/// # Errors
///
/// Nothing says whom to ask, or the configuration names one that cannot be used.
pub fn side_task(
    name: &str,
    config: &Value,
    lookup: &Lookup<'_>,
) -> Result<Auxiliary, ResolveError> {
    let settings = ModelSettings::from_config(config);
    let own = settings.auxiliary(name).and_then(|entry| Some((entry, entry.elsewhere()?)));
    if let Some((entry, elsewhere)) = own {
        let endpoint = from_entry(&elsewhere, &settings, lookup)?;
        return Ok(Auxiliary { endpoint, timeout: entry.timeout.map(Seconds::duration) });
    }
    let main = resolve_by(&EndpointChoice::default(), &settings, lookup)?;
    auxiliary(name, config, lookup, &main)
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
    let settings = ModelSettings::from_config(config);
    let Some(entry) = settings.auxiliary(name) else {
        return Ok(Auxiliary { endpoint: main.clone(), timeout: None });
    };
    let endpoint = match entry.elsewhere() {
        Some(elsewhere) => from_entry(&elsewhere, &settings, lookup)?,
        None => {
            let mut endpoint = main.clone();
            if let Some(model) = entry.model() {
                model.clone_into(&mut endpoint.model);
                endpoint.context_length = None;
                endpoint.sees_images = None;
            }
            endpoint
        }
    };
    Ok(Auxiliary { endpoint, timeout: entry.timeout.map(Seconds::duration) })
}
