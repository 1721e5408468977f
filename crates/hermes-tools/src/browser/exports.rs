//! What hosts use of the browser.

use std::sync::Arc;

use hermes_browser::BrowserSessions;
use hermes_exec::manager::Environments;
use hermes_store::home::Home;
use hermes_tool::Vars;
use hermes_web::HttpDoor;
use serde_json::Value;

use super::context::{sessions, terminal_reach};

/// The browsers of a host, by its settings; none is started yet. The host closes them when it ends.
#[must_use]
pub fn browser_sessions(
    config: &Value,
    vars: &Vars,
    home: &Home,
    environments: &Environments,
    door: HttpDoor,
) -> Arc<BrowserSessions> {
    sessions(config, vars, home, terminal_reach(Some(environments), ""), door)
}
