//! What a call has from its host: the state folder, the redactor, the door to the web.
//!
//! A host puts them into the services of a call. Without one (a runtime that somebody put together by
//! hand) they come from the variables and settings of the call, by the same rules.

use std::path::Path;

use hermes_guard::redact::{Redaction, Redactor};
use hermes_store::home::Home;
use hermes_tool::settings::Settings;
use hermes_tool::{ToolContext, Vars};
use hermes_web::{DoorOptions, HttpDoor};
use serde_json::Value;

/// What the user decided about secrets in outputs.
#[derive(Settings)]
#[settings(path = "security", about = "Safety", open)]
struct RedactionSettings {
    /// Hide secrets in outputs.
    #[setting(default = true, variable = "HERMES_REDACT_SECRETS")]
    redact_secrets: bool,
}

/// The redactor of a configuration, for whoever begins something. Nonsense hides secrets.
#[must_use]
pub fn configured_redactor(config: &Value, vars: &Vars) -> Redactor {
    let settings = RedactionSettings::read(config, vars);
    Redactor::new(if settings.redact_secrets { Redaction::On } else { Redaction::Off })
}

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
        None => configured_redactor(cx.config(), cx.vars()),
    }
}

/// The one door for addresses that a model or a page names. Without a host there is no list of blocked sites in files,
/// and connections are not kept for the next call.
#[must_use]
pub fn http_door(cx: &ToolContext) -> HttpDoor {
    match cx.service::<HttpDoor>() {
        Some(door) => HttpDoor::clone(&door),
        None => {
            let home = home(cx);
            let root = home.as_ref().map_or(Path::new(""), Home::root);
            HttpDoor::new(DoorOptions::read(cx.config(), cx.vars(), root))
        }
    }
}

#[cfg(test)]
mod tests {
    use hermes_guard::redact::RedactMode;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_variable_decides_before_the_setting_and_nonsense_hides_secrets() {
        let shows = |variable: Option<&str>, setting: Value| {
            let variable =
                variable.map(|text| ("HERMES_REDACT_SECRETS".to_owned(), text.to_owned()));
            let vars: Vars = variable.into_iter().collect();
            let redactor =
                configured_redactor(&json!({"security": {"redact_secrets": setting}}), &vars);
            redactor
                .redact("DB_PASSWORD=hunter2hunter2", RedactMode::Full)
                .contains("hunter2hunter2")
        };
        assert!(!shows(None, Value::Null));
        assert!(shows(None, json!(false)));
        assert!(shows(Some(" "), json!(false)));
        assert!(!shows(Some("1"), json!(false)));
        for off in ["0", "off", "FALSE", " no "] {
            assert!(shows(Some(off), json!(true)), "{off:?}");
        }
        assert!(!shows(Some("perhaps"), json!("nonsense")));
    }
}
