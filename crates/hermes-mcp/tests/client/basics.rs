//! What everybody expects of a client.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hermes_mcp::client::ServersParts;
use hermes_mcp::client::elicitation::{Form, FormReply, PageConsent, PageRequest, Person};
use hermes_mcp::client::status::ServerState;
use hermes_tool::{BoxFuture, ContextParts, Effect, Origin, Progress, Tool, ToolOutput};
use serde_json::{Value, json};

use crate::host::{Host, PATIENCE, cancellable, fixture, is_alive};

fn with(mut entry: Value, more: &Value) -> Value {
    for (key, value) in more.as_object().unwrap() {
        entry[key] = value.clone();
    }
    entry
}

#[tokio::test]
async fn tools_are_registered_called_and_withdrawn() {
    let host = Host::started(&json!({"fix ture": fixture(&["noise=1"])})).await;
    let status = host.status("fix ture");
    assert_eq!(status.state, ServerState::Connected, "{status:?}");
    assert_eq!(status.server_info.as_deref(), Some("fixture 1.0"));
    assert_eq!(status.instructions.as_deref(), Some("Be kind."));
    let tool = host.registry.get("mcp__fix_ture__echo").unwrap();
    assert_eq!(tool.toolset().as_ref(), "mcp-fix ture");
    assert_eq!(tool.origin(), &Origin::Mcp("fix ture".into()));
    assert!(tool.effects().has(Effect::Writes));
    let tables = host.registry.snapshot();
    assert_eq!(tables.alias_target("fix ture").unwrap().as_ref(), "mcp-fix ture");
    // Two pages, and our four tools about resources and prompts.
    assert_eq!(tables.tools_in("mcp-fix ture").count(), status.tools);
    assert!(host.registry.get("mcp__fix_ture__look_then_die").unwrap().effects().is_read_only());
    assert_eq!(host.text("mcp__fix_ture__echo", json!({"text": "hällo"})).await, "hällo");
    let media = host.text("mcp__fix_ture__media", json!({})).await;
    assert!(media.starts_with("MEDIA:") && media.contains("/cache/images/img_"), "{media}");
    host.servers.stop().await;
    assert!(host.registry.snapshot().is_empty());
}

#[tokio::test]
async fn resources_and_prompts_have_tools_of_their_own() {
    let host = Host::started(&json!({"s": fixture(&["tools=list_resources"])})).await;
    // The server's own tool keeps the plain name.
    assert_eq!(host.text("mcp__s__list_resources", json!({})).await, "list_resources");
    let ours = host.registry.snapshot();
    let ours = ours.names().into_iter().find(|name| name.starts_with("mcp__s__list_resources_"));
    let listed = host.call(&ours.unwrap(), json!({})).await;
    assert_eq!(listed["resources"][0]["uri"], "test://a");
    assert_eq!(host.text("mcp__s__read_resource", json!({"uri": "test://a"})).await, "content");
    let prompts = host.call("mcp__s__list_prompts", json!({})).await;
    assert_eq!(prompts["prompts"][0]["arguments"][0]["required"], false);
    let got = host.call("mcp__s__get_prompt", json!({"name": "p", "arguments": {"x": 7}})).await;
    assert_eq!(got["messages"][0]["content"], r#"{"x": "7"}"#);
    let missing = host.call("mcp__s__read_resource", json!({})).await;
    assert_eq!(missing["error"], "`uri` is required");
}

#[tokio::test]
async fn filters_choose_tools_and_leave_utilities() {
    let only = with(fixture(&[]), &json!({"tools": {"include": ["echo"], "prompts": "off"}}));
    let host = Host::started(&json!({"s": only})).await;
    let names: Vec<String> =
        host.registry.snapshot().names().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["mcp__s__echo", "mcp__s__list_resources", "mcp__s__read_resource"]);
}

#[tokio::test]
async fn a_program_sees_only_the_variables_it_is_given() {
    let entry = with(fixture(&[]), &json!({"env": {"GIVEN": "${SECRET_KEY_OF_OURS}!"}}));
    let host = Host::started(&json!({"s": entry})).await;
    let text = host.text("mcp__s__environment", json!({})).await;
    let seen: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(seen["GIVEN"], "do-not-leak!");
    assert!(seen.get("SECRET_KEY_OF_OURS").is_none() && seen.get("PATH").is_some(), "{seen}");
}

#[tokio::test]
async fn a_tools_own_error_is_an_answer_and_never_opens_the_breaker() {
    let host = Host::started(&json!({"s": fixture(&[])})).await;
    for _ in 0..5 {
        let error = host.call("mcp__s__fail", json!({})).await;
        assert_eq!(error["error"], "no such file; [REDACTED]");
        let rpc = host.call("mcp__s__rpc_error", json!({})).await;
        assert_eq!(rpc["error"], "MCP call failed: InvalidParams: bad argument, [REDACTED]");
    }
    assert_eq!(host.text("mcp__s__echo", json!({"text": "ok"})).await, "ok");
}

#[tokio::test]
async fn the_parallel_flag_has_an_effect() {
    let entry = with(fixture(&[]), &json!({"supports_parallel_tool_calls": true}));
    let host = Host::started(&json!({"par": entry, "one": fixture(&[])})).await;
    let four = |tool: &'static str, seconds: f64| {
        let host = &host;
        async move {
            let begun = Instant::now();
            let call = || host.text(tool, json!({"seconds": seconds}));
            tokio::join!(call(), call(), call(), call());
            begun.elapsed()
        }
    };
    let parallel = four("mcp__par__sleep", 1.0).await;
    assert!(parallel < Duration::from_millis(2000), "{parallel:?}");
    let serial = four("mcp__one__sleep", 0.2).await;
    assert!(serial >= Duration::from_millis(800), "{serial:?}");
}

#[tokio::test]
async fn progress_is_shown_and_puts_the_limit_off() {
    let entry = with(fixture(&[]), &json!({"timeout": 1.5}));
    let host = Host::started(&json!({"s": entry})).await;
    let seen: Arc<Mutex<Vec<Progress>>> = Arc::default();
    let sink = Arc::clone(&seen);
    let cx = ContextParts {
        progress: Some(Arc::new(move |note| sink.lock().unwrap().push(note))),
        ..ContextParts::default()
    };
    // Four steps of 0.6 s: longer than the limit, but never without a sign of life for so long.
    let answer = host.call_in("mcp__s__progress", json!({"seconds": 0.6}), cx.into()).await;
    assert_eq!(answer["result"], "done", "{answer}");
    let seen = seen.lock().unwrap();
    assert!(seen.iter().any(|note| note.message == "step 1" && note.fraction == Some(0.25)));
}

#[tokio::test]
async fn a_timeout_tells_the_server_and_the_caller() {
    let host = Host::new(&json!({}));
    let log = format!("log={}", host.file("log").display());
    let with_log = with(fixture(&[&log]), &json!({"timeout": 0.3}));
    host.servers.reload(&json!({"mcp_servers": {"s": with_log}})).await;
    assert!(host.servers.wait_ready(PATIENCE).await);
    let answer = host.call("mcp__s__never", json!({})).await;
    let text = answer["error"].as_str().unwrap();
    assert!(text.contains("0.3 s are configured"), "{text}");
    host.until("the notice", |host| {
        host.lines("log").iter().any(|line| line.contains("notifications/cancelled"))
    })
    .await;
}

#[tokio::test]
async fn an_interrupt_tells_the_server_at_once() {
    let host = Host::new(&json!({}));
    let log = format!("log={}", host.file("log").display());
    host.servers.reload(&json!({"mcp_servers": {"s": fixture(&[&log])}})).await;
    assert!(host.servers.wait_ready(PATIENCE).await);
    let (cx, token) = cancellable();
    let begun = Instant::now();
    let cancel = async {
        host.until("the call", |host| {
            host.lines("log").iter().any(|line| line.contains("\"never\""))
        })
        .await;
        token.cancel();
    };
    let (answer, ()) = tokio::join!(host.call_in("mcp__s__never", json!({}), cx), cancel);
    assert_eq!(answer["error"], "The MCP call was interrupted by the user");
    assert!(begun.elapsed() < PATIENCE);
    let cancelled = |host: &Host| {
        let lines = host.lines("log");
        let call = lines.iter().find(|line| line.contains("\"never\"")).cloned().unwrap();
        let id = serde_json::from_str::<Value>(&call).unwrap()["id"].clone();
        lines.iter().any(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            line["method"] == "notifications/cancelled" && line["params"]["requestId"] == id
        })
    };
    host.until("the notice", cancelled).await;
    // A caller who just goes away is noticed, too.
    let gone = tokio::time::timeout(
        Duration::from_millis(300),
        host.call("mcp__s__never", json!({"text": "second"})),
    );
    assert!(gone.await.is_err());
    host.until("the second notice", |host| {
        host.lines("log").iter().filter(|line| line.contains("notifications/cancelled")).count()
            == 2
    })
    .await;
}

#[tokio::test]
async fn a_changed_list_is_taken_over_in_place() {
    let host = Host::started(&json!({"s": fixture(&[])})).await;
    let before = host.registry.get("mcp__s__echo").unwrap();
    assert!(host.registry.get("mcp__s__first").is_some());
    host.text("mcp__s__swap", json!({})).await;
    host.until("the new tool", |host| host.registry.get("mcp__s__second").is_some()).await;
    host.until("the old one's end", |host| host.registry.get("mcp__s__first").is_none()).await;
    // What did not change is the very same tool.
    let after = host.registry.get("mcp__s__echo").unwrap();
    assert!(std::ptr::eq(before.name().as_ref(), after.name().as_ref()));
}

#[tokio::test]
async fn names_of_others_are_not_taken() {
    let host = Host::new(&json!({"s": fixture(&[])}));
    let linked = Tool::builder("mcp__s__echo", "mine").handler(|_, _| Ok(ToolOutput::text("{}")));
    host.registry.register(linked);
    host.servers.start();
    assert!(host.servers.wait_ready(PATIENCE).await);
    assert_eq!(host.registry.get("mcp__s__echo").unwrap().toolset().as_ref(), "mine");
    assert!(host.servers.names().origin("mcp__s__echo").is_none());
    host.servers.stop().await;
    assert!(host.registry.get("mcp__s__echo").is_some(), "not ours to remove");
}

struct Helpful;

impl Person for Helpful {
    fn fill(&self, form: Form) -> BoxFuture<FormReply> {
        let mut content = serde_json::Map::new();
        assert_eq!(form.fields.len(), 1, "the person sees the fields");
        content.insert("name".into(), "you".into());
        Box::pin(async { FormReply::Accepted(content) })
    }

    fn visit(&self, _visit: PageRequest) -> BoxFuture<PageConsent> {
        Box::pin(async { PageConsent::Declined })
    }
}

#[tokio::test]
async fn questions_of_a_server_are_answered_while_it_works() {
    let entry = with(fixture(&[]), &json!({"roots": true}));
    let config = json!({"mcp_servers": {"s": entry}});
    let host = Host::with(&config, |parts: &mut ServersParts| {
        parts.person = Some(Arc::new(Helpful));
        parts.folder = "/somewhere".into();
    });
    host.servers.start();
    assert!(host.servers.wait_ready(PATIENCE).await);
    let said = host.text("mcp__s__ask_person", json!({})).await;
    assert_eq!(said, r#"{"action": "accept", "content": {"name": "you"}}"#);
    let roots = host.text("mcp__s__ask_roots", json!({})).await;
    assert!(roots.contains("file:///somewhere"), "{roots}");
}

#[tokio::test]
async fn nobody_answers_for_a_person_who_is_not_there() {
    let host = Host::started(&json!({"s": fixture(&[])})).await;
    assert_eq!(host.text("mcp__s__ask_person", json!({})).await, r#"{"action": "decline"}"#);
    let roots = host.text("mcp__s__ask_roots", json!({})).await;
    assert!(roots.contains("-32601"), "{roots}");
}

#[tokio::test]
async fn an_idle_program_is_closed_and_comes_back_with_the_next_call() {
    let entry = with(fixture(&[]), &json!({"idle_timeout_seconds": 0.3}));
    let host = Host::started(&json!({"s": entry})).await;
    let first: u32 = host.text("mcp__s__where", json!({})).await.parse().unwrap();
    host.until("its end", |_| !is_alive(first)).await;
    assert_eq!(host.status("s").state, ServerState::Connected, "still listed");
    assert!(host.registry.get("mcp__s__where").is_some());
    let second: u32 = host.text("mcp__s__where", json!({})).await.parse().unwrap();
    assert_ne!(first, second);
}

#[tokio::test]
async fn a_new_configuration_starts_stops_and_keeps() {
    let host = Host::started(&json!({"keep": fixture(&[]), "drop": fixture(&[])})).await;
    let kept: u32 = host.text("mcp__keep__where", json!({})).await.parse().unwrap();
    let dropped: u32 = host.text("mcp__drop__where", json!({})).await.parse().unwrap();
    let next = json!({"mcp_servers": {"keep": fixture(&[]), "new": fixture(&[]),
        "off": with(fixture(&[]), &json!({"enabled": false}))}});
    let report = host.servers.reload(&next).await;
    assert_eq!((report.added.len(), report.removed.len(), report.changed.len()), (2, 1, 0));
    assert!(host.servers.wait_ready(PATIENCE).await);
    assert!(!is_alive(dropped));
    assert_eq!(host.text("mcp__keep__where", json!({})).await, kept.to_string());
    assert!(host.registry.get("mcp__new__echo").is_some());
    assert!(host.registry.get("mcp__drop__echo").is_none());
    assert_eq!(host.status("off").state, ServerState::Disabled);
}

#[tokio::test]
async fn a_probe_lists_and_leaves_nothing() {
    let only = with(fixture(&[]), &json!({"tools": {"include": ["echo"]}}));
    let host = Host::new(&json!({"s": only, "bad": {"command": "no-such-program-anywhere"}}));
    let found = host.servers.probe("s").await.unwrap();
    assert!(found.tools.iter().any(|(name, _)| name == "sleep"), "also what is filtered out");
    assert!(found.has_resources && host.registry.snapshot().is_empty());
    let error = host.servers.probe("bad").await.unwrap_err().to_string();
    assert!(error.contains("'bad'") && error.contains("no-such-program-anywhere"), "{error}");
}

#[tokio::test]
async fn safe_mode_starts_nothing() {
    let config = json!({"mcp_servers": {"s": fixture(&[])}});
    let host = Host::with(&config, |parts| {
        parts.vars = parts.vars.overlaid([("HERMES_SAFE_MODE".to_owned(), "1".to_owned())]);
    });
    host.servers.start();
    assert_eq!(host.status("s").state, ServerState::Configured);
    host.servers.stop().await;
}
