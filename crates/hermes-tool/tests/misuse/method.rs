use hermes_tool::{ToolError, tool};

struct Host;

impl Host {
    /// A method.
    #[tool(toolset = "x", effects(none))]
    fn method(&self) -> Result<(), ToolError> {
        Ok(())
    }
}

fn main() {}
