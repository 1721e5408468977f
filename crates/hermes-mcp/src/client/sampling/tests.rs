use std::sync::Mutex;
use std::time::Duration;

use super::*;

/// Answers with what it was told to, and remembers what it was asked.
struct Scripted {
    answer: Result<SampleAnswer, String>,
    asked: Mutex<Vec<SampleRequest>>,
    takes: Duration,
}

impl Scripted {
    fn new(answer: Result<SampleAnswer, String>) -> Self {
        Self { answer, asked: Mutex::default(), takes: Duration::ZERO }
    }

    fn saying(text: &str) -> Self {
        let text = text.to_owned();
        Self::new(Ok(SampleAnswer { model: "m".into(), text, tokens: 7, ..Default::default() }))
    }

    fn calling(arguments: &str) -> Self {
        let call =
            TurnCall { id: "c1".into(), name: "add".into(), arguments: arguments.to_owned() };
        Self::new(Ok(SampleAnswer { model: "m".into(), calls: vec![call], ..Default::default() }))
    }

    fn last(&self) -> SampleRequest {
        self.asked.lock().unwrap().last().unwrap().clone()
    }
}

impl Sampler for Scripted {
    fn sample(&self, request: SampleRequest) -> BoxFuture<Result<SampleAnswer, String>> {
        self.asked.lock().unwrap().push(request);
        let (answer, takes) = (self.answer.clone(), self.takes);
        Box::pin(async move {
            tokio::time::sleep(takes).await;
            answer
        })
    }
}

fn question() -> Value {
    json!({
        "messages": [{"role": "user", "content": {"type": "text", "text": "Hello?"}}],
        "maxTokens": 100,
        "modelPreferences": {"hints": [{"name": "small"}, {"name": "large"}]},
        "tools": [{"name": "add", "inputSchema": {"type": "object", "properties": {}}}],
    })
}

fn server(settings: SamplingSettings) -> Sampling {
    Sampling::new("srv", settings)
}

#[tokio::test]
async fn a_plain_answer_says_who_gave_it_and_why_it_ended() {
    let (server, model) = (server(SamplingSettings::default()), Scripted::saying("Hi!"));
    let result = server.answer(&question(), &model).await.unwrap();
    assert_eq!(
        result,
        json!({"role": "assistant", "content": {"type": "text", "text": "Hi!"},
        "model": "m", "stopReason": "endTurn"})
    );
    let asked = model.last();
    assert_eq!((asked.max_tokens, asked.model.as_deref()), (100, Some("small")));
    assert_eq!(asked.tools[0]["function"]["name"], "add");
    let counters = server.counters();
    assert_eq!((counters.requests, counters.errors, counters.tokens_used), (1, 0, 7));
}

#[tokio::test]
async fn an_answer_that_was_cut_off_says_so() {
    let mut model = Scripted::saying("Hi");
    model.answer = model.answer.map(|answer| SampleAnswer { is_cut_off: true, ..answer });
    let result = server(SamplingSettings::default()).answer(&question(), &model).await.unwrap();
    assert_eq!(result["stopReason"], "maxTokens");
}

#[tokio::test]
async fn the_configured_model_and_the_cap_win() {
    let settings = SamplingSettings {
        model: Some("ours".into()),
        max_tokens_cap: 50,
        ..SamplingSettings::default()
    };
    let model = Scripted::saying("Hi!");
    server(settings).answer(&question(), &model).await.unwrap();
    assert_eq!((model.last().max_tokens, model.last().model.as_deref()), (50, Some("ours")));
}

#[tokio::test]
async fn a_model_that_is_not_on_the_list_is_not_asked() {
    let settings =
        SamplingSettings { allowed_models: vec!["large".into()], ..SamplingSettings::default() };
    let (server, model) = (server(settings), Scripted::saying("Hi!"));
    let refusal = server.answer(&question(), &model).await.unwrap_err();
    assert_eq!(refusal.code(), -1);
    assert!(refusal.message().contains("small"), "{refusal}");
    assert!(model.asked.lock().unwrap().is_empty());
    assert_eq!((server.counters().requests, server.counters().errors), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn more_than_so_many_a_minute_are_refused() {
    let settings = SamplingSettings { max_rpm: 1, ..SamplingSettings::default() };
    let (server, model) = (server(settings), Scripted::saying("Hi!"));
    server.answer(&question(), &model).await.unwrap();
    assert_eq!(server.answer(&question(), &model).await.unwrap_err().code(), -1);
    tokio::time::advance(Duration::from_secs(60)).await;
    server.answer(&question(), &model).await.unwrap();
}

#[tokio::test]
async fn tools_are_asked_for_in_the_servers_words() {
    let server = server(SamplingSettings::default());
    let result = server.answer(&question(), &Scripted::calling(r#"{"a": 1}"#)).await.unwrap();
    let call = json!({"type": "tool_use", "id": "c1", "name": "add", "input": {"a": 1}});
    assert_eq!((&result["content"], &result["stopReason"]), (&json!([call]), &json!("toolUse")));
    let result = server.answer(&question(), &Scripted::calling("{a")).await.unwrap();
    assert_eq!(result["content"][0]["input"], json!({"_raw": "{a"}));
    assert_eq!(server.counters().tool_use_count, 2);
}

#[tokio::test]
async fn rounds_of_tools_in_a_row_are_counted() {
    let settings =
        SamplingSettings { max_tool_rounds: 2, max_rpm: 100, ..SamplingSettings::default() };
    let (server, calls) = (server(settings), Scripted::calling("{}"));
    for round in ["first", "second"] {
        server.answer(&question(), &calls).await.expect(round);
    }
    assert_eq!(server.answer(&question(), &calls).await.unwrap_err().code(), -1);
    server.answer(&question(), &calls).await.expect("the count begins anew");
    server.answer(&question(), &Scripted::saying("done")).await.unwrap();
    for round in ["first after words", "second after words"] {
        server.answer(&question(), &calls).await.expect(round);
    }
}

#[tokio::test]
async fn without_rounds_no_tool_is_offered_or_passed_on() {
    let settings = SamplingSettings { max_tool_rounds: 0, ..SamplingSettings::default() };
    let (server, model) = (server(settings), Scripted::calling("{}"));
    assert!(server.answer(&question(), &model).await.is_err());
    assert!(model.last().tools.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_model_that_takes_too_long_is_given_up() {
    let mut model = Scripted::saying("late");
    model.takes = Duration::from_secs(31);
    let refusal =
        server(SamplingSettings::default()).answer(&question(), &model).await.unwrap_err();
    assert!(refusal.message().contains("30 s"), "{refusal}");
}

#[tokio::test]
async fn secrets_in_a_models_error_do_not_reach_the_server() {
    let problem = "401 for key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789".to_owned();
    let model = Scripted::new(Err(problem));
    let refusal =
        server(SamplingSettings::default()).answer(&question(), &model).await.unwrap_err();
    assert!(!refusal.message().contains("abcdefghijklmnop"), "{refusal}");
}

#[tokio::test]
async fn a_server_that_may_not_sample_finds_no_such_method() {
    let settings = SamplingSettings { is_enabled: false, ..SamplingSettings::default() };
    let refusal = server(settings).answer(&question(), &Scripted::saying("Hi")).await.unwrap_err();
    assert_eq!(refusal.code(), -32601);
}
