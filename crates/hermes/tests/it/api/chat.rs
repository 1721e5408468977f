//! `/v1/chat/completions`.

use std::io::Read as _;
use std::time::{Duration, Instant};

use hermes_testkit::{Script, Step};
use serde_json::{Value, json};

use super::{Api, events};
use crate::wire::{Request, pid_in, wait_until_gone};

const PATH: &str = "/v1/chat/completions";

fn says(text: &str) -> Value {
    json!({"model": "hermes-agent", "messages": [{"role": "user", "content": text}]})
}

#[test]
fn every_row_has_its_place_and_the_answer_its_form() {
    let api = Api::start([Step::text("Salve.")]);
    let body = json!({"model": "hermes-agent", "temperature": 0.2, "messages": [
        {"role": "system", "content": "Speak Latin."},
        {"role": "developer", "content": "Never say amo."},
        {"role": "user", "content": "first words"},
        {"role": "assistant", "content": "earlier answer"},
        {"role": "user", "content": [{"type": "text", "text": "greet"}, {"type": "text", "text": "me"}]},
    ]});
    let answer = api.post(PATH, &body);
    assert_eq!(answer.status, 200, "{answer:?}");
    let said = answer.json();
    assert_eq!(said["object"], "chat.completion");
    assert!(said["id"].as_str().unwrap().starts_with("chatcmpl-"));
    assert_eq!(said["choices"][0]["message"], json!({"role": "assistant", "content": "Salve."}));
    assert_eq!(said["choices"][0]["finish_reason"], "stop");
    assert_eq!(said["hermes"]["completed"], true);
    assert_eq!(said["hermes"]["ignored"], json!(["temperature"]));
    assert!(answer.head.to_lowercase().contains("x-hermes-completed: true"), "{answer:?}");
    let asked = api.asked(0);
    let system = asked["messages"][0]["content"].to_string();
    assert!(system.contains("Speak Latin.\\nNever say amo."), "{system}");
    let rest = asked["messages"].to_string();
    assert!(
        rest.contains("first words")
            && rest.contains("earlier answer")
            && rest.contains("greet\\nme")
    );
}

#[test]
fn a_stream_ends_with_its_reason_usage_and_done() {
    let api = Api::start([Step::text("one two three four five").chunk(4)]);
    let mut body = says("count");
    body["stream"] = json!("true");
    body["stream_options"] = json!({"include_usage": true});
    let answer = api.post(PATH, &body);
    assert_eq!(answer.status, 200, "{answer:?}");
    let told = events(&answer.body);
    assert_eq!(told.last().unwrap().2, "[DONE]");
    let chunks: Vec<Value> = told[..told.len() - 1]
        .iter()
        .map(|(name, _, data)| {
            assert_eq!(name, "", "a named event would break some libraries");
            serde_json::from_str(data).unwrap()
        })
        .collect();
    assert_eq!(chunks[0]["choices"][0]["delta"]["role"], "assistant");
    let text: String = chunks
        .iter()
        .filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str())
        .collect();
    assert_eq!(text, "one two three four five");
    let [.., last, usage] = chunks.as_slice() else { panic!("{chunks:?}") };
    assert_eq!(last["choices"][0]["finish_reason"], "stop");
    assert_eq!(usage["choices"], json!([]));
    assert!(usage["usage"]["total_tokens"].as_u64().unwrap() > 0, "{usage}");
}

#[test]
fn tools_are_told_of_only_to_who_asked() {
    let script =
        || [Step::text("I look.").and_call("todo", json!({})), Step::text("Nothing to do.")];
    for (headers, wants) in [(&[][..], false), (&[("X-Hermes-Events", "1")][..], true)] {
        let api = Api::start(script());
        let mut body = says("look");
        body["stream"] = json!(true);
        let told = events(&api.post_with(PATH, &body, headers).body);
        let progress: Vec<&String> = told
            .iter()
            .filter(|event| event.0 == "hermes.tool.progress")
            .map(|event| &event.2)
            .collect();
        assert_eq!(progress.len(), if wants { 2 } else { 0 }, "{told:?}");
        if wants {
            assert!(
                progress[0].contains(r#""status":"running""#) && progress[1].contains("completed")
            );
        }
        let text: String = told
            .iter()
            .filter_map(|event| serde_json::from_str::<Value>(&event.2).ok())
            .filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str().map(str::to_owned))
            .collect();
        assert_eq!(text, "I look.\n\nNothing to do.");
    }
}

#[test]
fn what_is_not_understood_is_refused_with_its_place() {
    let api = Api::start([Step::text("never said")]);
    let refusal = |body: Value| {
        let answer = api.post(PATH, &body);
        let error = answer.json()["error"].clone();
        (
            answer.status,
            error["code"].as_str().unwrap().to_owned(),
            error["type"].as_str().unwrap().to_owned(),
        )
    };
    let invalid = |code: &str| (400, code.to_owned(), "invalid_request_error".to_owned());
    assert_eq!(refusal(json!({"messages": ["hi"]})), invalid("invalid_messages"));
    assert_eq!(refusal(json!({})), invalid("invalid_messages"));
    assert_eq!(refusal(json!([])), invalid("invalid_json"));
    let mut tools = says("hi");
    tools["tools"] = json!([{"type": "function", "function": {"name": "x"}}]);
    assert_eq!(refusal(tools), invalid("unsupported_parameter"));
    let mut model = says("hi");
    model["model"] = json!("gpt-4");
    assert_eq!(
        refusal(model),
        (404, "model_not_found".to_owned(), "invalid_request_error".to_owned())
    );
    assert_eq!(api.model.questions().len(), 0);
}

#[test]
fn an_empty_list_of_tools_means_none() {
    let api = Api::start([Step::text("just words")]);
    let mut body = says("talk");
    body["tools"] = json!([]);
    assert_eq!(api.post(PATH, &body).status, 200);
    let asked = api.asked(0);
    assert!(asked.get("tools").is_none_or(|tools| tools.as_array().unwrap().is_empty()), "{asked}");
}

#[test]
fn a_model_that_fails_is_a_status_not_an_invented_reason() {
    let api = Api::start(Script::from([Step::status(401).error("no such key")]).repeat_last());
    for stream in [false, true] {
        let mut body = says("hi");
        body["stream"] = json!(stream);
        let answer = api.post(PATH, &body);
        assert_eq!(answer.status, 502, "{answer:?}");
        assert_eq!(answer.json()["error"]["code"], "agent_incomplete");
        assert_eq!(answer.json()["error"]["type"], "server_error");
    }
}

/// Two strangers who both begin with "hi" are two sessions; who names a session goes on with it.
#[test]
fn sessions_are_shared_by_name_only() {
    let api = Api::start(["one", "two", "three", "four"].map(Step::text));
    let session = |headers: &[(&str, &str)]| {
        let answer = api.post_with(PATH, &says("hi"), headers);
        let head = answer.head.to_lowercase();
        let line = head.lines().find_map(|line| line.strip_prefix("x-hermes-session-id: "));
        line.unwrap_or_else(|| panic!("{answer:?}")).to_owned()
    };
    assert_ne!(session(&[]), session(&[]));
    let own = [("X-Hermes-Session-Id", "my-chat"), ("X-Hermes-Session-Key", "ann")];
    assert_eq!(session(&own), "my-chat");
    assert_eq!(session(&own), "my-chat");
    let rows = api.asked(3)["messages"].to_string();
    assert!(rows.contains("three"), "the stored history goes along: {rows}");
    let bad = api.post_with(PATH, &says("hi"), &[("X-Hermes-Session-Id", "../../etc")]);
    assert_eq!((bad.status, bad.code().as_str()), (400, "invalid_header"));
}

#[test]
fn the_same_request_under_one_key_is_one_turn() {
    let api = Api::start(["once", "again"].map(Step::text));
    let key = [("Idempotency-Key", "k1")];
    let first = api.post_with(PATH, &says("pay"), &key).json();
    let second = api.post_with(PATH, &says("pay"), &key).json();
    assert_eq!(first, second);
    assert_eq!(api.model.questions().len(), 1);
    let other = api.post_with(PATH, &says("pay twice"), &key);
    assert_eq!((other.status, other.code().as_str()), (409, "idempotency_key_reused"));
}

/// The command of a turn ends with the client that wanted it.
#[test]
fn a_client_that_goes_away_takes_its_command_along() {
    for stream in [false, true] {
        let command = "echo $$ > pid.txt; exec sleep 300";
        let api =
            Api::start([Step::call("terminal", json!({"command": command})), Step::text("done")]);
        let mut body = says("wait");
        body["stream"] = json!(stream);
        let body = body.to_string();
        let client = api.server.open(&Request::post(PATH, body.as_bytes()).token(&api.key));
        let pid = pid_in(&api.sandbox.scratch("pid.txt"));
        let gone = Instant::now();
        drop(client);
        wait_until_gone(pid);
        assert!(gone.elapsed() < Duration::from_secs(10), "{:?}", gone.elapsed());
        eprintln!("stream {stream}: the command ended {:?} after its client", gone.elapsed());
    }
}

/// Fifty streams at once; the first reader takes nothing until the others are done.
#[test]
fn a_slow_reader_holds_up_nobody() {
    let text = "word ".repeat(2_000);
    let step = Step::text(text.clone()).chunk(500);
    let api = Api::with(
        Script::from([step]).repeat_last(),
        "gateway:\n  api_server:\n    max_concurrent_runs: 60\n",
    );
    let mut body = says("talk");
    body["stream"] = json!(true);
    let body = body.to_string();
    let mut slow = api.server.open(&Request::post(PATH, body.as_bytes()).token(&api.key));
    std::thread::scope(|scope| {
        let others: Vec<_> = (0..49)
            .map(|_| {
                scope.spawn(|| {
                    api.server.send(&Request::post(PATH, body.as_bytes()).token(&api.key))
                })
            })
            .collect();
        for other in others {
            let answer = other.join().unwrap();
            assert!(answer.body.contains("[DONE]"), "{}", answer.head);
        }
    });
    let mut whole = String::new();
    slow.read_to_string(&mut whole).unwrap();
    assert!(whole.contains("[DONE]"));
}

#[test]
fn more_turns_than_there_may_be_are_told_to_come_back() {
    let api = Api::with(
        [Step::held(), Step::text("free")],
        "gateway:\n  api_server:\n    max_concurrent_runs: 1\n",
    );
    let body = says("first").to_string();
    let first = api.server.open(&Request::post(PATH, body.as_bytes()).token(&api.key));
    api.model.wait_for(1);
    let second = api.post(PATH, &says("second"));
    assert_eq!((second.status, second.code().as_str()), (429, "rate_limit_exceeded"));
    assert!(second.head.to_lowercase().contains("retry-after: 1"));
    drop(first);
}
