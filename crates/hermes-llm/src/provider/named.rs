//! Providers that the configuration adds.

use serde_json::{Map, Value};

use super::{text, var};
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
pub(super) fn find(config: &Value, name: &str, lookup: &Lookup<'_>) -> Option<Named> {
    let wanted = name.trim();
    let wanted = wanted.strip_prefix("custom:").unwrap_or(wanted);
    let same = |known: &str| known.eq_ignore_ascii_case(wanted);
    let newer = config["providers"].as_object().into_iter().flatten();
    let older = config["custom_providers"].as_array().into_iter().flatten();
    newer
        .map(|(name, entry)| (name.as_str(), entry))
        .chain(older.filter_map(|entry| Some((entry["name"].as_str()?, entry))))
        .find(|(name, _)| same(name))
        .and_then(|(name, entry)| read(name, entry, lookup))
}

/// The names of all of them.
pub(super) fn names(config: &Value) -> Vec<String> {
    let newer = config["providers"].as_object().into_iter().flatten().map(|(name, _)| name.clone());
    let older = config["custom_providers"].as_array().into_iter().flatten();
    newer.chain(older.filter_map(|entry| entry["name"].as_str().map(str::to_owned))).collect()
}

fn read(name: &str, entry: &Value, lookup: &Lookup<'_>) -> Option<Named> {
    let base_url = text(entry, "/base_url").or_else(|| text(entry, "/api"))?.to_owned();
    let key_var =
        text(entry, "/key_env").or_else(|| text(entry, "/api_key_env")).map(str::to_owned);
    let api_key = text(entry, "/api_key").map(str::to_owned);
    let api_key = api_key.or_else(|| var(lookup, key_var.as_deref()?));
    let wire = text(entry, "/api_mode").or_else(|| text(entry, "/transport")).and_then(wire);
    let first_model = match entry.get("models") {
        Some(Value::Array(models)) => models.first().and_then(Value::as_str).map(str::to_owned),
        Some(Value::Object(models)) => models.keys().next().cloned(),
        _ => None,
    };
    let default_model = text(entry, "/default_model").or_else(|| text(entry, "/model"));
    Some(Named {
        name: name.to_owned(),
        base_url,
        api_key,
        key_var,
        wire,
        default_model: default_model.map(str::to_owned).or(first_model),
        headers: headers(&entry["headers"]),
        extra_body: entry["extra_body"].as_object().cloned().unwrap_or_default(),
        context_length: entry["context_length"].as_u64(),
    })
}

/// Headers of a configuration; what is no text is left out.
pub(super) fn headers(value: &Value) -> Vec<(String, String)> {
    let fields = value.as_object().into_iter().flatten();
    fields.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

/// The wire of a configuration's word.
pub(super) fn wire(word: &str) -> Option<WireApi> {
    match word.to_lowercase().as_str() {
        "chat" | "chat_completions" | "openai" | "openai_chat" => Some(WireApi::Chat),
        "messages" | "anthropic" | "anthropic_messages" => Some(WireApi::Messages),
        _ => None,
    }
}

/// The wire of an address, where nothing else says it.
pub(super) fn wire_of(base_url: &str) -> WireApi {
    let path = base_url.trim_end_matches('/');
    let path = path.strip_suffix("/v1").unwrap_or(path);
    if path.ends_with("/anthropic") { WireApi::Messages } else { WireApi::Chat }
}
