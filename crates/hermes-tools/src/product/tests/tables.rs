//! The tables, row by row: a slip in the data fails here and names the toolset.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hermes_runtime::toolsets::{NoRegisteredTools, Toolset, ToolsetKind};

use crate::product::{PLATFORMS, presets, rows, toolset_catalog};

fn resolved(name: &str) -> Vec<String> {
    let tools = super::toolsets().resolve(name, &NoRegisteredTools);
    tools.iter().map(ToString::to_string).collect()
}

fn core_tools() -> BTreeSet<Arc<str>> {
    toolset_catalog().core.clone()
}

fn toolsets() -> BTreeMap<Arc<str>, Arc<Toolset>> {
    toolset_catalog().toolsets.clone()
}

/// Expects a toolset to stand for exactly these tools, written in any order.
fn expect(name: &str, tools: &str) {
    let mut wanted: Vec<&str> = tools.split_whitespace().collect();
    wanted.sort_unstable();
    assert_eq!(resolved(name), wanted, "tools of {name}");
}

#[test]
fn core_has_fifty_two_tools() {
    assert_eq!(core_tools().len(), 52);
    for sample in ["web_search", "browser_dialog", "kanban_attachments", "computer_use"] {
        assert!(core_tools().contains(sample), "{sample}");
    }
}

#[test]
fn follow_toolset_table_of_fifty_seven_and_four_of_our_own() {
    for own in ["moa", "local", "rl"] {
        assert!(toolsets().contains_key(own), "{own}");
    }
    // The reference has dropped it; in chats and jobs the tool is of use.
    assert!(toolsets().contains_key("messaging"));
    assert_eq!(toolsets().len(), 57 + 4);
    // Two rows of the same name would have become one entry.
    assert_eq!(rows::ROWS.len() + presets::ROWS.len(), 57 + 4);
    assert!(!toolsets().contains_key("browser-cdp"));
}

#[test]
fn every_single_purpose_toolset_lists_its_tools() {
    expect("web", "web_search web_extract");
    expect("search", "web_search");
    expect("x_search", "x_search");
    expect("vision", "vision_analyze");
    expect("video", "video_analyze");
    expect("image_gen", "image_generate");
    expect("video_gen", "video_generate xai_video_edit xai_video_extend");
    expect("computer_use", "computer_use");
    expect("terminal", "terminal process");
    expect("skills", "skills_list skill_view skill_manage");
    expect(
        "browser",
        "browser_navigate browser_snapshot browser_click browser_type browser_scroll browser_back \
         browser_press browser_get_images browser_vision browser_console browser_cdp \
         browser_dialog web_search",
    );
    expect("cronjob", "cronjob");
    expect("file", "read_file write_file patch search_files");
    expect("tts", "text_to_speech");
    for same in ["todo", "memory", "session_search", "clarify", "discord", "discord_admin"] {
        expect(same, same);
    }
    expect("context_engine", "");
    expect("project", "project_list project_create project_switch");
    expect("code_execution", "execute_code");
    expect("delegation", "delegate_task");
    expect("moa", "mixture_of_agents");
    expect("homeassistant", "ha_list_entities ha_get_state ha_list_services ha_call_service");
    expect(
        "kanban",
        "kanban_show kanban_list kanban_complete kanban_block kanban_heartbeat kanban_comment \
         kanban_create kanban_link kanban_unblock kanban_attach kanban_attach_url \
         kanban_attachments",
    );
    expect(
        "rl",
        "rl_list_environments rl_select_environment rl_get_current_config rl_edit_config \
         rl_start_training rl_check_status rl_stop_training rl_get_results rl_list_runs \
         rl_test_inference",
    );
    expect(
        "yuanbao",
        "yb_query_group_info yb_query_group_members yb_send_dm yb_search_sticker yb_send_sticker",
    );
    expect("feishu_doc", "feishu_doc_read");
    expect(
        "feishu_drive",
        "feishu_drive_list_comments feishu_drive_list_comment_replies \
         feishu_drive_reply_comment feishu_drive_add_comment",
    );
    expect(
        "spotify",
        "spotify_playback spotify_devices spotify_queue spotify_search spotify_playlists \
         spotify_albums spotify_library",
    );
}

#[test]
fn debugging_has_commands_files_and_the_web() {
    expect(
        "debugging",
        "terminal process web_search web_extract read_file write_file patch search_files",
    );
}

#[test]
fn follow_safe_toolset_is_without_file() {
    expect("safe", "web_search web_extract vision_analyze image_generate");
}

#[test]
fn coding_posture_is_the_core_without_what_code_does_not_need() {
    let coding = resolved("coding");
    assert_eq!(coding.len(), 32);
    assert_eq!(toolsets()["coding"].kind, ToolsetKind::Posture);
    let core = core_tools();
    let left_out: Vec<&str> =
        core.iter().map(|tool| &**tool).filter(|tool| !coding.contains(&(*tool).into())).collect();
    for tool in &left_out {
        let expected = ["image_generate", "text_to_speech", "cronjob", "computer_use"];
        assert!(
            expected.contains(tool) || tool.starts_with("ha_") || tool.starts_with("kanban_"),
            "{tool}"
        );
    }
    assert_eq!(left_out.len(), 20);
}

#[test]
fn ordinary_presets_are_the_core() {
    let core: Vec<String> = core_tools().iter().map(ToString::to_string).collect();
    for platform in [
        "cli",
        "cron",
        "telegram",
        "whatsapp",
        "slack",
        "signal",
        "bluebubbles",
        "homeassistant",
        "email",
        "mattermost",
        "matrix",
        "dingtalk",
        "weixin",
        "qqbot",
        "wecom",
        "wecom-callback",
        "sms",
    ] {
        assert_eq!(resolved(&format!("hermes-{platform}")), core, "{platform}");
    }
}

#[test]
fn other_presets_have_their_sizes() {
    let sizes = [
        ("hermes-discord", 54),
        ("hermes-feishu", 57),
        ("hermes-yuanbao", 57),
        ("hermes-acp", 29),
        ("hermes-api-server", 35),
        ("hermes-gateway", 64),
    ];
    for (name, size) in sizes {
        assert_eq!(resolved(name).len(), size, "{name}");
        assert_eq!(toolsets()[name].kind, ToolsetKind::Preset, "{name}");
    }
    expect("hermes-webhook", "web_search web_extract vision_analyze clarify");
}

#[test]
fn presets_differ_from_their_base_by_the_named_tools() {
    let acp = resolved("hermes-acp");
    for absent in ["clarify", "read_terminal", "close_terminal"] {
        assert!(!acp.contains(&absent.to_owned()), "{absent}");
        assert!(resolved("coding").contains(&absent.to_owned()), "{absent}");
    }
    let server = resolved("hermes-api-server");
    let added: Vec<&String> = server.iter().filter(|tool| !acp.contains(tool)).collect();
    assert_eq!(
        added,
        [
            "cronjob",
            "ha_call_service",
            "ha_get_state",
            "ha_list_entities",
            "ha_list_services",
            "image_generate"
        ]
    );
    let feishu = resolved("hermes-feishu");
    assert_eq!(feishu.iter().filter(|tool| tool.starts_with("feishu_")).count(), 5);
    let yuanbao = resolved("hermes-yuanbao");
    assert_eq!(yuanbao.iter().filter(|tool| tool.starts_with("yb_")).count(), 5);
}

#[test]
fn every_platform_has_a_preset_and_every_preset_but_the_gateway_a_platform() {
    let catalog = toolset_catalog();
    let used: BTreeSet<String> =
        PLATFORMS.iter().map(|platform| catalog.preset_of(platform).into_owned()).collect();
    for name in &used {
        assert!(toolsets().contains_key(name.as_str()), "{name}");
    }
    let without: Vec<&str> = catalog
        .toolsets
        .iter()
        .filter(|(name, set)| set.kind == ToolsetKind::Preset && !used.contains(&***name))
        .map(|(name, _)| &**name)
        .collect();
    assert_eq!(without, ["hermes-gateway"]);
    assert_eq!(catalog.preset_of("whatsapp_cloud"), "hermes-whatsapp");
    assert_eq!(catalog.preset_of("wecom_callback"), "hermes-wecom-callback");
    assert_eq!(catalog.preset_of("api_server"), "hermes-api-server");
    assert_eq!(catalog.preset_of("my_chat"), "hermes-my_chat");
}

#[test]
fn gateway_includes_every_messaging_preset() {
    let catalog = toolset_catalog();
    let gateway: BTreeSet<&str> =
        catalog.toolsets["hermes-gateway"].includes.iter().map(|name| &**name).collect();
    for (name, set) in &catalog.toolsets {
        let messaging = set.kind == ToolsetKind::Preset
            && !["hermes-cli", "hermes-cron", "hermes-acp", "hermes-api-server", "hermes-gateway"]
                .contains(&&**name);
        assert_eq!(gateway.contains(&**name), messaging, "{name}");
    }
}

#[test]
fn lists_of_names_agree_with_the_table() {
    let catalog = toolset_catalog();
    // The reference has 25 and 7; ours are `moa` and `rl`.
    assert_eq!((catalog.choices.len(), catalog.default_off.len()), (27, 9));
    let tied = catalog.native.iter().map(|(toolset, _)| toolset);
    let named = [catalog.board, catalog.context_engine];
    for name in
        catalog.choices.iter().chain(catalog.default_off).chain(tied).chain(named.iter().flatten())
    {
        assert!(catalog.toolsets.contains_key(*name), "{name}");
    }
    for name in catalog.joining {
        assert!(catalog.default_off.contains(name), "{name}");
    }
    assert_eq!(catalog.legacy.len(), 9);
    for (name, _) in catalog.legacy {
        assert!(!catalog.toolsets.contains_key(*name), "{name}");
    }
    assert_eq!(catalog.legacy_tools("terminal_tools"), Some(&["terminal"][..]));
    assert_eq!(catalog.legacy_tools("browser_tools").map(<[_]>::len), Some(10));
    assert_eq!(catalog.legacy_tools("web"), None);
}

#[test]
fn every_include_names_a_toolset() {
    for (name, set) in toolsets() {
        for include in &set.includes {
            assert!(toolsets().contains_key(include), "{name} includes {include}");
        }
        assert!(!set.description.is_empty(), "{name}");
    }
}
