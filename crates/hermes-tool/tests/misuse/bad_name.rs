use hermes_tool::{ToolError, tool};

/// A name no provider accepts.
#[tool(toolset = "x", name = "read file", effects(none))]
fn read_file() -> Result<(), ToolError> {
    Ok(())
}

fn main() {}
