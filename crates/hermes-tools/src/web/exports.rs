//! What hosts use of the web tools, and what the reference of settings shows of them.

use serde_json::{Value, json};

pub use super::settings::WebSettings;

/// The call that reads a page as an agent would: the tool's name, and the arguments.
#[must_use]
pub fn page_call(address: &str) -> (&'static str, Value) {
    ("web_extract", json!({"urls": [address]}))
}

/// What a page said in the result of such a call, or why it could not be read.
///
/// # Errors
/// With the reason, for people.
pub fn page_text(result: &str) -> Result<String, String> {
    let Ok(result) = serde_json::from_str::<Value>(result) else {
        return Err("the answer cannot be read".to_owned());
    };
    let page = &result["results"][0];
    let text = |value: &Value| value.as_str().map(str::trim).unwrap_or_default().to_owned();
    match (text(&page["content"]), text(&page["error"]), text(&result["error"])) {
        (content, ..) if !content.is_empty() => Ok(content),
        (_, error, _) if !error.is_empty() => Err(error),
        (.., error) if !error.is_empty() => Err(error),
        _ => Err("the page says nothing".to_owned()),
    }
}
