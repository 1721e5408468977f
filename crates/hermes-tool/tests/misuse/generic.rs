use hermes_tool::{ToolError, tool};

/// Generic over what?
#[tool(toolset = "x", effects(none))]
fn generic<T>() -> Result<(), ToolError> {
    Ok(())
}

fn main() {}
