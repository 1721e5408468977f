//! Fixed lists of names beside the table of toolsets.

use hermes_runtime::toolsets::Names;

use super::groups::{BROWSER_CLASSIC, CRONJOB, FILE, IMAGE_GEN, SKILLS, TTS, VISION, WEB};

/// How names of platform presets begin (`hermes-cli`, `hermes-telegram`, …).
pub(super) const PRESET_PREFIX: &str = "hermes-";

/// Toolsets that wait for something to be set up.
pub(super) const HOME_ASSISTANT: &str = "homeassistant";
pub(super) const MIXTURE: &str = "moa";
pub(super) const X_SEARCH: &str = "x_search";

/// Old toolset names and the tools they have always meant.
pub(super) const LEGACY: &[(&str, Names)] = &[
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
pub(super) const CHOICES: Names = &[
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
    "moa",
    "cronjob",
    "homeassistant",
    "spotify",
    "discord",
    "discord_admin",
    "yuanbao",
    "computer_use",
    "rl",
];

/// Toolsets that stay off until somebody lists them or provides what they need.
pub(super) const DEFAULT_OFF: Names = &[
    HOME_ASSISTANT,
    "spotify",
    "discord",
    "discord_admin",
    "video",
    "video_gen",
    X_SEARCH,
    MIXTURE,
    "rl",
];

/// Of these, those that no preset covers.
pub(super) const JOINING: Names = &[X_SEARCH, MIXTURE];

/// Toolsets that a scheduled job never has: nobody is there to be asked, what it has to say is delivered at its end,
/// and the notes are for conversations.
pub const WITHHELD_FROM_JOBS: Names = &["clarify", "memory"];

/// Toolsets that somebody other than the owner does not get in a chat: what everybody said before, jobs that would run
/// as the owner, and messages in the owner's name.
pub const WITHHELD_FROM_GUESTS: Names = &["session_search", "cronjob", "messaging"];

/// Toolsets that a scheduled job has only if the user lets jobs schedule others.
pub const SCHEDULING_TOOLSETS: Names = &["cronjob"];

/// Platforms that ship with a preset.
pub const PLATFORMS: Names = &[
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

/// Platforms whose preset is not simply named after them.
pub(super) const ODD_PRESETS: &[(&str, &str)] = &[
    ("whatsapp_cloud", "hermes-whatsapp"),
    ("wecom_callback", "hermes-wecom-callback"),
    ("api_server", "hermes-api-server"),
];

/// Toolsets that make sense on one platform only.
pub(super) const NATIVE: &[(&str, &str)] = &[("discord", "discord"), ("discord_admin", "discord")];
