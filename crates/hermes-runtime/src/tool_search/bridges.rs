//! The three tools that lead to the others.

use serde_json::{Value, json};

use super::config::SearchConfig;

/// Finds deferred tools.
pub const TOOL_SEARCH: &str = "tool_search";
/// Shows the arguments of a deferred tool.
pub const TOOL_DESCRIBE: &str = "tool_describe";
/// Calls a deferred tool.
pub const TOOL_CALL: &str = "tool_call";
/// All bridges, in the order in which they are listed.
pub const BRIDGES: [&str; 3] = [TOOL_SEARCH, TOOL_DESCRIBE, TOOL_CALL];

/// Whether a name belongs to a bridge.
#[must_use]
pub fn is_bridge(name: &str) -> bool {
    BRIDGES.contains(&name)
}

/// The definitions of the bridges. They depend on the configuration only, not on what is deferred:
/// a server that comes or goes must not change the beginning of every prompt.
#[must_use]
pub fn bridge_definitions(config: &SearchConfig) -> [Value; 3] {
    let (default, most) = (config.search_default_limit, config.max_search_limit);
    [
        json!({"type": "function", "function": {
            "name": TOOL_SEARCH,
            "description": "Find tools that are available but not in your list, such as those of \
                connected MCP servers and plugins. Search here before you conclude that something \
                cannot be done. Gives names and short descriptions, best match first; continue \
                with tool_describe, then tool_call.",
            "parameters": {
                "type": "object",
                "properties": {
                    "query": {
                        "type": "string",
                        "description": "A few words on what the tool should do or on the service \
                            it belongs to, for example: create github issue",
                    },
                    "limit": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": most,
                        "description": format!("Most matches to give; {default} unless stated."),
                    },
                },
                "required": ["query"],
            },
        }}),
        json!({"type": "function", "function": {
            "name": TOOL_DESCRIBE,
            "description": "Show the full description and the argument schema of a tool found \
                with tool_search. Look before the first call.",
            "parameters": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "Name of the tool, as found."},
                },
                "required": ["name"],
            },
        }}),
        json!({"type": "function", "function": {
            "name": TOOL_CALL,
            "description": "Call a tool found with tool_search. The result is that of the tool \
                itself. Tools in your list are called directly, not through this one.",
            "parameters": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "Name of the tool, as found."},
                    "arguments": {
                        "type": "object",
                        "description": "Arguments that fit the schema given by tool_describe.",
                    },
                },
                "required": ["name", "arguments"],
            },
        }}),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bridges_are_listed_in_their_order_with_their_required_arguments() {
        let definitions = bridge_definitions(&SearchConfig::default());
        let names = definitions.each_ref().map(|definition| {
            let function = &definition["function"];
            (function["name"].as_str(), &function["parameters"]["required"])
        });
        assert_eq!(names[0], (Some("tool_search"), &json!(["query"])));
        assert_eq!(names[1], (Some("tool_describe"), &json!(["name"])));
        assert_eq!(names[2], (Some("tool_call"), &json!(["name", "arguments"])));
        let limit = &definitions[0]["function"]["parameters"]["properties"]["limit"];
        assert_eq!(limit["maximum"], 20);
    }
}
