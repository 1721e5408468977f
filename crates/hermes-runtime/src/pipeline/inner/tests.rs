use std::sync::Mutex;
use std::time::Duration;

use hermes_tool::{ContextParts, Effects, ToolContext};
use serde_json::{Value, json};

use super::*;
use crate::hooks::{Hook, HookEvent};

/// Calls the tool that its arguments name.
fn relay() -> Tool {
    Tool::builder("relay", "x").effects(Effects::NONE).async_handler(
        |args, cx: ToolContext| async move {
            let mut context = cx.to_parts();
            context.ids.tool_call_id.push_str("_1");
            let name = args["tool"].as_str().unwrap_or_default().to_owned();
            let call = InnerCall { name, args: args["args"].clone(), context, time_limit: None };
            let tools = cx.tools().cloned().unwrap();
            Ok(tools.call(call).await)
        },
    )
}

fn echo() -> Tool {
    Tool::builder("echo", "x")
        .parameters(json!({"type": "object", "properties": {"count": {"type": "integer"}}}))
        .effects(Effects::NONE)
        .handler(|args, _| Ok(ToolOutput::text(Value::Object(args).to_string())))
}

#[test]
fn a_call_of_a_handler_takes_the_way_of_every_call() {
    let runtime = Runtime::builder().build();
    runtime.registry().register(relay());
    runtime.registry().register(echo());
    let seen: Arc<Mutex<Vec<(Value, Value)>>> = Arc::default();
    let sink = Arc::clone(&seen);
    let hook = Hook::new("watch", move |payload| {
        sink.lock().unwrap().push((payload["tool_name"].clone(), payload["tool_call_id"].clone()));
        (payload["args"]["count"] == 13).then(|| json!({"action": "block", "message": "unlucky"}))
    });
    runtime.hooks().on(HookEvent::PreToolCall, hook);
    let ask = |count: &str| {
        let args = json!({"tool": "echo", "args": {"count": count}});
        let mut call = ToolCall::new("relay", args);
        call.context.ids.tool_call_id = "a".into();
        runtime.call_blocking(call).text()
    };
    assert_eq!(ask("3"), r#"{"count":3}"#, "coerced");
    assert!(ask("13").contains("unlucky"), "{}", ask("13"));
    let seen = seen.lock().unwrap();
    assert_eq!(seen[..2], [(json!("relay"), json!("a")), (json!("echo"), json!("a_1"))]);
}

#[test]
fn what_a_caller_may_not_call_its_handlers_do_not_see_either() {
    let runtime = Runtime::builder().build();
    runtime.registry().register(
        Tool::builder("list", "x")
            .effects(Effects::NONE)
            .handler(|_, cx| Ok(ToolOutput::text(format!("{:?}", cx.enabled_tools())))),
    );
    let enabled = ["list", "echo"].map(Arc::<str>::from);
    let context = ContextParts { enabled_tools: Arc::new(enabled), ..ContextParts::default() };
    let allowed = Some(Arc::new(["list".to_owned()].into()));
    let call = ToolCall { context, allowed, ..ToolCall::new("list", json!({})) };
    assert_eq!(runtime.call_blocking(call).text(), r#"["list"]"#);
}

/// A tool that says goodbye when it is cancelled.
fn polite(effects: Effects) -> Tool {
    Tool::builder("polite", "x").effects(effects).async_handler(|_, cx: ToolContext| async move {
        cx.cancellation().cancelled().await;
        tokio::time::sleep(Duration::from_millis(20)).await;
        Ok(ToolOutput::text("so far"))
    })
}

async fn cancelled(effects: Effects) -> crate::CallOutcome {
    let runtime = Runtime::builder().build();
    runtime.registry().register(polite(effects));
    let call = ToolCall::new("polite", json!({}));
    call.context.cancellation.cancel();
    runtime.call(call).await
}

#[tokio::test]
async fn what_runs_programs_may_tell_what_came_of_them_when_it_is_cancelled() {
    let outcome = cancelled(Effects::NONE.with(hermes_tool::Effect::Runs)).await;
    assert_eq!(outcome.text(), "so far");
    assert_eq!(outcome.verdict().status, crate::Status::Cancelled);
    let outcome = cancelled(Effects::NONE).await;
    assert!(outcome.text().contains("was cancelled"), "{}", outcome.text());
}
