//! The names of variables that hold our keys.
//!
//! Pure data and exact: a name is withheld because it is in a list, or because it is put together
//! from two lists. Nothing is guessed from how a name looks, since the user's own programs have
//! keys too. The lists are sorted and searched by halves; a test holds them to that.

/// The user's accounts and this machine: never given to a child.
#[rustfmt::skip]
const ACCOUNT: &[&str] = &[
    "API_SERVER_ENABLED", "API_SERVER_HOST", "API_SERVER_KEY", "API_SERVER_PORT",
    "COPILOT_GITHUB_TOKEN", "DAYTONA_API_KEY", "GATEWAY_ALLOWED_USERS", "GATEWAY_ALLOW_ALL_USERS",
    "GATEWAY_RELAY_DELIVERY_KEY", "GATEWAY_RELAY_ID", "GATEWAY_RELAY_SECRET", "GH_TOKEN",
    "GITHUB_APP_ID", "GITHUB_APP_INSTALLATION_ID", "GITHUB_APP_PRIVATE_KEY_PATH", "GITHUB_TOKEN",
    "HASS_TOKEN", "HASS_URL", "HERMES_DASHBOARD_SESSION_TOKEN", "HERMES_MCP_TOKEN",
    "HERMES_SERVE_TOKEN", "MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET", "SUDO_PASSWORD", "TELEGRAM_WEBHOOK_URL", "TOOL_GATEWAY_USER_TOKEN",
    "VERCEL_OIDC_TOKEN", "VERCEL_TOKEN", "WEBHOOK_ENABLED", "WEBHOOK_PORT", "WEBHOOK_SECRET",
];

/// Model providers and the services of our tools, as far as their names follow no rule.
#[rustfmt::skip]
const PROVIDER: &[&str] = &[
    "ANTHROPIC_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "AZURE_OPENAI_ENDPOINT",
    "BROWSERBASE_ADVANCED_STEALTH", "BROWSERBASE_KEEP_ALIVE", "BROWSERBASE_PROJECT_ID",
    "BROWSERBASE_PROXIES", "BROWSERBASE_SESSION_TIMEOUT", "BROWSER_CDP_URL", "CUSTOM_BASE_URL",
    "FAL_KEY", "FIRECRAWL_API_URL", "FIRECRAWL_BROWSER_TTL", "GOOGLE_APPLICATION_CREDENTIALS",
    "HF_TOKEN", "LLM_MODEL", "NOUS_INFERENCE_BASE_URL", "OPENAI_API_BASE", "OPENAI_ORGANIZATION",
    "OPENAI_ORG_ID", "PARALLEL_SEARCH_MODE", "SEARXNG_URL", "VERTEX_CREDENTIALS_PATH",
    "VOICE_TOOLS_OPENAI_KEY",
];

/// Providers and services with a key in `<NAME>_API_KEY` and an address in `<NAME>_BASE_URL`.
#[rustfmt::skip]
const VENDORS: &[&str] = &[
    "ANTHROPIC", "AZURE_FOUNDRY", "AZURE_OPENAI", "BRAVE_SEARCH", "BROWSERBASE", "BROWSER_USE",
    "COHERE", "DASHSCOPE", "DEEPINFRA", "DEEPSEEK", "ELEVENLABS", "EXA", "FIRECRAWL", "FIREWORKS",
    "GEMINI", "GLM", "GOOGLE", "GROQ", "HELICONE", "HF", "KIMI", "KREA", "LM", "MINIMAX",
    "MISTRAL", "MOONSHOT", "NOUS", "NVIDIA", "OLLAMA", "OPENAI", "OPENROUTER", "PARALLEL",
    "PERPLEXITY", "STEPFUN", "TAVILY", "TINKER", "TOGETHER", "WANDB", "XAI", "XIAOMI", "ZAI",
];

/// Messaging platforms. Each has some of the [`PLATFORM_SETTINGS`] as `<PLATFORM>_<SETTING>`.
#[rustfmt::skip]
const PLATFORMS: &[&str] = &[
    "BLUEBUBBLES", "DINGTALK", "DISCORD", "FEISHU", "MATRIX", "MATTERMOST", "NTFY", "QQBOT",
    "SIGNAL", "SLACK", "SMS", "TELEGRAM", "TWILIO", "WECOM", "WECOM_CALLBACK", "WEIXIN",
    "WHATSAPP", "WHATSAPP_CLOUD", "YUANBAO",
];

/// What is set for a platform. Not `WEBHOOK_URL`: scripts have one of their own to report to a
/// channel, and ours is in [`ACCOUNT`].
#[rustfmt::skip]
const PLATFORM_SETTINGS: &[&str] = &[
    "ACCESS_TOKEN", "ACCOUNT", "ACCOUNT_ID", "ACCOUNT_SID", "ALLOWED_CHANNELS", "ALLOWED_CHATS",
    "ALLOWED_GROUPS", "ALLOWED_ROOMS", "ALLOWED_USERS", "ALLOW_ALL_USERS", "ALLOW_BOTS",
    "API_KEY", "APP_ID", "APP_KEY", "APP_SECRET", "APP_TOKEN", "AUTH_TOKEN", "BOT_ID",
    "BOT_TOKEN", "CLIENT_ID", "CLIENT_SECRET", "CORP_ID", "CORP_SECRET", "DEVICE_ID", "ENABLED",
    "ENCODING_AES_KEY", "ENCRYPT_KEY", "FREE_RESPONSE_CHANNELS", "GROUP_ALLOWED_USERS",
    "HOMESERVER", "HOME_CHANNEL", "HOME_CHANNEL_NAME", "HOME_CHANNEL_THREAD_ID", "HOME_ROOM",
    "HTTP_URL", "IGNORED_CHANNELS", "PASSWORD", "PHONE_NUMBER", "PHONE_NUMBER_ID", "PORT",
    "RECOVERY_KEY", "REQUIRE_MENTION", "SECRET", "SERVER_URL", "SIGNING_SECRET", "TOKEN", "TOPIC",
    "URL", "USER_ID", "VERIFICATION_TOKEN", "VERIFY_TOKEN", "WEBHOOK_PORT", "WEBHOOK_SECRET",
];

/// Every variable that begins with this belongs to the e-mail platform.
const EMAIL: &str = "EMAIL_";

/// Beginnings and endings of names made up at run time, for any word between them.
const DYNAMIC: &[(&str, &[&str])] = &[
    ("AUXILIARY_", &["_API_KEY", "_BASE_URL"]),
    ("GATEWAY_RELAY_", &["_SECRET", "_KEY", "_TOKEN"]),
    ("HERMES_", &["_TOKEN", "_SECRET", "_PASSWORD", "_API_KEY"]),
];

/// How closely a variable is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// An account of the user or the machine: GitHub, messaging, e-mail, the gateway, sandboxes.
    /// No child needs it.
    Account,
    /// A model provider or a service of a tool. A helper that talks to it for us may have it.
    Provider,
}

/// How closely a variable is held, if it is ours.
#[must_use]
pub fn tier(name: &str) -> Option<Tier> {
    if listed(ACCOUNT, name) || name.starts_with(EMAIL) || is_platform_setting(name) {
        return Some(Tier::Account);
    }
    let vendor = name.strip_suffix("_API_KEY").or_else(|| name.strip_suffix("_BASE_URL"));
    let is_provider = listed(PROVIDER, name) || vendor.is_some_and(|name| listed(VENDORS, name));
    is_provider.then_some(Tier::Provider)
}

/// Whether commands may not see a variable.
#[must_use]
pub fn is_withheld(name: &str) -> bool {
    tier(name).is_some() || is_dynamic_secret(name)
}

/// Whether a variable is a key under a name made up at run time, in any letter case. No rule lets
/// one through.
#[must_use]
pub fn is_dynamic_secret(name: &str) -> bool {
    DYNAMIC.iter().any(|(beginning, endings)| {
        let rest = name.get(beginning.len()..);
        let begins = name.get(..beginning.len()).is_some_and(|b| b.eq_ignore_ascii_case(beginning));
        begins && rest.is_some_and(|rest| endings.iter().any(|ending| ends_with(rest, ending)))
    })
}

fn ends_with(text: &str, ending: &str) -> bool {
    let start = text.len().checked_sub(ending.len());
    start.and_then(|start| text.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(ending))
}

fn is_platform_setting(name: &str) -> bool {
    // One platform's name may begin with another's, so each place to divide the name is tried.
    name.match_indices('_').any(|(place, _)| {
        listed(PLATFORMS, &name[..place]) && listed(PLATFORM_SETTINGS, &name[place + 1..])
    })
}

fn listed(list: &[&str], name: &str) -> bool {
    list.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_say_nothing_twice() {
        for list in [ACCOUNT, PROVIDER, VENDORS, PLATFORMS, PLATFORM_SETTINGS] {
            let out_of_order = list.windows(2).find(|pair| pair[0] >= pair[1]);
            assert_eq!(out_of_order, None);
        }
    }

    #[test]
    fn keys_of_providers_and_tools_are_held() {
        let names = "OPENAI_API_KEY OPENAI_BASE_URL OPENAI_API_BASE OPENAI_ORG_ID \
             OPENAI_ORGANIZATION OPENROUTER_API_KEY OPENROUTER_BASE_URL ANTHROPIC_API_KEY \
             ANTHROPIC_TOKEN ANTHROPIC_BASE_URL LLM_MODEL GOOGLE_API_KEY GEMINI_API_KEY \
             GEMINI_BASE_URL GOOGLE_APPLICATION_CREDENTIALS VERTEX_CREDENTIALS_PATH \
             DEEPSEEK_API_KEY MISTRAL_API_KEY GROQ_API_KEY TOGETHER_API_KEY PERPLEXITY_API_KEY \
             COHERE_API_KEY FIREWORKS_API_KEY XAI_API_KEY HELICONE_API_KEY PARALLEL_API_KEY \
             FIRECRAWL_API_KEY FIRECRAWL_API_URL AWS_BEARER_TOKEN_BEDROCK AZURE_OPENAI_API_KEY \
             NOUS_API_KEY NOUS_INFERENCE_BASE_URL CUSTOM_BASE_URL OLLAMA_API_KEY LM_API_KEY \
             LM_BASE_URL GLM_API_KEY KIMI_API_KEY MINIMAX_API_KEY HF_TOKEN DASHSCOPE_API_KEY \
             BRAVE_SEARCH_API_KEY EXA_API_KEY TAVILY_API_KEY TAVILY_BASE_URL SEARXNG_URL FAL_KEY \
             BROWSERBASE_API_KEY BROWSERBASE_PROJECT_ID BROWSER_USE_API_KEY BROWSER_CDP_URL \
             VOICE_TOOLS_OPENAI_KEY ELEVENLABS_API_KEY TINKER_API_KEY WANDB_API_KEY";
        for name in names.split(' ') {
            assert_eq!(tier(name), Some(Tier::Provider), "{name}");
        }
    }

    #[test]
    fn accounts_are_held_more_closely() {
        let names = "GH_TOKEN GITHUB_TOKEN GITHUB_APP_ID GITHUB_APP_PRIVATE_KEY_PATH \
             GITHUB_APP_INSTALLATION_ID MODAL_TOKEN_ID MODAL_TOKEN_SECRET DAYTONA_API_KEY \
             VERCEL_TOKEN VERCEL_OIDC_TOKEN SUDO_PASSWORD EMAIL_ADDRESS EMAIL_PASSWORD \
             EMAIL_HOME_ADDRESS HASS_TOKEN HASS_URL TELEGRAM_BOT_TOKEN TELEGRAM_ALLOWED_USERS \
             TELEGRAM_HOME_CHANNEL TELEGRAM_WEBHOOK_URL DISCORD_BOT_TOKEN DISCORD_HOME_CHANNEL_NAME \
             SLACK_BOT_TOKEN SLACK_APP_TOKEN WHATSAPP_ENABLED WHATSAPP_CLOUD_ACCESS_TOKEN \
             SIGNAL_HTTP_URL SIGNAL_ACCOUNT WECOM_SECRET WECOM_CALLBACK_TOKEN MATRIX_PASSWORD \
             TWILIO_AUTH_TOKEN NTFY_TOPIC GATEWAY_ALLOWED_USERS GATEWAY_RELAY_ID \
             GATEWAY_RELAY_SECRET GATEWAY_RELAY_DELIVERY_KEY HERMES_DASHBOARD_SESSION_TOKEN";
        for name in names.split(' ') {
            assert_eq!(tier(name), Some(Tier::Account), "{name}");
        }
    }

    #[test]
    fn what_is_not_ours_is_left_alone() {
        let names = "AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_PROFILE \
             CLAUDE_CODE_OAUTH_TOKEN NOTION_TOKEN STRIPE_API_KEY MY_OPENAI_API_KEY \
             OPENAI_API_KEY_FILE openai_api_key API_KEY SLACK_WEBHOOK_URL DISCORD_WEBHOOK_URL \
             SLACK MATRIX_SIZE SIGNAL_STRENGTH WECOM_ EMAIL PATH HOME SSH_AUTH_SOCK HERMES_HOME \
             TERMINAL_CWD";
        for name in names.split_whitespace() {
            assert_eq!(tier(name), None, "{name}");
            assert!(!is_withheld(name), "{name}");
        }
    }

    #[test]
    fn names_made_up_at_run_time_are_known_by_both_ends() {
        for name in [
            "AUXILIARY_VISION_API_KEY",
            "auxiliary_vision_base_url",
            "GATEWAY_RELAY_EU_SECRET",
            "GATEWAY_RELAY_EU_KEY",
            "Gateway_Relay_Eu_Token",
            "GATEWAY_RELAY_DELIVERY_KEY",
            "HERMES_SERVE_TOKEN",
            "HERMES_MCP_TOKEN",
            "HERMES_GATEWAY_SECRET",
        ] {
            assert!(is_dynamic_secret(name) && is_withheld(name), "{name}");
        }
        for name in [
            "AUXILIARY_VISION_MODEL",
            "AUXILIARY_API_KEY",
            "GATEWAY_RELAY_ID",
            "GATEWAY_RELAY_URL",
            "MY_AUXILIARY_VISION_API_KEY",
            "AUXILIARY_ä_API_KEYS",
            "ÄUXILIARY_",
            "",
        ] {
            assert!(!is_dynamic_secret(name), "{name}");
        }
    }
}
