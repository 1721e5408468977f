//! The page for people says what the table says.

use hermes_llm::ErrorClass;
use hermes_llm::provider::PROVIDERS;
use serde_json::{Value, json};

const PAGE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/models.md"));

#[test]
fn every_provider_is_on_the_page_with_its_variables() {
    for provider in PROVIDERS {
        let row = PAGE.lines().find(|line| line.starts_with(&format!("| {} |", provider.name)));
        let row = row.unwrap_or_else(|| panic!("{} has no row", provider.name));
        for var in provider.key_vars.iter().chain(&provider.base_url_var) {
            assert!(row.contains(&format!("`{var}`")), "{var} is not in: {row}");
        }
    }
}

#[test]
fn every_class_of_failure_is_on_the_page() {
    use ErrorClass as C;
    for class in [
        C::Auth,
        C::Billing,
        C::RateLimit,
        C::UpstreamRateLimit,
        C::Overloaded,
        C::ModelNotFound,
        C::Policy,
        C::Timeout,
        C::NotRunning,
        C::PayloadTooLarge,
        C::ContextOverflow,
        C::OutputCap,
        C::ThinkingSignature,
        C::SchemaGrammar,
        C::ImageRejected,
        C::FormatError,
        C::ServerError,
        C::ContentPolicy,
        C::Tls,
        C::Dropped,
        C::InvalidResponse,
        C::StreamUnsupported,
        C::Unknown,
    ] {
        let Value::String(word) = json!(class) else { panic!("{class:?} is no word") };
        let named = |line: &str| line.split('|').nth(1).is_some_and(|cell| cell.contains(&word));
        assert!(PAGE.lines().any(named), "{word}");
    }
}
