use hermes_tool::{ToolError, tool};

/// Misspells a key.
#[tool(toolset = "x", effects(none), emojii = "?")]
fn odd() -> Result<(), ToolError> {
    Ok(())
}

fn main() {}
