//! What a script says to us and what it hears: one line of JSON each.
//!
//! A request is `{"tool", "args", "token"}`, and may have an `id`, which comes back with the answer
//! so that several can be under way at once: `{"id", "result"}`. Without one the answer is the
//! result itself. Whatever a line says, it is answered with one line, and a mistake is no reason to
//! hang up.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::token::CallToken;

/// How long one call may take.
pub const CALL_LIMIT: Duration = Duration::from_secs(300);

/// Answers the calls of a script.
pub trait AnswerCalls: Send + Sync {
    /// Makes a call; what it gives, as text. An error is an object with `error`.
    fn call(&self, tool: String, args: Map<String, Value>) -> BoxFuture<'static, String>;
}

#[derive(Deserialize)]
struct Request {
    #[serde(default)]
    id: Option<Value>,
    #[serde(default)]
    tool: Value,
    #[serde(default)]
    args: Value,
    #[serde(default)]
    token: Value,
}

/// Who answers the lines of one run.
#[derive(Clone)]
pub(super) struct CallDispatcher {
    token: Arc<CallToken>,
    calls: Arc<dyn AnswerCalls>,
}

impl CallDispatcher {
    pub(super) fn new(token: Arc<CallToken>, calls: Arc<dyn AnswerCalls>) -> Self {
        Self { token, calls }
    }

    /// The answer to one line, with a line break behind it.
    pub(super) async fn answer(&self, line: Vec<u8>) -> Vec<u8> {
        let (id, result) = match read(&line) {
            Ok(request) => {
                drop(line);
                let id = request.id.clone();
                (id, self.result(request).await)
            }
            Err(problem) => (
                None,
                mistake(&format!("the request is not a line of JSON as expected: {problem}")),
            ),
        };
        let mut reply = match id {
            Some(id) => format!("{{\"id\":{id},\"result\":{}}}", one_line(result)),
            None => one_line(result),
        };
        reply.push('\n');
        reply.into_bytes()
    }

    async fn result(&self, request: Request) -> String {
        let Request { tool, args, token, .. } = request;
        if !token.as_str().is_some_and(|guess| self.token.is(guess)) {
            return mistake("the token of the request is wrong; it is in HERMES_RPC_TOKEN");
        }
        let Value::String(tool) = tool else {
            return mistake("the request has no `tool` that is a text");
        };
        let args = match args {
            Value::Object(args) => args,
            Value::Null => Map::new(),
            _ => return mistake("`args` of the request must be an object"),
        };
        let running = self.calls.call(tool, args);
        match tokio::time::timeout(CALL_LIMIT, running).await {
            Ok(result) => result,
            Err(_) => {
                mistake(&format!("the call took longer than {} seconds", CALL_LIMIT.as_secs()))
            }
        }
    }
}

fn read(line: &[u8]) -> Result<Request, serde_json::Error> {
    // A list would do for the fields, too, in their order.
    match line.trim_ascii_start().first() {
        Some(b'{') => serde_json::from_slice(line),
        _ => Err(serde::de::Error::custom("an object is expected")),
    }
}

/// An error as a script sees it.
pub(super) fn mistake(message: &str) -> String {
    json!({"error": message}).to_string()
}

/// A result as one JSON value on one line: itself if it is that, else as a text.
fn one_line(result: String) -> String {
    if serde_json::from_str::<&RawValue>(&result).is_err() {
        return Value::String(result).to_string();
    }
    if !result.contains(['\n', '\r']) {
        return result;
    }
    // Line breaks can only stand between its parts.
    match serde_json::from_str::<Value>(&result) {
        Ok(value) => value.to_string(),
        Err(_) => Value::String(result).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Echo;

    impl AnswerCalls for Echo {
        fn call(&self, tool: String, args: Map<String, Value>) -> BoxFuture<'static, String> {
            let text = match tool.as_str() {
                "text" => "just\nwords".to_owned(),
                "pretty" => "{\n  \"a\": 1\n}".to_owned(),
                _ => json!({"tool": tool, "args": args}).to_string(),
            };
            Box::pin(async { text })
        }
    }

    fn ask(line: &str) -> Value {
        let token = CallToken::draw().unwrap();
        let line = line.replace("TOKEN", token.text());
        let dispatcher = CallDispatcher::new(Arc::new(token), Arc::new(Echo));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let reply = String::from_utf8(runtime.block_on(dispatcher.answer(line.into()))).unwrap();
        assert_eq!(reply.matches('\n').count(), 1, "{reply:?}");
        serde_json::from_str(&reply).unwrap()
    }

    #[test]
    fn an_id_comes_back_and_without_one_the_result_stands_alone() {
        let asked = ask(r#"{"id": 7, "tool": "t", "args": {"x": 1}, "token": "TOKEN"}"#);
        assert_eq!(asked, json!({"id": 7, "result": {"tool": "t", "args": {"x": 1}}}));
        let asked = ask(r#"{"tool": "t", "token": "TOKEN"}"#);
        assert_eq!(asked, json!({"tool": "t", "args": {}}));
    }

    #[test]
    fn every_result_is_one_value_on_one_line() {
        let asked = ask(r#"{"id": "a", "tool": "text", "token": "TOKEN"}"#);
        assert_eq!(asked, json!({"id": "a", "result": "just\nwords"}));
        assert_eq!(ask(r#"{"tool": "pretty", "token": "TOKEN"}"#), json!({"a": 1}));
    }

    #[test]
    fn a_mistake_is_answered_with_what_is_wrong() {
        for (line, told) in [
            ("", "not a line of JSON"),
            ("[1]", "not a line of JSON"),
            ("{\"tool\": \"t\"}", "token"),
            (r#"{"tool": "t", "token": "nope"}"#, "token"),
            (r#"{"tool": "t", "token": 5}"#, "token"),
            (r#"{"tool": 5, "token": "TOKEN"}"#, "tool"),
            (r#"{"tool": "t", "args": [], "token": "TOKEN"}"#, "args"),
        ] {
            let answer = ask(line);
            assert!(answer["error"].as_str().is_some_and(|text| text.contains(told)), "{answer}");
        }
        let answer = ask(r#"{"id": 3, "tool": "t", "token": "nope"}"#);
        assert_eq!(answer["id"], 3, "{answer}");
        assert!(!answer.to_string().contains("nope"));
    }
}
