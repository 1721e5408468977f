//! Which key may go where.

use super::table::{PROVIDERS, ProviderEntry, at};
use super::var;
use crate::endpoint::{host_of, is_local, is_under};
use crate::http::Lookup;

/// A key that was found, and the variable it was in.
pub(super) struct FoundKey {
    pub(super) key: String,
    pub(super) var: String,
}

/// The provider's own key, from its variables.
pub(super) fn own(provider: &ProviderEntry, lookup: &Lookup<'_>) -> Option<FoundKey> {
    provider
        .key_vars
        .iter()
        .find_map(|name| var(lookup, name).map(|key| FoundKey { key, var: (*name).to_owned() }))
}

/// A key from the environment that was meant for this address: that of the vendor whose host it is.
pub(super) fn for_address(url: &str, lookup: &Lookup<'_>) -> Option<FoundKey> {
    if let Some(vendor) = at(url) {
        return own(vendor, lookup);
    }
    let name = var_for(url)?;
    var(lookup, &name).map(|key| FoundKey { key, var: name })
}

/// The variable that would hold the key for an address: `<VENDOR>_API_KEY`, by the host's name. Never one
/// that belongs to a vendor in the table, whose hosts are known.
pub(super) fn var_for(url: &str) -> Option<String> {
    if let Some(vendor) = at(url) {
        return vendor.key_vars.first().map(|name| (*name).to_owned());
    }
    let host = host_of(url);
    if is_local(url)
        || host.is_empty()
        || host.parse::<std::net::IpAddr>().is_ok()
        || host.starts_with('[')
    {
        return None;
    }
    if is_under(&host, "ollama.com") {
        return Some("OLLAMA_API_KEY".to_owned());
    }
    let labels: Vec<&str> = host.split('.').collect();
    let mut place = labels.len().checked_sub(2)?;
    // `vendor.co.uk`: a short label before a country is no vendor.
    if labels[place].len() <= 3 && labels.last().is_some_and(|last| last.len() == 2) && place > 0 {
        place -= 1;
    }
    let vendor: String = labels[place]
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
        .collect();
    let name = format!("{vendor}_API_KEY");
    let taken = name == "OLLAMA_API_KEY"
        || PROVIDERS.iter().any(|known| known.key_vars.contains(&name.as_str()));
    (!taken && !vendor.is_empty()).then_some(name)
}

/// The provider that a key given by itself is for, by the shape of the key.
pub(super) fn provider_of(key: &str) -> Option<&'static str> {
    let shapes = [
        ("sk-or-", "openrouter"),
        ("sk-ant-", "anthropic"),
        ("sk-proj-", "openai-api"),
        ("AIza", "gemini"),
        ("xai-", "xai"),
        ("gsk_", "groq"),
        ("hf_", "huggingface"),
        ("nvapi-", "nvidia"),
        ("sk-", "openai-api"),
    ];
    shapes.iter().find(|(start, _)| key.starts_with(start)).map(|(_, name)| *name)
}
