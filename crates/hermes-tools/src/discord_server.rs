//! What the tools for Discord share: which actions are offered, ids, the way to ask, a person's yes.

use hermes_approval::{Approvals, Audience, ConsentRequest, GrantScope, Purpose};
use hermes_media::chat_services::PlatformCall;
use hermes_media::chat_services::discord::{Discord, DiscordToolSettings};
use hermes_tool::settings::Settings as _;
use hermes_tool::{
    Availability, SchemaPatch, SchemaScope, ToolContext, ToolError, ToolOutput, ToolResult, Vars,
};
use serde_json::{Map, Value};

/// An action of one of the tools: its name, and what is needed for it.
pub(crate) struct DiscordAct {
    /// As models write it.
    pub(crate) name: &'static str,
    /// Whether Discord wants the Server Members Intent for it.
    pub(crate) needs_members: bool,
}

/// Whether there is a bot.
pub(crate) fn has_token(vars: &Vars) -> Availability {
    Availability::needs_env(vars, &["DISCORD_BOT_TOKEN"])
}

/// Whether an action is on offer.
fn is_allowed(act: &DiscordAct, settings: &DiscordToolSettings) -> bool {
    let is_listed = settings.server_actions.is_empty()
        || settings.server_actions.iter().any(|name| name.trim() == act.name);
    is_listed && (!act.needs_members || settings.members_intent)
}

/// The schema with the actions that are on offer; without any there is no tool.
pub(crate) fn offered(
    acts: &[DiscordAct],
    mut parameters: Value,
    scope: &SchemaScope<'_>,
) -> SchemaPatch {
    let settings = DiscordToolSettings::read(scope.config, scope.vars);
    let names: Vec<&str> =
        acts.iter().filter(|act| is_allowed(act, &settings)).map(|act| act.name).collect();
    if names.is_empty() {
        return SchemaPatch::Remove;
    }
    if let Some(action) = parameters.pointer_mut("/properties/action/enum") {
        *action = names.into();
    }
    let mut patch = Map::new();
    patch.insert("parameters".into(), parameters);
    SchemaPatch::Merge(patch)
}

/// Refuses an action that is not on offer, whoever asks for it.
pub(crate) fn only_allowed(act: &DiscordAct, cx: &ToolContext) -> Result<(), ToolError> {
    let settings = DiscordToolSettings::read(cx.config(), cx.vars());
    if is_allowed(act, &settings) {
        return Ok(());
    }
    let why = match act.needs_members && !settings.members_intent {
        true => {
            "it needs the Server Members Intent: switch it on in Discord's developer portal and set \
             discord.members_intent to true"
        }
        false => "it is not in discord.server_actions",
    };
    Err(failed(&format!("{} is not available here: {why}", act.name)))
}

/// The action of a name.
pub(crate) fn picked<'a>(acts: &'a [DiscordAct], name: &str) -> Result<&'a DiscordAct, ToolError> {
    let found = acts.iter().find(|act| act.name == name.trim());
    found.ok_or_else(|| {
        let names: Vec<&str> = acts.iter().map(|act| act.name).collect();
        failed(&format!("there is no action {name:?}; there are {}", names.join(", ")))
    })
}

/// What an action cannot do without.
pub(crate) fn needed<T>(value: Option<T>, what: &str) -> Result<T, ToolError> {
    value.ok_or_else(|| failed(&format!("this action needs {what}")))
}

/// An id of Discord: digits and nothing else.
pub(crate) fn id<'a>(given: Option<&'a str>, what: &str) -> Result<&'a str, ToolError> {
    let id = needed(given.map(str::trim).filter(|id| !id.is_empty()), what)?;
    match id.len() <= 20 && id.bytes().all(|byte| byte.is_ascii_digit()) {
        true => Ok(id),
        false => Err(failed(&format!("{what} {id:?} is no id of Discord: they are digits"))),
    }
}

/// Asks Discord. What changes a server is put to a person first: once for each kind of change in a session.
pub(crate) async fn ask(act: &DiscordAct, call: &PlatformCall, cx: &ToolContext) -> ToolResult {
    if !call.only_looks() {
        permitted(act, call, cx).await?;
    }
    let discord = Discord::open(cx.config(), cx.vars())
        .ok_or_else(|| failed("there is no bot: set DISCORD_BOT_TOKEN in .env of the home"))?;
    let answer = discord.ask(call, cx.cancellation()).await;
    ToolOutput::json(&answer.map_err(|error| ToolError::from(error).with("success", false))?)
}

async fn permitted(
    act: &DiscordAct,
    call: &PlatformCall,
    cx: &ToolContext,
) -> Result<(), ToolError> {
    let Some(approvals) = cx.service::<Approvals>() else {
        return Err(failed("Nobody can be asked whether Discord may be changed"));
    };
    let ids = cx.ids();
    let session = if ids.session_id.is_empty() { &ids.task_id } else { &ids.session_id };
    let (method, address, body) = call.parts();
    let with = body.map(|body| format!("\n{body}")).unwrap_or_default();
    let request = ConsentRequest {
        key: format!("discord:{}", act.name),
        what: format!("{} on Discord\n{method} {address}{with}", act.name),
        why: "It changes a Discord server that other people use.".to_owned(),
        widest: GrantScope::Session,
        session: session.clone(),
        purpose: Purpose::Foreground,
        audience: Audience::of_call(cx),
        call: ids.clone(),
        cancellation: cx.cancellation().clone(),
    };
    let decided = approvals.consult(request).await;
    decided.map(drop).map_err(|refusal| failed(&refusal.to_string()))
}

fn failed(text: &str) -> ToolError {
    ToolError::answer(text.to_owned()).with("success", false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_digits() {
        assert_eq!(id(Some(" 123 "), "guild_id").unwrap(), "123");
        for bad in [None, Some(""), Some("1/2"), Some("@me"), Some("123456789012345678901")] {
            assert!(id(bad, "guild_id").is_err(), "{bad:?}");
        }
    }
}
