//! Providers that fail: each has an exit code, a line that says what happened, and one that helps.

use hermes_testkit::Step;
use serde_json::json;

use super::{BOTH, Scene, Wire};
use crate::support::Sandbox;

#[test]
fn a_wrong_key_fails_at_once_and_says_what_to_do() {
    for wire in BOTH {
        let error = json!({"message": "invalid api key", "type": "authentication_error"});
        let scene = Scene::new(wire, [Step::status(401).error(error)]);
        let run = scene.asks("hello").exits(1);
        assert!(run.out.is_empty() && run.err.contains("error:"), "{wire:?}: {run:?}");
        assert_eq!(scene.sent().len(), 1);
    }
}

#[test]
fn a_rate_limit_is_waited_out_as_the_server_asks() {
    for wire in BOTH {
        let limited = Step::status(429).header("Retry-After", "0").error("slow down");
        let scene = Scene::new(wire, [limited.times(2), Step::text("Here.")]);
        scene.asks("hello").exits(0).says("Here.").notes("trying again");
    }
}

#[test]
fn server_errors_are_tried_three_times_and_then_reported() {
    for wire in BOTH {
        let failing = Step::status(500).header("Retry-After", "0").error("boom");
        let settings = "agent:\n  api_max_retries: 1\n";
        let scene = Scene::with_config(wire, [failing.times(2)], settings);
        let run = scene.asks("hello").exits(1);
        assert!(run.out.is_empty(), "{run:?}");
        assert_eq!(scene.sent().len(), 2);
    }
}

#[test]
fn another_provider_stands_in() {
    let other = hermes_testkit::ModelServer::start([Step::text("I stand in.")]);
    let settings = format!(
        "fallback_providers:\n  - provider: custom\n    base_url: {}\n    model: other\n",
        other.url()
    );
    let scene = Scene::with_config(Wire::Chat, [Step::status(429).error("slow down")], &settings);
    scene.asks("hello").exits(0).says("I stand in.").notes("falling back to");
}

#[test]
fn a_conversation_that_does_not_fit_is_explained() {
    let error = json!({"message": "This model's maximum context length is 8192 tokens, however you \
                                   requested 9000 tokens", "code": "context_length_exceeded"});
    let scene = Scene::new(Wire::Chat, [Step::status(400).error(error).times(4)]);
    let run = scene.asks("hello").exits(1);
    assert!(!run.err.contains("14 tokens"), "{run:?}");
}

#[test]
fn nobody_at_the_address_fails_with_the_address() {
    let sandbox = Sandbox::with_config(
        "model:\n  provider: custom\n  base_url: http://127.0.0.1:1/v1\n  default: m\n  \
         context_length: 200000\nagent:\n  api_max_retries: 0\n",
    );
    sandbox.run(["-z", "hello"]).exits(1).notes("127.0.0.1:1");
}

#[test]
fn garbage_instead_of_an_answer_is_a_failure() {
    for wire in BOTH {
        let settings = "agent:\n  api_max_retries: 0\n";
        let scene =
            Scene::with_config(wire, [Step::raw_body("<html>502</html>").times(3)], settings);
        scene.asks("hello").exits(1);
    }
}

#[test]
fn without_any_model_the_ways_to_one_are_shown() {
    let run = Sandbox::new().run(["-z", "hello"]).exits(1);
    for hint in ["hermes setup", "OPENROUTER_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"] {
        assert!(run.err.contains(hint), "{hint}: {}", run.err);
    }
}

#[test]
fn mistakes_on_the_command_line_are_usage_errors() {
    let scene = Scene::new(Wire::Chat, [Step::text("never asked")]);
    scene.asks_with(&["-t", "no-such-toolset"], "hello").exits(2).notes("no-such-toolset");
    scene.asks_with(&["--resume", "no-such-session"], "hello").exits(2);
    scene.asks_with(&["--provider", "no-such-provider"], "hello").exits(2);
    scene.sandbox.run(["-z"]).exits(2).notes("nothing is asked");
    assert!(scene.server.questions().is_empty());
}

#[test]
fn a_refusal_is_a_failure_that_quotes_the_model() {
    for wire in BOTH {
        let refusal = Step::text("I will not.").finish("content_filter");
        let scene = Scene::new(wire, [refusal]);
        let run = scene.asks("do evil").exits(1);
        assert!(run.err.contains("I will not."), "{wire:?}: {run:?}");
    }
}

#[test]
fn an_answer_that_never_comes_is_a_failure() {
    for wire in BOTH {
        let scene = Scene::new(wire, [Step::text("").times(4)]);
        let run = scene.asks("hello?").exits(1);
        assert!(run.out.is_empty(), "{wire:?}: {run:?}");
    }
}

/// They were taken and did nothing.
#[test]
fn flags_for_a_question_are_refused_without_one() {
    let scene = Scene::new(Wire::Chat, [Step::text("Hello.")]);
    for flag in ["--json", "--json-stream", "--usage-file=x", "--image=x.png"] {
        let name = flag.split('=').next().unwrap();
        let run = scene.sandbox.run([flag]).exits(2);
        run.notes(&format!("{name} goes with a question: hermes -z"));
    }
    scene.sandbox.run(["chat", "-q", "hi", "--json"]).exits(0).says("Hello.");
}
