use std::sync::Mutex;

use hermes_llm::message::{MessageContent, RequestedCall};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::history::{MISSING_RESULT, ReasoningEcho, for_wire};

/// Answers with what it is told to, and remembers what it was asked.
struct Scripted {
    answer: Result<&'static str, ErrorClass>,
    asked: Mutex<Vec<String>>,
}

impl Scripted {
    fn new(answer: Result<&'static str, ErrorClass>) -> Self {
        Self { answer, asked: Mutex::default() }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Summariser for Scripted {
    fn summarise<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxFuture<'a, Result<String, ModelError>> {
        self.asked.lock().unwrap().push(request.messages[0].text().into_owned());
        let answer = match self.answer {
            Ok(text) => Ok(text.to_owned()),
            Err(class) => Err(ModelError { class, ..no_summary() }),
        };
        Box::pin(async move { answer })
    }
}

/// What the built-in tools declare.
fn declared(name: &str) -> ToolPolicy {
    let tools = hermes_tool::linked_tools();
    let tool = tools.iter().find(|(_, tool)| &**tool.name() == name);
    tool.map(|(_, tool)| *tool.policy()).unwrap_or_default()
}

fn step(number: usize, result: &str) -> [Message; 2] {
    let id = format!("call_{number}");
    let mut said = Message::assistant(format!("step {number}"));
    said.tool_calls = vec![RequestedCall {
        id: id.clone(),
        name: "terminal".into(),
        arguments: json!({"command": format!("cmd {number}"), "path": format!("f{number}.rs")})
            .to_string(),
        extra_content: None,
    }];
    [said, Message::tool(&id, "terminal", result)]
}

/// A task and many steps, each with a result of this many characters.
fn long_history(steps: usize, chars: usize) -> Vec<Message> {
    let result = |number| {
        json!({"output": format!("{number} {}", "x".repeat(chars)), "exit_code": 0}).to_string()
    };
    let mut history = vec![Message::user("please do the task")];
    history.extend((0..steps).flat_map(|number| step(number, &result(number))));
    history
}

fn run(
    history: &[Message],
    change: impl FnOnce(&mut CompactionJob<'_>),
    model: &Scripted,
) -> CompactionOutcome {
    run_with(CompactionSettings::default(), history, change, model)
}

fn run_with(
    settings: CompactionSettings,
    history: &[Message],
    change: impl FnOnce(&mut CompactionJob<'_>),
    model: &Scripted,
) -> CompactionOutcome {
    let mut job = CompactionJob {
        history,
        settings: &settings,
        window: 40_000,
        threshold: 20_000,
        request_tokens: estimate_tokens(history),
        extent: CompactionExtent::Enough,
        focus: None,
        todo_note: None,
        policies: &declared,
    };
    change(&mut job);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(compact(&job, model))
}

fn expect_change(outcome: CompactionOutcome) -> CompactedHistory {
    match outcome {
        CompactionOutcome::Changed(change) => change,
        other => panic!("{other:?}"),
    }
}

#[test]
fn pruning_is_enough_where_old_results_are_the_trouble() {
    let model = Scripted::new(Ok("unused"));
    let history = long_history(30, 3_000);
    let change = expect_change(run(&history, |_| (), &model));
    assert!(matches!(change.how, CompactionMethod::Pruned));
    assert_eq!(model.asked().len(), 0);
    assert_eq!((change.messages.len(), change.kept), (61, 2));
    assert_eq!(change.messages[2].text(), "[terminal] ran cmd 0 -> exit 0, 1 lines output");
    assert_eq!(change.messages[41..], history[41..]);
}

#[test]
fn pruning_keeps_one_copy_and_cuts_arguments_and_images() {
    let same = "same ".repeat(60);
    let mut history: Vec<Message> = (0..3).flat_map(|number| step(number, &same)).collect();
    history[4].tool_calls[0].arguments = json!({"text": "y".repeat(900)}).to_string();
    let image: MessageContent =
        serde_json::from_value(json!([{"type": "image_url", "image_url": {"url": "data:x"}}]))
            .unwrap();
    history.push(Message::user(image));
    history.push(Message::assistant("end"));
    let pruned = prune::prune(&history, 1, &declared);
    assert_eq!(pruned[1].text(), "[terminal] the same result as a later call");
    assert_eq!(pruned[3].text(), "[terminal] the same result as a later call");
    assert!(pruned[5].text().starts_with("[terminal] {\"text\""), "{}", pruned[5].text());
    assert!(pruned[4].tool_calls[0].arguments.chars().count() < 230);
    assert_eq!(pruned[6].content.images(), 0);
    assert_eq!(prune::prune(&pruned, 1, &declared), pruned);
}

#[test]
fn the_newest_todo_list_is_never_pruned() {
    let list = json!({"todos": [{"id": "a", "content": "z".repeat(300), "status": "pending"}]});
    let mut history = long_history(1, 500);
    history[1].tool_calls[0].name = "todo".into();
    history[2].content = list.to_string().into();
    assert_eq!(prune::prune(&history, 0, &declared)[2], history[2]);
}

#[test]
fn a_summary_takes_the_place_of_the_middle() {
    let model = Scripted::new(Ok("<think>hm</think>## Goal\nThe task."));
    let mut history = long_history(30, 3_000);
    history[3].content = "my key is sk-abcdefghijklmnopqrstuvwxyz0123456789".into();
    let note = format!("{}\n- [>] a. x (in_progress)", hermes_tools::todo::NOTE_HEADING);
    let change = expect_change(run(
        &history,
        |job| {
            job.extent = CompactionExtent::Summary;
            job.focus = Some("the parser");
            job.todo_note = Some(note.clone());
        },
        &model,
    ));
    assert!(matches!(change.how, CompactionMethod::Summarised));
    assert_eq!(change.kept, 2);
    let summary = change.messages[3].text();
    assert_eq!(summary, format!("{SUMMARY_PREFIX}\n\n## Goal\nThe task.\n\n{SUMMARY_END}"));
    assert_eq!(change.messages[4].text(), note);
    assert_eq!(change.messages.last(), history.last());
    let asked = &model.asked()[0];
    assert!(asked.contains("RESULT of terminal: [terminal] ran cmd 1"), "{asked}");
    assert!(asked.ends_with("above all: the parser"), "{asked}");
    assert!(!asked.contains("sk-abcdefghijklmnop"), "{asked}");
}

#[test]
fn an_earlier_summary_is_brought_up_to_date_and_not_nested() {
    let model = Scripted::new(Ok("NEW"));
    let mut history = long_history(30, 3_000);
    history.insert(1, summary::message("OLD"));
    history.insert(
        2,
        Message::user(format!("{}\n- [ ] a. x (pending)", hermes_tools::todo::NOTE_HEADING)),
    );
    let change = expect_change(run(&history, |job| job.extent = CompactionExtent::Summary, &model));
    assert!(model.asked()[0].starts_with("<earlier_summary>\nOLD\n</earlier_summary>"));
    let summaries =
        change.messages.iter().filter(|message| message.text().starts_with(SUMMARY_PREFIX));
    assert_eq!(summaries.count(), 1);
    assert!(change.messages[0].text().contains("NEW"));
    assert_eq!(change.messages[1].text(), "please do the task");
    assert!(change.messages.iter().all(|message| !message.text().contains("- [ ] a")));
}

#[test]
fn a_failure_that_passes_keeps_the_history_and_another_gives_an_outline() {
    let history = long_history(30, 3_000);
    for class in [ErrorClass::Auth, ErrorClass::Billing, ErrorClass::Dropped] {
        match run(
            &history,
            |job| job.extent = CompactionExtent::Summary,
            &Scripted::new(Err(class)),
        ) {
            CompactionOutcome::Postponed { error, cooldown, pruned } => {
                assert_eq!((error.class, cooldown), (class, COOLDOWN));
                assert!(matches!(pruned.unwrap().how, CompactionMethod::Pruned));
            }
            other => panic!("{other:?}"),
        }
    }
    for model in [Scripted::new(Err(ErrorClass::FormatError)), Scripted::new(Ok("<think>only"))] {
        let change =
            expect_change(run(&history, |job| job.extent = CompactionExtent::Summary, &model));
        assert!(matches!(change.how, CompactionMethod::Outline { .. }));
        let text = change.messages[3].text();
        assert!(text.contains("## Files\n- f1.rs\n- f2.rs"), "{text}");
        assert!(text.contains("## Last results\n- [terminal]"), "{text}");
    }
    let keep = CompactionSettings { on_failure: OnFailure::Keep, ..CompactionSettings::default() };
    let model = Scripted::new(Err(ErrorClass::FormatError));
    let outcome = run_with(keep, &history, |job| job.extent = CompactionExtent::Summary, &model);
    assert!(matches!(outcome, CompactionOutcome::Postponed { .. }), "{outcome:?}");
}

#[test]
fn a_short_conversation_is_left_alone() {
    let history = [Message::user("hi"), Message::assistant("hello")];
    let model = Scripted::new(Ok("x"));
    let outcome = run(&history, |job| job.extent = CompactionExtent::Summary, &model);
    assert!(matches!(outcome, CompactionOutcome::Unchanged), "{outcome:?}");
    assert_eq!(model.asked().len(), 0);
}

#[test]
fn the_length_of_a_summary_follows_what_it_replaces() {
    assert_eq!(summary::budget(1_000, 200_000), 2_000);
    assert_eq!(summary::budget(30_000, 200_000), 6_000);
    assert_eq!(summary::budget(900_000, 1_000_000), 10_000);
    assert_eq!(summary::budget(30_000, 32_000), 1_600);
}

/// A history as a session writes it, with the odd gap.
fn history() -> impl Strategy<Value = Vec<Message>> {
    let piece = (0..6_u8, 0..3_usize, prop_oneof![Just(5_usize), Just(300), Just(2_000)]);
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| {
        let mut messages = Vec::new();
        for (at, (kind, calls, chars)) in pieces.into_iter().enumerate() {
            let text = format!("{at} {}", "w ".repeat(chars / 2));
            match kind {
                0 => messages.push(Message::user(text)),
                1 => messages.push(Message::assistant(text)),
                2 => messages.push(Message::user(" ")),
                _ => {
                    let mut said = Message::assistant("");
                    for call in 0..=calls {
                        let id = format!("c{at}_{call}");
                        said.tool_calls.push(RequestedCall {
                            id,
                            name: "t".into(),
                            arguments: json!({"a": text}).to_string(),
                            extra_content: None,
                        });
                    }
                    let ids: Vec<String> =
                        said.tool_calls.iter().map(|call| call.id.clone()).collect();
                    messages.push(said);
                    messages.extend(ids.iter().map(|id| Message::tool(id, "t", text.as_str())));
                }
            }
        }
        messages
    })
}

proptest! {
    #[test]
    fn whatever_is_compressed_stays_sound(
        history in history(),
        failing in any::<bool>(),
        summary in any::<bool>(),
        tail in 0.01..0.9_f64,
    ) {
        let settings = CompactionSettings { target_ratio: tail, ..CompactionSettings::default() };
        let model = Scripted::new(if failing { Err(ErrorClass::FormatError) } else { Ok("short") });
        let outcome = run_with(settings, &history, |job| {
            job.threshold = 3_000;
            job.extent = if summary { CompactionExtent::Summary } else { CompactionExtent::Enough };
        }, &model);
        let CompactionOutcome::Changed(change) = outcome else { return Ok(()) };
        let (before, after) = (estimate_tokens(&history), estimate_tokens(&change.messages));
        prop_assert!(after < before && after == change.tokens_after);
        prop_assert_eq!(&change.messages[..change.kept], &history[..change.kept]);
        let wish = |messages: &[Message]| messages.iter().rev()
            .find(|message| message.role == Role::User && !message.content.is_blank()
                && !message.text().starts_with(SUMMARY_PREFIX))
            .cloned();
        prop_assert_eq!(wish(&change.messages), wish(&history));
        let sent = for_wire(&change.messages, ReasoningEcho::LeaveOut);
        prop_assert_eq!(crate::history::tests::fault(&sent), None);
        prop_assert!(sent.iter().all(|message| message.text() != MISSING_RESULT));
        let results = change.messages.iter().filter(|message| message.role == Role::Tool).count();
        prop_assert_eq!(sent.iter().filter(|message| message.role == Role::Tool).count(), results);
    }
}
