//! Which tools a session sees.

use hermes_runtime::toolsets::{
    KanbanTask, NoRegisteredTools, RegisteredTools, RequestList, Selection, ToolRequest, Toolset,
};

use super::{Registered, table, toolsets};
use crate::product::toolset_catalog;

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn select_with(
    registry: &dyn RegisteredTools,
    enabled: Option<&[&str]>,
    disabled: &[&str],
) -> Selection {
    let enabled = enabled.map(owned);
    let request = ToolRequest {
        enabled: enabled.as_deref(),
        disabled: &owned(disabled),
        kanban: KanbanTask::None,
    };
    toolsets().select(&request, registry)
}

fn names(selection: &Selection) -> Vec<&str> {
    selection.names.iter().map(|name| &**name).collect()
}

fn select(enabled: &[&str], disabled: &[&str]) -> Selection {
    select_with(&NoRegisteredTools, Some(enabled), disabled)
}

#[test]
fn enabling_unites_toolsets_and_legacy_names() {
    let selection = select(&["web", "terminal_tools", "search"], &[]);
    assert_eq!(names(&selection), ["terminal", "web_extract", "web_search"]);
    assert_eq!(selection.unknown, []);
}

#[test]
fn an_empty_list_offers_nothing_and_no_list_everything() {
    assert!(select(&[], &[]).names.is_empty());
    let everything = select_with(&NoRegisteredTools, None, &[]);
    assert!(everything.names.len() > 64);
    assert!(names(&everything).contains(&"spotify_queue"));
}

#[test]
fn unknown_names_are_ignored_and_reported_once_with_a_suggestion() {
    let selection = select(&["web", "termnal", "termnal", "xyzzy"], &["vison"]);
    assert_eq!(names(&selection), ["web_extract", "web_search"]);
    let seen: Vec<_> = selection
        .unknown
        .iter()
        .map(|unknown| (unknown.name.as_str(), unknown.list, unknown.suggestion.as_deref()))
        .collect();
    assert_eq!(
        seen,
        [
            ("termnal", RequestList::Enabled, Some("terminal")),
            ("xyzzy", RequestList::Enabled, None),
            ("vison", RequestList::Disabled, Some("vision")),
        ]
    );
    assert_eq!(
        selection.unknown[0].to_string(),
        "unknown toolset `termnal` among the enabled ones is ignored; did you mean `terminal`?"
    );
}

#[test]
fn board_tasks_bring_their_tools_only_beside_an_explicit_list() {
    let enabled = owned(&["web"]);
    let snapshot = toolsets();
    let mut request =
        ToolRequest { enabled: Some(&enabled), disabled: &[], kanban: KanbanTask::Assigned };
    let selection = snapshot.select(&request, &NoRegisteredTools);
    assert_eq!(selection.names.len(), 2 + 12);
    let disabled = owned(&["kanban"]);
    request.disabled = &disabled;
    assert_eq!(snapshot.select(&request, &NoRegisteredTools).names.len(), 2);
}

#[test]
fn follow_disabled_is_subtracted_last_even_with_enabled() {
    let selection = select(&["hermes-cli", "web"], &["web"]);
    assert_eq!(selection.names.len(), 50);
    assert!(!selection.names.contains("web_search"));
    // Shared tools go as well: the browser's search tool is the web's.
    assert!(!select(&["browser"], &["search"]).names.contains("web_search"));
}

#[test]
fn disabling_works_without_enabled_too() {
    let selection = select_with(&NoRegisteredTools, None, &["spotify"]);
    assert!(!names(&selection).iter().any(|name| name.starts_with("spotify_")));
}

#[test]
fn disabling_a_preset_keeps_the_core() {
    let selection = select(&["hermes-discord"], &["hermes-discord"]);
    assert_eq!(selection.names, toolset_catalog().core);
    let selection = select(&["hermes-feishu", "hermes-yuanbao"], &["hermes-cli"]);
    assert_eq!(selection.names.len(), 62);
    // The gateway reaches the extras through its direct includes.
    let selection = select(&["hermes-gateway"], &["hermes-gateway"]);
    assert_eq!(selection.names, toolset_catalog().core);
}

#[test]
fn disabling_a_preset_looks_one_include_deep() {
    let table = table();
    let outer = Toolset::new("").with_tools(["own", "terminal"]).including(["middle"]);
    table.create("hermes-outer", outer).unwrap();
    table.create("middle", Toolset::new("").with_tools(["mid"]).including(["deep"])).unwrap();
    table.create("deep", Toolset::new("").with_tools(["low"])).unwrap();
    let request = ToolRequest {
        enabled: Some(&owned(&["hermes-outer"])),
        disabled: &owned(&["hermes-outer"]),
        kanban: KanbanTask::None,
    };
    let selection = table.snapshot().select(&request, &NoRegisteredTools);
    assert_eq!(names(&selection), ["low", "terminal"]);
}

#[test]
fn disabling_a_posture_keeps_the_core() {
    let selection = select(&["coding", "spotify"], &["coding"]);
    assert_eq!(selection.names.len(), 32 + 7);
    let registry = Registered::default().with("coding", &["lint_everything"]);
    let selection = select_with(&*registry.snapshot(), Some(&["coding"]), &["coding"]);
    assert_eq!(selection.names.len(), 32, "what a plugin added to the posture goes");
}

#[test]
fn disabling_a_plugin_platform_keeps_the_core() {
    let registry = Registered::default().platform("irc").with("irc", &["irc_op"]);
    let selection = select_with(&*registry.snapshot(), Some(&["hermes-irc"]), &["hermes-irc"]);
    assert_eq!(selection.names, toolset_catalog().core);
}

#[test]
fn legacy_names_can_be_disabled() {
    let selection = select(&["terminal", "browser"], &["terminal_tools", "browser_tools"]);
    assert_eq!(names(&selection), ["browser_cdp", "browser_dialog", "process", "web_search"]);
}

#[test]
fn disabling_everything_empties_the_list() {
    for everything in ["all", "*"] {
        assert!(select(&["hermes-cli"], &[everything]).names.is_empty());
        assert!(select_with(&NoRegisteredTools, None, &[everything]).names.is_empty());
    }
}

#[test]
fn composites_lose_all_they_stand_for() {
    let selection = select(&["hermes-webhook"], &["safe"]);
    assert_eq!(names(&selection), ["clarify"]);
}
