use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hermes_llm::model::{BoxFuture, Delta, ErrorClass, Finish, ModelResponse};

use super::*;

/// Answers with its text, or fails without one, and remembers what it was asked.
struct Scripted {
    name: &'static str,
    text: Option<&'static str>,
    asked: Mutex<Vec<ModelRequest>>,
    running: &'static AtomicUsize,
    most: &'static AtomicUsize,
}

impl Scripted {
    fn new(name: &'static str, text: Option<&'static str>) -> Self {
        let counter = || Box::leak(Box::default());
        Self { name, text, asked: Mutex::default(), running: counter(), most: counter() }
    }

    fn asked(&self) -> String {
        self.asked.lock().unwrap()[0].messages[0].text().into_owned()
    }
}

impl Model for Scripted {
    fn name(&self) -> &str {
        self.name
    }

    fn provider(&self) -> &str {
        "scripted"
    }

    fn answer<'a>(
        &'a self,
        request: &'a ModelRequest,
        _: &'a mut (dyn FnMut(Delta) + Send + '_),
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(async move {
            self.asked.lock().unwrap().push(request.clone());
            let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(running, Ordering::SeqCst);
            tokio::task::yield_now().await;
            self.running.fetch_sub(1, Ordering::SeqCst);
            let failure = ModelError {
                class: ErrorClass::Auth,
                message: "wrong key".into(),
                advice: None,
                status: None,
                retry_after: None,
                limit: None,
                partial: None,
            };
            let content = self.text.ok_or(failure)?.to_owned();
            Ok(ModelResponse {
                content,
                reasoning: None,
                reasoning_details: None,
                tool_calls: Vec::new(),
                finish: Finish::Stop,
                finish_reason: None,
                refusal: None,
                usage: Some(TokenUsage { output_tokens: 1, ..TokenUsage::default() }),
                model: None,
                unreadable: 0,
            })
        })
    }
}

fn settings() -> MoaSettings {
    let config = json!({"moa": {"presets": {"default": {
        "reference_models": ["a", "b"], "reference_temperature": 0.5}}}});
    MoaSettings::from_config(&config, None).unwrap()
}

fn mixture<'m>(
    references: &[&'m Scripted],
    aggregator: &'m Scripted,
    settings: &'m MoaSettings,
) -> MoaRun<'m> {
    let references = references.iter().map(|model| *model as &dyn Model).collect();
    MoaRun { references, aggregator, settings }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

#[test]
fn the_answer_is_made_from_what_the_references_say() {
    let (a, b) = (Scripted::new("a", Some("<think>x</think>five")), Scripted::new("b", None));
    let judge = Scripted::new("judge", Some("It is five."));
    let settings = settings();
    let mixture = mixture(&[&a, &b], &judge, &settings);
    let answer =
        block_on(mixture.answer(&[Message::user("2+3?")], &CancellationToken::new())).unwrap();
    assert_eq!(
        answer.to_value(),
        json!({"success": true, "response": "It is five.",
               "models_used": {"references": ["a"], "aggregator": "judge"},
               "failed": [{"model": "b", "error": "wrong key"}]})
    );
    assert_eq!(answer.usage.output_tokens, 2);
    assert_eq!(a.asked(), "2+3?");
    assert_eq!(a.asked.lock().unwrap()[0].temperature, Some(0.5));
    let asked = judge.asked();
    assert!(asked.starts_with("2+3?\n\n[Advice from other models"), "{asked}");
    assert!(asked.ends_with("## Advice 1\nfive"), "{asked}");
}

#[test]
fn the_aggregator_answers_alone_if_all_references_fail_and_its_failure_is_an_error() {
    let (a, b) = (Scripted::new("a", None), Scripted::new("b", Some("<think>nothing else")));
    let judge = Scripted::new("judge", Some("Alone."));
    let settings = settings();
    let answer = block_on(
        mixture(&[&a, &b], &judge, &settings)
            .answer(&[Message::user("q")], &CancellationToken::new()),
    )
    .unwrap();
    assert_eq!((answer.response.as_str(), answer.failed.len()), ("Alone.", 2));
    assert_eq!(judge.asked(), "q");
    let broken = Scripted::new("judge", None);
    let mixture = mixture(&[&a, &b], &broken, &settings);
    assert!(block_on(mixture.answer(&[Message::user("q")], &CancellationToken::new())).is_err());
}

#[test]
fn references_run_side_by_side_but_not_all_at_once() {
    let reference = Scripted::new("a", Some("x"));
    let judge = Scripted::new("judge", Some("y"));
    let settings = settings();
    let mixture = mixture(&[&reference; 20], &judge, &settings);
    let advice = block_on(mixture.consult(&[Message::user("q")], &CancellationToken::new()));
    assert_eq!(advice.given.len(), 20);
    assert_eq!(reference.most.load(Ordering::SeqCst), MAX_PARALLEL);
}

#[test]
fn a_conversation_is_told_as_text_with_short_results() {
    let mut said = Message::assistant("I look");
    said.tool_calls = vec![hermes_llm::RequestedCall {
        id: "c".into(),
        name: "read_file".into(),
        arguments: "{}".into(),
        extra_content: None,
    }];
    let conversation =
        [Message::user("why?"), said, Message::tool("c", "read_file", "r".repeat(5_000))];
    let text = transcript::question(&conversation).text().into_owned();
    assert!(text.contains("[user]\nwhy?\n\n[assistant]\nI look\n(calls read_file {})"), "{text}");
    assert!(text.contains(&format!("{} […]", "r".repeat(4_000))), "{text}");
}
