use super::*;
use crate::Source;

fn concern(key: &str) -> Concern {
    Concern {
        key: key.to_owned(),
        words: "rm -rf x".to_owned(),
        why: "it deletes a folder".to_owned(),
        source: Source::Category,
    }
}

fn refused(reason: Reason) -> Refusal {
    let concerns = vec![concern("recursive delete"), concern("git force push")];
    Refusal::after_asking(reason, "rm -rf x", concerns, Scope::Always, Doubt::None)
}

const ALL: [fn() -> Reason; 11] = [
    || Reason::Floor,
    || Reason::SudoStdin,
    || Reason::DenyRule("rm *".into()),
    || Reason::Cron,
    || Reason::Headless,
    || Reason::Denied(None),
    || Reason::TimedOut(60),
    || Reason::Unreachable("the chat is closed".into()),
    || Reason::Interrupted,
    || Reason::SmartDenied,
    || Reason::Pending,
];

#[test]
fn every_message_forbids_another_try() {
    for reason in ALL {
        let message = refused(reason()).message().to_owned();
        assert!(message.contains("another way"), "{message}");
        assert!(message.contains("rephrase"), "{message}");
        assert!(!message.contains("  "), "{message}");
    }
}

#[test]
fn messages_name_the_rule_the_words_and_who_can_lift_it() {
    let message = refused(Reason::Floor).message().to_owned();
    assert!(message.starts_with("BLOCKED (hardline): recursive delete: `rm -rf x`"), "{message}");
    let message = refused(Reason::DenyRule("rm *".into())).message().to_owned();
    assert!(message.contains("`rm *` (approvals.deny)"), "{message}");
    let message = refused(Reason::Headless).message().to_owned();
    assert!(message.contains("approvals.headless_mode") && message.contains("rm -rf x"));
    let each = r#"`hermes approvals add --allow "recursive delete"` and `hermes approvals add --allow "git force push"`"#;
    assert!(message.contains(each), "{message}");
    let message = refused(Reason::Cron).message().to_owned();
    assert!(message.contains("approvals.cron_mode"), "{message}");
    let message = refused(Reason::TimedOut(60)).message().to_owned();
    assert!(message.contains("Silence is not consent"), "{message}");
    let message = refused(Reason::Denied(Some("not today".into()))).message().to_owned();
    assert!(message.contains("not today"), "{message}");
}

#[test]
fn results_carry_the_fields_of_their_kind() {
    let result = |reason| Value::Object(refused(reason).to_result());
    let floor = result(Reason::Floor);
    assert_eq!((&floor["status"], &floor["hardline"]), (&json!("blocked"), &json!(true)));
    assert_eq!(floor["exit_code"], -1);
    assert_eq!(result(Reason::DenyRule("x".into()))["user_deny"], true);
    let denied = result(Reason::Denied(None));
    assert_eq!((&denied["outcome"], &denied["user_consent"]), (&json!("denied"), &json!(false)));
    assert_eq!(result(Reason::TimedOut(1))["outcome"], "timeout");
    assert_eq!(result(Reason::SmartDenied)["smart_denied"], true);
    let pending = result(Reason::Pending);
    assert_eq!(pending["status"], "pending_approval");
    assert_eq!(pending["error"], "");
    assert_eq!(pending["approval_pending"], true);
    assert_eq!(pending["allow_permanent"], true);
    assert_eq!(pending["smart_denied"], false);
    assert_eq!(pending["pattern_key"], "recursive delete");
    assert_eq!(pending["pattern_keys"], json!(["recursive delete", "git force push"]));
    assert_eq!(pending["command"], "rm -rf x");
    assert_eq!(result(Reason::Required)["status"], "approval_required");
}
