use super::*;
use crate::test_session::Step;

const MINUTE: Duration = Duration::from_secs(60);
/// Longer than it takes to see a question.
const SEEN: Duration = Duration::from_millis(500);

fn wants_to_delete(_: &str) -> Vec<Step> {
    vec![Step::Approve("rm -r build", MINUTE)]
}

fn asks(_: &str) -> Vec<Step> {
    vec![Step::Clarify("Which one?", &["red", "blue"])]
}

#[tokio::test]
async fn an_approval_takes_the_prompt_and_gives_the_draft_back() {
    let play = Play::new(|text| {
        let mut steps = vec![Step::Wait(Duration::from_millis(200))];
        steps.extend(wants_to_delete(text));
        steps
    });
    play.send("clean up");
    play.did("turn clean up").await;
    play.type_in("my draft");
    let text = play.sees("Allow?").await;
    assert!(text.contains("! A command wants to run:\n\n    rm -r build"), "{text}");
    assert!(!text.contains("my draft"), "{text}");
    tokio::time::sleep(SEEN).await;
    // One key is enough, and the Enter of a habit does not send the draft.
    play.send("o");
    play.sees("may run: Allowed(Once)").await;
    play.sees("❯ my draft").await;
    play.type_in("!");
    play.sees("❯ my draft!").await;
    assert!(!play.agent.log().iter().any(|done| done.contains("draft")));
}

#[tokio::test]
async fn keys_pressed_before_the_question_was_seen_are_no_answer() {
    let play = Play::new(wants_to_delete);
    play.send("clean up");
    play.sees("Allow?").await;
    play.send("always");
    tokio::time::sleep(SEEN).await;
    play.key(KeyCode::Enter, KeyModifiers::NONE);
    play.sees("may run: Denied").await;
}

#[tokio::test]
async fn a_question_waits_for_as_long_as_it_takes_and_can_be_refused_with_words() {
    let play = Play::new(|_| vec![Step::Approve("rm -r build", Duration::from_millis(300))]);
    play.send("clean up");
    play.sees("[t]ell it:").await;
    tokio::time::sleep(2 * SEEN).await;
    play.type_in("xt");
    play.sees("What should it do instead").await;
    play.send("move it away");
    play.sees("→ no: move it away").await;
    play.sees("may run: Denied { reason: Some(\"move it away\") }").await;
}

#[tokio::test]
async fn escape_is_a_no() {
    let play = Play::new(wants_to_delete);
    play.send("clean up");
    play.sees("Allow?").await;
    tokio::time::sleep(SEEN).await;
    play.key(KeyCode::Esc, KeyModifiers::NONE);
    play.sees("may run: Denied { reason: None }").await;
}

#[tokio::test]
async fn ctrl_c_refuses_and_stops_the_turn() {
    let play = Play::new(|_| vec![Step::Approve("rm -r build", MINUTE), Step::Wait(PATIENCE * 2)]);
    play.send("clean up");
    play.sees("Allow?").await;
    play.control('c');
    play.sees("· stopped").await;
    assert!(play.agent.log().contains(&"interrupt".to_owned()));
}

#[tokio::test]
async fn a_choice_is_made_by_its_number() {
    let play = Play::new(asks);
    play.send("paint it");
    play.sees("? Which one?\n  1. red\n  2. blue\n  3. Other…").await;
    tokio::time::sleep(SEEN).await;
    play.key(KeyCode::Enter, KeyModifiers::NONE);
    play.send("2");
    play.sees("heard Some(\"blue\")").await;
}

#[tokio::test]
async fn other_asks_for_own_words_which_may_be_a_number() {
    let play = Play::new(asks);
    play.send("paint it");
    play.sees("Your answer (1-3, or your own words):").await;
    tokio::time::sleep(SEEN).await;
    play.send("3");
    play.sees("Your answer:").await;
    play.send("2");
    play.sees("heard Some(\"2\")").await;
}

#[tokio::test]
async fn own_words_need_no_detour_and_ctrl_d_gives_none() {
    let play = Play::new(asks);
    play.send("paint it");
    play.sees("Your answer").await;
    tokio::time::sleep(SEEN).await;
    play.send("green");
    play.sees("heard Some(\"green\")").await;
    play.send("again");
    play.until("the second question", |text| text.matches("? Which").count() == 2).await;
    tokio::time::sleep(SEEN).await;
    play.control('d');
    play.sees("heard None").await;
}

/// A form with a name, which is needed, and a secret.
fn form() -> hermes_mcp::client::elicitation::Form {
    let schema = serde_json::json!({"properties": {
        "name": {"type": "string"}, "word": {"type": "string", "format": "password"}},
        "required": ["name"]});
    let params = serde_json::json!({"message": "Who is it?", "requestedSchema": schema});
    hermes_mcp::client::elicitation::Form::read("shop", &params, MINUTE).unwrap()
}

#[tokio::test]
async fn a_servers_form_is_filled_in_line_by_line_and_a_secret_is_not_shown() {
    let play = Play::new(|_| vec![Step::Form(form())]);
    play.send("buy it");
    play.sees("name (text)").await;
    tokio::time::sleep(SEEN).await;
    play.send("Ada");
    play.sees("word (password, optional)").await;
    play.type_in("hush");
    let text = play.sees("••••").await;
    assert!(!text.contains("hush"), "{text}");
    play.key(KeyCode::Enter, KeyModifiers::NONE);
    play.sees("Send this to shop?").await;
    play.send("y");
    let text = play.sees("heard Accepted").await;
    assert!(text.contains("Ada"), "{text}");
}
