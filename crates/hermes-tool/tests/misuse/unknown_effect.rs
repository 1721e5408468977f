use hermes_tool::{ToolError, tool};

/// Declares an effect that does not exist.
#[tool(toolset = "x", effects(teleports))]
fn odd() -> Result<(), ToolError> {
    Ok(())
}

fn main() {}
