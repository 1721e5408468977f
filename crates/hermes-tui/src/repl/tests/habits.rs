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
    insta::assert_snapshot!(play.sees("Ctrl-Z").await);
    play.type_in("q");
    play.key(KeyCode::BackTab, KeyModifiers::SHIFT);
    play.sees("Flagged commands run without asking").await;
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
    play.sees("you ").await;
    play.sees("characters").await;
    // The folder of the play does not exist.
    play.send("/diff");
    play.sees("no git repository").await;
}
