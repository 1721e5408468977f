use hermes_tool::{ToolError, tool};

#[tool(toolset = "x", effects(none))]
fn mute() -> Result<(), ToolError> {
    Ok(())
}

fn main() {}
