//! `session_search`: what was said in earlier sessions.

use hermes_sessions::SessionStore;
use hermes_sessions::search::{Request, Sort};
use hermes_tool::{CallDisplay, State, ToolContext, ToolError, ToolOutput, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

/// Sessions a search answers with, unless told otherwise.
pub const DEFAULT_HITS: i64 = 3;
/// Sessions a search answers with at most.
pub const MAX_HITS: i64 = 10;
/// Messages shown on each side of the one scrolled to, unless told otherwise.
pub const DEFAULT_WINDOW: i64 = 5;
/// Messages shown on each side of the one scrolled to at most.
pub const MAX_WINDOW: i64 = 20;

/// Arguments of `session_search`; which of them are given decides what it does.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SessionSearch {
    /// Words that must all occur; understands `"exact phrase"`, `OR`, `NOT` and `prefix*`.
    pub query: Option<String>,
    /// How many sessions to answer with.
    #[schemars(range(min = 1, max = MAX_HITS), extend("default" = DEFAULT_HITS))]
    pub limit: Option<i64>,
    /// Order by time. Without it the best match comes first.
    pub sort: Option<HitOrder>,
    /// Whose messages to search, separated by commas, such as `user,assistant,tool`.
    #[schemars(extend("default" = "user,assistant"))]
    pub role_filter: Option<String>,
    /// A session to read, from an earlier answer.
    pub session_id: Option<String>,
    /// A message of that session to scroll to, from an earlier answer.
    pub around_message_id: Option<i64>,
    /// How many messages to show before and after the one scrolled to.
    #[schemars(range(min = 1, max = MAX_WINDOW), extend("default" = DEFAULT_WINDOW))]
    pub window: Option<i64>,
}

/// Order of search results by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words say it, to the model as well")]
pub enum HitOrder {
    Newest,
    Oldest,
}

/// Where an agent looks for what was said before; nowhere if it keeps no record.
#[derive(Debug)]
pub struct SessionArchive(pub Option<SessionStore>);

const GUIDANCE: &str =
    "When the user refers to something from before, look with `session_search` before you ask.";

#[tool(
    toolset = "session_search",
    emoji = "🔍",
    effects(reads, agent_state),
    upkeep,
    guidance = GUIDANCE,
    display = CallDisplay::verb("recall").args(&["query", "session_id"]),
    description = include_str!("session_search.md")
)]
async fn session_search(
    args: SessionSearch,
    archive: State<SessionArchive>,
    cx: &ToolContext,
) -> ToolResult {
    let Some(store) = &archive.0 else {
        return Err(ToolError::answer("Earlier conversations are not kept here"));
    };
    let at_least_one = |number: i64| usize::try_from(number.max(1)).unwrap_or(usize::MAX);
    let roles = args.role_filter.unwrap_or_default();
    let request = Request {
        query: args.query,
        session_id: args.session_id.filter(|id| !id.trim().is_empty()),
        around_message_id: args.around_message_id,
        window: args.window.map(at_least_one),
        limit: args.limit.map(at_least_one),
        sort: args.sort.map(|order| match order {
            HitOrder::Newest => Sort::Newest,
            HitOrder::Oldest => Sort::Oldest,
        }),
        roles: roles.split(',').map(str::to_owned).collect(),
        current_session: Some(cx.ids().session_id.clone()),
    };
    match store.read(move |database| database.search(&request)).await {
        Ok(answer) => ToolOutput::json(&answer),
        Err(problem) => Err(ToolError::answer(problem.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn numbers_outside_the_range_are_read_for_the_agent_to_clamp() {
        let search: SessionSearch =
            serde_json::from_value(json!({"limit": 500, "window": -1, "query": null})).unwrap();
        assert_eq!((search.limit, search.window), (Some(500), Some(-1)));
        assert_eq!(search.query, None);
    }

    #[test]
    fn ranges_and_defaults_are_declared() {
        let parameters = session_search_tool().parameters().clone();
        let limit = &parameters["properties"]["limit"];
        assert_eq!(
            (&limit["minimum"], &limit["maximum"], &limit["default"]),
            (&json!(1), &json!(10), &json!(3))
        );
        assert_eq!(parameters["properties"]["window"]["maximum"], 20);
        assert_eq!(parameters["required"], Value::Null);
    }
}
