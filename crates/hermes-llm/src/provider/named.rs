//! Providers that the configuration adds.

use serde_json::{Map, Value};

use super::settings::{ModelSettings, ProviderSection, given};
use super::var;
use crate::endpoint::WireApi;
use crate::http::Lookup;

/// A provider of the configuration.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) base_url: String,
    pub(super) api_key: Option<String>,
    pub(super) key_var: Option<String>,
    pub(super) wire: Option<WireApi>,
    pub(super) default_model: Option<String>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) extra_body: Map<String, Value>,
    pub(super) context_length: Option<u64>,
}

/// The provider of this name, from `providers` or the older list `custom_providers`. An entry without an
/// address does not count: it only changes a known provider.
pub(super) fn find(settings: &ModelSettings, name: &str, lookup: &Lookup<'_>) -> Option<Named> {
    let wanted = name.trim();
    let wanted = wanted.strip_prefix("custom:").unwrap_or(wanted);
    all(settings)
        .find(|(name, _)| name.eq_ignore_ascii_case(wanted))
        .and_then(|(name, section)| read(name, section, lookup))
}

/// The names of all of them.
pub(super) fn names(settings: &ModelSettings) -> Vec<String> {
    all(settings).map(|(name, _)| name.to_owned()).collect()
}

fn all(settings: &ModelSettings) -> impl Iterator<Item = (&str, &ProviderSection)> {
    let newer = settings.providers.iter().map(|(name, section)| (name.as_str(), section));
    let older = settings.custom_providers.0.iter();
    newer.chain(older.map(|listed| (listed.name.as_str(), &listed.section)))
}

fn read(name: &str, section: &ProviderSection, lookup: &Lookup<'_>) -> Option<Named> {
    let base_url = given(&section.base_url)?.to_owned();
    let key_var = given(&section.key_env).map(str::to_owned);
    let api_key = given(&section.api_key).map(str::to_owned);
    let first_model = match &section.models {
        Some(Value::Array(models)) => models.first().and_then(Value::as_str).map(str::to_owned),
        Some(Value::Object(models)) => models.keys().next().cloned(),
        _ => None,
    };
    Some(Named {
        name: name.to_owned(),
        base_url,
        api_key: api_key.or_else(|| var(lookup, key_var.as_deref()?)),
        key_var,
        wire: section.api_mode,
        default_model: given(&section.default_model).map(str::to_owned).or(first_model),
        headers: section.headers.clone().into_iter().collect(),
        extra_body: section.extra_body.clone(),
        context_length: section.context_length,
    })
}

/// The wire of an address, where nothing else says it.
pub(super) fn wire_of(base_url: &str) -> WireApi {
    let path = base_url.trim_end_matches('/');
    let path = path.strip_suffix("/v1").unwrap_or(path);
    if path.ends_with("/anthropic") { WireApi::Messages } else { WireApi::Chat }
}
