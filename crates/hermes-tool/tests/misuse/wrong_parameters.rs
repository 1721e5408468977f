use hermes_tool::{ToolContext, ToolError, tool};

/// Takes them the wrong way round.
#[tool(toolset = "x", effects(none))]
fn swapped(_cx: &ToolContext, _args: String, _more: u8) -> Result<(), ToolError> {
    Ok(())
}

fn main() {}
