//! Toolsets by purpose: single skills of the agent, and compositions of them.

use hermes_runtime::toolsets::ToolsetKind;

use super::groups::{
    BROWSER_CDP, BROWSER_CLASSIC, CLARIFY, COMPUTER_USE, CRONJOB, DISCORD, DISCORD_ADMIN,
    FEISHU_DOC, FEISHU_DRIVE, FILE, HOME_ASSISTANT, IMAGE_GEN, KANBAN, MESSAGES, RL, SKILLS,
    TERMINAL, TTS, VISION, WEB, YUANBAO,
};
use super::{Base, Row};

pub(super) const ROWS: &[Row] = &[
    // One purpose each.
    Row::new("web", "Search the web and read pages").plus(&[WEB]),
    Row::new("search", "Search the web, nothing more").plus(&[&["web_search"]]),
    Row::new("x_search", "Search posts on X").plus(&[&["x_search"]]),
    Row::new("vision", "Look at pictures").plus(&[VISION]),
    Row::new("video", "Watch video clips").plus(&[&["video_analyze"]]),
    Row::new("image_gen", "Make pictures").plus(&[IMAGE_GEN]),
    Row::new("video_gen", "Make, edit and lengthen video clips").plus(&[&[
        "video_generate",
        "xai_video_edit",
        "xai_video_extend",
    ]]),
    Row::new("computer_use", "Operate the desktop with mouse and keyboard").plus(&[COMPUTER_USE]),
    Row::new("terminal", "Run commands and look after long-running ones").plus(&[TERMINAL]),
    Row::new("skills", "Find, read and write skills").plus(&[SKILLS]),
    Row::new("browser", "Drive a web browser").plus(&[
        BROWSER_CLASSIC,
        BROWSER_CDP,
        &["web_search"],
    ]),
    Row::new("cronjob", "Schedule work for later").plus(&[CRONJOB]),
    Row::new("messaging", "Write to people on messaging platforms").plus(&[MESSAGES]),
    Row::new("file", "Read, write, patch and search files").plus(&[FILE]),
    Row::new("tts", "Turn text into speech").plus(&[TTS]),
    Row::new("todo", "Keep a list of steps for the task at hand").plus(&[&["todo"]]),
    Row::new("memory", "Remember facts across sessions").plus(&[&["memory"]]),
    Row::new("session_search", "Look things up in earlier conversations")
        .plus(&[&["session_search"]]),
    Row::new("clarify", "Ask the person a question").plus(&[CLARIFY]),
    Row::new("context_engine", "Whatever tools the active context engine brings along"),
    Row::new("project", "List, create and switch projects").plus(&[&[
        "project_list",
        "project_create",
        "project_switch",
    ]]),
    Row::new("code_execution", "Run scripts that call tools themselves").plus(&[&["execute_code"]]),
    Row::new("delegation", "Hand parts of a task to helper agents").plus(&[&["delegate_task"]]),
    Row::new("moa", "Put one question to several models").plus(&[&["mixture_of_agents"]]),
    Row::new("homeassistant", "See and control a smart home").plus(&[HOME_ASSISTANT]),
    Row::new("kanban", "Work on the shared task board").plus(&[KANBAN]),
    Row::new("discord", "Read and take part in Discord").plus(&[DISCORD]),
    Row::new("discord_admin", "Manage a Discord server").plus(&[DISCORD_ADMIN]),
    Row::new("yuanbao", "Groups, direct messages and stickers on Yuanbao").plus(&[YUANBAO]),
    Row::new("feishu_doc", "Read Feishu documents").plus(&[FEISHU_DOC]),
    Row::new("feishu_drive", "Read and answer comments in Feishu Drive").plus(&[FEISHU_DRIVE]),
    Row::new("spotify", "Control Spotify").plus(&[&[
        "spotify_playback",
        "spotify_devices",
        "spotify_queue",
        "spotify_search",
        "spotify_playlists",
        "spotify_albums",
        "spotify_library",
    ]]),
    Row::new("rl", "Train models: environments, settings, runs and their results").plus(&[RL]),
    // For models with a small window: no more tools, and fewer words about each.
    Row::new("local", "Five tools in few words, for local and other small models")
        .plus(&[FILE, &["terminal"]])
        .kind(ToolsetKind::Small),
    // Compositions.
    Row::new("debugging", "Find out why something breaks: commands, files and the web")
        .plus(&[TERMINAL])
        .including(&["web", "file"]),
    Row::new("safe", "Neither commands nor files: web, pictures in and pictures out").including(&[
        "web",
        "vision",
        "image_gen",
    ]),
    Row::new("coding", "The core tools that help with writing software")
        .from(Base::Core)
        .minus(&[IMAGE_GEN, TTS, CRONJOB, HOME_ASSISTANT, KANBAN, COMPUTER_USE])
        .kind(ToolsetKind::Posture),
];
