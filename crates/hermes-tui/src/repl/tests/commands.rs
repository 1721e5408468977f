use super::*;
use crate::test_session::Step;

fn quiet(_: &str) -> Vec<Step> {
    Vec::new()
}

fn endless(_: &str) -> Vec<Step> {
    vec![Step::Wait(PATIENCE * 2)]
}

#[tokio::test]
async fn status_and_usage_are_told() {
    let play = Play::new(quiet);
    play.send("/status");
    play.sees("model             scripted (test)").await;
    play.send("/usage");
    play.sees("cost                not known for this model").await;
}

#[tokio::test]
async fn mistakes_are_explained_with_the_way_out() {
    let play = Play::new(quiet);
    play.send("/modle x");
    play.sees("! There is no command /modle.\n  Did you mean /model?").await;
    play.send("/undo many");
    play.sees("! `many` is no number of one or more.\n  /undo [N]").await;
    assert!(play.agent.log().is_empty());
}

#[tokio::test]
async fn commands_that_change_the_session_wait_for_the_turn() {
    let play = Play::new(endless);
    play.send("go");
    play.did("turn go").await;
    play.send("/undo");
    play.sees("/undo has to wait for the end of the turn.\n  /stop ends it now.").await;
    play.send("/busy queue");
    play.sees("the agent works waits for the end of").await;
    play.send("/stop");
    play.sees("· stopped").await;
}

#[tokio::test]
async fn undo_gives_the_words_back_and_retry_says_them_again() {
    let play = Play::new(quiet);
    play.send("first thing");
    play.did("turn first thing").await;
    play.until("the prompt", |text| text.ends_with('❯')).await;
    play.send("/undo");
    play.sees("Taken back").await;
    play.sees("❯ first thing").await;
    play.key(KeyCode::Enter, KeyModifiers::NONE);
    play.until("the turn", |_| play.agent.log().len() == 3).await;
    play.send("/retry");
    play.until("another turn", |_| play.agent.log().len() == 5).await;
    let turn = "turn first thing";
    assert_eq!(play.agent.log(), [turn, "undo 1", turn, "undo 1", turn]);
}

#[tokio::test]
async fn a_session_is_listed_and_taken_up_again() {
    let play = Play::new(quiet);
    play.send("/sessions");
    play.sees("s0  yesterday  what was asked").await;
    play.send("/resume s0");
    play.sees("❯ what was asked\n  this").await;
    play.send("/resume none");
    play.sees("! there is no session `none`").await;
}

#[tokio::test]
async fn settings_are_changed() {
    let play = Play::new(quiet);
    play.send("/model other");
    play.sees("· other answers from now on.").await;
    play.send("/reasoning high");
    play.sees("thinks at level high").await;
    play.send("/reasoning hide");
    play.sees("Thinking: high; thoughts are hidden.").await;
    play.send("/verbose");
    play.sees("Tools: verbose.").await;
    play.send("/title A talk");
    play.sees("called “A talk”").await;
    play.send("/yolo");
    play.sees("run without asking").await;
    play.send("/yolo");
    play.sees("asked about flagged commands again").await;
}

#[tokio::test]
async fn the_command_line_is_there_too() {
    let play = Play::new(quiet);
    play.send("/tools enable web");
    play.sees("ran tools enable web").await;
}

#[tokio::test]
async fn a_message_is_written_in_an_editor() {
    let play = Play::new(quiet);
    play.send("/prompt");
    play.did("turn composed").await;
}

#[tokio::test]
async fn an_image_goes_with_the_next_message() {
    let play = Play::new(quiet);
    play.send("/image /no/such/file.png");
    play.sees("! /no/such/file.png: No such file").await;
    let image = tempfile::NamedTempFile::with_suffix(".png").unwrap();
    play.send(&format!("/image {}", image.path().display()));
    play.sees("+ image").await;
    play.send("what is it?");
    play.until("no image waits", |text| !text.contains("+ image")).await;
}

#[tokio::test]
async fn the_conversation_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("talk.md");
    let play = Play::new(quiet);
    play.send("hello");
    play.did("turn hello").await;
    play.until("the prompt", |text| text.ends_with('❯')).await;
    play.send(&format!("/save {}", file.display()));
    play.sees("Written to").await;
    let text = std::fs::read_to_string(file).unwrap();
    assert_eq!(text, "# Conversation\n\n## You\n\nhello\n\n## Hermes\n\nthe **answer**\n");
}

#[tokio::test]
async fn quit_leaves_and_may_forget_the_session() {
    let play = Play::new(quiet);
    play.send("/quit --delete");
    let agent = Arc::clone(&play.agent);
    assert_eq!(play.leaves().await.0, ChatExit::Done);
    assert_eq!(agent.log(), ["delete"]);
}

#[tokio::test]
async fn the_screen_is_cleared_with_the_session() {
    let play = Play::new(quiet);
    play.send("/version");
    play.sees("· Hermes").await;
    play.send("/clear");
    play.until("a clear screen", |text| text.starts_with("Hermes 0.")).await;
    assert_eq!(play.agent.log(), ["new None"]);
}

#[tokio::test]
async fn a_command_that_takes_long_shows_it_and_can_be_stopped() {
    let play = Play::new(quiet);
    play.send("/compress here 3");
    play.sees("working (").await;
    play.send("wait for it");
    play.sees("next: wait for it").await;
    play.control('c');
    play.sees("compressed KeepLast(3)").await;
    play.did("turn wait for it").await;
}

#[tokio::test]
async fn commands_of_plugins_are_run_and_listed() {
    let play = Play::new(quiet);
    play.send("/trip Rome");
    play.sees("trip to Rome").await;
    play.send("/help");
    play.sees("From plugins").await;
    play.send("/help all");
    play.key(KeyCode::End, KeyModifiers::NONE);
    play.sees("plan a trip").await;
    assert!(play.agent.log().is_empty());
}

#[tokio::test]
async fn skills_are_called_by_name_and_said_to_the_agent() {
    let play = Play::new(quiet);
    play.send("/sour_dough for two");
    play.did("turn /sour_dough for two").await;
    play.send("/reload-skills");
    play.sees("1 skill: nothing changed.").await;
}

#[tokio::test]
async fn commands_of_ones_own_run_or_stand_for_others() {
    let play = Play::new(quiet);
    play.send("/disk /tmp");
    play.sees("ran df -h /tmp\nwell").await;
    play.send("/fix it");
    play.sees("called “fixed it”").await;
    play.send("/help");
    play.sees("/disk /fix").await;
    play.send("/help compact");
    play.sees("make the history shorter").await;
    play.send("/help all");
    play.key(KeyCode::End, KeyModifiers::NONE);
    for _ in 0..50 {
        play.key(KeyCode::Up, KeyModifiers::NONE);
    }
    play.sees("stands for /title fixed").await;
}

#[tokio::test]
async fn settings_are_read_anew() {
    let play = Play::new(quiet);
    play.send("/reload");
    play.sees("display.show_cost: in force now").await;
    play.send("/fresh");
    play.sees("ran date").await;
    play.send("hello");
    play.sees("┊ 0 in, 0 out").await;
}

#[tokio::test]
async fn servers_are_connected_anew() {
    let play = Play::new(quiet);
    play.send("/reload-mcp");
    play.sees("desk: connected, 3 tools").await;
}

#[tokio::test]
async fn fast_is_a_switch_and_personalities_are_listed() {
    let play = Play::new(quiet);
    play.send("/reasoning high");
    play.sees("thinks at level high").await;
    play.send("/fast");
    play.sees("thinks as little as it can").await;
    assert_eq!(play.agent.status().effort, Some(hermes_llm::model::Effort::None));
    play.send("/fast");
    play.sees("thinks as before").await;
    assert_eq!(play.agent.status().effort, Some(hermes_llm::model::Effort::High));
    play.send("/personality");
    play.sees("› ✓ concise  a way to speak\n    teacher  a way to speak").await;
    play.key(KeyCode::Down, KeyModifiers::NONE);
    play.key(KeyCode::Enter, KeyModifiers::NONE);
    play.sees("teacher from the next session on").await;
}

#[tokio::test]
async fn the_clipboard_goes_into_the_line() {
    let play = Play::new(quiet);
    play.type_in("see: ");
    play.control('u');
    play.send("/paste");
    play.sees("❯ from the clipboard").await;
}

#[tokio::test]
async fn what_a_report_needs_is_told_in_one_go() {
    let play = Play::new(quiet);
    play.send("/debug");
    let text = play.sees("ran doctor").await;
    for part in ["ran config show", "/home/someone/.hermes", "scripted (test)", "60 columns"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[tokio::test]
async fn several_models_are_asked_in_a_turn() {
    let play = Play::new(quiet);
    play.send("/moa which is best?");
    play.did("mixture which is best?").await;
}
