//! `discord`: reading and taking part beside the chat at hand.

use hermes_media::chat_services::PlatformCall;
use hermes_tool::{
    CallDisplay, SchemaPatch, SchemaScope, ToolContext, ToolError, ToolResult, parameters_of, tool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::discord_server::{
    DiscordAct, ask, has_token, id, needed, offered, only_allowed, picked,
};

const ACTS: [DiscordAct; 3] = [
    DiscordAct { name: "search_members", needs_members: true },
    DiscordAct { name: "fetch_messages", needs_members: false },
    DiscordAct { name: "create_thread", needs_members: false },
];

/// Arguments of `discord`.
#[derive(Deserialize, JsonSchema)]
struct DiscordTool {
    /// What to do.
    #[schemars(extend("enum" = ["search_members", "fetch_messages", "create_thread"]))]
    action: String,
    /// The server (search_members).
    guild_id: Option<String>,
    /// The channel (fetch_messages, create_thread).
    channel_id: Option<String>,
    /// The message a thread begins at; without one the thread stands alone (create_thread).
    message_id: Option<String>,
    /// How a name begins (search_members).
    query: Option<String>,
    /// What the thread is called (create_thread).
    name: Option<String>,
    /// How many, 1 to 100.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
    /// Only messages before this one (fetch_messages).
    before: Option<String>,
    /// Only messages after this one (fetch_messages).
    after: Option<String>,
    /// Minutes of silence after which the thread is put away (create_thread).
    #[schemars(extend("enum" = [60, 1440, 4320, 10080]))]
    auto_archive_duration: Option<u32>,
}

/// Look up members and messages of a Discord server the bot is on, or open a thread there.
#[tool(
    toolset = "discord",
    emoji = "🎮",
    subagents = withheld,
    effects(network, writes),
    check = has_token,
    requires_env("DISCORD_BOT_TOKEN"),
    dynamic_schema = as_allowed,
    display = CallDisplay::DEFAULT.args(&["action", "channel_id", "query"])
)]
async fn discord(args: DiscordTool, cx: &ToolContext) -> ToolResult {
    let act = picked(&ACTS, &args.action)?;
    only_allowed(act, cx)?;
    ask(act, &request(&args)?, cx).await
}

fn as_allowed(scope: &SchemaScope<'_>) -> SchemaPatch {
    offered(&ACTS, parameters_of::<DiscordTool>(), scope)
}

fn request(args: &DiscordTool) -> Result<PlatformCall, ToolError> {
    let limit = args.limit.map(|limit| limit.clamp(1, 100));
    Ok(match args.action.trim() {
        "search_members" => {
            let guild = id(args.guild_id.as_deref(), "guild_id")?;
            let query = needed(args.query.as_deref(), "query")?;
            PlatformCall::get(format!("/guilds/{guild}/members/search"))
                .query("query", Some(query))
                .query("limit", Some(limit.unwrap_or(20)))
        }
        "create_thread" => {
            let channel = id(args.channel_id.as_deref(), "channel_id")?;
            let name: String = needed(args.name.as_deref(), "name")?.chars().take(100).collect();
            let silence = args.auto_archive_duration.unwrap_or(1_440);
            if ![60, 1_440, 4_320, 10_080].contains(&silence) {
                return Err(ToolError::answer(
                    "auto_archive_duration is 60, 1440, 4320 or 10080 minutes",
                ));
            }
            let body = json!({"name": name, "auto_archive_duration": silence});
            match args.message_id.as_deref() {
                Some(_) => {
                    let message = id(args.message_id.as_deref(), "message_id")?;
                    PlatformCall::post(format!("/channels/{channel}/messages/{message}/threads"))
                        .body(body)
                }
                None => {
                    // 11 is a thread that everybody in the channel can see.
                    let mut body = body;
                    body["type"] = 11.into();
                    PlatformCall::post(format!("/channels/{channel}/threads")).body(body)
                }
            }
        }
        _ => {
            let channel = id(args.channel_id.as_deref(), "channel_id")?;
            let mut call = PlatformCall::get(format!("/channels/{channel}/messages"))
                .query("limit", Some(limit.unwrap_or(50)));
            for (what, given) in [("before", &args.before), ("after", &args.after)] {
                if given.is_some() {
                    call = call.query(what, Some(id(given.as_deref(), what)?));
                }
            }
            call
        }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use hermes_tool::{SchemaDetail, Vars};
    use serde_json::Value;

    use super::*;

    fn parts(args: Value) -> Result<(String, String, Option<Value>), ToolError> {
        request(&serde_json::from_value(args).unwrap()).map(|call| call.parts())
    }

    #[test]
    fn actions_are_requests_of_discord() {
        let found = parts(json!({"action": "search_members", "guild_id": "5", "query": "an a"}));
        assert_eq!(found.unwrap().1, "/guilds/5/members/search?query=an+a&limit=20");
        let read =
            json!({"action": "fetch_messages", "channel_id": "7", "limit": 500, "after": "9"});
        assert_eq!(parts(read).unwrap().1, "/channels/7/messages?limit=100&after=9");
        let thread = json!({"action": "create_thread", "channel_id": "7", "name": "n"});
        let body = json!({"name": "n", "auto_archive_duration": 1440, "type": 11});
        let made = ("POST".into(), "/channels/7/threads".into(), Some(body));
        assert_eq!(parts(thread.clone()).unwrap(), made);
        let mut below = thread;
        below["message_id"] = "8".into();
        let (_, path, body) = parts(below).unwrap();
        assert_eq!(path, "/channels/7/messages/8/threads");
        assert_eq!(body.unwrap()["type"], Value::Null);
        for bad in [
            json!({"action": "fetch_messages"}),
            json!({"action": "fetch_messages", "channel_id": "7/../8"}),
            json!({"action": "fetch_messages", "channel_id": "7", "before": "x"}),
            json!({"action": "create_thread", "channel_id": "7", "name": "n", "auto_archive_duration": 5}),
        ] {
            assert!(parts(bad.clone()).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_needs_an_intent_or_is_not_listed_is_not_offered() {
        let names = |config: Value| {
            let scope = SchemaScope {
                available: &BTreeSet::new(),
                vars: &Vars::default(),
                config: &config,
                detail: SchemaDetail::Full,
            };
            match discord_tool().dynamic_schema().unwrap()(&scope) {
                SchemaPatch::Merge(patch) => {
                    patch["parameters"]["properties"]["action"]["enum"].clone()
                }
                SchemaPatch::Remove => Value::Null,
                SchemaPatch::Keep => json!("kept"),
            }
        };
        assert_eq!(names(json!({})), json!(["fetch_messages", "create_thread"]));
        assert_eq!(
            names(json!({"discord": {"members_intent": true}})),
            json!(["search_members", "fetch_messages", "create_thread"])
        );
        assert_eq!(
            names(json!({"discord": {"server_actions": ["fetch_messages"]}})),
            json!(["fetch_messages"])
        );
        assert_eq!(names(json!({"discord": {"server_actions": ["list_roles"]}})), Value::Null);
    }
}
