use std::io::{BufRead, Read, Write};

use super::*;
use crate::step::{Quirk, ScriptedUsage};

/// A request by hand on a connection of its own; everything that comes back until it closes.
fn post(server: &ModelServer, path: &str, body: &Value) -> String {
    let mut stream = begin(server, path, body);
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn begin(server: &ModelServer, path: &str, body: &Value) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).unwrap();
    let body = body.to_string();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nAuthorization: Bearer sk-key\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    stream
}

fn get(server: &ModelServer, path: &str) -> String {
    let mut stream = TcpStream::connect(server.address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\n\r\n").unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

const CHAT: &str = "/v1/chat/completions";

fn streamed() -> Value {
    json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": "hi"}]})
}

fn plain() -> Value {
    json!({"model": "m", "messages": [{"role": "user", "content": "hi"}]})
}

/// The data of the events in an answer.
fn data(answer: &str) -> Vec<Value> {
    let lines = answer.lines().filter_map(|line| line.strip_prefix("data: "));
    lines.map(|data| serde_json::from_str(data).unwrap_or_else(|_| json!(data))).collect()
}

// Half-closing the connection tells the server nothing about held steps, so these tests do not hold.

#[test]
fn a_plain_chat_answer_has_text_calls_and_cost() {
    let usage = ScriptedUsage { input: 9, output: 4, cached: 2, ..ScriptedUsage::default() };
    let step = Step::text("you said {{user}}").and_call("todo", json!({"a": 1})).usage(usage);
    let server = ModelServer::start([step]);
    let answer = post(&server, CHAT, &plain());
    let body: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    let message = &body["choices"][0]["message"];
    assert_eq!(message["content"], "you said hi");
    assert_eq!(message["tool_calls"][0]["function"]["arguments"], "{\"a\":1}");
    assert_eq!(body["choices"][0]["finish_reason"], "tool_calls");
    assert_eq!(body["usage"]["prompt_tokens_details"]["cached_tokens"], 2);
}

#[test]
fn a_streamed_chat_answer_comes_in_pieces_and_ends_with_cost_and_marker() {
    let server = ModelServer::start([Step::text("abcdef").reasoning("hm").chunk(2)]);
    let events = data(&post(&server, CHAT, &streamed()));
    let said: Vec<&str> = events
        .iter()
        .filter_map(|event| event["choices"][0]["delta"]["content"].as_str())
        .collect();
    assert_eq!(said, ["", "ab", "cd", "ef"]);
    assert_eq!(events[1]["choices"][0]["delta"]["reasoning_content"], "hm");
    assert_eq!(events.last().unwrap(), "[DONE]");
    assert!(events[events.len() - 2]["usage"]["prompt_tokens"].as_u64().unwrap() > 0);
}

#[test]
fn quirks_show_in_the_stream() {
    let two = |quirk| Step::call("a", json!({})).and_call("b", json!({"x": "y"})).quirk(quirk);
    let server = ModelServer::start([
        two(Quirk::Index0),
        two(Quirk::NullIndex),
        two(Quirk::IntId),
        two(Quirk::NoId),
        two(Quirk::OneChunk),
        two(Quirk::Ping),
    ]);
    let calls = || -> Vec<Value> {
        let events = data(&post(&server, CHAT, &streamed()));
        let of = |event: &Value| event["choices"][0]["delta"]["tool_calls"][0].clone();
        events.iter().map(of).filter(|call| !call.is_null()).collect()
    };
    assert!(calls().iter().all(|call| call["index"] == 0 && call["id"].is_string()));
    assert!(calls().iter().all(|call| call["index"].is_null()));
    assert_eq!(calls()[0]["id"], 1000);
    assert!(calls().iter().all(|call| call["id"].is_null()));
    assert_eq!(calls()[1]["function"]["arguments"], "{\"x\":\"y\"}");
    assert!(post(&server, CHAT, &streamed()).contains(": ping"));
}

#[test]
fn the_messages_wire_has_blocks_and_its_own_words() {
    let step = || Step::text("hi").reasoning("hm").and_call("todo", json!({"a": 1}));
    let server = ModelServer::start([step(), step().finish("length")]);
    let events = data(&post(&server, "/v1/messages", &streamed()));
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    assert_eq!(kinds[..3], ["message_start", "content_block_start", "content_block_delta"]);
    assert_eq!(kinds[kinds.len() - 2..], ["message_delta", "message_stop"]);
    assert_eq!(events[events.len() - 2]["delta"]["stop_reason"], "tool_use");
    let answer = post(&server, "/anthropic/v1/messages", &plain());
    let body: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert_eq!(body["stop_reason"], "max_tokens");
    assert_eq!(body["content"][2]["input"], json!({"a": 1}));
}

#[test]
fn a_failure_has_status_message_and_headers() {
    let step = Step::status(429).error("slow down").header("retry-after", "7");
    let server = ModelServer::start([step]);
    let answer = post(&server, CHAT, &plain());
    assert!(answer.starts_with("HTTP/1.1 429 "), "{answer}");
    assert!(answer.contains("retry-after: 7") && answer.contains("slow down"), "{answer}");
}

#[test]
fn a_drop_breaks_off_after_the_last_piece_that_was_promised() {
    let server = ModelServer::start([Step::text("abcdef").chunk(1).drop_after(3)]);
    let answer = post(&server, CHAT, &streamed());
    assert_eq!(data(&answer).len(), 3);
    assert!(!answer.ends_with("0\r\n\r\n"), "{answer}");
}

#[test]
fn an_empty_stream_and_raw_answers_are_sent_as_they_are() {
    let server = ModelServer::start([
        Step::empty_stream(),
        Step::raw_body("<html>no</html>"),
        Step::raw_events(["{\"error\": \"x\"}", "[DONE]"]),
    ]);
    assert!(data(&post(&server, CHAT, &streamed())).is_empty());
    assert!(post(&server, CHAT, &plain()).ends_with("<html>no</html>"));
    assert_eq!(data(&post(&server, CHAT, &streamed()))[0]["error"], "x");
}

#[test]
fn without_a_step_the_request_fails_and_says_why() {
    let server = ModelServer::start(Script::default());
    let answer = post(&server, CHAT, &plain());
    assert!(answer.contains("418") && answer.contains("no step"), "{answer}");
}

#[test]
fn the_log_knows_every_request_in_order() {
    let server = ModelServer::start(Script::new(["a"]).page("/api/tags", json!({"models": []})));
    assert!(get(&server, "/v1/models").contains("\"context_length\":200000"));
    assert!(get(&server, "/api/tags").ends_with("{\"models\":[]}"));
    assert!(get(&server, "/props").contains("404"));
    post(&server, CHAT, &plain());
    let log = server.wait_until(|log| log.iter().all(|seen| seen.outcome == SeenOutcome::Played));
    let paths: Vec<&str> = log.iter().map(|seen| seen.path.as_str()).collect();
    assert_eq!(paths, ["/v1/models", "/api/tags", "/props", CHAT]);
    assert!(log[3].carries("sk-key") && !format!("{log:?}").contains("sk-key"));
    assert_eq!(server.questions().len(), 1);
    assert_eq!(server.steps_left(), 0);
}

#[test]
fn a_held_step_waits_for_its_release() {
    let server = ModelServer::start([Step::text("abc").chunk(1).hold_after(2)]);
    let mut stream = TcpStream::connect(server.address).unwrap();
    let body = streamed().to_string();
    write!(stream, "POST {CHAT} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    server.wait_for(1);
    stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let mut answer = String::new();
    assert!(stream.read_to_string(&mut answer).is_err(), "it goes on by itself: {answer}");
    assert_eq!(data(&answer).len(), 2);
    server.release();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut lines = std::io::BufReader::new(stream);
    while !answer.contains("[DONE]") {
        assert!(lines.read_line(&mut answer).unwrap() > 0, "the stream has ended: {answer}");
    }
}

#[test]
fn hanging_up_on_a_held_step_is_noticed() {
    let server = ModelServer::start([Step::held()]);
    let mut stream = TcpStream::connect(server.address).unwrap();
    let body = plain().to_string();
    write!(stream, "POST {CHAT} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    server.wait_for(1);
    drop(stream);
    server.wait_until(|log| log[0].outcome == SeenOutcome::HungUp);
}

#[test]
fn one_connection_can_carry_many_requests() {
    let server = ModelServer::start(["a", "b"]);
    let mut stream = TcpStream::connect(server.address).unwrap();
    let body = streamed().to_string();
    for _ in 0..2 {
        write!(stream, "POST {CHAT} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len())
            .unwrap();
    }
    let log = server.wait_for(2);
    assert_eq!((log[0].connection, log[1].connection), (0, 0));
}
