//! Scripts, plugins' rules, and what the gate would do.

use super::*;
use crate::request::{
    ExecutionTarget, HostFacts, InputEcho, InputRequest, Purpose, ScriptConfinement, ScriptRequest,
};

fn script(audience: Audience, target: ExecutionTarget) -> ScriptRequest {
    ScriptRequest {
        code: "import os".to_owned(),
        session: "s".to_owned(),
        target,
        confinement: ScriptConfinement::None,
        host: HostFacts::default(),
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
    assert_eq!(
        script_end(&approvals, Audience::Nobody).await,
        "no: approvals.headless_mode",
        "nobody is there to be asked"
    );
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

async fn code_end(approvals: &Approvals, code: &str, confinement: ScriptConfinement) -> String {
    let code = code.to_owned();
    let asked = script(Audience::Nobody, ExecutionTarget::Local);
    match approvals.admit_script(ScriptRequest { code, confinement, ..asked }).await {
        Ok(script) => script.grant().by.name().to_owned(),
        Err(refusal) => format!("no: {}", refusal.reason().name()),
    }
}

#[tokio::test]
async fn a_script_where_nobody_is_there_needs_a_rule_or_the_sandbox() {
    let plain = "print(sum(range(10)))";
    let none = ScriptConfinement::None;
    let strict = Approvals::builder(manual()).build();
    assert_eq!(code_end(&strict, plain, none).await, "no: approvals.headless_mode");
    let held = code_end(&strict, plain, ScriptConfinement::Sandbox).await;
    assert_eq!(held, "terminal.sandbox");
    let open = settings(&json!({"approvals": {"mode": "manual", "headless_mode": "approve"}}));
    let open = Approvals::builder(open).build();
    assert_eq!(code_end(&open, plain, none).await, "approvals.headless_mode");
    let rule = settings(&json!({"approvals": {"mode": "manual", "allow": ["execute_code"]}}));
    let rule = Approvals::builder(rule).build();
    assert_eq!(code_end(&rule, plain, none).await, "remembered");
    // The floor and the deny rules hold for what a script runs by itself.
    let floor = "import os\nos.system('rm -rf /')";
    for approvals in [&strict, &open, &rule] {
        assert_eq!(code_end(approvals, floor, none).await, "no: hardline");
    }
    let deny = settings(&json!({"approvals": {"headless_mode": "approve", "deny": ["git push*"]}}));
    let deny = Approvals::builder(deny).build();
    let pushes = "import subprocess\nsubprocess.run(['git', 'push', '--all'])";
    assert_eq!(code_end(&deny, pushes, none).await, "no: deny rule");
}

#[tokio::test]
async fn what_a_script_runs_by_itself_is_asked_about() {
    let person = Person::saying([ApprovalAnswer::no()]);
    let approvals = Approvals::builder(manual()).asker(person.clone()).build();
    let code = "import shutil\nshutil.rmtree('/home/ada/work')".to_owned();
    let asked = script(Audience::Terminal, ExecutionTarget::Local);
    let refusal = approvals.admit_script(ScriptRequest { code, ..asked }).await.unwrap_err();
    assert_eq!(refusal.reason().name(), RefusalReason::Denied(None).name());
    assert_eq!(person.times_asked(), 1);
}

fn input(command: &str, text: &str, audience: Audience) -> InputRequest {
    InputRequest {
        text: text.to_owned(),
        before: String::new(),
        command: command.to_owned(),
        processes: Vec::new(),
        terminal: false,
        echo: InputEcho::Shown,
        session: "s".to_owned(),
        target: ExecutionTarget::Local,
        audience,
        host: HostFacts::default(),
        call: hermes_tool::CallIds::default(),
        cancellation: CancellationToken::new(),
    }
}

async fn input_end(approvals: &Approvals, request: InputRequest) -> String {
    match approvals.admit_input(request).await {
        Ok(input) => input.grant().by.name().to_owned(),
        Err(refusal) => format!("no: {}", refusal.reason().name()),
    }
}

#[tokio::test]
async fn text_for_a_running_program_takes_the_way_of_a_command() {
    let deny = settings(&json!({"approvals": {"mode": "manual", "deny": ["git push*"]}}));
    let person = Person::saying([ApprovalAnswer::no(), ApprovalAnswer::Allowed(GrantScope::Once)]);
    let approvals = Approvals::builder(deny).asker(person).build();
    let (nobody, there) = (Audience::Nobody, Audience::Terminal);
    for (text, audience, end) in [
        ("ls\n", nobody, "nothing flagged"),
        ("rm -rf v\n", nobody, "no: approvals.headless_mode"),
        ("rm -rf v\n", there, "no: user"),
        ("rm -rf v\n", there, "user"),
        ("rm -rf /\n", there, "no: hardline"),
        ("git push --all\n", there, "no: deny rule"),
    ] {
        let end_of = input_end(&approvals, input("bash", text, audience)).await;
        assert_eq!(end_of, end, "{text:?}");
    }
    let yolo = Approvals::builder(ApprovalSettings { yolo: true, ..manual() }).build();
    assert_eq!(input_end(&yolo, input("bash", "rm -rf v\n", nobody)).await, "yolo");
    assert_eq!(input_end(&yolo, input("cat", "rm -rf /\n", nobody)).await, "no: hardline");
}

#[tokio::test]
async fn a_deny_rule_holds_for_a_line_that_comes_in_pieces() {
    let deny = settings(&json!({"approvals": {"mode": "off", "deny": ["git push*"]}}));
    let approvals = Approvals::builder(deny).build();
    let rest = InputRequest {
        before: "ls\ngit pu".to_owned(),
        ..input("bash", "sh --all\n", Audience::Nobody)
    };
    assert_eq!(input_end(&approvals, rest).await, "no: deny rule");
}

#[tokio::test]
async fn a_password_is_not_written_to_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let home = hermes_store::home::Home::at(folder.path());
    let approvals = Approvals::builder(manual()).home(&home).build();
    for echo in [InputEcho::Shown, InputEcho::Hidden] {
        let request = InputRequest { echo, ..input("ssh host", "hunter2\n", Audience::Nobody) };
        approvals.admit_input(request).await.unwrap();
    }
    let log = std::fs::read_to_string(home.logs().join(crate::AUDIT_FILE_NAME)).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    assert!(lines[0].contains("hunter2") && lines[0].contains("\"purpose\":\"input\""), "{log}");
    assert!(!lines[1].contains("hunter2") && lines[1].contains("8 characters"), "{log}");
}
