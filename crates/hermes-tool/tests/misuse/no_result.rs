use hermes_tool::tool;

/// Returns nothing.
#[tool(toolset = "x", effects(none))]
fn nothing() {}

fn main() {}
