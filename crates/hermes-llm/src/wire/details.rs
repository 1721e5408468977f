//! Signed thinking, which goes back to the server that made it and to no other.

use serde_json::{Value, json};

use crate::endpoint::{Endpoint, WireApi};

/// Puts items together with where they came from.
pub(crate) fn wrap(origin: &str, items: &[Value]) -> Value {
    json!({"origin": origin, "items": items})
}

/// The items that may be shown to this server.
pub(crate) fn for_server<'a>(endpoint: &Endpoint, details: Option<&'a Value>) -> &'a [Value] {
    let Some(details) = details else { return &[] };
    let ours = match details.get("origin").and_then(Value::as_str) {
        Some(origin) => origin == endpoint.host(),
        // Lists without an origin come from older databases: their shape tells the vendor.
        None => match endpoint.wire {
            WireApi::Messages => endpoint.is_at("anthropic.com"),
            WireApi::Chat => endpoint.is_at("openrouter.ai") || endpoint.is_at("nousresearch.com"),
        },
    };
    let items = details.get("items").unwrap_or(details);
    let items = items.as_array().map_or(&[][..], Vec::as_slice);
    let fits = |item: &Value| {
        let kind = item["type"].as_str().unwrap_or_default();
        match endpoint.wire {
            WireApi::Messages => kind == "thinking" || kind == "redacted_thinking",
            WireApi::Chat => kind.starts_with("reasoning."),
        }
    };
    if ours && items.iter().all(fits) { items } else { &[] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinking_goes_home_and_nowhere_else() {
        let anthropic = Endpoint::new(WireApi::Messages, "https://api.anthropic.com", "claude");
        let other = Endpoint::new(WireApi::Messages, "https://other.example/anthropic", "claude");
        let router = Endpoint::new(WireApi::Chat, "https://openrouter.ai/api/v1", "claude");
        let thinking = vec![json!({"type": "thinking", "thinking": "t", "signature": "s"})];
        let wrapped = wrap("api.anthropic.com", &thinking);
        assert_eq!(for_server(&anthropic, Some(&wrapped)), thinking);
        assert!(for_server(&other, Some(&wrapped)).is_empty());
        assert!(for_server(&router, Some(&wrapped)).is_empty());
        let bare = Value::Array(thinking);
        assert_eq!(for_server(&anthropic, Some(&bare)).len(), 1);
        assert!(for_server(&other, Some(&bare)).is_empty());
        assert!(for_server(&router, Some(&bare)).is_empty());
        assert!(for_server(&anthropic, None).is_empty());
    }
}
