use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;

use hermes_tool::{
    BoxFuture, CallIds, ContextParts, Effect, Effects, ResultLimit, Services, State, ToolPolicy,
};
use serde_json::json;

use super::*;
use crate::approval::{ApprovalRequest, Approver, Decision};
use crate::definitions::ToolScope;
use crate::hooks::{Hook, Payload};

/// A tool that answers with its arguments.
fn echo(name: &str, effects: Effects) -> Tool {
    Tool::builder(name, "x")
        .parameters(json!({"type": "object", "properties": {
            "count": {"type": "integer"}, "text": {"type": "string"}}}))
        .effects(effects)
        .handler(|args, _| Ok(ToolOutput::text(Value::Object(args).to_string())))
}

fn runtime() -> Runtime {
    let runtime = Runtime::builder().build();
    runtime.registry().register(echo("echo", Effects::NONE));
    runtime
}

fn answer(runtime: &Runtime, name: &str, args: Value) -> Value {
    let text = runtime.call_blocking(ToolCall::new(name, args)).text();
    serde_json::from_str(&text).unwrap()
}

fn ids() -> CallIds {
    CallIds {
        task_id: "task".into(),
        session_id: "session".into(),
        tool_call_id: "call".into(),
        turn_id: "turn".into(),
        api_request_id: "request".into(),
    }
}

fn with_ids(name: &str, args: Value) -> ToolCall {
    let context = ContextParts { ids: ids(), ..ContextParts::default() };
    ToolCall { context, ..ToolCall::new(name, args) }
}

/// Collects the payloads of an event.
fn watch(runtime: &Runtime, event: HookEvent) -> Arc<Mutex<Vec<Payload>>> {
    let seen: Arc<Mutex<Vec<Payload>>> = Arc::default();
    let sink = Arc::clone(&seen);
    runtime.hooks().on(
        event,
        Hook::new("watch", move |payload| {
            sink.lock().unwrap().push(payload.clone());
            None
        }),
    );
    seen
}

#[test]
fn arguments_are_coerced_before_anything_sees_them() {
    let runtime = runtime();
    let seen = watch(&runtime, HookEvent::PreToolCall);
    assert_eq!(answer(&runtime, "echo", json!({"count": "3"})), json!({"count": 3}));
    assert_eq!(seen.lock().unwrap()[0]["args"], json!({"count": 3}));
    assert_eq!(answer(&runtime, "echo", json!(["not", "an", "object"])), json!({}));
}

#[test]
fn an_unknown_tool_is_an_error_result() {
    assert_eq!(answer(&runtime(), "nope", json!({})), json!({"error": "Unknown tool: nope"}));
}

#[test]
fn a_blocking_hook_vetoes_and_the_block_is_observed() {
    let runtime = runtime();
    let seen = watch(&runtime, HookEvent::PostToolCall);
    runtime.hooks().on(
        HookEvent::PreToolCall,
        Hook::new("policy", |_| Some(json!({"action": "block", "message": "not today"}))),
    );
    let outcome = runtime.call_blocking(ToolCall::new("echo", json!({})));
    assert_eq!(outcome.text(), r#"{"error":"not today"}"#);
    assert_eq!(outcome.verdict().status, Status::Blocked);
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 1);
    assert_eq!(
        (&seen[0]["status"], &seen[0]["error_type"]),
        (&json!("blocked"), &json!("plugin_block"))
    );
}

#[test]
fn the_first_valid_directive_wins_and_all_hooks_still_run() {
    let runtime = runtime();
    let asked = Arc::new(AtomicUsize::new(0));
    for (owner, returned) in [
        ("odd", json!({"action": "shrug"})),
        ("first", json!({"action": "block", "message": "one"})),
        ("second", json!({"action": "block", "message": "two"})),
    ] {
        let asked = Arc::clone(&asked);
        runtime.hooks().on(
            HookEvent::PreToolCall,
            Hook::new(owner, move |_| {
                asked.fetch_add(1, Ordering::SeqCst);
                Some(returned.clone())
            }),
        );
    }
    assert_eq!(answer(&runtime, "echo", json!({})), json!({"error": "one"}));
    assert_eq!(asked.load(Ordering::SeqCst), 3);
}

#[test]
fn tools_outside_the_allow_list_are_refused_before_hooks() {
    let runtime = runtime();
    let seen = watch(&runtime, HookEvent::PreToolCall);
    let mut call = ToolCall::new("echo", json!({}));
    call.allowed = Some(Arc::new(["other".to_owned()].into()));
    assert_eq!(runtime.call_blocking(call).verdict().error_type, Some("tool_scope_block"));
    assert!(seen.lock().unwrap().is_empty());
}

/// Gives scripted answers and counts the questions.
struct Scripted(Mutex<Vec<Decision>>, AtomicUsize);

impl Approver for Scripted {
    fn ask(&self, _: ApprovalRequest) -> BoxFuture<Decision> {
        self.1.fetch_add(1, Ordering::SeqCst);
        let decision = self.0.lock().unwrap().pop().unwrap_or(Decision::Denied);
        Box::pin(async move { decision })
    }
}

fn asking(decisions: Vec<Decision>) -> (Runtime, Arc<Scripted>) {
    let approver = Arc::new(Scripted(Mutex::new(decisions), AtomicUsize::new(0)));
    let runtime = Runtime::builder().approver(approver.clone()).build();
    runtime.registry().register(echo("echo", Effects::NONE));
    runtime.hooks().on(
        HookEvent::PreToolCall,
        Hook::new("careful", |payload| {
            Some(json!({"action": "approve", "message": payload["args"]["text"]}))
        }),
    );
    (runtime, approver)
}

#[test]
fn approval_runs_the_call_and_everything_else_blocks_it() {
    for (decision, runs) in [
        (Decision::Once, true),
        (Decision::ForSession, true),
        (Decision::Denied, false),
        (Decision::TimedOut, false),
        (Decision::NobodyThere, false),
    ] {
        let (runtime, _) = asking(vec![decision.clone()]);
        let outcome = runtime.call_blocking(ToolCall::new("echo", json!({"text": "x"})));
        assert_eq!(outcome.verdict().status == Status::Ok, runs, "{decision:?}");
    }
}

#[test]
fn without_a_person_the_answer_is_no_and_names_the_rule() {
    let runtime = runtime();
    runtime.hooks().on(
        HookEvent::PreToolCall,
        Hook::new("careful", |_| {
            Some(json!({"action": "approve", "message": "risky", "rule_key": "r1"}))
        }),
    );
    let text = runtime.call_blocking(ToolCall::new("echo", json!({}))).text();
    assert!(text.contains("risky") && text.contains("r1") && text.contains("nobody"), "{text}");
}

#[test]
fn a_lasting_yes_covers_its_own_rule_and_no_other() {
    let (runtime, approver) = asking(vec![Decision::Denied, Decision::ForSession]);
    let run = |text: &str| {
        runtime.call_blocking(ToolCall::new("echo", json!({"text": text}))).verdict().status
    };
    assert_eq!(run("spends money"), Status::Ok);
    assert_eq!(run("spends money"), Status::Ok);
    assert_eq!(approver.1.load(Ordering::SeqCst), 1, "the second time nobody was asked");
    assert_eq!(run("deletes data"), Status::Blocked, "another rule on the same tool is asked");
}

#[test]
fn request_middleware_is_chained_and_coerced_again() {
    let runtime = runtime();
    for _ in 0..2 {
        runtime.middleware().on_request("adder", |view| async move {
            let count = view.args["count"].as_i64().unwrap_or(0);
            Some(json!({"args": {"count": (count + 1).to_string()}, "reason": "one more"}))
        });
    }
    let outcome = runtime.call_blocking(ToolCall::new("echo", json!({"count": 1})));
    assert_eq!(outcome.text(), r#"{"count":3}"#);
    assert_eq!(outcome.trace, [json!({"reason": "one more"}), json!({"reason": "one more"})]);
}

#[test]
fn broken_request_middleware_leaves_the_arguments() {
    let runtime = runtime();
    runtime.middleware().on_request("bad", |_| async { panic!("bug") });
    runtime.middleware().on_request("odd", |_| async { Some(json!({"args": "text"})) });
    assert_eq!(answer(&runtime, "echo", json!({"count": 1})), json!({"count": 1}));
}

/// A runtime whose tool counts how often it ran.
fn counting() -> (Runtime, Arc<AtomicUsize>) {
    let runtime = Runtime::builder().build();
    let runs = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&runs);
    runtime.registry().register(Tool::builder("count", "x").effects(Effects::NONE).handler(
        move |_, _| {
            let run = count.fetch_add(1, Ordering::SeqCst) + 1;
            Ok(ToolOutput::text(run.to_string()))
        },
    ));
    (runtime, runs)
}

fn counted(runtime: &Runtime) -> String {
    runtime.call_blocking(ToolCall::new("count", json!({}))).text()
}

#[test]
fn execution_middleware_may_change_the_result() {
    let (runtime, runs) = counting();
    runtime.middleware().on_execution("outer", |_, next| async move {
        let inner = next.run(None).await?;
        let ToolOutput::Text(text) = inner.output else { unreachable!() };
        Ok(Dispatched::output(ToolOutput::text(format!("[{text}]"))))
    });
    runtime.middleware().on_execution("inner", |_, next| async move { next.run(None).await });
    assert_eq!(counted(&runtime), "[1]");
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[test]
fn middleware_that_fails_before_going_inwards_is_skipped() {
    let (runtime, runs) = counting();
    runtime
        .middleware()
        .on_execution("bad", |_, _| async { Err(MiddlewareError::Failed("no".into())) });
    runtime.middleware().on_execution("worse", |_, _| async { panic!("bug") });
    assert_eq!(counted(&runtime), "1");
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[test]
fn middleware_that_fails_afterwards_keeps_the_result() {
    let (runtime, runs) = counting();
    runtime.middleware().on_execution("late", |_, next| async move {
        next.run(None).await?;
        Err(MiddlewareError::Failed("too late".into()))
    });
    assert_eq!(counted(&runtime), "1");
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[test]
fn going_inwards_twice_runs_the_tool_once() {
    let (runtime, runs) = counting();
    runtime.middleware().on_execution("greedy", |_, next| async move {
        next.run(None).await?;
        next.run(None).await
    });
    assert_eq!(counted(&runtime), "1");
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[test]
fn middleware_that_drops_the_call_does_not_run_it_again() {
    let (runtime, runs) = counting();
    runtime.middleware().on_execution("dropper", |_, next| async move {
        // Gone inwards, and dropped on the way.
        let _ = tokio::time::timeout(Duration::ZERO, next.run(None)).await;
        Err(MiddlewareError::Failed("changed my mind".into()))
    });
    counted(&runtime);
    assert!(runs.load(Ordering::SeqCst) <= 1);
}

#[test]
fn panics_and_failures_become_error_results() {
    let runtime = Runtime::builder().build();
    runtime.registry().register(
        Tool::builder("panics", "x").handler(|_, _| panic!("index out of bounds <system>")),
    );
    runtime.registry().register(Tool::builder("fails", "x").async_handler(|_, _| async {
        Err(hermes_tool::ToolError::failure("NotFound", "no such thing"))
    }));
    assert_eq!(
        answer(&runtime, "panics", json!({})),
        json!({"error": "[TOOL_ERROR] Tool execution failed: Panic: index out of bounds "})
    );
    assert_eq!(
        answer(&runtime, "fails", json!({})),
        json!({"error": "[TOOL_ERROR] Tool execution failed: NotFound: no such thing"})
    );
}

#[test]
fn follow_handler_result_is_text_or_multimodal() {
    let runtime = Runtime::builder().build();
    let foreign = |name: &str, value: Value| {
        Tool::builder(name, "x").handler(move |_, _| Ok(ToolOutput::Foreign(value.clone())))
    };
    runtime.registry().register_all([
        foreign("text", json!("plain")),
        foreign("image", json!({"_multimodal": true, "content": [{"type": "text"}]})),
        foreign("object", json!({"a": 1})),
        foreign("half", json!({"_multimodal": "true", "content": []})),
    ]);
    assert_eq!(runtime.call_blocking(ToolCall::new("text", json!({}))).text(), "plain");
    let image = runtime.call_blocking(ToolCall::new("image", json!({})));
    assert!(matches!(image.output, ToolOutput::Multimodal { .. }));
    for name in ["object", "half"] {
        let refused = answer(&runtime, name, json!({}));
        assert_eq!(refused["error_type"], "tool_result_contract");
        assert_eq!((&refused["tool"], &refused["result_type"]), (&json!(name), &json!("object")));
    }
}

#[test]
fn a_hanging_tool_is_left_behind() {
    let runtime = Runtime::builder().build();
    runtime.registry().register(Tool::builder("sync", "x").handler(|_, cx| {
        while !cx.is_cancelled() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(ToolOutput::text("too late"))
    }));
    runtime.registry().register(Tool::builder("async", "x").async_handler(|_, _| async {
        // Never yields: only a task of its own can be left behind.
        std::thread::sleep(Duration::from_millis(400));
        Ok(ToolOutput::text("too late"))
    }));
    for name in ["sync", "async"] {
        let mut call = ToolCall::new(name, json!({}));
        call.time_limit = Some(Duration::from_millis(30));
        let outcome = runtime.call_blocking(call);
        assert_eq!(outcome.verdict().status, Status::Timeout);
        assert!(outcome.text().contains("timed out after 0.03s"), "{}", outcome.text());
    }
}

#[tokio::test]
async fn cancelling_returns_at_once() {
    let runtime = Runtime::builder().build();
    runtime.registry().register(Tool::builder("slow", "x").async_handler(|_, _| async {
        tokio::time::sleep(Duration::from_secs(60)).await;
        Ok(ToolOutput::text("late"))
    }));
    let call = ToolCall::new("slow", json!({}));
    let token = call.context.cancellation.clone();
    let running = tokio::spawn({
        let runtime = runtime.clone();
        async move { runtime.call(call).await }
    });
    token.cancel();
    assert_eq!(running.await.unwrap().verdict().status, Status::Cancelled);
}

#[tokio::test]
async fn sync_handlers_do_not_block_the_async_runtime() {
    let runtime = Runtime::builder().build();
    let (open, gate) = std::sync::mpsc::channel::<()>();
    let gate = Mutex::new(gate);
    runtime.registry().register(Tool::builder("waits", "x").handler(move |_, _| {
        let _ = gate.lock().unwrap().recv_timeout(Duration::from_secs(5));
        Ok(ToolOutput::text("done"))
    }));
    // One worker thread: were the handler to block it, nobody could open the gate.
    let opener = tokio::spawn(async move {
        let _ = open.send(());
    });
    let outcome = runtime.call(ToolCall::new("waits", json!({}))).await;
    opener.await.unwrap();
    assert_eq!(outcome.text(), "done");
}

#[tokio::test]
async fn blocking_calls_work_inside_an_async_context() {
    let outcome = runtime().call_blocking(ToolCall::new("echo", json!({"count": 1})));
    assert_eq!(outcome.text(), r#"{"count":1}"#);
}

#[test]
fn the_first_text_transforms_the_result_and_other_types_do_not() {
    let runtime = runtime();
    runtime.hooks().on(HookEvent::TransformToolResult, Hook::new("odd", |_| Some(json!({}))));
    runtime.hooks().on(HookEvent::TransformToolResult, Hook::new("empty", |_| Some(json!(""))));
    runtime.hooks().on(HookEvent::TransformToolResult, Hook::new("late", |_| Some(json!("x"))));
    assert_eq!(runtime.call_blocking(ToolCall::new("echo", json!({}))).text(), "");
}

#[test]
fn observers_see_ids_duration_and_status() {
    let runtime = runtime();
    let seen = watch(&runtime, HookEvent::PostToolCall);
    runtime.call_blocking(with_ids("echo", json!({"text": "hi"})));
    let seen = seen.lock().unwrap();
    assert_eq!(seen[0]["turn_id"], "turn");
    assert_eq!(seen[0]["status"], "ok");
    assert!(seen[0]["duration_ms"].is_u64());
    assert_eq!(seen[0]["result"], r#"{"text":"hi"}"#);
}

/// Something that a host keeps for a tool.
struct Stamp(&'static str);

#[test]
fn a_tool_with_state_takes_the_same_way_with_coercion_and_transform() {
    let runtime = Runtime::builder().build();
    let tool = Tool::builder("todo", "x")
        .parameters(json!({"type": "object", "properties": {"count": {"type": "integer"}}}))
        .effects(Effects::NONE.with(Effect::AgentState).with(Effect::Writes))
        .needs::<Stamp>()
        .handler(|args, cx| {
            let stamp = State::<Stamp>::of(cx).ok_or_else(|| ToolError::needs_agent("todo"))?;
            Ok(ToolOutput::Text(json!({"stamp": stamp.0, "args": args}).to_string()))
        });
    runtime.registry().register(tool);
    assert_eq!(
        answer(&runtime, "todo", json!({})),
        json!({"error": "todo must be handled by the agent loop"})
    );
    runtime.hooks().on(
        HookEvent::TransformToolResult,
        Hook::new("stamp", |payload| Some(json!(format!("{}!", payload["result"].as_str()?)))),
    );
    let mut call = ToolCall::new("todo", json!({"count": "2"}));
    call.context.services = Services::default().with(Arc::new(Stamp("seen")));
    assert_eq!(runtime.call_blocking(call).text(), r#"{"stamp":"seen","args":{"count":2}}!"#);
}

#[test]
fn what_services_lack_is_known_before_anything_is_called() {
    let runtime = Runtime::builder().build();
    let tool = Tool::builder("todo", "x").needs::<Stamp>().handler(|_, _| Ok(ToolOutput::text("")));
    runtime.registry().register(tool);
    runtime.registry().register(echo("echo", Effects::NONE));
    let missing = runtime.missing_states(&Services::default());
    assert_eq!(missing.len(), 1);
    assert_eq!(&*missing[0].tool, "todo");
    assert!(missing[0].to_string().contains("Stamp"), "{}", missing[0]);
    let services = Services::default().with(Arc::new(Stamp("")));
    assert!(runtime.missing_states(&services).is_empty());
}

fn searching() -> Runtime {
    let config = json!({"tools": {"tool_search": "on"}});
    let runtime = Runtime::builder().config(config).build();
    runtime.registry().register(echo("rare_thing", Effects::NONE));
    runtime
}

fn bridged(name: &str, args: Value) -> ToolCall {
    let scope = ToolScope { enabled: Some(vec!["x".into()]), disabled: vec![] };
    ToolCall { scope, ..with_ids(name, args) }
}

#[test]
fn bridge_calls_keep_turn_and_request_ids() {
    let runtime = searching();
    let seen = watch(&runtime, HookEvent::PreToolCall);
    let call = bridged("tool_call", json!({"name": "rare_thing", "arguments": {"count": "4"}}));
    let outcome = runtime.call_blocking(call);
    assert_eq!((outcome.tool.as_str(), outcome.text().as_str()), ("rare_thing", r#"{"count":4}"#));
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 1, "hooks see the real tool, once");
    assert_eq!(seen[0]["tool_name"], "rare_thing");
    assert_eq!(seen[0]["turn_id"], "turn");
    assert_eq!(seen[0]["api_request_id"], "request");
}

#[test]
fn bridges_reach_only_the_session_scope() {
    let runtime = searching();
    runtime
        .registry()
        .register(Tool::builder("hidden", "y").handler(|_, _| Ok(ToolOutput::text("1"))));
    let outcome = runtime.call_blocking(bridged("tool_call", json!({"name": "hidden"})));
    assert_eq!(outcome.verdict().status, Status::Error);
    let found = runtime.call_blocking(bridged("tool_search", json!({"query": "rare"}))).text();
    assert!(found.contains("rare_thing"), "{found}");
    let described = runtime.call_blocking(bridged("tool_describe", json!({"name": "rare_thing"})));
    assert!(described.text().contains("parameters"));
}

#[test]
fn long_results_are_saved_and_previewed() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(crate::limits::LocalSpill::new(folder.path()));
    let runtime = Runtime::builder().spill(Some(store)).build();
    runtime.registry().register(
        Tool::builder("big", "x")
            .result_limit(ResultLimit::Chars(1_000))
            .handler(|_, _| Ok(ToolOutput::text("x".repeat(5_000)))),
    );
    let outcome = runtime.call_blocking(with_ids("big", json!({})));
    let path = outcome.spilled_to.clone().unwrap();
    assert!(outcome.text().contains(&path) && outcome.text().len() < 2_500);
    assert_eq!(std::fs::read_to_string(path).unwrap().len(), 5_000);
    assert_eq!(outcome.verdict().status, Status::Ok);
}

#[tokio::test]
async fn a_rehearsal_shows_what_would_happen_and_runs_nothing() {
    let (runtime, runs) = counting();
    runtime.hooks().on(
        HookEvent::PreToolCall,
        Hook::new("careful", |_| {
            Some(json!({"action": "approve", "message": "why", "rule_key": "k"}))
        }),
    );
    let rehearsal = runtime.rehearse(ToolCall::new("count", json!({}))).await;
    assert_eq!(rehearsal.gate, RehearsedGate::Ask { reason: "why".into(), rule_key: "k".into() });
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[test]
fn an_editor_may_refuse_edits_and_is_asked_about_nothing_else() {
    let runtime = runtime();
    runtime
        .registry()
        .register(echo("write_file", Effects::NONE.with(Effect::Writes).at(&["text"])));
    let run = |name: &str| {
        let mut call = ToolCall::new(name, json!({"text": "f"}));
        let editor = EditGate::new(|_, _| Box::pin(async { Err("the editor said no".to_owned()) }));
        call.context.services = Services::default().with(Arc::new(editor));
        runtime.call_blocking(call).verdict()
    };
    assert_eq!(run("echo").status, Status::Ok);
    assert_eq!(run("write_file").error_type, Some("edit_block"));
}

#[test]
fn while_only_looking_is_allowed_effects_decide_and_not_names() {
    let runtime = runtime();
    let reads = Effects::NONE.with(Effect::Reads);
    for (name, effects) in [
        ("look", reads),
        ("fetch", Effects::NONE.with(Effect::Network)),
        ("ask", Effects::NONE.with(Effect::Interactive).with(Effect::AgentState)),
        ("change", reads.with(Effect::Writes)),
        ("start", Effects::NONE.with(Effect::Runs)),
        ("stranger", Effects::UNKNOWN),
    ] {
        runtime.registry().register(echo(name, effects));
    }
    let gate = Arc::new(ReadOnlyGate::engaged());
    let run = |name: &str| {
        let mut call = ToolCall::new(name, json!({"text": "f"}));
        call.context.services = Services::default().with(Arc::clone(&gate));
        runtime.call_blocking(call).verdict()
    };
    for allowed in ["look", "fetch", "ask"] {
        assert_eq!(run(allowed).status, Status::Ok, "{allowed}");
    }
    for refused in ["change", "start", "stranger"] {
        assert_eq!(run(refused).error_type, Some("read_only_block"), "{refused}");
    }
    gate.lift();
    for name in ["change", "start", "stranger"] {
        assert_eq!(run(name).status, Status::Ok, "{name}");
    }
}

#[test]
fn deeply_nested_and_huge_arguments_are_answered() {
    let runtime = runtime();
    let mut nested = json!(1);
    for _ in 0..100 {
        nested = json!([nested]);
    }
    assert_eq!(answer(&runtime, "echo", json!({"deep": nested.clone()})), json!({"deep": nested}));
    let huge = "x".repeat(10_000_000);
    let outcome = runtime.call_blocking(ToolCall::new("echo", json!({"text": huge})));
    assert!(outcome.text().len() < 10_000);
}

fn renamed() -> Runtime {
    let runtime = Runtime::builder().build();
    runtime.registry().register(
        Tool::builder("search_files", "file")
            .effects(Effects::NONE)
            .policy(ToolPolicy { aliases: &["search"], ..ToolPolicy::default() })
            .handler(|args, _| Ok(ToolOutput::text(Value::Object(args).to_string()))),
    );
    runtime
}

#[test]
fn a_call_by_an_older_name_runs_the_tool_and_hooks_see_its_present_name() {
    let runtime = renamed();
    let seen = watch(&runtime, HookEvent::PreToolCall);
    let outcome = runtime.call_blocking(ToolCall::new("search", json!({"x": 1})));
    assert_eq!((outcome.tool.as_str(), outcome.text().as_str()), ("search_files", r#"{"x":1}"#));
    assert_eq!(seen.lock().unwrap()[0]["tool_name"], "search_files");
    // A tool that has the name now is called, and not the one that had it.
    runtime.registry().register(echo("search", Effects::NONE));
    assert_eq!(runtime.call_blocking(ToolCall::new("search", json!({}))).tool, "search");
}

#[test]
fn allow_lists_and_toolsets_may_use_an_older_name_which_is_never_offered() {
    let runtime = renamed();
    let mut call = ToolCall::new("search_files", json!({}));
    call.allowed = Some(Arc::new(["search".to_owned()].into()));
    assert_eq!(runtime.call_blocking(call).verdict().status, Status::Ok);
    let mut call = ToolCall::new("search", json!({}));
    call.allowed = Some(Arc::new(["other".to_owned()].into()));
    assert_eq!(runtime.call_blocking(call).verdict().status, Status::Blocked);
    let mine = crate::toolsets::Toolset::new("Mine").with_tools(["search"]);
    runtime.toolsets().create("mine", mine).unwrap();
    let tables = runtime.registry().snapshot();
    let tools = runtime.toolsets().snapshot().resolve("mine", &*tables);
    assert_eq!(tools.iter().map(|tool| &**tool).collect::<Vec<_>>(), ["search_files"]);
    assert_eq!(tables.names().iter().map(|name| &**name).collect::<Vec<_>>(), ["search_files"]);
}

#[test]
fn a_declared_deadline_ends_a_call_whose_caller_set_none() {
    let runtime = Runtime::builder().build();
    runtime.registry().register(
        Tool::builder("slow", "x")
            .policy(ToolPolicy {
                deadline: Some(Duration::from_millis(20)),
                ..ToolPolicy::default()
            })
            .async_handler(|_, _| async {
                tokio::time::sleep(Duration::from_secs(30)).await;
                Ok(ToolOutput::text("late"))
            }),
    );
    let outcome = runtime.call_blocking(ToolCall::new("slow", json!({})));
    assert_eq!(outcome.verdict().status, Status::Timeout);
}

#[test]
fn what_is_never_spilled_stays_whole_whatever_the_settings_say() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(crate::limits::LocalSpill::new(folder.path()));
    let runtime = Runtime::builder().spill(Some(store)).build();
    runtime.registry().register(
        Tool::builder("big", "x")
            .result_limit(ResultLimit::Chars(1_000))
            .policy(ToolPolicy { spill: SpillRule::Never, ..ToolPolicy::default() })
            .handler(|_, _| Ok(ToolOutput::text("x".repeat(5_000)))),
    );
    let outcome = runtime.call_blocking(with_ids("big", json!({})));
    assert_eq!((outcome.spilled_to.as_deref(), outcome.text().len()), (None, 5_000));
}
