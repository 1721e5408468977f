//! Menus and lists, as a person uses them.

use super::*;
use crate::test_session::Step;

fn nothing(_: &str) -> Vec<Step> {
    Vec::new()
}

#[tokio::test]
async fn a_slash_opens_the_menu_and_typing_narrows_it() {
    let play = Play::new(nothing);
    play.type_in("/");
    let menu = play.sees("more").await;
    assert!(menu.contains("/agents") && menu.contains("what works in the background"), "{menu}");
    play.type_in("vers");
    play.sees("› /version  the program's version").await;
    play.key(KeyCode::Enter, KeyModifiers::NONE);
    play.sees("· Hermes ").await;
}

#[tokio::test]
async fn arrows_choose_and_what_takes_words_waits_for_them() {
    let play = Play::new(nothing);
    play.type_in("/que");
    play.sees("› /queue").await;
    play.key(KeyCode::Enter, KeyModifiers::NONE);
    play.until("the name in the line", |text| text.ends_with("❯ /queue TEXT")).await;
    play.type_in("later");
    play.key(KeyCode::Enter, KeyModifiers::NONE);
    play.did("turn later").await;
    play.type_in("/");
    play.sees("/agents").await;
    play.key(KeyCode::Esc, KeyModifiers::NONE);
    play.until("no menu", |text| !text.contains("/agents")).await;
}

#[tokio::test]
async fn a_model_is_picked_from_those_the_server_has() {
    let play = Play::sized(nothing, ChatSettings::default(), Size { columns: 80, rows: 24 });
    play.send("/model");
    play.sees("Models (3)").await;
    play.type_in("lar");
    let list = play.sees("Models (1 of 3)").await;
    insta::assert_snapshot!(list);
    play.key(KeyCode::Enter, KeyModifiers::NONE);
    play.sees("❯ /model large").await;
    play.sees("large answers from now on").await;
}

#[tokio::test]
async fn a_session_is_picked_and_goes_on() {
    let play = Play::new(nothing);
    play.send("/resume");
    play.sees("s0 · 4 messages").await;
    play.key(KeyCode::Enter, KeyModifiers::NONE);
    play.sees("❯ what was asked").await;
    play.send("/resume");
    play.sees("Sessions (1)").await;
    play.key(KeyCode::Esc, KeyModifiers::NONE);
    play.until("the prompt", |text| text.ends_with("\n❯")).await;
}

#[tokio::test]
async fn a_command_that_prints_no_list_is_shown_as_it_speaks() {
    let play = Play::new(nothing);
    play.send("/mcp");
    play.sees("ran mcp list --json").await;
}
