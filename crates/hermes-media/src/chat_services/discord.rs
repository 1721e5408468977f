//! Discord's API for what is not a message to us: asked as the bot whose token the home has.

use hermes_tool::Vars;
use hermes_tool::settings::Settings;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::PlatformCall;
use crate::service::{Service, ServiceError};

const BASE: &str = "https://discord.com/api/v10";
/// Who asks, in the form that Discord wants of bots.
const AGENT: &str = concat!("DiscordBot (hermes, ", env!("CARGO_PKG_VERSION"), ")");
/// Most bytes of an answer.
const MAX_ANSWER: usize = 4 << 20;

/// What the tools of Discord may do.
#[derive(Clone, Debug, Settings)]
#[settings(path = "discord", open)]
pub struct DiscordToolSettings {
    /// The only actions the tools for Discord offer; all when it is empty.
    pub server_actions: Vec<String>,
    /// Whether the bot has the Server Members Intent in Discord's portal; what needs it is offered only then.
    #[setting(default = false)]
    pub members_intent: bool,
    /// Another address than Discord's own.
    #[setting(hidden)]
    base_url: Option<String>,
}

/// Where the adapter of the platform is told another address.
#[derive(Settings)]
#[settings(path = "platforms.discord.extra", open)]
struct DiscordEndpoint {
    /// Another address than Discord's own, for proxies and tests.
    #[setting(hidden)]
    base_url: Option<String>,
}

/// Discord, as one bot.
#[derive(Debug)]
pub struct Discord {
    service: Service,
    token: String,
}

impl Discord {
    /// With the token of the variables; none without.
    #[must_use]
    pub fn open(config: &Value, vars: &Vars) -> Option<Self> {
        let token = vars.non_blank("DISCORD_BOT_TOKEN")?.trim().to_owned();
        let base = DiscordEndpoint::read(config, vars).base_url;
        let base = base.or_else(|| DiscordToolSettings::read(config, vars).base_url);
        let service = Service::new("Discord", base.as_deref().unwrap_or(BASE), vars);
        Some(Self { service, token })
    }

    /// Asks; an answer without words is `{"success": true}`.
    ///
    /// # Errors
    /// See [`ServiceError`].
    pub async fn ask(
        &self,
        call: &PlatformCall,
        cancel: &CancellationToken,
    ) -> Result<Value, ServiceError> {
        let sign = |call: crate::service::ServiceCall| {
            call.secret("authorization", "Bot ", &self.token)
                .header("user-agent", AGENT)
                .bytes(MAX_ANSWER)
        };
        let reply = call.send(&self.service, sign, cancel).await?;
        match reply.status {
            204 => Ok(json!({"success": true})),
            _ => reply.json(),
        }
    }
}
