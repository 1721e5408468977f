//! Variables that skills need: where they are asked for, kept, and seen.

use std::os::unix::fs::PermissionsExt as _;

use hermes_testkit::{Script, Step};
use serde_json::{Value, json};

use super::put;
use crate::agent::{Scene, Terminal, Wire};

/// Needs a key of its own, one that Hermes itself manages, and one that steers programs.
const SKILL: &str = "---\nname: weather\ndescription: Tell the weather\nrequired_environment_variables:\n  \
                     - {name: WEATHER_WORD, prompt: Word of the weather service, help: https://example.com/word}\n  \
                     - OPENAI_API_KEY\n  - LD_PRELOAD\n---\nRun the script.\n";

const SHOW: &str = "echo word=${WEATHER_WORD-none} key=${OPENAI_API_KEY-none}";

fn steps(end: &str) -> [Step; 4] {
    [
        Step::call("terminal", json!({"command": SHOW})),
        Step::call("skill_view", json!({"name": "weather"})),
        Step::call("terminal", json!({"command": SHOW})),
        Step::text(end),
    ]
}

/// A chat that asks for no title in between.
fn scene(steps: impl Into<Script>) -> Scene {
    Scene::with_config(Wire::Chat, steps, "auxiliary: { title_generation: { enabled: false } }\n")
}

fn view(scene: &Scene) -> Value {
    serde_json::from_str(&scene.results()[1]).unwrap()
}

#[test]
fn what_is_in_the_env_file_commands_see_once_the_skill_is_loaded_except_our_own_keys() {
    let scene = Scene::new(Wire::Chat, steps("Sunny."));
    put(&scene.sandbox, "skills/weather/SKILL.md", SKILL);
    put(&scene.sandbox, ".env", "WEATHER_WORD=cirrus\nOPENAI_API_KEY=stratus\n");
    scene.asks("weather?").exits(0);
    let results = scene.results();
    assert!(results[0].contains("word=none key=none"), "not before it is loaded: {}", results[0]);
    assert!(results[2].contains("word=cirrus key=none"), "{}", results[2]);
    assert_eq!(view(&scene)["setup_skipped"], false, "nobody is there to be asked");
}

#[test]
fn a_skill_called_by_name_gives_its_variables_too() {
    let scene = Scene::new(
        Wire::Chat,
        [Step::call("terminal", json!({"command": SHOW})), Step::text("Sunny.")],
    );
    put(&scene.sandbox, "skills/weather/SKILL.md", SKILL);
    put(&scene.sandbox, ".env", "WEATHER_WORD=cirrus\n");
    scene.asks("/weather today?").exits(0);
    assert!(scene.results()[0].contains("word=cirrus"), "{:?}", scene.results());
}

#[test]
fn a_person_at_the_terminal_types_what_is_missing_unseen_and_it_is_kept() {
    let scene = scene(steps("Sunny."));
    put(&scene.sandbox, "skills/weather/SKILL.md", SKILL);
    let mut chat = Terminal::open(&scene.sandbox);
    chat.send("weather?");
    chat.answer("needs WEATHER_WORD", "cirrus");
    let text = chat.sees("Sunny.");
    // What is typed is not seen; what a command of the conversation prints of it afterwards is.
    let asked = text.split("word=cirrus").next().unwrap();
    assert!(asked.contains("Word of the weather service") && !asked.contains("cirrus"), "{text}");
    assert!(!text.contains("needs OPENAI_API_KEY") && !text.contains("needs LD_PRELOAD"), "{text}");
    assert_eq!(chat.leaves(), Some(0));
    let view = view(&scene);
    assert_eq!(
        view["missing_required_environment_variables"],
        json!(["OPENAI_API_KEY", "LD_PRELOAD"])
    );
    assert_eq!(view["setup_skipped"], false);
    assert!(!view.to_string().contains("cirrus"), "the model does not read it: {view}");
    assert!(scene.results()[2].contains("word=cirrus"), "{}", scene.results()[2]);
    assert_eq!(scene.sandbox.read(".env"), "WEATHER_WORD=cirrus\n");
    let mode = std::fs::metadata(scene.sandbox.path(".env")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn who_leaves_it_out_is_not_asked_twice() {
    let look = || Step::call("skill_view", json!({"name": "weather"}));
    let scene = scene([look(), look(), Step::text("No idea.")]);
    put(&scene.sandbox, "skills/weather/SKILL.md", SKILL);
    let mut chat = Terminal::open(&scene.sandbox);
    chat.send("weather?");
    chat.answer("needs WEATHER_WORD", "");
    let text = chat.sees("No idea.");
    assert_eq!(text.matches("needs WEATHER_WORD").count(), 1, "{text}");
    assert_eq!(chat.leaves(), Some(0));
    for result in scene.results() {
        // A remark on calls that repeat themselves may follow.
        let view: Value = serde_json::from_str(result.lines().next().unwrap()).unwrap();
        assert_eq!((&view["setup_skipped"], &view["setup_needed"]), (&json!(true), &json!(true)));
    }
    assert!(!scene.sandbox.path(".env").exists());
}

#[test]
fn in_a_messenger_there_is_only_a_hint() {
    let look = Step::call("skill_view", json!({"name": "weather"}));
    let scene = Scene::new(Wire::Chat, [look, Step::text("No idea.")]);
    put(&scene.sandbox, "skills/weather/SKILL.md", SKILL);
    let mut command = scene.sandbox.command();
    let done =
        command.args(["-z", "weather?"]).env("HERMES_GATEWAY_SESSION", "1").output().unwrap();
    assert!(done.status.success(), "{done:?}");
    let view: Value = serde_json::from_str(&scene.results()[0]).unwrap();
    assert!(view["gateway_setup_hint"].as_str().unwrap().contains("hermes config set"), "{view}");
    assert_eq!(view["setup_skipped"], false);
}
