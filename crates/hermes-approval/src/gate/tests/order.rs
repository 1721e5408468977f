//! Which rule decides when several could.

use super::*;
use crate::request::Place;

#[tokio::test]
async fn a_sandbox_lets_even_the_floor_through_and_only_there() {
    let approvals = Approvals::builder(manual()).build();
    let line = approvals.admit(Request { place: Place::Isolated, ..Request::new(FLOOR) }).await;
    let line = line.unwrap();
    assert_eq!(line.grant().by, GrantedBy::Isolation);
    assert_eq!(line.text_for(Place::Isolated), Ok(FLOOR));
    assert!(line.text_for(Place::Local).is_err());
    for place in [Place::Local, Place::Ssh, Place::ContainerWithHostAccess] {
        let request = Request { place, ..Request::new(FLOOR) };
        assert_eq!(end(&approvals, request).await, "no: hardline");
    }
}

#[tokio::test]
async fn nothing_lifts_the_floor() {
    let config = json!({
        "approvals": {"mode": "off", "allow": [FLOOR, "*"], "headless_mode": "approve"},
        "command_allowlist": [FLOOR, "*", category(FLOOR)],
    });
    let settings = Settings { yolo: true, ..settings(&config) };
    let person = Person::saying([Answer::Allowed(Scope::Always)]);
    let approvals = Approvals::builder(settings).asker(person.clone()).build();
    approvals.set_yolo("s", SessionYolo::On);
    for audience in [Audience::Terminal, Audience::Gateway, Audience::Cron, Audience::Nobody] {
        assert_eq!(end(&approvals, request(FLOOR, audience)).await, "no: hardline");
    }
    assert_eq!(person.times_asked(), 0);
    let refusal = approvals.admit(Request::new(FLOOR)).await.unwrap_err();
    assert!(refusal.message().starts_with("BLOCKED (hardline): "), "{refusal}");
    assert_eq!(refusal.to_result()["hardline"], true);
}

#[tokio::test]
async fn sudo_may_not_read_a_password_nobody_configured() {
    let command = "echo x | sudo -S ls";
    let yolo = Settings { yolo: true, ..manual() };
    let approvals = Approvals::builder(yolo.clone()).build();
    assert_eq!(end(&approvals, Request::new(command)).await, "no: sudo stdin");
    let with_password = Settings { sudo_password: true, ..yolo };
    let approvals = Approvals::builder(with_password).build();
    assert_eq!(end(&approvals, Request::new(command)).await, "yolo");
}

#[tokio::test]
async fn a_deny_rule_beats_yolo_and_allow_rules() {
    let config = json!({"approvals": {"mode": "off", "deny": ["ls*"], "allow": ["ls*"]}});
    let approvals = Approvals::builder(Settings { yolo: true, ..settings(&config) }).build();
    let refusal = approvals.admit(Request::new("cd x && ls -l")).await.unwrap_err();
    assert_eq!(*refusal.reason(), Reason::DenyRule("ls*".into()));
    assert_eq!(refusal.to_result()["user_deny"], true);
    assert_eq!(end(&approvals, Request::new("pwd")).await, "yolo");
}

#[tokio::test]
async fn yolo_and_mode_off_ask_nobody() {
    let person = Person::saying([]);
    let approvals =
        Approvals::builder(Settings { yolo: true, ..manual() }).asker(person.clone()).build();
    assert_eq!(end(&approvals, request(DELETE, Audience::Terminal)).await, "yolo");
    let off = settings(&json!({"approvals": {"mode": false}}));
    let approvals = Approvals::builder(off).build();
    assert_eq!(end(&approvals, request(DELETE, Audience::Cron)).await, "approvals.mode off");
    let approvals = Approvals::builder(manual()).asker(person.clone()).build();
    approvals.set_yolo("s", SessionYolo::On);
    assert_eq!(end(&approvals, request(DELETE, Audience::Terminal)).await, "session yolo");
    let other = Request { session: "other".into(), ..Request::new(DELETE) };
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
    assert_eq!(end(&approvals, Request::new(command)).await, "no: approvals.headless_mode");
}

#[tokio::test]
async fn an_ask_rule_beats_an_allow_rule() {
    let config =
        json!({"approvals": {"mode": "smart", "ask": ["npm publish*"], "allow": ["npm *"]}});
    let person = Person::saying([Answer::Allowed(Scope::Always)]);
    let model = Model::saying("APPROVE");
    let approvals =
        Approvals::builder(settings(&config)).asker(person.clone()).reviewer(model.clone()).build();
    assert_eq!(end(&approvals, request("npm test", Audience::Terminal)).await, "allow rule");
    let publish = request("npm publish", Audience::Terminal);
    assert_eq!(end(&approvals, publish.clone()).await, "user");
    assert_eq!(person.last_question().widest, Scope::Session);
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
    let person = Person::saying([Answer::no()]);
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
    let person = Person::saying([Answer::Allowed(Scope::Once)]);
    let approvals = Approvals::builder(manual()).asker(person.clone()).build();
    let refusal = approvals.admit(Request::new(DELETE)).await.unwrap_err();
    assert_eq!(*refusal.reason(), Reason::Headless);
    assert!(refusal.message().contains("approvals.headless_mode"), "{refusal}");
    assert!(refusal.message().contains(&category(DELETE)), "{refusal}");
    assert_eq!(person.times_asked(), 0);
    let allowed = json!({"command_allowlist": [category(DELETE)]});
    let approvals = Approvals::builder(settings(&allowed)).build();
    assert_eq!(end(&approvals, Request::new(DELETE)).await, "remembered");
    let both = format!("{DELETE}; {FORCE_PUSH}");
    assert_eq!(end(&approvals, Request::new(both)).await, "no: approvals.headless_mode");
    let open = json!({"approvals": {"headless_mode": "approve"}});
    let approvals = Approvals::builder(settings(&open)).build();
    assert_eq!(end(&approvals, Request::new(DELETE)).await, "approvals.headless_mode");
}

#[tokio::test]
async fn the_scanner_counts_where_nobody_is() {
    let approvals = Approvals::builder(manual()).scanner(Arc::new(Objector)).build();
    for audience in [Audience::Cron, Audience::Nobody] {
        let refusal = approvals.admit(request("ls", audience)).await.unwrap_err();
        assert_eq!(refusal.concerns()[0].key, "tirith:odd_url");
    }
}
