//! Lists of tool names that belong together.

/// Tools that are always listed together.
pub(super) type Group = &'static [&'static str];

pub(super) const WEB: Group = &["web_search", "web_extract"];
pub(super) const TERMINAL: Group = &["terminal", "process"];
/// Terminal panes that the person has open beside the conversation.
pub(super) const TERMINAL_PANES: Group = &["read_terminal", "close_terminal"];
pub(super) const FILE: Group = &["read_file", "write_file", "patch", "search_files"];
pub(super) const VISION: Group = &["vision_analyze"];
pub(super) const IMAGE_GEN: Group = &["image_generate"];
pub(super) const SKILLS: Group = &["skills_list", "skill_view", "skill_manage"];
/// What a browser could do from the beginning; one of the old names still means these ten.
pub(super) const BROWSER_CLASSIC: Group = &[
    "browser_navigate",
    "browser_snapshot",
    "browser_click",
    "browser_type",
    "browser_scroll",
    "browser_back",
    "browser_press",
    "browser_get_images",
    "browser_vision",
    "browser_console",
];
pub(super) const BROWSER_CDP: Group = &["browser_cdp", "browser_dialog"];
pub(super) const TTS: Group = &["text_to_speech"];
pub(super) const CLARIFY: Group = &["clarify"];
pub(super) const CRONJOB: Group = &["cronjob"];
pub(super) const MESSAGES: Group = &["send_message"];
pub(super) const COMPUTER_USE: Group = &["computer_use"];
pub(super) const HOME_ASSISTANT: Group =
    &["ha_list_entities", "ha_get_state", "ha_list_services", "ha_call_service"];
pub(super) const KANBAN: Group = &[
    "kanban_show",
    "kanban_list",
    "kanban_complete",
    "kanban_block",
    "kanban_heartbeat",
    "kanban_comment",
    "kanban_create",
    "kanban_link",
    "kanban_unblock",
    "kanban_attach",
    "kanban_attach_url",
    "kanban_attachments",
];
pub(super) const DISCORD: Group = &["discord"];
pub(super) const DISCORD_ADMIN: Group = &["discord_admin"];
pub(super) const FEISHU_DOC: Group = &["feishu_doc_read"];
pub(super) const FEISHU_DRIVE: Group = &[
    "feishu_drive_list_comments",
    "feishu_drive_list_comment_replies",
    "feishu_drive_reply_comment",
    "feishu_drive_add_comment",
];
pub(super) const RL: Group = &[
    "rl_list_environments",
    "rl_select_environment",
    "rl_get_current_config",
    "rl_edit_config",
    "rl_start_training",
    "rl_check_status",
    "rl_stop_training",
    "rl_get_results",
    "rl_list_runs",
    "rl_test_inference",
];
pub(super) const YUANBAO: Group = &[
    "yb_query_group_info",
    "yb_query_group_members",
    "yb_send_dm",
    "yb_search_sticker",
    "yb_send_sticker",
];

/// The core: what a session on an ordinary platform starts from.
pub(super) const CORE: &[Group] = &[
    WEB,
    TERMINAL,
    TERMINAL_PANES,
    FILE,
    VISION,
    IMAGE_GEN,
    SKILLS,
    BROWSER_CLASSIC,
    BROWSER_CDP,
    TTS,
    &["todo", "memory", "session_search"],
    CLARIFY,
    &["execute_code", "delegate_task"],
    CRONJOB,
    HOME_ASSISTANT,
    KANBAN,
    COMPUTER_USE,
];
