//! Skills in a conversation with a scripted model.

use hermes_testkit::Step;
use serde_json::json;

use super::{document, put};
use crate::agent::{BOTH, Scene, Wire};

#[test]
fn a_model_sees_the_index_loads_a_skill_and_mends_it() {
    for wire in BOTH {
        let scene = Scene::new(
            wire,
            [
                Step::call("skill_view", json!({"name": "bake"})),
                Step::call(
                    "skill_manage",
                    json!({"action": "patch", "name": "bake", "old_string": "200", "new_string": "230"}),
                ),
                Step::text("Baked at 230."),
            ],
        );
        put(
            &scene.sandbox,
            "skills/food/bake/SKILL.md",
            &document("bake", "Bake bread", "Bake at 200 degrees."),
        );
        scene.asks("bake me a bread").exits(0).says("Baked at 230.");
        let sent = scene.sent();
        let system = sent[0].view().system;
        assert!(
            system.contains("<available_skills>") && system.contains("- bake: Bake bread"),
            "{system}"
        );
        assert!(
            system.contains("- review-change: "),
            "those that come with the program are there: {system}"
        );
        assert_eq!(sent[2].view().system, system, "the same bytes, although a skill changed");
        assert!(scene.results()[0].contains("Bake at 200 degrees."));
        assert!(scene.sandbox.read("skills/food/bake/SKILL.md").contains("Bake at 230 degrees."));
        let usage: serde_json::Value =
            serde_json::from_str(&scene.sandbox.read("skills/.usage.json")).unwrap();
        assert_eq!(
            (&usage["bake"]["view_count"], &usage["bake"]["patch_count"]),
            (&json!(1), &json!(1))
        );
    }
}

#[test]
fn without_the_toolset_there_is_no_index_and_nothing_is_seeded() {
    let scene = Scene::new(Wire::Chat, [Step::text("Hello.")]);
    scene.asks_with(&["-t", "file"], "hello").exits(0);
    assert!(!scene.sent()[0].view().system.contains("<available_skills>"));
    assert!(!scene.sandbox.path("skills/coding").exists());
}

#[test]
fn a_question_that_begins_with_a_skill_brings_its_text() {
    let scene = Scene::new(Wire::Chat, [Step::text("Done."), Step::text("Done.")]);
    put(
        &scene.sandbox,
        "skills/bake/SKILL.md",
        &document("bake", "Bake bread", "Knead for ten minutes."),
    );
    put(&scene.sandbox, "skills/eat/SKILL.md", &document("eat", "Eat bread", "With butter."));
    scene.asks("/bake /eat two loaves").exits(0);
    let asked = scene.sent()[0].view().last_text("user").to_owned();
    assert!(asked.contains("Knead for ten minutes.") && asked.contains("With butter."), "{asked}");
    assert!(asked.ends_with("two loaves"), "{asked}");
    scene.asks("/tmp/x is a path").exits(0);
    assert!(scene.server.questions()[1].view().last_text("user").ends_with("/tmp/x is a path"));
}

#[test]
fn skills_of_the_flag_are_loaded_from_the_start() {
    let scene = Scene::new(Wire::Chat, [Step::text("Done.")]);
    put(
        &scene.sandbox,
        "skills/bake/SKILL.md",
        &document("bake", "Bake bread", "Knead for ten minutes."),
    );
    let run = scene.asks_with(&["-s", "bake,nothing"], "go").exits(0);
    assert!(run.err.contains("no skill `nothing`"), "{}", run.err);
    assert!(scene.sent()[0].view().system.contains("Knead for ten minutes."));
}

#[test]
fn above_sixty_skills_the_prompt_has_categories_and_words_find_them() {
    let find = Step::call("skills_list", json!({"query": "sourdough bread"}));
    let scene = Scene::new(Wire::Chat, [find, Step::text("Found.")]);
    for n in 0..70 {
        put(
            &scene.sandbox,
            &format!("skills/many/s{n}/SKILL.md"),
            &document(&format!("s{n}"), "filler", "x"),
        );
    }
    put(
        &scene.sandbox,
        "skills/food/loaf/SKILL.md",
        &document("loaf", "Sourdough from scratch", "x"),
    );
    scene.asks("bread?").exits(0);
    let system = scene.sent()[0].view().system;
    assert!(system.contains("many (70)") && !system.contains("- s1:"), "{system}");
    assert!(scene.results()[0].contains("\"loaf\""));
}

#[test]
fn an_agent_that_starts_settles_what_was_cut_off_and_puts_away_what_nobody_used() {
    let scene = Scene::new(Wire::Chat, [Step::text("Hello."), Step::text("Hello.")]);
    put(&scene.sandbox, "skills/.hub/quarantine/half/SKILL.md", "half of a skill");
    put(&scene.sandbox, "skills/old/SKILL.md", &document("old", "Old ways", "x"));
    let used = r#"{"old":{"created_by":"agent","last_used_at":"2020-01-01T00:00:00+00:00"}}"#;
    put(&scene.sandbox, "skills/.usage.json", used);
    let run = scene.asks("hello").exits(0);
    assert!(run.err.contains("put away: old"), "{}", run.err);
    assert!(!scene.sandbox.path("skills/.hub/quarantine/half").exists());
    assert!(scene.sandbox.path("skills/.archive/old/SKILL.md").exists());
    assert!(!scene.sent()[0].view().system.contains("- old:"));
    scene.sandbox.run(["curator", "restore", "old"]).exits(0);
    put(&scene.sandbox, "skills/.usage.json", used);
    let run = scene.asks("hello").exits(0);
    assert!(!run.err.contains("put away"), "once a week: {}", run.err);
}

#[test]
fn a_model_on_the_side_raises_verdicts_and_merges_skills_where_the_settings_want_it() {
    let verdict = json!({"verdict": "dangerous", "findings": [
        {"severity": "critical", "category": "injection", "file": "SKILL.md", "line": 5, "reason": "it lies"}]});
    let merged = document("rye", "All bread", "Both.");
    let merges = json!({"merges": [{"into": "rye", "absorb": ["wheat"], "content": merged}]});
    let scene =
        Scene::new(Wire::Chat, [Step::text(verdict.to_string()), Step::text(merges.to_string())]);
    let sandbox = &scene.sandbox;
    put(sandbox, "work/a/SKILL.md", &document("a", "d", "Water the plants."));
    let folder = sandbox.path("work/a");
    let scan = ["skills", "scan", folder.to_str().unwrap()];
    sandbox.run(scan).exits(0).says("Verdict: SAFE");
    assert_eq!(scene.server.questions().len(), 0, "nobody asked for a model");
    sandbox.run(["config", "set", "skills.llm_audit", "always"]).exits(0);
    sandbox.run(scan).exits(4).says("it lies");
    for name in ["rye", "wheat"] {
        put(sandbox, &format!("skills/{name}/SKILL.md"), &document(name, "d", "x"));
    }
    put(
        sandbox,
        "skills/.usage.json",
        r#"{"rye":{"created_by":"agent"},"wheat":{"created_by":"agent"}}"#,
    );
    sandbox.run(["curator", "run", "--consolidate"]).exits(0).says("merged: wheat into rye");
    assert_eq!(sandbox.read("skills/rye/SKILL.md"), merged);
    assert!(sandbox.path("skills/.archive/wheat/SKILL.md").exists());
    sandbox.run(["curator", "rollback"]).exits(0).says("as they were");
    assert!(sandbox.path("skills/wheat/SKILL.md").exists());
}
