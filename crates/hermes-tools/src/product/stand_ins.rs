//! Declarations for tools that this build does not have and the toolsets have room for.
//!
//! A plugin that brings `yb_send_dm` cannot declare how its calls are shown. Until the product has a tool of that name, which
//! then declares it itself, it is said here.

use hermes_tool::{CallDisplay, Origin, SubagentRule, Tool, ToolPolicy};

const fn shown(display: CallDisplay) -> ToolPolicy {
    ToolPolicy { display, ..ToolPolicy::DEFAULT }
}

const fn verb(word: &'static str, keys: &'static [&'static str]) -> ToolPolicy {
    shown(CallDisplay::verb(word).args(keys))
}

const fn withheld(policy: ToolPolicy) -> ToolPolicy {
    ToolPolicy { subagents: SubagentRule::Withheld, ..policy }
}

static STAND_INS: &[(&str, ToolPolicy)] =
    &[("yb_send_dm", withheld(verb("message", &["name", "message"])))];

/// What a tool declares; for a plugin's tool whose name the product has room for, what the product says of it.
#[must_use]
pub fn policy_of(tool: &Tool) -> &ToolPolicy {
    let stand_in = || STAND_INS.iter().find(|(name, _)| *name == &**tool.name());
    match tool.origin() {
        Origin::Linked => tool.policy(),
        Origin::Plugin(_) | Origin::Mcp(_) => {
            stand_in().map_or(tool.policy(), |(_, policy)| policy)
        }
    }
}

#[cfg(test)]
mod tests {
    use hermes_tool::{ShownCall, ToolOutput, linked_tools};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_of_this_build_speaks_for_itself() {
        for (_, tool) in linked_tools() {
            let stands_in = STAND_INS.iter().any(|(name, _)| *name == &**tool.name());
            assert!(!stands_in, "{} declares it itself", tool.name());
        }
    }

    #[test]
    fn a_plugin_that_fills_a_gap_is_shown_as_the_product_says() {
        let tool = Tool::builder("yb_send_dm", "yuanbao")
            .origin(Origin::Plugin("post".into()))
            .handler(|_, _| Ok(ToolOutput::text("{}")));
        let args = json!({"name": "Ann", "message": "hello"});
        let call = ShownCall { args: &args, result: None };
        let display = policy_of(&tool).display;
        assert_eq!(display.verb_of("yb_send_dm", &call), "message");
        assert!(display.detail_of(&call).contains("Ann"));
    }
}
