//! `web_search`: pages about something.

use hermes_tool::{CallDisplay, ToolContext, ToolError, tool};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::providers::{Hit, Web, searcher};

/// Results, unless told otherwise.
const DEFAULT: usize = 5;
/// The most results.
const MOST: usize = 100;

#[derive(Deserialize, JsonSchema)]
struct WebSearch {
    /// What to look for, as in a search box.
    query: String,
    /// How many results.
    #[serde(default = "usual", deserialize_with = "lenient")]
    #[schemars(range(min = 1, max = MOST), extend("default" = DEFAULT))]
    limit: usize,
}

fn usual() -> usize {
    DEFAULT
}

/// A number however it is written; what is none counts as the usual one.
fn lenient<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let number = match Value::deserialize(deserializer)? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    let number = number.filter(|number| number.is_finite());
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and 100"
    )]
    Ok(number.map_or(DEFAULT, |number| number.clamp(1.0, MOST as f64) as usize))
}

/// Search the web. Gives titles, addresses and short descriptions of pages; read a page with web_extract.
#[tool(
    toolset = "web",
    emoji = "🔍",
    effects(network),
    max_result_chars = 100_000,
    output = untrusted,
    display = CallDisplay::verb("search").args(&["query"])
)]
async fn web_search(args: WebSearch, cx: &ToolContext) -> Result<Value, ToolError> {
    let query = args.query.trim();
    if query.is_empty() {
        return Ok(json!({"success": false, "error": "the query is empty"}));
    }
    let web = Web::of(cx);
    let provider = searcher(&web);
    let found = match provider.missing(&web) {
        Some(missing) => Err(missing),
        None => provider.search(&web, query, args.limit).await,
    };
    Ok(match found {
        Ok(hits) => {
            let hits: Vec<Value> = hits.iter().take(args.limit).enumerate().map(listed).collect();
            json!({"success": true, "data": {"web": hits}})
        }
        Err(error) => json!({"success": false, "error": error}),
    })
}

fn listed((at, hit): (usize, &Hit)) -> Value {
    json!({"title": hit.title, "url": hit.url, "description": hit.description, "position": at + 1})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_however_they_are_written() {
        for (given, wanted) in [
            (json!(3), 3),
            (json!("7"), 7),
            (json!(0), 1),
            (json!(1_000), 100),
            (json!("many"), 5),
            (json!(null), 5),
            (json!(2.9), 2),
        ] {
            let args: WebSearch =
                serde_json::from_value(json!({"query": "x", "limit": given})).unwrap();
            assert_eq!(args.limit, wanted, "{given}");
        }
        let args: WebSearch = serde_json::from_value(json!({"query": "x"})).unwrap();
        assert_eq!(args.limit, 5);
    }
}
