//! Skills that are disabled on one platform: gone there, untouched elsewhere.

use hermes_testkit::Step;
use serde_json::{Value, json};

use super::{document, put};
use crate::agent::{Scene, Wire};
use crate::support::{Sandbox, column};

const SETTINGS: &str = "skills: { platform_disabled: { cli: [bake], telegram: rye } }\n";

fn skills(sandbox: &Sandbox) {
    put(sandbox, "skills/food/bake/SKILL.md", &document("bake", "Bake bread", "Knead."));
    put(sandbox, "skills/food/rye/SKILL.md", &document("rye", "Bake rye", "Wait."));
}

#[test]
fn a_session_of_the_platform_neither_sees_nor_loads_it() {
    let steps = [
        Step::call("skills_list", json!({"category": "food"})),
        Step::call("skill_view", json!({"name": "bake"})),
        Step::call("skill_view", json!({"name": "rye"})),
        Step::text("Rye it is."),
        Step::text("As you say."),
    ];
    let scene = Scene::with_config(Wire::Chat, steps, SETTINGS);
    skills(&scene.sandbox);
    scene.asks("bread?").exits(0).says("Rye it is.");
    let system = scene.sent()[0].view().system;
    assert!(system.contains("- rye: ") && !system.contains("- bake: "), "{system}");
    let results: Vec<Value> =
        scene.results().iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    assert_eq!(column(&results[0]["skills"], "name"), ["rye"]);
    assert_eq!(results[1]["kind"], "disabled");
    let told = results[1]["error"].as_str().unwrap();
    assert!(told.contains("`hermes skills config bake --enable --platform cli`"), "{told}");
    assert_eq!(results[2]["success"], true);
    // Nor by a slash: the words go to the model as they are.
    scene.asks("/bake a loaf").exits(0);
    let asked = scene.server.questions();
    assert!(asked.last().unwrap().view().last_text("user").ends_with("/bake a loaf"));
    assert!(!asked.last().unwrap().body.to_string().contains("Knead."));
}

#[test]
fn the_way_back_that_is_named_is_one() {
    let steps = [Step::text("Without."), Step::text("With it.")];
    let scene = Scene::with_config(Wire::Chat, steps, SETTINGS);
    skills(&scene.sandbox);
    let run = scene.asks_with(&["-s", "bake"], "go").exits(0);
    assert!(run.err.contains("hermes skills config bake --enable --platform cli"), "{}", run.err);
    let way_back = ["skills", "config", "bake", "--enable", "--platform", "cli"];
    scene.sandbox.run(way_back).exits(0).says("offered again on cli");
    scene.asks_with(&["-s", "bake"], "go").exits(0);
    assert!(scene.server.questions().last().unwrap().view().system.contains("Knead."));
}

#[test]
fn the_list_is_that_of_a_platform_where_one_is_named() {
    let sandbox = Sandbox::with_config(SETTINGS);
    skills(&sandbox);
    let offered = |platform: &[&str]| {
        let words =
            [&["skills", "list", "--json", "--enabled-only", "--source", "local"], platform];
        let list = sandbox.run(words.concat()).exits(0).json();
        column(&list, "name").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(offered(&[]), ["bake", "rye"]);
    for words in [
        &["skills", "list", "--platform", "telegrm"][..],
        &["skills", "config", "rye", "--disable", "--platform", "telegrm"],
    ] {
        sandbox.run(words).exits(2).notes("did you mean `telegram`?");
    }
    assert!(!sandbox.read("config.yaml").contains("telegrm"));
    assert_eq!(offered(&["--platform", "cli"]), ["rye"]);
    assert_eq!(offered(&["--platform", "telegram"]), ["bake"]);
    sandbox
        .run(["skills", "list", "--why", "--platform", "telegram"])
        .exits(0)
        .says("disabled on telegram (skills.platform_disabled.telegram)");
}
