//! What a call has from its host: the state folder and the redactor.
//!
//! A host puts both into the services of a call. Without one (a runtime that somebody put together by
//! hand) they come from the variables and settings of the call, by the same rules.

use hermes_guard::redact::{Redaction, Redactor};
use hermes_store::home::Home;
use hermes_tool::{ToolContext, Vars};

/// The state folder of a call.
pub(crate) fn home(cx: &ToolContext) -> Option<Home> {
    match cx.service::<Home>() {
        Some(home) => Some(Home::clone(&home)),
        None => located(cx.vars()),
    }
}

/// The state folder that variables name; those of a host name the one in force.
pub(crate) fn located(vars: &Vars) -> Option<Home> {
    Home::locate(|name| vars.get(name).map(str::to_owned)).ok()
}

/// Hides secrets in what a call answers, unless the user switched it off.
pub(crate) fn redactor(cx: &ToolContext) -> Redactor {
    match cx.service::<Redactor>() {
        Some(redactor) => *redactor,
        None => {
            let setting = cx.config()["security"]["redact_secrets"].as_bool();
            Redactor::new(Redaction::read(cx.vars().get("HERMES_REDACT_SECRETS"), setting))
        }
    }
}
