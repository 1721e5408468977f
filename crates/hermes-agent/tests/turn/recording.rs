//! What is recorded, in which order, and how a conversation is taken up again.

use hermes_agent::ExitReason;
use hermes_llm::Role;

use crate::fake::{Stage, calls, says};

#[tokio::test]
async fn a_question_gets_its_answer_and_both_are_recorded() {
    let mut stage = Stage::new(vec![says("Four.")]);
    let result = stage.says("2+2?").await;
    assert_eq!((result.final_response.as_str(), result.exit), ("Four.", ExitReason::TextResponse));
    assert_eq!(
        stage.recorded(),
        [("user".into(), "2+2?".into()), ("assistant".into(), "Four.".into())]
    );
    let row = stage.database().get(&result.session_id).unwrap().unwrap();
    assert_eq!((row.api_call_count, row.input_tokens, row.output_tokens), (1, 100, 10));
    assert_eq!(row.system_prompt.as_deref(), Some("Be kind."));
}

#[tokio::test]
async fn thinking_is_kept_apart_and_secrets_are_not_kept() {
    let key = format!("sk-{}", "a1b2c3d4e5f6a7b8c9d0e1f2");
    let mut stage = Stage::new(vec![says(&format!("<think>hm</think>Use {key}."))]);
    let result = stage.says("which key?").await;
    assert!(result.final_response.starts_with("Use sk-"), "{}", result.final_response);
    let recorded = stage.recorded();
    assert!(!recorded[1].1.contains(&key), "{recorded:?}");
    assert!(!recorded[1].1.contains("think"), "{recorded:?}");
}

#[tokio::test]
async fn requests_of_one_conversation_share_their_beginning() {
    let mut stage = Stage::new(vec![
        calls(&[("todo", r#"{"todos": [{"id": "1", "content": "look"}]}"#)]),
        says("Noted."),
        says("Again."),
    ]);
    stage.says("note it").await;
    stage.says("and again").await;
    let requests = stage.model.requests();
    for pair in requests.windows(2) {
        assert_eq!(pair[0].messages, pair[1].messages[..pair[0].messages.len()]);
        assert_eq!(pair[0].tools, pair[1].tools);
        assert_eq!(pair[0].system, pair[1].system);
    }
}

#[tokio::test]
async fn a_conversation_that_was_cut_short_goes_on() {
    let mut stage = Stage::new(vec![calls(&[("todo", "{}")]), says("Done.")]);
    stage.says("first").await;
    // The process died after the call was recorded and before its result was.
    let id = stage.agent.conversation().id().to_owned();
    let rows = stage.database().messages(&id).unwrap();
    let kept: Vec<_> = rows.into_iter().take(2).collect();
    let talk = hermes_agent::conversation::Conversation::resumed(id, kept, stage.store.clone());
    assert_eq!(talk.messages().len(), 2);
    let wire = hermes_agent::history::for_wire(
        talk.messages(),
        hermes_agent::history::ReasoningEcho::LeaveOut,
    );
    assert_eq!(wire.last().map(|message| message.role), Some(Role::Tool));
}

#[tokio::test]
async fn a_resumed_conversation_sends_what_was_sent_before() {
    let mut stage = Stage::new(vec![calls(&[("todo", "{}")]), says("Done.")]);
    stage.says("first").await;
    let (mut again, model) = stage.resume(vec![says("Still here.")]);
    let result = again.turn("and now?", &stage.cancel).await;
    assert_eq!(result.final_response, "Still here.");
    let before = stage.model.requests().pop().unwrap().messages;
    let after = model.requests().pop().unwrap().messages;
    assert_eq!(before, after[..before.len()]);
}
