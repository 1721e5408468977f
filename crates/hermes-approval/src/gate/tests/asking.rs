//! Asking a person, and what their answer is worth.

use std::time::Duration;

use super::*;
use crate::ask::Notifier;

fn terminal(command: &str) -> CommandRequest {
    request(command, Audience::Terminal)
}

fn gate(answers: impl IntoIterator<Item = ApprovalAnswer>) -> (Arc<Approvals>, Arc<Person>) {
    let person = Person::saying(answers);
    (Approvals::builder(manual()).asker(person.clone()).build(), person)
}

#[tokio::test]
async fn once_is_once() {
    let (approvals, person) =
        gate([ApprovalAnswer::Allowed(GrantScope::Once), ApprovalAnswer::no()]);
    let line = approvals.admit(terminal(DELETE)).await.unwrap();
    assert_eq!(line.grant().by, GrantedBy::Person(GrantScope::Once));
    let note = line.grant().note().unwrap();
    assert!(note.contains("one run") && note.contains(&category(DELETE)), "{note}");
    assert!(line.grant().note_interrupted().unwrap().contains("do not assume"));
    assert_eq!(end(&approvals, terminal(DELETE)).await, "no: user");
    assert_eq!(person.times_asked(), 2);
}

#[tokio::test]
async fn a_yes_for_the_session_covers_the_category_and_no_other_session() {
    let (approvals, person) =
        gate([ApprovalAnswer::Allowed(GrantScope::Session), ApprovalAnswer::no()]);
    assert_eq!(end(&approvals, terminal(DELETE)).await, "user");
    assert_eq!(end(&approvals, terminal("rm -r other")).await, "remembered");
    let elsewhere = CommandRequest { session: "other".into(), ..terminal(DELETE) };
    assert_eq!(end(&approvals, elsewhere).await, "no: user");
    assert_eq!(person.times_asked(), 2);
}

/// A yes to one danger used to hide every other in the same command.
#[tokio::test]
async fn a_yes_to_one_category_hides_no_other() {
    let (approvals, person) =
        gate([ApprovalAnswer::Allowed(GrantScope::Session), ApprovalAnswer::no()]);
    assert_eq!(end(&approvals, terminal(DELETE)).await, "user");
    let both = terminal(&format!("{DELETE} && {FORCE_PUSH}"));
    assert_eq!(end(&approvals, both).await, "no: user");
    let keys: Vec<String> =
        person.last_question().concerns.into_iter().map(|concern| concern.key).collect();
    assert_eq!(keys, [category(FORCE_PUSH)]);
}

#[tokio::test]
async fn all_reasons_are_shown_at_once() {
    let (approvals, person) = gate([ApprovalAnswer::no()]);
    let both = terminal(&format!("{DELETE} && {FORCE_PUSH}"));
    let refusal = approvals.admit(both).await.unwrap_err();
    assert_eq!(person.last_question().concerns.len(), 2);
    assert_eq!(refusal.concerns().len(), 2);
}

#[tokio::test]
async fn always_is_saved_beside_what_the_user_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let text = "# mine\ncommand_allowlist:\n  - make *  # ours\n";
    hermes_store::atomic::write(&home.config_file(), text.as_bytes(), Default::default()).unwrap();
    let person = Person::saying([ApprovalAnswer::Allowed(GrantScope::Always)]);
    let approvals = Approvals::builder(manual()).home(&home).asker(person).build();
    assert_eq!(end(&approvals, terminal(DELETE)).await, "user");
    let saved = std::fs::read_to_string(home.config_file()).unwrap();
    assert!(saved.contains("# mine") && saved.contains("- make *  # ours"), "{saved}");
    let config = hermes_store::config::Config::load(&home.config_file(), |_| None).unwrap();
    assert_eq!(config.text_list(crate::ALLOWLIST_KEY).unwrap(), ["make *", &category(DELETE)]);
    approvals.reset_session("s");
    assert_eq!(end(&approvals, terminal("rm -r x")).await, "remembered");
    let next = Approvals::builder(settings(config.value())).build();
    assert_eq!(end(&next, CommandRequest::new("rm -r x")).await, "remembered");
}

#[tokio::test]
async fn what_cannot_be_saved_counts_until_the_end() {
    let home = Home::at("/proc/nowhere");
    let person = Person::saying([ApprovalAnswer::Allowed(GrantScope::Always)]);
    let approvals = Approvals::builder(manual()).home(&home).asker(person).build();
    assert_eq!(end(&approvals, terminal(DELETE)).await, "user");
    assert_eq!(end(&approvals, terminal(DELETE)).await, "remembered");
}

#[tokio::test]
async fn what_the_scanner_objects_to_is_never_allowed_for_good() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let person = Person::saying([ApprovalAnswer::Allowed(GrantScope::Always)]);
    let approvals = Approvals::builder(manual())
        .home(&home)
        .asker(person.clone())
        .scanner(Arc::new(Objector))
        .build();
    let line = approvals.admit(terminal(DELETE)).await.unwrap();
    assert_eq!(line.grant().by, GrantedBy::Person(GrantScope::Session));
    assert_eq!(person.last_question().widest, GrantScope::Session);
    assert!(!home.config_file().exists());
    assert_eq!(end(&approvals, terminal(DELETE)).await, "remembered");
}

#[tokio::test]
async fn a_person_who_says_no_is_quoted() {
    let (approvals, _) = gate([ApprovalAnswer::Denied { reason: Some("use trash".into()) }]);
    let refusal = approvals.admit(terminal(DELETE)).await.unwrap_err();
    assert!(refusal.message().contains("use trash"), "{refusal}");
    let result = refusal.to_result();
    assert_eq!((&result["outcome"], &result["user_consent"]), (&json!("denied"), &json!(false)));
}

#[tokio::test(start_paused = true)]
async fn silence_is_no_consent() {
    let (approvals, person) = gate([]);
    let refusal = approvals.admit(terminal(DELETE)).await.unwrap_err();
    assert_eq!(*refusal.reason(), RefusalReason::TimedOut(60));
    assert_eq!(refusal.to_result()["outcome"], "timeout");
    assert!(person.last_question().cancellation.is_cancelled(), "the prompt hears that it is over");
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_counts_as_no() {
    let (approvals, _) = gate([]);
    let request = terminal(DELETE);
    let token = request.cancellation.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        token.cancel();
    });
    let refusal = approvals.admit(request).await.unwrap_err();
    assert_eq!(*refusal.reason(), RefusalReason::Interrupted);
}

#[tokio::test]
async fn a_terminal_without_anybody_is_a_no() {
    for answer in [ApprovalAnswer::NobodyThere, ApprovalAnswer::Failed("broken".into())] {
        let (approvals, _) = gate([answer]);
        assert!(end(&approvals, terminal(DELETE)).await.starts_with("no: "));
    }
    let approvals = Approvals::builder(manual()).build();
    assert_eq!(end(&approvals, terminal(DELETE)).await, "no: approvals.headless_mode");
}

#[tokio::test]
async fn the_answer_to_one_question_answers_those_behind_it() {
    let (approvals, person) = gate([ApprovalAnswer::Allowed(GrantScope::Session)]);
    let (first, second) =
        tokio::join!(end(&approvals, terminal(DELETE)), end(&approvals, terminal("rm -r x")));
    let mut ends = [first, second];
    ends.sort();
    assert_eq!(ends, ["remembered", "user"]);
    assert_eq!(person.times_asked(), 1);
}

#[tokio::test]
async fn questions_and_answers_are_told_and_logged() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let witness = Arc::new(Witness::default());
    let person = Person::saying([ApprovalAnswer::Allowed(GrantScope::Once), ApprovalAnswer::no()]);
    let approvals =
        Approvals::builder(manual()).home(&home).asker(person).observer(witness.clone()).build();
    for command in [DELETE, FORCE_PUSH, "ls", FLOOR] {
        let _ = approvals.admit(terminal(command)).await;
    }
    assert_eq!(*witness.0.lock().unwrap(), ["cli?", "cli: once", "cli?", "cli: deny"]);
    let log = std::fs::read_to_string(home.logs().join(crate::AUDIT_FILE_NAME)).unwrap();
    let entries: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ends: Vec<(&str, &str)> = entries
        .iter()
        .map(|entry| (entry["verdict"].as_str().unwrap(), entry["by"].as_str().unwrap()))
        .collect();
    assert_eq!(
        ends,
        [
            ("allowed", "user"),
            ("blocked", "user"),
            ("allowed", "nothing flagged"),
            ("blocked", "hardline"),
        ]
    );
    assert_eq!(entries[0]["findings"][0]["category"], category(DELETE));
}

struct Chat;

impl Notifier for Chat {
    fn notify(&self, _: ApprovalQuestion) -> BoxFuture<Result<(), String>> {
        Box::pin(async { Ok(()) })
    }
}

#[tokio::test]
async fn a_chat_is_asked_through_its_queue() {
    let queue = ApprovalQueue::new();
    queue.set_notifier("s", Arc::new(Chat));
    let approvals = Approvals::builder(manual()).queue(queue.clone()).build();
    let waits = tokio::spawn({
        let approvals = approvals.clone();
        async move { end(&approvals, request(DELETE, Audience::Gateway)).await }
    });
    while queue.waiting("s").is_empty() {
        tokio::task::yield_now().await;
    }
    queue.answer("s", AnswerTarget::First, &ApprovalAnswer::Allowed(GrantScope::Session));
    assert_eq!(waits.await.unwrap(), "user");
    assert_eq!(end(&approvals, request(DELETE, Audience::Gateway)).await, "remembered");
}

#[tokio::test]
async fn resetting_a_session_denies_what_waits() {
    let queue = ApprovalQueue::new();
    queue.set_notifier("s", Arc::new(Chat));
    let approvals = Approvals::builder(manual()).queue(queue.clone()).build();
    let waits = tokio::spawn({
        let approvals = approvals.clone();
        async move { end(&approvals, request(DELETE, Audience::Gateway)).await }
    });
    while queue.waiting("s").is_empty() {
        tokio::task::yield_now().await;
    }
    approvals.reset_session("s");
    assert_eq!(waits.await.unwrap(), "no: user");
}

#[tokio::test]
async fn a_chat_nobody_can_tell_leaves_the_command_pending() {
    let approvals = Approvals::builder(manual()).queue(ApprovalQueue::new()).build();
    let refusal = approvals.admit(request(DELETE, Audience::Gateway)).await.unwrap_err();
    assert_eq!(refusal.status(), "pending_approval");
    let result = refusal.to_result();
    assert_eq!(result["allow_permanent"], true);
    assert_eq!(result["pattern_key"], category(DELETE));
    assert_eq!(result["command"], DELETE);
}
