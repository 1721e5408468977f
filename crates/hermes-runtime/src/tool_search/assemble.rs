//! Which definitions the model sees.
//!
//! The price of a list is estimated from its compact JSON, since that is what providers count. Only
//! the tools that can wait are priced: a big core does not push MCP tools out. Once the price
//! reaches the threshold all of them wait, not just the dearest, so that the model has one simple
//! rule to learn and the visible list does not shift when a server adds a tool.

use std::io;

use serde_json::Value;

use super::bridges::{bridge_definitions, is_bridge};
use super::config::{SearchConfig, SearchMode};

const CHARS_PER_TOKEN: usize = 4;
/// Cost in tokens from which tools are deferred when the size of the context is unknown.
const THRESHOLD_WITHOUT_CONTEXT: u64 = 20_000;

/// A tool list after deferral.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembled {
    /// What the model gets.
    pub definitions: Vec<Value>,
    /// What was taken out; empty when nothing was.
    pub deferred: Vec<Value>,
}

/// Takes the tools that can wait out of the list and adds the bridges, if that pays.
///
/// `is_core` is asked by name and must also say yes to tools that the registry does not know,
/// because the bridges could not call them. Order is kept; bridges come last. A list that was
/// assembled before comes back as it is.
#[must_use]
pub fn assemble(
    definitions: Vec<Value>,
    is_core: &dyn Fn(&str) -> bool,
    config: &SearchConfig,
    context_tokens: Option<u64>,
) -> Assembled {
    let waits = |definition: &Value| {
        name_of(definition).is_some_and(|name| deferrable(name, is_core, config))
    };
    let cost = cost_tokens(definitions.iter().filter(|definition| waits(definition)));
    if !is_active(cost, config, context_tokens) {
        return Assembled { definitions, deferred: Vec::new() };
    }
    let (deferred, mut visible): (Vec<_>, Vec<_>) = definitions.into_iter().partition(waits);
    visible.retain(|definition| !name_of(definition).is_some_and(is_bridge));
    visible.extend(bridge_definitions(config));
    Assembled { definitions: visible, deferred }
}

/// Whether a tool may be deferred: not core, not pinned, not a bridge.
#[must_use]
pub fn deferrable(name: &str, is_core: &dyn Fn(&str) -> bool, config: &SearchConfig) -> bool {
    !is_bridge(name) && !config.pinned.contains(name) && !is_core(name)
}

/// What definitions cost in the prompt: a token for every four characters of compact JSON, rounded
/// up over the sum.
pub fn cost_tokens<'a>(definitions: impl IntoIterator<Item = &'a Value>) -> u64 {
    let mut counter = CharCounter::default();
    for definition in definitions {
        // Neither the counter nor a `Value` can fail to be written.
        let _ = serde_json::to_writer(&mut counter, definition);
    }
    counter.chars.div_ceil(CHARS_PER_TOKEN) as u64
}

/// Whether tools of this cost are deferred.
#[must_use]
pub fn is_active(cost: u64, config: &SearchConfig, context_tokens: Option<u64>) -> bool {
    if cost == 0 {
        return false;
    }
    match config.mode {
        SearchMode::Off => false,
        SearchMode::On => true,
        SearchMode::Auto => {
            let threshold = match context_tokens.filter(|tokens| *tokens > 0) {
                Some(tokens) => (tokens as f64 * config.threshold_pct / 100.0).floor() as u64,
                None => THRESHOLD_WITHOUT_CONTEXT,
            };
            cost >= threshold
        }
    }
}

/// The function schema inside a definition, which may also be given flat.
pub(super) fn function_of(definition: &Value) -> &Value {
    definition.get("function").unwrap_or(definition)
}

/// The name of a defined tool.
pub(super) fn name_of(definition: &Value) -> Option<&str> {
    function_of(definition).get("name")?.as_str()
}

/// Counts the characters of UTF-8 that is written to it, so that no text has to be built.
#[derive(Default)]
struct CharCounter {
    chars: usize,
}

impl io::Write for CharCounter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let continuations = bytes.iter().filter(|byte| (**byte & 0xC0) == 0x80).count();
        self.chars += bytes.len() - continuations;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool(name: &str) -> Value {
        json!({"type": "function", "function": {
            "name": name, "description": "Does söme things.",
            "parameters": {"type": "object", "properties": {}},
        }})
    }

    fn names(definitions: &[Value]) -> Vec<&str> {
        definitions.iter().filter_map(name_of).collect()
    }

    fn is_core(name: &str) -> bool {
        name.starts_with("core")
    }

    fn on() -> SearchConfig {
        SearchConfig { mode: SearchMode::On, ..SearchConfig::default() }
    }

    #[test]
    fn deferred_tools_leave_and_bridges_come_last() {
        let list = vec![tool("b_mcp"), tool("core_a"), tool("a_mcp"), tool("core_b")];
        let assembled = assemble(list, &is_core, &on(), None);
        assert_eq!(
            names(&assembled.definitions),
            ["core_a", "core_b", "tool_search", "tool_describe", "tool_call"]
        );
        assert_eq!(names(&assembled.deferred), ["b_mcp", "a_mcp"]);
    }

    #[test]
    fn assembling_twice_keeps_the_bridges() {
        let once = assemble(vec![tool("core_a"), tool("mcp")], &is_core, &on(), None);
        let twice = assemble(once.definitions.clone(), &is_core, &on(), None);
        assert_eq!(twice.definitions, once.definitions);
        assert_eq!(twice.deferred, Vec::<Value>::new());

        // A tool that arrives later joins the deferred ones; no bridge is doubled or lost.
        let mut grown = once.definitions.clone();
        grown.push(tool("late_mcp"));
        let third = assemble(grown, &is_core, &on(), None);
        assert_eq!(third.definitions, once.definitions);
        assert_eq!(names(&third.deferred), ["late_mcp"]);
    }

    #[test]
    fn pinned_tools_stay() {
        let config = SearchConfig { pinned: ["mcp_a".to_owned()].into(), ..on() };
        let assembled = assemble(vec![tool("mcp_a"), tool("mcp_b")], &is_core, &config, None);
        assert_eq!(names(&assembled.deferred), ["mcp_b"]);
        let alone = assemble(vec![tool("mcp_a")], &is_core, &config, None);
        assert_eq!(names(&alone.definitions), ["mcp_a"], "nothing waits: no bridges");
    }

    #[test]
    fn costs_count_characters_and_round_up_over_the_sum() {
        let two = [tool("x"), tool("y")];
        let chars: usize = two.iter().map(|tool| tool.to_string().chars().count()).sum();
        assert_eq!(cost_tokens(&two), chars.div_ceil(4) as u64);
        assert_eq!(cost_tokens(&[]), 0);
    }

    #[test]
    fn auto_defers_from_the_share_of_the_context_on() {
        let auto = SearchConfig::default();
        assert!(!is_active(0, &on(), None));
        assert!(is_active(1, &on(), None));
        assert!(!is_active(999, &auto, Some(10_009)), "threshold is floor(1000.9)");
        assert!(is_active(1000, &auto, Some(10_009)));
        for unknown in [None, Some(0)] {
            assert!(!is_active(19_999, &auto, unknown));
            assert!(is_active(20_000, &auto, unknown));
        }
        let off = SearchConfig { mode: SearchMode::Off, ..SearchConfig::default() };
        assert!(!is_active(u64::MAX, &off, Some(1)));
        let zero = SearchConfig { threshold_pct: 0.0, ..SearchConfig::default() };
        assert!(is_active(1, &zero, Some(1_000_000)) && !is_active(0, &zero, Some(1)));
    }

    #[test]
    fn an_inactive_search_changes_nothing() {
        let list = vec![tool("mcp"), json!({"odd": true}), tool("core")];
        let assembled = assemble(list.clone(), &is_core, &SearchConfig::default(), Some(200_000));
        assert_eq!(assembled.definitions, list);
        assert_eq!(assembled.deferred, Vec::<Value>::new());
    }
}
