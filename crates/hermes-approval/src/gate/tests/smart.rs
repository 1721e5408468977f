//! The reviewing model, before a person is bothered.

use std::time::Duration;

use super::*;

fn smart() -> ApprovalSettings {
    settings(&json!({"approvals": {"mode": "smart"}}))
}

fn gate(model: &Arc<Model>, person: &Arc<Person>) -> Arc<Approvals> {
    Approvals::builder(smart()).reviewer(model.clone()).asker(person.clone()).build()
}

#[tokio::test]
async fn its_yes_counts_for_this_command_and_is_not_remembered() {
    let (model, person) = (Model::saying("APPROVE"), Person::saying([]));
    let approvals = gate(&model, &person);
    for _ in 0..2 {
        let line = approvals.admit(request(DELETE, Audience::Terminal)).await.unwrap();
        assert_eq!(line.grant().by, GrantedBy::Reviewer);
        assert!(line.grant().note().unwrap().contains("automatic review"));
    }
    assert_eq!((model.times_asked(), person.times_asked()), (2, 0));
    assert_eq!(end(&approvals, request("ls", Audience::Terminal)).await, "nothing flagged");
    assert_eq!(model.times_asked(), 2, "nothing flagged, nothing reviewed");
}

#[tokio::test]
async fn its_no_can_be_overruled_for_one_operation_only() {
    let model = Model::saying("DENY");
    let person =
        Person::saying([ApprovalAnswer::Allowed(GrantScope::Always), ApprovalAnswer::no()]);
    let approvals = gate(&model, &person);
    let line = approvals.admit(request(DELETE, Audience::Terminal)).await.unwrap();
    assert_eq!(line.grant().by, GrantedBy::Person(GrantScope::Once));
    let question = person.last_question();
    assert!(question.reviewer_said_no && question.widest == GrantScope::Once);
    let refusal = approvals.admit(request(DELETE, Audience::Terminal)).await.unwrap_err();
    assert_eq!(refusal.to_result()["smart_denied"], true);
}

#[tokio::test]
async fn its_no_stands_where_nobody_answers() {
    let model = Model::saying("deny");
    let approvals = gate(&model, &Person::saying([ApprovalAnswer::NobodyThere]));
    let refusal = approvals.admit(request(DELETE, Audience::Terminal)).await.unwrap_err();
    assert_eq!(*refusal.reason(), RefusalReason::SmartDenied);
    let pending = Approvals::builder(smart()).reviewer(model).queue(ApprovalQueue::new()).build();
    let refusal = pending.admit(request(DELETE, Audience::Gateway)).await.unwrap_err();
    let result = refusal.to_result();
    assert_eq!(result["status"], "pending_approval");
    assert_eq!(
        (&result["smart_denied"], &result["allow_permanent"]),
        (&json!(true), &json!(false))
    );
}

#[tokio::test]
async fn anything_else_is_for_a_person() {
    for model in [Model::saying("APPROVE!"), Model::saying("hm"), Model::failing()] {
        let person = Person::saying([ApprovalAnswer::Allowed(GrantScope::Session)]);
        let approvals = gate(&model, &person);
        let line = approvals.admit(request(DELETE, Audience::Terminal)).await.unwrap();
        assert_eq!(line.grant().by, GrantedBy::Person(GrantScope::Session));
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_takes_too_long_is_passed_over() {
    struct Slow;
    impl Reviewer for Slow {
        fn review(&self, _: ReviewPrompt) -> BoxFuture<Result<String, String>> {
            Box::pin(async {
                tokio::time::sleep(Duration::from_secs(3600)).await;
                Ok("APPROVE".to_owned())
            })
        }
    }
    let person = Person::saying([ApprovalAnswer::no()]);
    let approvals =
        Approvals::builder(smart()).reviewer(Arc::new(Slow)).asker(person.clone()).build();
    assert_eq!(end(&approvals, request(DELETE, Audience::Terminal)).await, "no: user");
}

#[tokio::test]
async fn it_is_not_asked_in_mode_manual_nor_where_nobody_is() {
    let (model, person) = (Model::saying("APPROVE"), Person::saying([ApprovalAnswer::no()]));
    let by_hand =
        Approvals::builder(manual()).reviewer(model.clone()).asker(person.clone()).build();
    assert_eq!(end(&by_hand, request(DELETE, Audience::Terminal)).await, "no: user");
    let approvals = gate(&model, &person);
    assert_eq!(
        end(&approvals, request(DELETE, Audience::Nobody)).await,
        "no: approvals.headless_mode"
    );
    assert_eq!(model.times_asked(), 0);
}

#[tokio::test]
async fn it_is_told_like_a_question() {
    let witness = Arc::new(Witness::default());
    let approvals = Approvals::builder(smart())
        .reviewer(Model::saying("ESCALATE"))
        .asker(Person::saying([ApprovalAnswer::Allowed(GrantScope::Once)]))
        .observer(witness.clone())
        .build();
    assert_eq!(end(&approvals, request(DELETE, Audience::Terminal)).await, "user");
    assert_eq!(*witness.0.lock().unwrap(), ["smart?", "smart: escalate", "cli?", "cli: once"]);
}
