//! The built-in tools as a chat shows them, for tests.

use std::collections::HashMap;

use hermes_tool::{Tool, linked_tools};
use hermes_tools::product::policy_of;

use crate::display::{ToolLines, ToolLook};

/// Lines that know what the tools declare. Emojis are those given, so that drawings stay as they are when
/// a tool gets another one.
pub(crate) fn tool_lines(emojis: &[(&str, &str)]) -> ToolLines {
    let tools = linked_tools().into_iter().map(|(_, tool)| tool);
    let look = |tool: Tool| {
        let emoji = emojis.iter().find(|(name, _)| *name == &**tool.name());
        let look = match emoji {
            Some((_, emoji)) => ToolLook::new(emoji, policy_of(&tool)),
            None => ToolLook::new(ToolLook::ANY_TOOL, policy_of(&tool)),
        };
        (tool.name().to_string(), look)
    };
    let looks: HashMap<String, ToolLook> = tools.map(look).collect();
    ToolLines { looks, ..ToolLines::default() }
}
