//! Availability as people and programs ask for it: by toolset.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Pass;
use crate::registry::Snapshot;

/// One toolset in the registry: can it be used, what does it hold, what does it want?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolsetReport {
    /// Whether at least one of its tools can be offered.
    pub available: bool,
    /// Its tools, sorted.
    pub tools: Vec<Arc<str>>,
    /// Variables its tools want, each once, in the order met.
    pub env_vars: Vec<String>,
}

/// A toolset none of whose tools can be offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnavailableToolset {
    /// As configuration and lists write it.
    pub name: Arc<str>,
    /// Variables its tools want.
    pub env_vars: Vec<String>,
    /// Those of it that cannot be called now.
    pub tools: Vec<Arc<str>>,
}

/// Every toolset of the registry. A toolset is judged by its tools: one that can be offered is
/// enough, whatever the check that happened to be registered first says.
#[must_use]
pub fn toolset_reports(tables: &Snapshot, pass: &Pass) -> BTreeMap<Arc<str>, ToolsetReport> {
    let mut reports = BTreeMap::new();
    for toolset in tables.toolsets() {
        let mut report = ToolsetReport { available: false, tools: vec![], env_vars: vec![] };
        for tool in tables.tools_in(toolset).filter_map(|name| tables.get(name)) {
            report.available |= pass.allows(tool);
            report.tools.push(tool.name().clone());
            for variable in tool.requires_env() {
                if !report.env_vars.contains(variable) {
                    report.env_vars.push(variable.clone());
                }
            }
        }
        reports.insert(toolset.clone(), report);
    }
    reports
}

/// Names of the usable toolsets, and the others with what they want.
#[must_use]
pub fn toolset_availability(
    tables: &Snapshot,
    pass: &Pass,
) -> (Vec<Arc<str>>, Vec<UnavailableToolset>) {
    let mut available = Vec::new();
    let mut unavailable = Vec::new();
    for (name, report) in toolset_reports(tables, pass) {
        if report.available {
            available.push(name);
        } else {
            let ToolsetReport { tools, env_vars, .. } = report;
            unavailable.push(UnavailableToolset { name, env_vars, tools });
        }
    }
    (available, unavailable)
}
