//! One module a command.

pub(crate) mod approvals;
pub(crate) mod browser;
pub(crate) mod checkpoints;
pub(crate) mod completion;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod hooks;
pub(crate) mod insights;
pub(crate) mod mcp;
pub(crate) mod memory;
pub(crate) mod model;
pub(crate) mod plugins;
pub(crate) mod prompt_size;
pub(crate) mod serve;
pub(crate) mod sessions;
pub(crate) mod setup;
pub(crate) mod skills;
pub(crate) mod tools;
pub(crate) mod toolsets;
