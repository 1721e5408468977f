//! Query parameters that carry credentials.
//!
//! A URL with such a parameter is a key. It should not be handed to a third party, such as a service
//! that fetches pages, and not be printed. Short common names (`code`, `key`, `auth`, `session`,
//! `sig`) are not in the list: too many harmless URLs use them.

use ::url::Url;

pub use crate::redact::is_credential_name;

/// The first query parameter that carries a credential: its decoded name. A parameter without a value
/// carries nothing.
#[must_use]
pub fn credential_parameter(url: &Url) -> Option<String> {
    url.query_pairs()
        .find(|(name, value)| !value.is_empty() && is_credential_name(name))
        .map(|(name, _)| name.into_owned())
}
