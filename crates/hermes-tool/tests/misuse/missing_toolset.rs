use hermes_tool::{ToolError, tool};

/// No owner.
#[tool(effects(none))]
fn stray() -> Result<(), ToolError> {
    Ok(())
}

fn main() {}
