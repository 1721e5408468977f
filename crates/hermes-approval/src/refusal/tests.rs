use super::*;
use crate::ConcernSource;

fn concern(key: &str) -> Concern {
    Concern {
        key: key.to_owned(),
        words: "rm -rf x".to_owned(),
        why: "it deletes a folder".to_owned(),
        source: ConcernSource::Category,
    }
}

fn refused(reason: RefusalReason) -> ApprovalRefusal {
    let concerns = vec![concern("recursive delete"), concern("git force push")];
    ApprovalRefusal::after_asking(reason, "rm -rf x", concerns, GrantScope::Always, Doubt::None)
}

const ALL: [fn() -> RefusalReason; 11] = [
    || RefusalReason::Floor,
    || RefusalReason::SudoStdin,
    || RefusalReason::DenyRule("rm *".into()),
    || RefusalReason::Cron,
    || RefusalReason::Headless,
    || RefusalReason::Denied(None),
    || RefusalReason::TimedOut(60),
    || RefusalReason::Unreachable("the chat is closed".into()),
    || RefusalReason::Interrupted,
    || RefusalReason::SmartDenied,
    || RefusalReason::Pending,
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
fn messages_name_the_rule_and_the_words() {
    let message = refused(RefusalReason::Floor).message().to_owned();
    assert!(message.starts_with("BLOCKED (hardline): recursive delete: `rm -rf x`"), "{message}");
    let message = refused(RefusalReason::DenyRule("rm *".into())).message().to_owned();
    assert!(message.contains("the user's rule `rm *`"), "{message}");
    let message = refused(RefusalReason::Headless).message().to_owned();
    assert!(message.contains("Nobody is there") && message.contains("rm -rf x"), "{message}");
    let message = refused(RefusalReason::Cron).message().to_owned();
    assert!(message.contains("scheduled job"), "{message}");
    let message = refused(RefusalReason::TimedOut(60)).message().to_owned();
    assert!(message.contains("Silence is not consent"), "{message}");
    let message = refused(RefusalReason::Denied(Some("not today".into()))).message().to_owned();
    assert!(message.contains("not today"), "{message}");
}

/// A model reads them, and has a terminal.
#[test]
fn no_message_says_how_a_rule_is_lifted() {
    for reason in ALL {
        let result = Value::Object(refused(reason()).to_result()).to_string();
        for way in ["hermes ", "approvals.", "_mode", "--allow", "yolo", "config", "SUDO_", ".env"]
        {
            assert!(!result.contains(way), "{way}: {result}");
        }
    }
}

#[test]
fn results_carry_the_fields_of_their_kind() {
    let result = |reason| Value::Object(refused(reason).to_result());
    let floor = result(RefusalReason::Floor);
    assert_eq!((&floor["status"], &floor["hardline"]), (&json!("blocked"), &json!(true)));
    assert_eq!(floor["exit_code"], -1);
    assert_eq!(result(RefusalReason::DenyRule("x".into()))["user_deny"], true);
    let denied = result(RefusalReason::Denied(None));
    assert_eq!((&denied["outcome"], &denied["user_consent"]), (&json!("denied"), &json!(false)));
    assert_eq!(result(RefusalReason::TimedOut(1))["outcome"], "timeout");
    assert_eq!(result(RefusalReason::SmartDenied)["smart_denied"], true);
    let pending = result(RefusalReason::Pending);
    assert_eq!(pending["status"], "pending_approval");
    assert_eq!(pending["error"], "");
    assert_eq!(pending["approval_pending"], true);
    assert_eq!(pending["allow_permanent"], true);
    assert_eq!(pending["smart_denied"], false);
    assert_eq!(pending["pattern_key"], "recursive delete");
    assert_eq!(pending["pattern_keys"], json!(["recursive delete", "git force push"]));
    assert_eq!(pending["command"], "rm -rf x");
    assert_eq!(result(RefusalReason::Required)["status"], "approval_required");
}
