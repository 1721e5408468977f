//! What each platform offers when nothing else is configured.

use hermes_runtime::toolsets::ToolsetKind;

use super::groups::{
    CLARIFY, CRONJOB, DISCORD, DISCORD_ADMIN, FEISHU_DOC, FEISHU_DRIVE, HOME_ASSISTANT, IMAGE_GEN,
    TERMINAL_PANES, VISION, WEB, YUANBAO,
};
use super::{Base, Row};

const fn preset(name: &'static str, description: &'static str) -> Row {
    Row::new(name, description).kind(ToolsetKind::Preset)
}

const fn core(name: &'static str, description: &'static str) -> Row {
    preset(name, description).from(Base::Core)
}

/// Presets of the platforms on which people write messages.
const MESSAGING: &[&str] = &[
    "hermes-telegram",
    "hermes-discord",
    "hermes-whatsapp",
    "hermes-slack",
    "hermes-signal",
    "hermes-bluebubbles",
    "hermes-homeassistant",
    "hermes-email",
    "hermes-sms",
    "hermes-mattermost",
    "hermes-matrix",
    "hermes-dingtalk",
    "hermes-feishu",
    "hermes-weixin",
    "hermes-qqbot",
    "hermes-wecom",
    "hermes-wecom-callback",
    "hermes-yuanbao",
    "hermes-webhook",
];

pub(super) const ROWS: &[Row] = &[
    core("hermes-cli", "Conversations in the terminal"),
    core("hermes-cron", "Scheduled jobs"),
    core("hermes-telegram", "Telegram chats"),
    core("hermes-whatsapp", "WhatsApp chats"),
    core("hermes-slack", "Slack channels"),
    core("hermes-signal", "Signal chats"),
    core("hermes-bluebubbles", "iMessage through BlueBubbles"),
    core("hermes-homeassistant", "Conversations inside Home Assistant"),
    core("hermes-email", "E-mail"),
    core("hermes-mattermost", "Mattermost channels"),
    core("hermes-matrix", "Matrix rooms"),
    core("hermes-dingtalk", "DingTalk chats"),
    core("hermes-weixin", "Weixin chats"),
    core("hermes-qqbot", "QQ chats"),
    core("hermes-wecom", "WeCom chats"),
    core("hermes-wecom-callback", "WeCom applications that call back"),
    core("hermes-sms", "Text messages"),
    core("hermes-discord", "Discord servers and chats").plus(&[DISCORD, DISCORD_ADMIN]),
    core("hermes-feishu", "Feishu chats").plus(&[FEISHU_DOC, FEISHU_DRIVE]),
    core("hermes-yuanbao", "Yuanbao chats").plus(&[YUANBAO]),
    // Anyone can post to a web hook, so nothing that touches the machine.
    preset("hermes-webhook", "Incoming web hooks").plus(&[WEB, VISION, CLARIFY]),
    // An editor shows its own terminal and asks its own questions.
    preset("hermes-acp", "Editors that speak the agent client protocol")
        .from(Base::Row("coding"))
        .minus(&[CLARIFY, TERMINAL_PANES]),
    preset("hermes-api-server", "Programs that use the HTTP server")
        .from(Base::Row("hermes-acp"))
        .plus(&[IMAGE_GEN, CRONJOB, HOME_ASSISTANT]),
    preset("hermes-gateway", "Everything that some messaging platform offers").including(MESSAGING),
];
