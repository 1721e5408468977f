//! The engine with a real model: the small one of the test parts (`scripts/test-parts/model start`). Built and run only
//! with the feature `local`: `cargo nextest run -p hermes-local --features local`.
#![cfg(feature = "local")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;

use hermes_local::engine::{self, EngineAddress, EngineOptions};
use serde_json::{Value, json};

fn model() -> PathBuf {
    let home = PathBuf::from(std::env::var_os("HOME").unwrap());
    let folder = home.join(".cache/hermes-test-parts/model");
    let found = std::fs::read_dir(&folder).into_iter().flatten().filter_map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name()?.to_str()?;
        (name.starts_with("small-") && name.ends_with(".gguf")).then_some(path.clone())
    });
    found.last().unwrap_or_else(|| {
        panic!("no model in {}; `scripts/test-parts/model start` fetches it", folder.display())
    })
}

async fn started(states: &std::path::Path) -> EngineAddress {
    let (tell, told) = tokio::sync::oneshot::channel();
    let options = EngineOptions {
        file: model(),
        model: "small".to_owned(),
        window: 2_048,
        port: 0,
        states: states.to_owned(),
    };
    tokio::spawn(async move {
        engine::serve(options, |address| drop(tell.send(address.clone()))).await.unwrap();
    });
    told.await.unwrap()
}

async fn asked(engine: &EngineAddress, key: &str, body: &Value) -> (u16, String) {
    let url = format!("{}/chat/completions", engine.base_url);
    let builder =
        hermes_llm::http::client(&url, std::time::Duration::from_secs(5), &Default::default());
    let question =
        builder.unwrap().post(&url).header("authorization", format!("Bearer {key}")).json(body);
    let answer = question.send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

fn tools() -> Value {
    json!([
        {"type": "function", "function": {"name": "terminal", "description": "Run a shell command.",
            "parameters": {"type": "object", "properties": {"command": {"type": "string"},
                "background": {"type": "boolean"}}, "required": ["command"]}}},
        {"type": "function", "function": {"name": "read_file", "description": "Read a file.",
            "parameters": {"type": "object", "properties": {"path": {"type": "string"},
                "offset": {"type": "integer"}}, "required": ["path"]}}},
    ])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_model_answers_and_its_calls_fit_the_tools() {
    let states = tempfile::tempdir().unwrap();
    let engine = started(states.path()).await;
    let hello = json!({"messages": [{"role": "user", "content": "Say hello."}], "max_tokens": 12});
    assert_eq!(asked(&engine, "wrong", &hello).await.0, 401);
    let (status, answer) = asked(&engine, &engine.key, &hello).await;
    let answer: Value =
        serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{status}: {answer}"));
    assert!(!answer["choices"][0]["message"]["content"].as_str().unwrap().is_empty(), "{answer}");

    let system = "You do tasks on the user's computer by calling tools. ".repeat(8);
    let mut valid = 0;
    let wishes =
        ["List the files.", "Read notes.txt.", "What is in /etc/hostname?", "Run the tests."];
    for wish in wishes {
        let request = json!({"tools": tools(), "tool_choice": "required", "max_tokens": 120,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": wish}]});
        let (status, answer) = asked(&engine, &engine.key, &request).await;
        assert_eq!(status, 200, "{answer}");
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let choice = &answer["choices"][0];
        // Only an answer that was cut off may be no whole call.
        let Some(call) = choice["message"]["tool_calls"].get(0) else {
            assert_eq!(choice["finish_reason"], "length", "{answer}");
            continue;
        };
        let name = call["function"]["name"].as_str().unwrap();
        let arguments: Value =
            serde_json::from_str(call["function"]["arguments"].as_str().unwrap()).unwrap();
        let needed = if name == "terminal" { "command" } else { "path" };
        assert!(
            ["terminal", "read_file"].contains(&name) && arguments[needed].is_string(),
            "{call}"
        );
        valid += 1;
        let known = answer["usage"]["prompt_tokens_details"]["cached_tokens"].as_u64().unwrap();
        assert!(known > 60, "instructions and tools are read once: {}", answer["usage"]);
    }
    assert!(valid >= 3, "{valid} of {} answers were whole calls", wishes.len());
    assert_eq!(std::fs::read_dir(states.path()).unwrap().count(), 1, "the prefix is kept");

    // Another engine, which has read nothing, takes the prefix from the disk.
    let again = started(states.path()).await;
    let request = json!({"tools": tools(), "stream": true, "max_tokens": 8,
        "messages": [{"role": "system", "content": system}, {"role": "user", "content": "Hello"}]});
    let (_, events) = asked(&again, &again.key, &request).await;
    assert!(events.ends_with("data: [DONE]\n\n"), "{events}");
    let usage = events.lines().find(|line| line.contains("cached_tokens")).unwrap();
    let usage: Value = serde_json::from_str(usage.strip_prefix("data: ").unwrap()).unwrap();
    assert!(
        usage["usage"]["prompt_tokens_details"]["cached_tokens"].as_u64().unwrap() > 60,
        "{usage}"
    );

    let long = json!({"messages": [{"role": "user", "content": "word ".repeat(5_000)}]});
    let (status, answer) = asked(&again, &again.key, &long).await;
    assert!(status == 400 && answer.contains("context window"), "{status}: {answer}");
}
