//! Skills that people call by name in a chat.

use hermes_testkit::Step;

use super::{OWNER, Scene};
use crate::skills::{document, put};

/// Wherever it lies, a skill is called by its name, in the spelling that Telegram allows; what is disabled there is not.
#[test]
fn a_skill_is_called_by_its_name_unless_it_is_disabled_on_the_platform() {
    let mut scene = Scene::new(
        [Step::text("Two loaves."), Step::text("As you say.")],
        &format!("TELEGRAM_ALLOWED_USERS={OWNER}\n"),
    );
    let sandbox = &scene.sandbox;
    put(sandbox, "skills/food/bake-rye/SKILL.md", &document("bake-rye", "Bake rye", "Wait long."));
    put(sandbox, "skills/food/fry/SKILL.md", &document("fry", "Fry things", "Heat the oil."));
    let config = sandbox.read("config.yaml");
    let settings = "skills: { platform_disabled: { telegram: [fry] } }\n";
    crate::support::write(&sandbox.path("config.yaml"), format!("{config}{settings}").as_bytes());
    scene.start();
    scene.telegram.say(OWNER, "/bake_rye two loaves");
    scene.telegram.wait_for_text(OWNER, "Two loaves.");
    let asked = scene.model.questions().pop().unwrap().view().last_text("user").to_owned();
    assert!(asked.contains("Wait long.") && asked.ends_with("two loaves"), "{asked}");
    scene.telegram.say(OWNER, "/fry an egg");
    scene.telegram.wait_for_text(OWNER, "There is no command /fry.");
    scene.telegram.say(OWNER, "then without");
    scene.telegram.wait_for_text(OWNER, "As you say.");
    let asked = scene.model.questions().pop().unwrap().body.to_string();
    assert!(!asked.contains("Heat the oil."), "{asked}");
}
