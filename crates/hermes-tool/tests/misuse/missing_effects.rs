use hermes_tool::{ToolError, tool};

/// Says nothing of its effects.
#[tool(toolset = "x")]
fn silent() -> Result<(), ToolError> {
    Ok(())
}

fn main() {}
