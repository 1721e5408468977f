//! Fixed lists of names beside the table of toolsets.

use std::borrow::Cow;

use super::groups::{BROWSER_CLASSIC, CRONJOB, FILE, IMAGE_GEN, SKILLS, TTS, VISION, WEB};
use crate::toolsets::PRESET_PREFIX;

/// Old toolset names and the tools they have always meant.
///
/// They may be enabled and disabled, but are no toolsets: nothing can include them.
pub const LEGACY: &[(&str, &[&str])] = &[
    ("web_tools", WEB),
    ("terminal_tools", &["terminal"]),
    ("vision_tools", VISION),
    ("image_tools", IMAGE_GEN),
    ("skills_tools", SKILLS),
    ("browser_tools", BROWSER_CLASSIC),
    ("cronjob_tools", CRONJOB),
    ("file_tools", FILE),
    ("tts_tools", TTS),
];

/// Toolsets that people switch on and off for each platform, in the order shown to them.
pub const CONFIGURABLE: &[&str] = &[
    "web",
    "browser",
    "terminal",
    "file",
    "code_execution",
    "vision",
    "video",
    "image_gen",
    "video_gen",
    "x_search",
    "tts",
    "skills",
    "todo",
    "memory",
    "context_engine",
    "session_search",
    "clarify",
    "delegation",
    "cronjob",
    "homeassistant",
    "spotify",
    "discord",
    "discord_admin",
    "yuanbao",
    "computer_use",
];

/// Toolsets that stay off until somebody lists them or provides what they need.
pub const DEFAULT_OFF: &[&str] =
    &["homeassistant", "spotify", "discord", "discord_admin", "video", "video_gen", "x_search"];

/// Platforms that ship with a preset.
pub const PLATFORMS: &[&str] = &[
    "cli",
    "cron",
    "telegram",
    "discord",
    "whatsapp",
    "whatsapp_cloud",
    "slack",
    "signal",
    "bluebubbles",
    "homeassistant",
    "email",
    "sms",
    "mattermost",
    "matrix",
    "dingtalk",
    "feishu",
    "weixin",
    "qqbot",
    "wecom",
    "wecom_callback",
    "yuanbao",
    "webhook",
    "acp",
    "api_server",
];

/// The tools that an old toolset name stands for.
pub fn legacy_tools(name: &str) -> Option<&'static [&'static str]> {
    LEGACY.iter().find(|(legacy, _)| *legacy == name).map(|(_, tools)| *tools)
}

/// The preset that a platform uses by default.
///
/// Any name is answered: a platform that a plugin brings has a preset named after it.
pub fn preset_of(platform: &str) -> Cow<'static, str> {
    match platform {
        "whatsapp_cloud" => Cow::Borrowed("hermes-whatsapp"),
        "wecom_callback" => Cow::Borrowed("hermes-wecom-callback"),
        "api_server" => Cow::Borrowed("hermes-api-server"),
        other => Cow::Owned(format!("{PRESET_PREFIX}{other}")),
    }
}

/// The only platform on which a toolset makes sense, for those that are tied to one.
pub fn native_platform(toolset: &str) -> Option<&'static str> {
    matches!(toolset, "discord" | "discord_admin").then_some("discord")
}
