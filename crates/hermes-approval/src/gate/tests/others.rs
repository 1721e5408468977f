//! Scripts, plugins' rules, and what the gate would do.

use super::*;
use crate::request::{ExecutionTarget, Purpose};

fn script(audience: Audience, target: ExecutionTarget) -> ScriptRequest {
    ScriptRequest {
        code: "import os".to_owned(),
        session: "s".to_owned(),
        target,
        audience,
        call: hermes_tool::CallIds::default(),
        cancellation: CancellationToken::new(),
    }
}

async fn script_end(approvals: &Approvals, audience: Audience) -> String {
    match approvals.admit_script(script(audience, ExecutionTarget::Local)).await {
        Ok(script) => script.grant().by.name().to_owned(),
        Err(refusal) => format!("no: {}", refusal.reason().name()),
    }
}

#[tokio::test]
async fn scripts_are_asked_about_only_in_chats_and_jobs() {
    let approvals = Approvals::builder(manual()).queue(ApprovalQueue::new()).build();
    assert_eq!(script_end(&approvals, Audience::Terminal).await, "later gates");
    assert_eq!(script_end(&approvals, Audience::Nobody).await, "later gates");
    assert_eq!(script_end(&approvals, Audience::Cron).await, "no: approvals.cron_mode");
    assert_eq!(script_end(&approvals, Audience::Gateway).await, "no: pending");
    let isolated =
        approvals.admit_script(script(Audience::Gateway, ExecutionTarget::Isolated)).await;
    let isolated = isolated.unwrap();
    assert_eq!(isolated.code_for(ExecutionTarget::Isolated), Ok("import os"));
    assert!(isolated.code_for(ExecutionTarget::Local).is_err());
    let yolo = Approvals::builder(ApprovalSettings { yolo: true, ..manual() }).build();
    assert_eq!(script_end(&yolo, Audience::Gateway).await, "yolo");
    let reviewed = Approvals::builder(settings(&json!({"approvals": {}})))
        .reviewer(Model::saying("APPROVE"))
        .build();
    assert_eq!(script_end(&reviewed, Audience::Gateway).await, "smart");
}

fn consent(audience: Audience, widest: GrantScope) -> ConsentRequest {
    ConsentRequest {
        key: "plugin_rule:spend".to_owned(),
        what: "buy {\"what\": \"a boat\"}".to_owned(),
        why: "it spends money".to_owned(),
        widest,
        session: "s".to_owned(),
        purpose: Purpose::Plugin,
        audience,
        call: hermes_tool::CallIds::default(),
        cancellation: CancellationToken::new(),
    }
}

#[tokio::test]
async fn a_plugins_rule_is_put_to_a_person_and_to_no_model() {
    let smart = settings(&json!({"approvals": {"headless_mode": "approve"}}));
    let person = Person::saying([ApprovalAnswer::Allowed(GrantScope::Session)]);
    let model = Model::saying("APPROVE");
    let approvals = Approvals::builder(smart)
        .asker(person.clone())
        .reviewer(model.clone())
        .queue(ApprovalQueue::new())
        .build();
    let refusal =
        approvals.consult(consent(Audience::Nobody, GrantScope::Always)).await.unwrap_err();
    assert_eq!(
        *refusal.reason(),
        RefusalReason::Headless,
        "whatever the setting for commands says"
    );
    let refusal =
        approvals.consult(consent(Audience::Gateway, GrantScope::Always)).await.unwrap_err();
    assert_eq!(refusal.status(), "approval_required");
    let grant = approvals.consult(consent(Audience::Terminal, GrantScope::Always)).await.unwrap();
    assert_eq!(grant.by, GrantedBy::Person(GrantScope::Session));
    let grant = approvals.consult(consent(Audience::Terminal, GrantScope::Always)).await.unwrap();
    assert_eq!(grant.by, GrantedBy::Remembered);
    assert_eq!((person.times_asked(), model.times_asked()), (1, 0));
}

#[tokio::test]
async fn a_matter_says_how_long_a_yes_may_last() {
    let person =
        Person::saying([ApprovalAnswer::Allowed(GrantScope::Always), ApprovalAnswer::no()]);
    let approvals = Approvals::builder(manual()).asker(person).build();
    let grant = approvals.consult(consent(Audience::Terminal, GrantScope::Once)).await.unwrap();
    assert_eq!(grant.by, GrantedBy::Person(GrantScope::Once));
    assert!(approvals.consult(consent(Audience::Terminal, GrantScope::Once)).await.is_err());
}

#[tokio::test]
async fn a_forecast_asks_nobody_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let person = Person::saying([]);
    let approvals = Approvals::builder(manual()).home(&home).asker(person.clone()).build();
    let outlook = |command, audience| approvals.foresee(&request(command, audience)).outlook;
    assert!(matches!(outlook("ls", Audience::Terminal), Outlook::Runs(_)));
    assert!(matches!(
        outlook(DELETE, Audience::Terminal),
        Outlook::Asks { widest: GrantScope::Always, .. }
    ));
    assert!(matches!(outlook(DELETE, Audience::Nobody), Outlook::Refused(_)));
    assert!(matches!(outlook(FLOOR, Audience::Terminal), Outlook::Refused(_)));
    assert_eq!(person.times_asked(), 0);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
