//! The agent and a real language model: a small one, which `scripts/test-parts/model start` serves.
//!
//! A scripted model says what we believe models say; this one says what it likes. So nothing is expected of
//! its words. What is checked is the traffic: answers come in pieces, an interrupt ends one, the tokens are
//! those that the server counted. A [`Relay`] between the two sees what really went over the wire.

mod relay;

use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use self::relay::{Relay, post};
use crate::support::{Sandbox, part};

/// Reading a prompt is what takes a model long on a busy machine. This toolset has no tools, which this model
/// could not use anyway.
const SHORT_PROMPT: [&str; 3] = ["--ignore-rules", "-t", "context_engine"];

/// The form of an answer, which the server holds the model to: left alone, one this small may go on for long.
const ONE_SENTENCE: &str = r#"root ::= [A-Z] [a-z ]{5,60} ".""#;

/// From Ctrl-C to the end of the program.
const PROMPT_END: Duration = Duration::from_secs(1);

/// The program, a model, and what passes between them.
struct Scene {
    sandbox: Sandbox,
    relay: Relay,
}

impl Scene {
    /// With these wishes in every request.
    fn new(wishes: &Value) -> Self {
        let relay = Relay::before(&part("HERMES_TEST_MODEL_URL"));
        let config = json!({
            "model": {"provider": "real"},
            "providers": {"real": {
                "base_url": relay.url(),
                "default_model": part("HERMES_TEST_MODEL_NAME"),
                "extra_body": wishes,
            }},
            "agent": {"environment_probe": false, "task_completion_guidance": false},
        });
        Self { sandbox: Sandbox::with_config(&config.to_string()), relay }
    }

    fn of_one_sentence() -> Self {
        Self::new(&json!({"temperature": 0, "seed": 7, "grammar": ONE_SENTENCE}))
    }

    fn asks(&self, flags: &[&str], question: &str) -> crate::support::Run {
        let all = SHORT_PROMPT.iter().chain(flags).copied().chain(["-z", question]);
        self.sandbox.run(all)
    }
}

#[test]
fn a_chat_is_streamed() {
    let scene = Scene::of_one_sentence();
    let run = scene.asks(&[], "What is the capital of France?").exits(0).quietly();
    let chats = scene.relay.chats();
    assert_eq!(chats.len(), 1);
    assert_eq!(chats[0].request["stream"], true);
    let pieces = chats[0].pieces();
    assert!(pieces.len() > 1, "{pieces:?}");
    assert_eq!(run.out.trim(), pieces.concat().trim());
    assert!(run.out.trim().ends_with('.'), "{run:?}");
}

#[test]
fn tokens_are_those_that_the_server_counts() {
    let scene = Scene::of_one_sentence();
    let run = scene.asks(&["--json"], "What is the capital of France?").exits(0);
    let report = run.json();
    let tokens = |field: &str| report[field].as_u64().unwrap();
    let (read, written) =
        (tokens("input_tokens") + tokens("cache_read_tokens"), tokens("output_tokens"));
    assert!(read > 0 && written > 0, "{report}");

    let chat = scene.relay.chats().pop().unwrap();
    let counted = chat.usage();
    assert_eq!((read, written), (counted.0, counted.1), "{report}");

    // The same question once more, in one piece and past the program: the server reads as many tokens.
    let mut request = chat.request;
    request.as_object_mut().unwrap().shift_remove("stream_options");
    request["stream"] = json!(false);
    request["max_tokens"] = json!(1);
    let url = format!("{}/chat/completions", part("HERMES_TEST_MODEL_URL"));
    assert_eq!(post(&url, &request)["usage"]["prompt_tokens"], read);

    let session = report["session_id"].as_str().unwrap();
    let kept = scene.sandbox.run(["sessions", "show", session]).exits(0);
    kept.says(&format!("{} in, {written} out", tokens("input_tokens")));
}

#[test]
fn an_answer_is_interrupted_at_once_and_the_session_goes_on() {
    // It never ends by itself.
    let endless = Scene::new(&json!({"temperature": 0, "ignore_eos": true}));
    let mut child = endless
        .sandbox
        .command()
        .args(SHORT_PROMPT)
        .args(["-z", "Tell me a very long story."])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    endless.relay.wait_for_pieces(8);
    let interrupted = Instant::now();
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    let code = child.wait().unwrap().code();
    let took = interrupted.elapsed();
    assert_eq!(code, Some(130));
    assert!(took < PROMPT_END, "{took:?}");
    // A server without a listener stops.
    endless.relay.wait_for_hang_up();
    let told = endless.relay.chats().pop().unwrap().pieces().concat();

    let config = endless.sandbox.read("config.yaml");
    let wish = format!("\"grammar\":{}", json!(ONE_SENTENCE));
    endless.sandbox.write("config.yaml", &config.replace("\"ignore_eos\":true", &wish));
    let run = endless.asks(&["-c"], "What is the capital of France?").exits(0);
    assert!(!run.out.trim().is_empty(), "{run:?}");
    let chat = endless.relay.chats().pop().unwrap();
    let messages = chat.request["messages"].as_array().unwrap();
    let kept = messages.iter().find(|message| message["role"] == "assistant").unwrap();
    let beginning: String = told.trim().chars().take(10).collect();
    assert!(kept["content"].as_str().unwrap().contains(&beginning), "{told:?}: {messages:#?}");
}
