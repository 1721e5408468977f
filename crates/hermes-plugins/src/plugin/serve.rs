//! What plugins may ask of Hermes.
//!
//! | request | what happens |
//! |---|---|
//! | `dispatch_tool` | a tool is called, by the way every call takes |
//! | `next` | middleware goes inwards |
//! | `inject_message` | something is said in the conversation |
//! | `llm` | the conversation's model is asked |
//! | `secret` | a variable, if somebody agreed to hand that one out |

use std::sync::{Arc, Weak};

use hermes_runtime::ToolCall;
use hermes_tool::{BoxFuture, Services};
use serde_json::{Map, Value};

use super::{Plugin, attach};
use crate::error::PluginError;
use crate::link::{About, Serve};
use crate::protocol::Registrations;
use crate::shared::Injected;

/// How deep plugins' calls of tools may be nested.
const MAX_DEPTH: u32 = 8;

/// How many plugins stand above a call.
struct Depth(u32);

/// Serves one plugin.
pub(super) struct PluginRequests(Weak<Plugin>);

impl PluginRequests {
    pub(super) fn of(plugin: &Arc<Plugin>) -> Self {
        Self(Arc::downgrade(plugin))
    }
}

impl Serve for PluginRequests {
    fn request(
        &self,
        method: String,
        params: Map<String, Value>,
        about: Option<Arc<About>>,
    ) -> BoxFuture<Result<Value, String>> {
        let plugin = self.0.clone();
        Box::pin(async move {
            let plugin = plugin.upgrade().ok_or_else(|| PluginError::Closed.to_string())?;
            let text =
                |key: &str| params.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            match method.as_str() {
                "dispatch_tool" => plugin.dispatch(text("tool"), &params, about.as_deref()).await,
                "next" => inwards(&params, about.as_deref()).await,
                "inject_message" => {
                    let role = Some(text("role")).filter(|role| !role.is_empty());
                    Ok(plugin
                        .say(text("content"), role.unwrap_or_else(|| "user".to_owned()))
                        .into())
                }
                "llm" => match plugin.shared.model.load_full() {
                    Some(door) => door(Value::Object(params)).await,
                    None => Err("there is no model here: no conversation is going on".to_owned()),
                },
                "secret" => plugin.secret(&text("name")),
                other => Err(format!("Hermes has no method '{other}'")),
            }
        })
    }

    fn notice(&self, method: &str, mut params: Map<String, Value>) {
        let Some(plugin) = self.0.upgrade() else { return };
        match method {
            "register" => match serde_json::from_value::<Registrations>(Value::Object(params)) {
                Ok(later) => {
                    let mut all = plugin.book().brings.clone();
                    all.merge(later);
                    attach::attach_and_tell(&plugin, all);
                }
                Err(problem) => plugin.log.line("hermes", &format!("register: {problem}")),
            },
            "unregister" => {
                let Some(Value::Array(names)) = params.shift_remove("tools") else { return };
                let mut all = plugin.book().brings.clone();
                all.tools.retain(|tool| !names.iter().any(|name| *name == *tool.name));
                attach::attach_and_tell(&plugin, all);
            }
            other => plugin.log.line("hermes", &format!("nobody takes the notice '{other}'")),
        }
    }
}

impl Plugin {
    /// Calls a tool for the plugin. What the call knows is what the call above it knew.
    async fn dispatch(
        &self,
        name: String,
        params: &Map<String, Value>,
        about: Option<&About>,
    ) -> Result<Value, String> {
        if name.is_empty() {
            return Err("dispatch_tool: `tool` names no tool".to_owned());
        }
        let mut context = match about {
            Some(About::Tool(above)) => above.to_parts(),
            _ => (**self.shared.context.load()).clone(),
        };
        let depth = context.services.get::<Depth>().map_or(0, |depth| depth.0) + 1;
        if depth > MAX_DEPTH {
            return Err(format!("dispatch_tool: calls are nested deeper than {MAX_DEPTH}"));
        }
        context.services = Services::with(&context.services, Arc::new(Depth(depth)));
        context.progress = None;
        let args = params.get("args").cloned().unwrap_or_default();
        let call = ToolCall { context, ..ToolCall::new(name, args) };
        let outcome = self.shared.runtime.call(call).await;
        Ok(outcome.output.to_value())
    }

    fn say(&self, content: String, role: String) -> bool {
        let said = Injected { plugin: self.key().to_owned(), role, content };
        self.shared.messages.load_full().is_some_and(|sink| sink(said))
    }

    fn secret(&self, name: &str) -> Result<Value, String> {
        let key = self.key();
        if !self.shared.granted(&self.found).iter().any(|granted| granted == name) {
            return Err(format!(
                "{name} is not handed to plugin '{key}'; to allow it: hermes plugins enable {key} \
                 --env {name}"
            ));
        }
        Ok(self.shared.vars.get(name).map_or(Value::Null, Into::into))
    }
}

/// Middleware goes inwards, at most once.
async fn inwards(params: &Map<String, Value>, about: Option<&About>) -> Result<Value, String> {
    let Some(About::Execution(next)) = about else {
        return Err("next: `request` names no call that middleware stands around".to_owned());
    };
    let args = params.get("args").and_then(Value::as_object).cloned();
    match next.run(args).await {
        Ok(result) => Ok(result.output.to_value()),
        Err(problem) => Err(problem.to_string()),
    }
}
