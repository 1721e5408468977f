//! `discord_admin`: a server as whoever looks after it sees it.

use hermes_media::chat_services::PlatformCall;
use hermes_tool::{
    CallDisplay, SchemaPatch, SchemaScope, ToolContext, ToolError, ToolResult, parameters_of, tool,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::discord_server::{DiscordAct, ask, has_token, id, offered, only_allowed, picked};

const fn act(name: &'static str) -> DiscordAct {
    DiscordAct { name, needs_members: false }
}

const ACTS: [DiscordAct; 12] = [
    act("list_guilds"),
    act("server_info"),
    act("list_channels"),
    act("channel_info"),
    act("list_roles"),
    DiscordAct { name: "member_info", needs_members: true },
    act("list_pins"),
    act("pin_message"),
    act("unpin_message"),
    act("delete_message"),
    act("add_role"),
    act("remove_role"),
];

/// Arguments of `discord_admin`.
#[derive(Deserialize, JsonSchema)]
struct DiscordAdmin {
    /// What to do.
    #[schemars(extend("enum" = ["list_guilds", "server_info", "list_channels", "channel_info", "list_roles",
        "member_info", "list_pins", "pin_message", "unpin_message", "delete_message", "add_role", "remove_role"]))]
    action: String,
    /// The server.
    guild_id: Option<String>,
    /// The channel.
    channel_id: Option<String>,
    /// The message.
    message_id: Option<String>,
    /// The member.
    user_id: Option<String>,
    /// The role.
    role_id: Option<String>,
    /// How many servers are listed, 1 to 100 (list_guilds).
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
}

/// Look at the servers, channels, roles and pins of the Discord bot; pin and delete messages, give and take roles.
///
/// Whatever changes a server is put to a person first.
#[tool(
    toolset = "discord_admin",
    emoji = "🛡",
    subagents = withheld,
    effects(network, writes),
    check = has_token,
    requires_env("DISCORD_BOT_TOKEN"),
    dynamic_schema = as_allowed,
    display = CallDisplay::DEFAULT.args(&["action", "guild_id", "channel_id"])
)]
async fn discord_admin(args: DiscordAdmin, cx: &ToolContext) -> ToolResult {
    let act = picked(&ACTS, &args.action)?;
    only_allowed(act, cx)?;
    ask(act, &request(&args)?, cx).await
}

fn as_allowed(scope: &SchemaScope<'_>) -> SchemaPatch {
    offered(&ACTS, parameters_of::<DiscordAdmin>(), scope)
}

fn request(args: &DiscordAdmin) -> Result<PlatformCall, ToolError> {
    let guild = || id(args.guild_id.as_deref(), "guild_id");
    let channel = || id(args.channel_id.as_deref(), "channel_id");
    let message = || id(args.message_id.as_deref(), "message_id");
    let user = || id(args.user_id.as_deref(), "user_id");
    let role_of = || {
        let role = id(args.role_id.as_deref(), "role_id")?;
        Ok::<_, ToolError>(format!("/guilds/{}/members/{}/roles/{role}", guild()?, user()?))
    };
    let pin =
        || Ok::<_, ToolError>(format!("/channels/{}/messages/pins/{}", channel()?, message()?));
    Ok(match args.action.trim() {
        "list_guilds" => PlatformCall::get("/users/@me/guilds")
            .query("limit", args.limit.map(|limit| limit.clamp(1, 100))),
        "server_info" => {
            PlatformCall::get(format!("/guilds/{}", guild()?)).query("with_counts", Some(true))
        }
        "list_channels" => PlatformCall::get(format!("/guilds/{}/channels", guild()?)),
        "channel_info" => PlatformCall::get(format!("/channels/{}", channel()?)),
        "list_roles" => PlatformCall::get(format!("/guilds/{}/roles", guild()?)),
        "member_info" => PlatformCall::get(format!("/guilds/{}/members/{}", guild()?, user()?)),
        "list_pins" => PlatformCall::get(format!("/channels/{}/messages/pins", channel()?)),
        "pin_message" => PlatformCall::put(pin()?),
        "unpin_message" => PlatformCall::delete(pin()?),
        "delete_message" => {
            PlatformCall::delete(format!("/channels/{}/messages/{}", channel()?, message()?))
        }
        "add_role" => PlatformCall::put(role_of()?),
        _ => PlatformCall::delete(role_of()?),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_action_is_one_request() {
        let wanted = [
            ("list_guilds", "GET /users/@me/guilds"),
            ("server_info", "GET /guilds/1?with_counts=true"),
            ("list_channels", "GET /guilds/1/channels"),
            ("channel_info", "GET /channels/2"),
            ("list_roles", "GET /guilds/1/roles"),
            ("member_info", "GET /guilds/1/members/4"),
            ("list_pins", "GET /channels/2/messages/pins"),
            ("pin_message", "PUT /channels/2/messages/pins/3"),
            ("unpin_message", "DELETE /channels/2/messages/pins/3"),
            ("delete_message", "DELETE /channels/2/messages/3"),
            ("add_role", "PUT /guilds/1/members/4/roles/5"),
            ("remove_role", "DELETE /guilds/1/members/4/roles/5"),
        ];
        assert_eq!(wanted.map(|(name, _)| name), ACTS.map(|act| act.name));
        for (action, line) in wanted {
            let args = json!({"action": action, "guild_id": "1", "channel_id": "2",
                "message_id": "3", "user_id": "4", "role_id": "5"});
            let call = request(&serde_json::from_value(args).unwrap()).unwrap();
            let (method, path, body) = call.parts();
            assert_eq!((format!("{method} {path}").as_str(), body), (line, None));
            let bare = serde_json::from_value(json!({"action": action})).unwrap();
            assert_eq!(request(&bare).is_ok(), action == "list_guilds", "{action}");
        }
    }
}
