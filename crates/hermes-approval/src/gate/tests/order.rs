//! Which rule decides when several could.

use super::*;
use crate::request::ExecutionTarget;

#[tokio::test]
async fn a_sandbox_lets_even_the_floor_through_and_only_there() {
    let approvals = Approvals::builder(manual()).build();
    let line = approvals
        .admit(CommandRequest { target: ExecutionTarget::Isolated, ..CommandRequest::new(FLOOR) })
        .await;
    let line = line.unwrap();
    assert_eq!(line.grant().by, GrantedBy::Isolation);
    assert_eq!(line.text_for(ExecutionTarget::Isolated), Ok(FLOOR));
    assert!(line.text_for(ExecutionTarget::Local).is_err());
    for target in
        [ExecutionTarget::Local, ExecutionTarget::Ssh, ExecutionTarget::ContainerWithHostAccess]
    {
        let request = CommandRequest { target, ..CommandRequest::new(FLOOR) };
        assert_eq!(end(&approvals, request).await, "no: hardline");
    }
}

#[tokio::test]
async fn a_script_of_an_earlier_command_is_judged_in_its_own_session() {
    let approvals = Approvals::builder(manual()).build();
    let write = "printf 'rm -rf notes\\n' > x.sh";
    assert_eq!(
        end(&approvals, request(write, Audience::Nobody)).await,
        GrantedBy::NothingFlagged.name()
    );
    let run = || request("bash x.sh", Audience::Nobody);
    assert_eq!(end(&approvals, run()).await, "no: approvals.headless_mode");
    let elsewhere = CommandRequest { session: "another".to_owned(), ..run() };
    assert_eq!(end(&approvals, elsewhere).await, GrantedBy::NothingFlagged.name());
}

#[tokio::test]
async fn a_command_that_was_refused_leaves_nothing() {
    let approvals = Approvals::builder(manual()).build();
    let refused = "rm -r notes; echo 'rm -rf v' > x.sh";
    assert_eq!(
        end(&approvals, request(refused, Audience::Nobody)).await,
        "no: approvals.headless_mode"
    );
    assert_eq!(
        end(&approvals, request("bash x.sh", Audience::Nobody)).await,
        GrantedBy::NothingFlagged.name()
    );
}

#[tokio::test]
async fn nothing_lifts_the_floor() {
    let config = json!({
        "approvals": {"mode": "off", "allow": [FLOOR, "*"], "headless_mode": "approve"},
        "command_allowlist": [FLOOR, "*", category(FLOOR)],
    });
    let settings = ApprovalSettings { yolo: true, ..settings(&config) };
    let person = Person::saying([ApprovalAnswer::Allowed(GrantScope::Always)]);
    let approvals = Approvals::builder(settings).asker(person.clone()).build();
    approvals.set_yolo("s", SessionYolo::On);
    for audience in [Audience::Terminal, Audience::Gateway, Audience::Cron, Audience::Nobody] {
        assert_eq!(end(&approvals, request(FLOOR, audience)).await, "no: hardline");
    }
    assert_eq!(person.times_asked(), 0);
    let refusal = approvals.admit(CommandRequest::new(FLOOR)).await.unwrap_err();
    assert!(refusal.message().starts_with("BLOCKED (hardline): "), "{refusal}");
    assert_eq!(refusal.to_result()["hardline"], true);
}

#[tokio::test]
async fn sudo_may_not_read_a_password_nobody_configured() {
    let command = "echo x | sudo -S ls";
    let yolo = ApprovalSettings { yolo: true, ..manual() };
    let approvals = Approvals::builder(yolo.clone()).build();
    assert_eq!(end(&approvals, CommandRequest::new(command)).await, "no: sudo stdin");
    let with_password = ApprovalSettings { sudo_password: true, ..yolo };
    let approvals = Approvals::builder(with_password).build();
    assert_eq!(end(&approvals, CommandRequest::new(command)).await, "yolo");
}

#[tokio::test]
async fn a_deny_rule_beats_yolo_and_allow_rules() {
    let config = json!({"approvals": {"mode": "off", "deny": ["ls*"], "allow": ["ls*"]}});
    let approvals =
        Approvals::builder(ApprovalSettings { yolo: true, ..settings(&config) }).build();
    let refusal = approvals.admit(CommandRequest::new("cd x && ls -l")).await.unwrap_err();
    assert_eq!(*refusal.reason(), RefusalReason::DenyRule("ls*".into()));
    assert_eq!(refusal.to_result()["user_deny"], true);
    assert_eq!(end(&approvals, CommandRequest::new("pwd")).await, "yolo");
}

#[tokio::test]
async fn yolo_and_mode_off_ask_nobody() {
    let person = Person::saying([]);
    let approvals = Approvals::builder(ApprovalSettings { yolo: true, ..manual() })
        .asker(person.clone())
        .build();
    assert_eq!(end(&approvals, request(DELETE, Audience::Terminal)).await, "yolo");
    let off = settings(&json!({"approvals": {"mode": false}}));
    let approvals = Approvals::builder(off).build();
    assert_eq!(end(&approvals, request(DELETE, Audience::Cron)).await, "approvals.mode off");
    let approvals = Approvals::builder(manual()).asker(person.clone()).build();
    approvals.set_yolo("s", SessionYolo::On);
    assert_eq!(end(&approvals, request(DELETE, Audience::Terminal)).await, "session yolo");
    let other = CommandRequest { session: "other".into(), ..CommandRequest::new(DELETE) };
    assert_eq!(end(&approvals, other).await, "no: approvals.headless_mode");
    approvals.reset_session("s");
    assert_eq!(
        end(&approvals, request(DELETE, Audience::Nobody)).await,
        "no: approvals.headless_mode"
    );
    assert_eq!(person.times_asked(), 0);
}

#[tokio::test]
async fn an_allow_rule_covers_simple_commands_even_when_nobody_is_there() {
    let config = json!({
        "approvals": {"mode": "manual", "allow": ["rm -r build*"]},
        "command_allowlist": [FORCE_PUSH],
    });
    let approvals = Approvals::builder(settings(&config)).build();
    for audience in [Audience::Nobody, Audience::Cron, Audience::Terminal] {
        assert_eq!(end(&approvals, request(DELETE, audience)).await, "allow rule");
        assert_eq!(end(&approvals, request(FORCE_PUSH, audience)).await, "allow rule");
    }
    let command = format!("{DELETE}; {FORCE_PUSH}");
    assert_eq!(end(&approvals, CommandRequest::new(command)).await, "no: approvals.headless_mode");
}

#[tokio::test]
async fn an_ask_rule_beats_an_allow_rule() {
    let config =
        json!({"approvals": {"mode": "smart", "ask": ["npm publish*"], "allow": ["npm *"]}});
    let person = Person::saying([ApprovalAnswer::Allowed(GrantScope::Always)]);
    let model = Model::saying("APPROVE");
    let approvals =
        Approvals::builder(settings(&config)).asker(person.clone()).reviewer(model.clone()).build();
    assert_eq!(end(&approvals, request("npm test", Audience::Terminal)).await, "allow rule");
    let publish = request("npm publish", Audience::Terminal);
    assert_eq!(end(&approvals, publish.clone()).await, "user");
    assert_eq!(person.last_question().widest, GrantScope::Session);
    assert_eq!(model.times_asked(), 0, "the user wanted to be asked, not a model");
    assert_eq!(end(&approvals, publish).await, "remembered");
    assert_eq!(
        end(&approvals, request("npm publish", Audience::Nobody)).await,
        "no: approvals.headless_mode"
    );
}

#[tokio::test]
async fn a_rule_can_name_a_category() {
    let config = json!({
        "approvals": {"deny": [category(FORCE_PUSH)], "ask": [category(DELETE)]},
        "command_allowlist": [category(DELETE), category(FORCE_PUSH)],
    });
    let person = Person::saying([ApprovalAnswer::no()]);
    let approvals = Approvals::builder(settings(&config)).asker(person).build();
    assert_eq!(end(&approvals, request(FORCE_PUSH, Audience::Terminal)).await, "no: deny rule");
    assert_eq!(end(&approvals, request(DELETE, Audience::Terminal)).await, "no: user");
    let config = json!({"approvals": {"mode": "manual", "allow": [category(DELETE)]}});
    let approvals = Approvals::builder(settings(&config)).build();
    assert_eq!(end(&approvals, request(DELETE, Audience::Nobody)).await, "remembered");
}

#[tokio::test]
async fn jobs_go_by_their_own_setting() {
    let deny = json!({"approvals": {"mode": "manual"}, "command_allowlist": [category(DELETE)]});
    let approvals = Approvals::builder(settings(&deny)).build();
    assert_eq!(end(&approvals, request(DELETE, Audience::Cron)).await, "no: approvals.cron_mode");
    assert_eq!(end(&approvals, request("ls", Audience::Cron)).await, "nothing flagged");
    let approve = json!({"approvals": {"mode": "manual", "cron_mode": "approve"}});
    let approvals = Approvals::builder(settings(&approve)).build();
    assert_eq!(end(&approvals, request(DELETE, Audience::Cron)).await, "approvals.cron_mode");
    assert_eq!(
        end(&approvals, request(DELETE, Audience::Nobody)).await,
        "no: approvals.headless_mode"
    );
}

#[tokio::test]
async fn where_nobody_is_a_flagged_command_needs_a_rule() {
    let person = Person::saying([ApprovalAnswer::Allowed(GrantScope::Once)]);
    let approvals = Approvals::builder(manual()).asker(person.clone()).build();
    let refusal = approvals.admit(CommandRequest::new(DELETE)).await.unwrap_err();
    assert_eq!(*refusal.reason(), RefusalReason::Headless);
    assert!(refusal.message().contains("Nobody is there"), "{refusal}");
    assert!(refusal.message().contains(&category(DELETE)), "{refusal}");
    assert_eq!(person.times_asked(), 0);
    let allowed = json!({"command_allowlist": [category(DELETE)]});
    let approvals = Approvals::builder(settings(&allowed)).build();
    assert_eq!(end(&approvals, CommandRequest::new(DELETE)).await, "remembered");
    let both = format!("{DELETE}; {FORCE_PUSH}");
    assert_eq!(end(&approvals, CommandRequest::new(both)).await, "no: approvals.headless_mode");
    let open = json!({"approvals": {"headless_mode": "approve"}});
    let approvals = Approvals::builder(settings(&open)).build();
    assert_eq!(end(&approvals, CommandRequest::new(DELETE)).await, "approvals.headless_mode");
}

#[tokio::test]
async fn the_scanner_counts_where_nobody_is() {
    let approvals = Approvals::builder(manual()).scanner(Arc::new(Objector)).build();
    for audience in [Audience::Cron, Audience::Nobody] {
        let refusal = approvals.admit(request("ls", audience)).await.unwrap_err();
        assert_eq!(refusal.concerns()[0].key, "tirith:odd_url");
    }
}

/// A lasting yes to changing the rules would be a yes to everything.
#[tokio::test]
async fn own_rules_are_asked_about_every_time() {
    for allowed in ["own rules", "hermes config set *"] {
        let config = json!({
            "approvals": {"mode": "manual", "allow": [allowed]},
            "command_allowlist": [allowed],
        });
        let approvals = Approvals::builder(settings(&config)).build();
        let command = "hermes config set approvals.mode off";
        let ended = end(&approvals, CommandRequest::new(command)).await;
        assert_eq!(ended, "no: approvals.headless_mode", "{allowed}");
    }
    let finding = analyse("rm ~/.hermes/config.yaml", &CommandContext::default());
    assert!(finding.findings.iter().any(|found| found.category == "own rules"));
}

/// A build folder goes unasked, one behind a link that leads out of the project does not.
#[tokio::test]
async fn a_link_that_leads_out_asks() {
    let folder = tempfile::tempdir().expect("a folder");
    let elsewhere = tempfile::tempdir().expect("a folder");
    let link = folder.path().join("packages");
    std::os::unix::fs::symlink(elsewhere.path(), link).expect("a link");
    let approvals = Approvals::builder(manual()).build();
    let request = |command: &str| {
        let cwd = Some(folder.path().display().to_string());
        let host = crate::HostFacts { cwd, ..crate::HostFacts::default() };
        CommandRequest { host, ..CommandRequest::new(command) }
    };
    assert_eq!(end(&approvals, request("rm -rf build")).await, "nothing flagged");
    let ended = end(&approvals, request("rm -rf packages/build")).await;
    assert_eq!(ended, "no: approvals.headless_mode");
}

/// Whoever loosens it, and whoever answers, may be the model that wrote the command.
#[tokio::test]
async fn below_a_command_of_ours_nothing_loosens_the_gate_and_nobody_is_asked() {
    let config = json!({
        "approvals": {"mode": "off", "allow": [DELETE], "headless_mode": "approve"},
        "command_allowlist": [category(DELETE)],
    });
    let settings = ApprovalSettings { yolo: true, ..settings(&config) };
    let person = Person::saying([ApprovalAnswer::Allowed(GrantScope::Once)]);
    let approvals =
        Approvals::builder(settings).asker(person.clone()).build_below(Lineage::OwnCommand);
    approvals.set_yolo("s", SessionYolo::On);
    let asked = request(DELETE, Audience::Terminal);
    assert_ne!(end(&approvals, asked).await, "user");
    assert!(end(&approvals, CommandRequest::new(DELETE)).await.starts_with("no: "));
    assert_eq!(end(&approvals, request("ls", Audience::Terminal)).await, "nothing flagged");
    assert_eq!(person.times_asked(), 0);
}
