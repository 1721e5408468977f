//! A plugin's tools in the registry.

use std::sync::{Arc, Weak};
use std::time::Duration;

use hermes_runtime::bridge::block_on;
use hermes_runtime::registry::Registered;
use hermes_tool::{
    Args, Availability, Check, Concurrency, Effect, Effects, Origin, ResultLimit, Tool,
    ToolContext, ToolOutput, ToolResult,
};
use serde_json::{Value, json};

use super::Plugin;
use crate::error::PluginError;
use crate::link::About;
use crate::protocol::ToolEntry;

/// How long a plugin may take to say whether a tool is available.
const CHECK_DEADLINE: Duration = Duration::from_secs(2);

/// How much later than the caller we stop waiting.
const SLACK: Duration = Duration::from_secs(1);
/// Longest name of a tool.
const MAX_NAME: usize = 64;
/// How long an interrupted call waits before it answers for itself.
const AFTER_INTERRUPT: Duration = Duration::from_millis(200);

/// Registers tools and takes away those that are gone. Gives the names of those in force.
pub(super) fn attach(
    plugin: &Arc<Plugin>,
    entries: &[ToolEntry],
    refused: &mut Vec<String>,
) -> Vec<String> {
    let registry = plugin.shared.runtime.registry();
    if plugin.may_override() {
        registry.allow_override(plugin.key());
    }
    let mut tools = Vec::new();
    for entry in entries {
        if !is_callable(&entry.name) {
            refused.push(format!("tool {:?}: models cannot call a tool of that name", entry.name));
            continue;
        }
        let tool = tool(plugin, entry);
        let registered = if entry.replaces == Some(true) {
            registry.register_override(tool)
        } else {
            Ok(registry.register(tool))
        };
        match registered {
            Ok(Registered::Rejected { owner }) => {
                refused.push(format!("tool {}: the name belongs to toolset {owner}", entry.name));
            }
            Ok(Registered::Added | Registered::Replaced { .. }) => tools.push(entry.name.clone()),
            Err(problem) => refused.push(problem.to_string()),
        }
    }
    let before = plugin.book().tools.clone();
    for gone in before.iter().filter(|name| !tools.contains(name)) {
        // Its own tools only: a name may have gone to another toolset meanwhile.
        let is_own = registry.get(gone).is_some_and(|tool| is_of(&tool, plugin));
        if is_own {
            let _ = registry.deregister_for(gone, plugin.key());
        }
    }
    tools
}

/// Whether providers take the name: letters, digits, `_` and `-`, not too many.
fn is_callable(name: &str) -> bool {
    let is_sound = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(is_sound)
}

fn is_of(tool: &Tool, plugin: &Plugin) -> bool {
    matches!(tool.origin(), Origin::Plugin(id) if **id == *plugin.key())
}

fn tool(plugin: &Arc<Plugin>, entry: &ToolEntry) -> Tool {
    let toolset = entry.toolset.clone().filter(|toolset| !toolset.is_empty());
    let toolset = toolset.unwrap_or_else(|| plugin.found.manifest.name.clone());
    let parameters = match &entry.parameters {
        parameters @ Value::Object(_) => parameters.clone(),
        _ => json!({"type": "object", "properties": {}}),
    };
    let mut tool = Tool::builder(entry.name.as_str(), toolset)
        .description(entry.description.clone())
        .parameters(parameters)
        .effects(effects(entry.effects.as_deref()))
        .origin(Origin::Plugin(plugin.key().into()));
    if let Some(emoji) = entry.emoji.as_ref().filter(|emoji| !emoji.is_empty()) {
        tool = tool.emoji(emoji.clone());
    }
    for name in entry.requires_env.iter().flatten() {
        tool = tool.requires_env(name.clone());
    }
    if let Some(most) = entry.max_result_chars {
        tool = tool.result_limit(ResultLimit::Chars(most));
    }
    if entry.parallel == Some(true) {
        tool = tool.concurrency(Concurrency::Safe);
    }
    let weak = Arc::downgrade(plugin);
    if entry.check == Some(true) {
        let (weak, entry) = (weak.clone(), entry.clone());
        tool = tool.check(Check::new(move |_| availability(&weak, &entry)));
    }
    let name = entry.name.clone();
    tool.async_handler(move |args, cx| call(weak.clone(), name.clone(), args, cx))
}

/// The effects by their names; whoever declares none is taken to have all of them.
fn effects(names: Option<&[String]>) -> Effects {
    let Some(names) = names else { return Effects::UNKNOWN };
    names.iter().fold(Effects::NONE, |effects, name| {
        match Effect::ALL.into_iter().find(|effect| effect.name() == name) {
            Some(effect) => effects.with(effect),
            None => Effect::ALL[..4].iter().fold(effects, |effects, effect| effects.with(*effect)),
        }
    })
}

async fn call(plugin: Weak<Plugin>, tool: String, args: Args, cx: ToolContext) -> ToolResult {
    let plugin = plugin.upgrade().ok_or(PluginError::Closed)?;
    let deadline = cx.time_left().unwrap_or(plugin.shared.settings.call_timeout());
    let ids = cx.ids();
    let params = json!({
        "tool": tool,
        "args": args,
        "context": {
            "task_id": ids.task_id,
            "session_id": ids.session_id,
            "tool_call_id": ids.tool_call_id,
            "turn_id": ids.turn_id,
            "api_request_id": ids.api_request_id,
            "user_task": cx.user_task(),
            "cwd": cx.cwd(),
        },
        "deadline_ms": u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX),
    });
    let cancellation = cx.cancellation().clone();
    // The runtime's clock is the one that counts; ours is there for callers without one.
    let asked = plugin.ask("tool.call", params, About::Tool(cx), deadline.saturating_add(SLACK));
    let Some(answered) = cancellation.run_until_cancelled(asked).await else {
        // Dropping the request told the plugin. The caller hears of the interrupt from the runtime,
        // which gets the time to say it.
        tokio::time::sleep(AFTER_INTERRUPT).await;
        let (plugin, why) = (plugin.key().to_owned(), "interrupted".to_owned());
        return Err(PluginError::Call { plugin, kind: None, why }.into());
    };
    let answered = answered?;
    Ok(match answered {
        Value::String(text) => ToolOutput::Text(text),
        // Objects should have been text; what they mean is clear all the same.
        Value::Object(fields) if fields.get("_multimodal") != Some(&Value::Bool(true)) => {
            ToolOutput::Text(Value::Object(fields).to_string())
        }
        other => ToolOutput::Foreign(other),
    })
}

/// What the plugin says now if it runs, else what it said when it last ran: a listing starts
/// nobody.
fn availability(plugin: &Weak<Plugin>, entry: &ToolEntry) -> Availability {
    let Some(plugin) = plugin.upgrade() else { return Availability::Available };
    let asked = plugin.live().and_then(|link| {
        let params = json!({"tool": entry.name});
        let asked = plugin.shared.closed.clone().run_until_cancelled_owned(async move {
            link.ask("tool.check", &params, About::Nothing, CHECK_DEADLINE).await
        });
        block_on(asked).flatten()?.ok()
    });
    let (available, reason) = match &asked {
        Some(said) => (said["available"].as_bool(), said["reason"].as_str()),
        None => (entry.available, entry.reason.as_deref()),
    };
    if available != Some(false) {
        return Availability::Available;
    }
    let reason = reason.filter(|reason| !reason.is_empty()).unwrap_or("its check said no");
    let mut fix = String::new();
    if let Some(wanted) = entry.requires_env.iter().flatten().next() {
        let key = plugin.key();
        fix = format!("it wants {wanted}: hermes plugins enable {key} --env {wanted}");
    }
    Availability::unavailable(reason, fix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_providers_refuse_are_refused_here() {
        assert!(is_callable("note_add") && is_callable("mcp-x"));
        for bad in ["", "two words", "ünder", "a.b", &"x".repeat(65)] {
            assert!(!is_callable(bad), "{bad}");
        }
    }

    #[test]
    fn unknown_effects_are_taken_for_the_worst() {
        let names =
            |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(effects(None), Effects::UNKNOWN);
        assert_eq!(effects(Some(&[])), Effects::NONE);
        assert_eq!(effects(Some(&names(&["reads"]))), Effects::NONE.with(Effect::Reads));
        assert_eq!(effects(Some(&names(&["magic"]))), Effects::UNKNOWN);
    }
}
