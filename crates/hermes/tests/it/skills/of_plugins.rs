//! Skills that a plugin brings, written as its author would write it.

use hermes_testkit::Step;
use serde_json::{Value, json};

use super::{document, put};
use crate::agent::{Scene, Wire};
use crate::support::Sandbox;

const CODE: &str = r#"
from pathlib import Path

def register(ctx):
    skills = Path(__file__).parent / "skills"
    ctx.register_skill("packing", skills / "packing" / "SKILL.md")
    ctx.register_skill("maps", skills / "maps", description="Find the way")
    ctx.register_skill("stolen", "/etc/hostname")
"#;

fn install(sandbox: &Sandbox) {
    put(
        sandbox,
        "plugins/trail/plugin.yaml",
        "name: trail\nversion: 1.0\ndescription: For hikers\n",
    );
    put(sandbox, "plugins/trail/__init__.py", CODE);
    let packing = document("packing", "Pack for a hike", "Socks first.");
    put(sandbox, "plugins/trail/skills/packing/SKILL.md", &packing);
    put(sandbox, "plugins/trail/skills/packing/references/winter.md", "Two pairs.");
    put(sandbox, "plugins/trail/skills/maps/SKILL.md", "# Maps\n\nNorth is up.\n");
}

#[test]
fn a_model_finds_and_loads_a_plugins_skill_and_cannot_write_it() {
    let edit =
        json!({"action": "patch", "name": "packing", "old_string": "Socks", "new_string": "Shoes"});
    let path = json!({"action": "patch", "name": "trail:packing", "old_string": "Socks", "new_string": "Shoes"});
    let steps = [
        Step::call("skills_list", json!({"category": "trail"})),
        Step::call("skill_view", json!({"name": "trail:packing"})),
        Step::call("skill_view", json!({"name": "trail:packing", "path": "references/winter.md"})),
        Step::call("skill_view", json!({"name": "trail:paking"})),
        Step::call("skill_manage", edit),
        Step::call("skill_manage", path),
        Step::text("Packed."),
    ];
    let scene = Scene::new(Wire::Chat, steps);
    install(&scene.sandbox);
    scene
        .sandbox
        .run(["plugins", "enable", "trail"])
        .exits(0)
        .says("skill trail:stolen: no .md file");
    scene.asks("pack my bag").exits(0).says("Packed.");
    let system = scene.sent()[0].view().system;
    assert!(system.contains("- trail:packing: Pack for a hike"), "{system}");
    let results: Vec<Value> = scene
        .results()
        .iter()
        .map(|text| serde_json::from_str(text).unwrap_or_else(|_| panic!("{text}")))
        .collect();
    assert_eq!(
        results[0]["count"], 2,
        "what is not a document of the plugin is no skill: {}",
        results[0]
    );
    let content = results[1]["content"].as_str().unwrap();
    assert!(
        content.starts_with("[A skill of the plugin trail. Its others: trail:maps.]\n---"),
        "{content}"
    );
    assert!(content.contains("Socks first."), "{content}");
    assert_eq!(results[2]["content"], "Two pairs.");
    assert_eq!(results[3]["plugin_skills"], json!(["trail:packing", "trail:maps"]));
    assert!(results[3]["hint"].as_str().unwrap().contains("trail:packing"));
    assert_eq!(
        (&results[4]["kind"], &results[5]["kind"]),
        (&json!("not_found"), &json!("name_invalid"))
    );
    assert!(scene.sandbox.read("plugins/trail/skills/packing/SKILL.md").contains("Socks first."));
    scene.sandbox.run(["skills", "view", "trail:maps"]).exits(0).says("North is up.");
    scene.sandbox.run(["skills", "list"]).exits(0).says("trail:packing").says("plugin");
}

#[test]
fn the_skills_of_a_plugin_that_is_not_enabled_are_named_and_not_served() {
    let view = Step::call("skill_view", json!({"name": "trail:packing"}));
    let category = Step::call("skill_view", json!({"name": "food:bread"}));
    let scene = Scene::new(Wire::Chat, [view, category, Step::text("Sorry.")]);
    install(&scene.sandbox);
    put(&scene.sandbox, "skills/food/bread/SKILL.md", &document("bread", "Bake bread", "Knead."));
    scene.sandbox.run(["plugins", "enable", "trail"]).exits(0);
    scene.sandbox.run(["plugins", "disable", "trail"]).exits(0);
    scene.asks("pack my bag").exits(0);
    assert!(!scene.sent()[0].view().system.contains("trail:"));
    let refused: Value = serde_json::from_str(&scene.results()[0]).unwrap();
    assert!(
        refused["error"].as_str().unwrap().contains("hermes plugins enable trail"),
        "{refused}"
    );
    assert_eq!(refused["plugin_skills"], json!(["trail:packing", "trail:maps"]));
    assert!(scene.results()[1].contains("Knead."), "a namespace that is no plugin is a category");
}

#[test]
fn a_person_calls_a_plugins_skill_with_a_slash() {
    let steps = [Step::text("Socks."), Step::text("Maps."), Step::text("Mine.")];
    let scene = Scene::new(Wire::Chat, steps);
    install(&scene.sandbox);
    put(&scene.sandbox, "skills/maps/SKILL.md", &document("maps", "My maps", "South is up."));
    scene.sandbox.run(["plugins", "enable", "trail"]).exits(0);
    for line in ["/packing for snow", "/trail:maps home", "/maps home"] {
        scene.asks(line).exits(0);
    }
    let said: Vec<String> = scene
        .server
        .questions()
        .iter()
        .map(|one| one.view().last_text("user").to_owned())
        .collect();
    assert!(said[0].contains("\"trail:packing\"") && said[0].contains("Socks first."), "{said:?}");
    assert!(said[0].contains("references/winter.md") && said[0].ends_with("for snow"), "{said:?}");
    assert!(said[1].contains("North is up."), "{said:?}");
    assert!(said[2].contains("South is up."), "the home's own comes first: {said:?}");
}
