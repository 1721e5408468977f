//! A plugin's hooks.

use std::sync::Arc;

use hermes_runtime::hooks::{Hook, HookEvent};
use serde_json::{Value, json};

use super::Plugin;
use crate::link::About;

/// The hook as the runtime calls it. What goes wrong is logged and counts as silence.
pub(super) fn hook(plugin: &Arc<Plugin>, event: HookEvent, id: &str) -> Hook {
    let (weak, id) = (Arc::downgrade(plugin), id.to_owned());
    Hook::future(owner(plugin.key()), move |payload| {
        let (weak, id) = (weak.clone(), id.clone());
        async move {
            let plugin = weak.upgrade()?;
            let params = json!({"hook": id, "event": event.name(), "payload": &*payload});
            let deadline = plugin.shared.settings.hook_timeout();
            match plugin.ask("hook.call", params, About::Nothing, deadline).await {
                Ok(Value::Null) => None,
                Ok(answer) => Some(answer),
                Err(problem) => {
                    plugin.log.line("hermes", &format!("hook {event} has no effect: {problem}"));
                    tracing::warn!("hook {event} has no effect: {problem}");
                    None
                }
            }
        }
    })
}

/// Under which name a plugin's hooks and middleware are listed.
pub(super) fn owner(key: &str) -> String {
    format!("plugin:{key}")
}
