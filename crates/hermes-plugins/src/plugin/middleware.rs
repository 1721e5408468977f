//! A plugin's middleware.

use std::sync::Arc;

use hermes_runtime::pipeline::{CallView, Dispatched, MIDDLEWARE_VERSION, MiddlewareError, Next};
use hermes_tool::ToolOutput;
use serde_json::{Value, json};

use super::Plugin;
use super::hooks::owner;
use crate::error::PluginError;
use crate::link::About;

/// Lets the plugin change arguments.
pub(super) fn on_request(plugin: &Arc<Plugin>, id: &str) {
    let (weak, id) = (Arc::downgrade(plugin), id.to_owned());
    plugin.shared.runtime.middleware().on_request(owner(plugin.key()), move |view| {
        let (weak, id) = (weak.clone(), id.clone());
        async move {
            let plugin = weak.upgrade()?;
            let params = json!({"middleware": id, "fields": fields(&view)});
            let deadline = plugin.shared.settings.hook_timeout();
            let asked = plugin.ask("middleware.request", params, About::Nothing, deadline).await;
            asked
                .inspect_err(|problem| {
                    tracing::warn!("request middleware has no effect: {problem}");
                })
                .ok()
        }
    });
}

/// Lets the plugin stand around calls.
pub(super) fn on_execution(plugin: &Arc<Plugin>, id: &str) {
    let (weak, id) = (Arc::downgrade(plugin), id.to_owned());
    plugin.shared.runtime.middleware().on_execution(owner(plugin.key()), move |view, next| {
        let (weak, id) = (weak.clone(), id.clone());
        async move {
            let plugin = weak.upgrade().ok_or_else(|| failed(&PluginError::Closed))?;
            around(&plugin, &id, &view, Arc::new(next)).await
        }
    });
}

async fn around(
    plugin: &Arc<Plugin>,
    id: &str,
    view: &CallView,
    next: Arc<Next>,
) -> Result<Dispatched, MiddlewareError> {
    let params = json!({"middleware": id, "fields": fields(view)});
    // The call inside may take as long as calls take.
    let deadline = plugin.shared.settings.call_timeout() + plugin.shared.settings.hook_timeout();
    let about = About::Execution(Arc::clone(&next));
    let answered = plugin.ask("middleware.execution", params, about, deadline).await;
    match answered.map_err(|problem| failed(&problem))? {
        // Silence leaves what was inside; the runtime knows it.
        Value::Null => Err(MiddlewareError::Failed("it returned no result".to_owned())),
        Value::String(text) => Ok(Dispatched::output(ToolOutput::Text(text))),
        other => Ok(Dispatched::output(ToolOutput::Foreign(other))),
    }
}

fn failed(problem: &PluginError) -> MiddlewareError {
    MiddlewareError::Failed(problem.to_string())
}

fn fields(view: &CallView) -> Value {
    json!({
        "tool_name": &*view.tool_name,
        "args": view.args,
        "original_args": view.original_args,
        "task_id": view.ids.task_id,
        "session_id": view.ids.session_id,
        "tool_call_id": view.ids.tool_call_id,
        "turn_id": view.ids.turn_id,
        "api_request_id": view.ids.api_request_id,
        "telemetry_schema_version": MIDDLEWARE_VERSION,
    })
}
