//! The MCP client: tools of other programs become ours.

pub mod answers;
pub mod authorize;
pub mod settings;
pub mod status;
