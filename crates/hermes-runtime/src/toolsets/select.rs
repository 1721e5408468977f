//! Which tools a session sees, from the toolsets it enables and disables.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::suggest::closest;
use super::{RegisteredTools, ToolsetKind, Toolsets, means_everything};

/// Whether the session works on a task of the shared board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KanbanTask {
    /// An ordinary session.
    #[default]
    None,
    /// Started for a task: it needs the board's tools whatever else it enables.
    Assigned,
}

/// What a session asks for.
#[derive(Debug, Clone, Copy, Default)]
pub struct ToolRequest<'a> {
    /// Toolsets to offer; an empty list offers nothing, no list at all offers everything.
    pub enabled: Option<&'a [String]>,
    /// Toolsets to take away again, after everything else.
    pub disabled: &'a [String],
    /// Whether a board task is at hand.
    pub kanban: KanbanTask,
}

/// Which of a request's lists a name stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestList {
    /// Toolsets to offer.
    Enabled,
    /// Toolsets to take away.
    Disabled,
}

/// A requested name that stands for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownToolset {
    /// The name as requested.
    pub name: String,
    /// Where it was requested.
    pub list: RequestList,
    /// A known name that looks much like it.
    pub suggestion: Option<String>,
}

impl fmt::Display for UnknownToolset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = match self.list {
            RequestList::Enabled => "enabled",
            RequestList::Disabled => "disabled",
        };
        write!(f, "unknown toolset `{}` among the {list} ones is ignored", self.name)?;
        match &self.suggestion {
            Some(near) => write!(f, "; did you mean `{near}`?"),
            None => f.write_str("; `hermes tools list` shows all names"),
        }
    }
}

/// The tools a session asked for. They may still be unregistered or unavailable.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// Names of the tools.
    pub names: BTreeSet<Arc<str>>,
    /// Requested toolsets that nobody knows, in the order requested.
    pub unknown: Vec<UnknownToolset>,
}

impl Toolsets {
    /// The tools of the enabled toolsets without those of the disabled ones.
    pub fn select(&self, request: &ToolRequest<'_>, registered: &dyn RegisteredTools) -> Selection {
        let mut selection = match request.enabled {
            None => {
                Selection { names: self.resolve_each(["all"], registered), unknown: Vec::new() }
            }
            Some(enabled) => self.enabled_tools(enabled, request.kanban, registered),
        };
        let unknown = self.subtract_disabled(&mut selection.names, request.disabled, registered);
        selection.unknown.extend(unknown);
        selection
    }

    fn enabled_tools(
        &self,
        enabled: &[String],
        kanban: KanbanTask,
        registered: &dyn RegisteredTools,
    ) -> Selection {
        let board = (kanban == KanbanTask::Assigned).then_some(self.catalog().board).flatten();
        let mut toolsets = Vec::new();
        let mut selection = Selection::default();
        for name in enabled.iter().map(String::as_str).chain(board) {
            if self.is_valid(name, registered) {
                toolsets.push(name);
            } else if let Some(tools) = self.catalog().legacy_tools(name) {
                selection.names.extend(tools.iter().copied().map(Arc::from));
            } else {
                self.report(&mut selection.unknown, name, RequestList::Enabled, registered);
            }
        }
        selection.names.extend(self.resolve_each(toolsets, registered));
        selection
    }

    /// Takes the tools of disabled toolsets away, and returns the names nobody knows.
    ///
    /// A toolset loses everything it stands for, even tools that an enabled toolset shares with
    /// it. Presets and postures are different: they are mostly the core, and disabling one must
    /// not empty the session, so only what they add to the core goes (their own tools and those
    /// of the toolsets they include directly).
    pub fn subtract_disabled(
        &self,
        names: &mut BTreeSet<Arc<str>>,
        disabled: &[String],
        registered: &dyn RegisteredTools,
    ) -> Vec<UnknownToolset> {
        let mut unknown = Vec::new();
        for name in disabled {
            if means_everything(name) {
                names.clear();
            } else if let Some(step) = self.step(name, registered) {
                let is_preset = self.catalog().platform_of(name).is_some();
                let gone = if is_preset
                    || matches!(step.kind, ToolsetKind::Posture | ToolsetKind::Small)
                {
                    let included =
                        step.includes.iter().filter_map(|set| self.step(set, registered));
                    let mut near = step.own_tools;
                    near.extend(included.flat_map(|set| set.own_tools));
                    near.difference(&self.catalog().core).cloned().collect()
                } else {
                    self.resolve_each([name.as_str()], registered)
                };
                names.retain(|tool| !gone.contains(tool));
            } else if let Some(tools) = self.catalog().legacy_tools(name) {
                names.retain(|tool| !tools.contains(&&**tool));
            } else {
                self.report(&mut unknown, name, RequestList::Disabled, registered);
            }
        }
        unknown
    }

    fn report(
        &self,
        unknown: &mut Vec<UnknownToolset>,
        name: &str,
        list: RequestList,
        registered: &dyn RegisteredTools,
    ) {
        if unknown.iter().any(|seen| seen.name == name) {
            return;
        }
        let suggestion = self.suggestion(name, registered);
        unknown.push(UnknownToolset { name: name.to_owned(), list, suggestion });
    }

    /// A known toolset name that looks much like an unknown one.
    pub fn suggestion(&self, name: &str, registered: &dyn RegisteredTools) -> Option<String> {
        let known = self.names(registered);
        let legacy = self.catalog().legacy.iter().map(|(name, _)| *name);
        let candidates = known.iter().map(|name| &**name).chain(legacy).chain(["all"]);
        closest(name, candidates).map(str::to_owned)
    }
}
