//! The tables, and how the runtime's rules play out on them.

mod distributions;
mod platform;
mod select;
mod tables;

use std::sync::Arc;

use hermes_runtime::registry::{Registry, Snapshot};
use hermes_runtime::toolsets::{ToolsetTable, Toolsets};
use hermes_tool::{Tool, ToolOutput};

fn table() -> ToolsetTable {
    ToolsetTable::new(super::toolset_catalog())
}

fn toolsets() -> Arc<Toolsets> {
    table().snapshot()
}

/// A registry with a few tools that do nothing.
#[derive(Default)]
struct Registered(Registry);

impl Registered {
    fn with(self, toolset: &str, tools: &[&str]) -> Self {
        for name in tools {
            let tool = Tool::builder(*name, toolset).handler(|_, _| Ok(ToolOutput::text("{}")));
            self.0.register(tool);
        }
        self
    }

    fn platform(self, name: &str) -> Self {
        self.0.register_platform(name);
        self
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        self.0.snapshot()
    }
}
