//! What the skill tools have in common: the library as a call sees it.

use std::collections::HashSet;
use std::sync::Arc;

use hermes_exec::settings::configured_backend;
use hermes_runtime::registry::Registry;
use hermes_skills::offer::{OfferContext, SessionPlatform, SessionTools};
use hermes_skills::setup::SetupSurface;
use hermes_skills::{SkillLibrary, SkillStore};
use hermes_tool::{State, ToolContext, ToolError, ToolErrorExt as _};

/// What a session with these tools can do, as conditions of skills name it.
#[must_use]
pub fn session_tools(tools: &[Arc<str>], registry: &Registry) -> SessionTools {
    let toolsets: HashSet<String> = tools
        .iter()
        .filter_map(|name| registry.get(name))
        .map(|tool| tool.toolset().to_string())
        .collect();
    SessionTools { tools: tools.iter().map(ToString::to_string).collect(), toolsets }
}

/// Does something with the skills on a thread that may wait for disks and locks.
pub(super) async fn on_disk<T: Send + 'static>(
    library: &State<SkillLibrary>,
    cx: &ToolContext,
    act: impl FnOnce(&SkillStore<'_>, &ToolContext) -> T + Send + 'static,
) -> Result<T, ToolError> {
    let (library, cx) = (library.shared(), cx.clone());
    let work = move || act(&library.store(cx.config(), cx.vars()), &cx);
    tokio::task::spawn_blocking(work).await.tool_error("Panic")
}

/// The platform a call's session takes place on, where the host says.
fn platform(cx: &ToolContext) -> Option<Arc<SessionPlatform>> {
    cx.service::<SessionPlatform>()
}

/// What may be offered to a call's session.
pub(super) fn offers(store: &SkillStore<'_>, cx: &ToolContext) -> OfferContext {
    store.offers(platform(cx).as_ref().map(|platform| platform.0.as_str()))
}

/// Where a view takes place.
pub(super) fn surface(cx: &ToolContext) -> SetupSurface {
    SetupSurface::of(cx.vars(), platform(cx).as_ref().map(|platform| platform.0.as_str()))
}

/// Where commands run.
pub(super) fn backend(cx: &ToolContext) -> &'static str {
    configured_backend(cx.config(), cx.vars()).name()
}

/// The turn a call belongs to.
pub(super) fn turn(cx: &ToolContext) -> String {
    format!("{}/{}", cx.ids().session_id, cx.ids().turn_id)
}
