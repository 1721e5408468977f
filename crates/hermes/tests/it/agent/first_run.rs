//! The first start: what is there is offered, tried before it is stored, and then talked with.

use hermes_testkit::{ModelServer, Script, Step};
use serde_json::json;

use super::Terminal;
use crate::support::Sandbox;

/// A model server that is found like one of the house's.
fn server(answers: &[&str]) -> ModelServer {
    let steps: Vec<Step> = answers.iter().map(|text| Step::text(*text)).collect();
    let props = json!({"default_generation_settings": {"n_ctx": 200_000}});
    ModelServer::start(Script::new(steps).model("tiny-instruct").page("/props", props))
}

fn sandbox(addresses: &[&str]) -> Sandbox {
    let settings = json!({"model": {"local_servers": addresses},
        "auxiliary": {"title_generation": {"enabled": false}}});
    Sandbox::with_config(&settings.to_string())
}

#[test]
fn a_server_on_this_machine_is_offered_tried_stored_and_talked_with() {
    let server = server(&["ready", "Hello, Ada.", "Again."]);
    let sandbox = sandbox(&[&server.url()]);
    let mut chat = Terminal::start(&sandbox, &[]);
    chat.sees("with tiny-instruct. Use it? [Y/n]");
    assert!(server.questions().is_empty(), "nothing is asked without a yes");
    chat.send("");
    chat.sees("tiny-instruct answers from now on.");
    chat.sees("/help lists commands");
    chat.send("hello");
    chat.sees("Hello, Ada.");
    drop(chat);
    let config = sandbox.read("config.yaml");
    assert!(config.contains("tiny-instruct") && config.contains(&server.url()), "{config}");
    sandbox.run(["-z", "again"]).exits(0).says("Again.");
}

#[test]
fn a_server_that_does_not_answer_is_not_stored_and_the_next_is_offered() {
    let broken = ModelServer::start(
        Script::new([Step::status(400).error("this model cannot chat").times(5)]).model("broken"),
    );
    let good = server(&["ready"]);
    let sandbox = sandbox(&[&broken.url(), &good.url()]);
    let mut chat = Terminal::start(&sandbox, &[]);
    chat.sees("with broken. Use it? [Y/n]");
    chat.send("y");
    chat.sees("It did not answer:");
    chat.sees("with tiny-instruct. Use it? [Y/n]");
    chat.send("n");
    chat.sees("There is no model to talk with yet.");
    assert!(!sandbox.read("config.yaml").contains("tiny-instruct"));
    assert!(good.questions().is_empty());
}

#[test]
fn setup_lists_what_was_found_first_and_tries_any_address() {
    let (found, other) = (server(&["ready"]), server(&["ready", "From elsewhere."]));
    let sandbox = sandbox(&[&found.url()]);
    let mut setup = Terminal::start(&sandbox, &["setup"]);
    let screen = setup.sees("Enter to leave:");
    let at = |text: &str| screen.find(text).unwrap_or_else(|| panic!("{text}: {screen}"));
    assert!(at("1  llama.cpp at") < at("OpenRouter"), "{screen}");
    setup.send(&other.url());
    setup.sees("Its key, if it wants one");
    setup.send("sk-house-key");
    setup.sees("tiny-instruct answers from now on.");
    setup.sees("Begin with: hermes");
    assert!(!setup.text().contains("sk-house-key"), "the key is not shown");
    assert!(!sandbox.read("config.yaml").contains("sk-house-key"));
    assert_eq!(sandbox.mode(".env"), 0o600);
    assert!(other.questions()[0].carries("sk-house-key"));
    sandbox.run(["-z", "hello"]).exits(0).says("From elsewhere.");
    assert!(other.questions()[1].carries("sk-house-key"), "and is used later");
}

#[test]
fn a_question_without_a_model_says_in_two_lines_what_is_missing() {
    let run = sandbox(&[]).run(["-z", "hello"]).exits(1).notes("no model is set up");
    assert_eq!(run.err.trim().lines().count(), 2, "{}", run.err);
    let server = server(&[]);
    let run = sandbox(&[&server.url()]).run(["-z", "hello"]).exits(1);
    let run = run.notes("tiny-instruct: `hermes setup` takes it over");
    assert_eq!(run.err.trim().lines().count(), 2, "{}", run.err);
    assert!(server.questions().is_empty());
}

/// The engine is part of releases, not of an ordinary build: `cargo nextest run -p hermes --features local built_in`.
#[cfg(feature = "local")]
mod built_in {
    use std::path::PathBuf;

    use super::{Terminal, sandbox};

    /// The small model of `scripts/test-parts/model start`.
    fn small_model() -> PathBuf {
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

    #[test]
    fn a_model_that_lies_here_is_offered_tried_in_the_engine_and_stored() {
        let sandbox = sandbox(&[]);
        let models = sandbox.path("cache/models");
        std::fs::create_dir_all(&models).unwrap();
        std::os::unix::fs::symlink(small_model(), models.join("smollm2.gguf")).unwrap();
        let run = sandbox.run(["-z", "hello"]).exits(1).notes("hermes local use smollm2");
        assert_eq!(run.err.trim().lines().count(), 2, "{}", run.err);
        let mut chat = Terminal::start(&sandbox, &[]);
        chat.sees(
            "smollm2 lies on this machine (Hermes). Have the built-in engine answer with it? [Y/n]",
        );
        chat.send("");
        chat.sees("smollm2 answers from now on.");
        chat.sees("/help lists commands");
        drop(chat);
        assert!(sandbox.read("config.yaml").contains("hermes-local"));
        sandbox.run(["-z", "Say hello."]).exits(0);
    }

    #[test]
    fn a_model_that_would_be_fetched_is_only_offered() {
        let sandbox = sandbox(&[]);
        let mut chat = Terminal::start(&sandbox, &[]);
        chat.sees("without an account:");
        chat.send("n");
        chat.sees("There is no model to talk with yet.");
        drop(chat);
        assert!(!sandbox.path("cache/models").exists(), "nothing is fetched without a yes");
    }
}
