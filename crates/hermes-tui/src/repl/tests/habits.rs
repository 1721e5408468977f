//! What hands do without being told: Escape, `!`, `@`, `?`, Shift-Tab, Ctrl-G.

use super::*;
use crate::test_session::Step;

fn forever(_: &str) -> Vec<Step> {
    vec![Step::Wait(PATIENCE * 2)]
}

fn nothing(_: &str) -> Vec<Step> {
    Vec::new()
}

#[tokio::test]
async fn escape_stops_the_turn_and_twice_edits_the_last_message() {
    let play = Play::new(forever);
    play.send("a long job");
    play.did("turn a long job").await;
    play.key(KeyCode::Esc, KeyModifiers::NONE);
    play.sees("· stopped").await;
    play.key(KeyCode::Esc, KeyModifiers::NONE);
    play.sees("Esc once more").await;
    play.key(KeyCode::Esc, KeyModifiers::NONE);
    play.sees("Taken back").await;
    play.until("the message", |text| text.ends_with("❯ a long job")).await;
}

/// Two Escapes with a command between them took the last message back.
#[tokio::test]
async fn two_escapes_with_something_in_between_edit_nothing() {
    let play = Play::new(nothing);
    play.send("hello");
    play.did("turn hello").await;
    play.until("the prompt", |text| text.ends_with('❯')).await;
    play.key(KeyCode::Esc, KeyModifiers::NONE);
    play.sees("Esc once more").await;
    play.send("/version");
    play.sees("· Hermes ").await;
    play.key(KeyCode::Esc, KeyModifiers::NONE);
    play.type_in("x");
    play.sees("❯ x").await;
    assert_eq!(play.agent.log(), ["turn hello"]);
}

#[tokio::test]
async fn one_empty_row_stands_above_a_command() {
    let play = Play::new(nothing);
    play.send("hello");
    play.did("turn hello").await;
    play.until("the prompt", |text| text.ends_with('❯')).await;
    play.send("/version");
    let text = play.sees("· Hermes ").await;
    assert!(text.contains("❯ hello\n\n❯ /version\n"), "{text}");
    play.send("/version");
    let text = play.until("another", |text| text.matches("· Hermes ").count() == 2).await;
    assert!(text.contains("\n\n❯ /version\n· Hermes") && !text.contains("\n\n\n❯ /"), "{text}");
}

#[tokio::test]
async fn an_own_command_runs_and_its_output_goes_along() {
    let play = Play::new(nothing);
    play.send("!make all");
    play.sees("    ran make all\n    well").await;
    play.sees("  + output of make all").await;
    play.send("why?");
    let told = "turn why?\n\n<command_run_by_user>\n$ make all\nran make all\nwell\n</command_run_by_user>";
    play.did(told).await;
    play.until("nothing left to go along", |text| !text.contains("+ output")).await;
}

#[tokio::test]
async fn a_question_mark_shows_the_keys_and_shift_tab_changes_the_mode() {
    let play = Play::sized(nothing, ChatSettings::default(), Size { columns: 100, rows: 24 });
    play.type_in("?");
    insta::assert_snapshot!(play.sees("Ctrl-L").await);
    play.type_in("q");
    play.key(KeyCode::BackTab, KeyModifiers::SHIFT);
    play.did("planning On").await;
    play.sees("The agent looks and plans").await;
    play.sees("plan").await;
    play.key(KeyCode::BackTab, KeyModifiers::SHIFT);
    play.sees("flagged commands run without asking").await;
    play.key(KeyCode::BackTab, KeyModifiers::SHIFT);
    play.sees("You are asked about flagged commands again").await;
}

#[tokio::test]
async fn ctrl_g_edits_the_line() {
    let play = Play::new(nothing);
    play.type_in("draft ");
    play.control('g');
    play.until("the edited line", |text| text.ends_with("❯ draft composed")).await;
}

#[tokio::test]
async fn what_fills_the_window_and_what_changed_can_be_seen() {
    let play = Play::new(nothing);
    play.send("hello");
    play.did("turn hello").await;
    play.send("/context");
    play.sees("█ you ").await;
    play.sees("░ free").await;
    // The folder of the play does not exist.
    play.send("/diff");
    play.sees("no git repository").await;
}

fn settings(written: serde_json::Value) -> ChatSettings {
    let config = hermes_store::config::Config::from_value(written);
    ChatSettings::read(&config, hermes_guard::redact::Redactor::default())
}

#[tokio::test]
async fn keys_of_ones_own_count_and_are_listed() {
    let keys = serde_json::json!({"keys": {"send": "f9", "editor": "ctrl-e", "suspend": "none"}});
    let play = Play::sized(nothing, settings(keys), Size { columns: 100, rows: 50 });
    play.type_in("hello");
    // Neither of them does anything any more.
    play.key(KeyCode::Enter, KeyModifiers::NONE);
    play.control('g');
    play.key(KeyCode::F(9), KeyModifiers::NONE);
    play.did("turn hello").await;
    play.type_in("draft ");
    play.control('e');
    play.sees("❯ draft composed").await;
    play.control('u');
    play.type_in("?");
    let page = play.sees("Edits the line in $EDITOR").await;
    assert!(page.contains("  F9 ") && page.contains("  Ctrl-E "), "{page}");
    assert!(!page.contains("Ctrl-G") && !page.contains("Back to the shell"), "{page}");
}

#[tokio::test]
async fn with_vim_keys_escape_leads_to_commands_and_a_second_one_stops() {
    let vim = serde_json::json!({"display": {"vim_keys": true}});
    let play = Play::with(forever, settings(vim));
    play.type_in("one two three");
    play.key(KeyCode::Esc, KeyModifiers::NONE);
    play.until("the prompt turned round", |text| text.contains("❮ one two three")).await;
    play.type_in("bdwacut ");
    play.sees("❯ one two cut").await;
    play.key(KeyCode::Esc, KeyModifiers::NONE);
    play.type_in("u0");
    play.key(KeyCode::Enter, KeyModifiers::NONE);
    play.did("turn one two ").await;
    play.type_in("x");
    play.key(KeyCode::Esc, KeyModifiers::NONE);
    play.key(KeyCode::Esc, KeyModifiers::NONE);
    play.sees("· stopped").await;
}

#[tokio::test]
async fn a_command_that_was_pasted_is_told_in_one_row_without_control_sequences() {
    let play = Play::new(nothing);
    play.type_in("!");
    play.keys.send(TerminalInput::Paste("ls\n\x1b]0;title\x07-l".into())).unwrap();
    play.key(KeyCode::Enter, KeyModifiers::NONE);
    play.sees("❯ !ls -l\n").await;
}
