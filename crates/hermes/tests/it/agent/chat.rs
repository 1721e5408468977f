//! The chat at a terminal: what its commands do to the conversation, on the wire and on disk.

use hermes_testkit::{Match, Script, Step};
use serde_json::json;

use super::terminal::Terminal;
use super::{Scene, Wire};

/// Titles would be asked for in between.
const UNTITLED: &str = "auxiliary: { title_generation: { enabled: false } }\n";

fn scene(script: impl Into<Script>, settings: &str) -> Scene {
    Scene::with_config(Wire::Chat, script, &format!("{UNTITLED}{settings}"))
}

/// How many were asked with this in their instructions.
fn asked_with(scene: &Scene, instructions: &str) -> usize {
    let requests = scene.server.requests();
    requests.iter().filter(|seen| seen.view().system.contains(instructions)).count()
}

fn remembers(content: &str) -> Step {
    Step::call("memory", json!({"action": "add", "content": content}))
}

const ASKS: &str = "memory: { write_approval: true }\n";

#[test]
fn a_change_of_notes_waits_where_nobody_can_be_asked() {
    let steps = [remembers("uses tabs"), remembers("likes tea"), Step::text("Noted.")];
    let scene = scene(steps, ASKS);
    scene.asks("remember").exits(0).says("Noted.");
    assert!(scene.results().iter().all(|result| result.contains("Not saved yet")));
    scene.sandbox.run(["memory", "show"]).exits(0).says("nothing yet");
    let waiting = scene.sandbox.run(["memory", "pending", "--json"]).exits(0).json();
    let id = |at: usize| waiting[at]["id"].as_str().unwrap().to_owned();
    assert_eq!(waiting[0]["payload"]["content"], "uses tabs");
    assert!(scene.sandbox.path(&format!("pending/memory/{}.json", id(0))).exists());
    scene.sandbox.run(["memory", "pending"]).exits(0).says("add to memory: “likes tea”");
    scene.sandbox.run(["memory", "approve", &id(0)]).exits(0).says("Entry added.");
    scene.sandbox.run(["memory", "reject", &id(1)]).exits(0).says("Thrown away.");
    scene.sandbox.run(["memory", "show"]).exits(0).says("- uses tabs");
    scene.sandbox.run(["memory", "pending"]).exits(0).notes("no change waits");
    scene.sandbox.run(["memory", "approve", "12345678"]).exits(2).notes("memory pending");
}

#[test]
fn a_person_at_the_terminal_is_asked_about_notes() {
    let steps = [
        remembers("uses tabs"),
        Step::text("Saved it."),
        remembers("likes tea"),
        Step::text("Left it."),
        remembers("has a cat"),
        Step::text("It waits."),
    ];
    let scene = scene(steps, ASKS);
    let mut chat = Terminal::open(&scene.sandbox);
    chat.send("remember the tabs");
    chat.answer("add to memory: “uses tabs”", "1");
    chat.sees("Saved it.");
    chat.send("remember the tea");
    chat.answer("add to memory: “likes tea”", "3");
    chat.sees("Left it.");
    chat.send("remember the cat");
    chat.answer("add to memory: “has a cat”", "2");
    chat.sees("It waits.");
    chat.send("/memory pending");
    chat.sees("reject ID");
    assert_eq!(chat.leaves(), Some(0));
    assert_eq!(scene.sandbox.read("memories/MEMORY.md").trim(), "uses tabs");
    let results = scene.results();
    assert!(results[1].contains("does not want this to be kept"), "{results:?}");
    let waiting = scene.sandbox.run(["memory", "pending", "--json"]).exits(0).json();
    assert_eq!(waiting.as_array().unwrap().len(), 1);
    assert_eq!(waiting[0]["payload"]["content"], "has a cat");
}

#[test]
fn work_in_the_background_goes_on_beside_the_conversation() {
    let script = Script::new([Step::text("Hello.")]).route(
        "background",
        Match::user("count the files"),
        [Step::held().and_text("There are twelve.")],
    );
    let scene = scene(script, "");
    let mut chat = Terminal::open(&scene.sandbox);
    chat.send("/bg count the files");
    chat.sees("bg1 works on it");
    chat.send("hi");
    chat.sees("Hello.");
    chat.send("/agents");
    chat.sees("/stop ID ends one");
    scene.server.release();
    let text = chat.sees("There are twelve.");
    assert!(text.contains("bg1 is done"), "{text}");
    chat.send("/bg count the files again");
    chat.sees("bg2 works on it");
    chat.send("/stop bg2");
    chat.sees("bg2 stopped");
    assert_eq!(chat.leaves(), Some(0));
    let listed = scene.sandbox.run(["sessions", "list", "--json"]).exits(0);
    assert!(listed.out.contains("\"background\""), "{listed:?}");
}

#[test]
fn the_end_of_a_process_is_told_to_the_person_and_then_to_the_model() {
    let command = json!({"command": "echo built", "background": true, "notify_on_complete": true});
    let steps = [Step::call("terminal", command), Step::text("Started."), Step::text("I see.")];
    let scene = scene(steps, "");
    let mut chat = Terminal::open(&scene.sandbox);
    chat.send("build it");
    chat.sees("Started.");
    chat.sees("has ended: echo built");
    chat.send("and?");
    chat.sees("I see.");
    assert_eq!(chat.leaves(), Some(0));
    let sent = scene.sent();
    let heard = sent[2].view().last_text("user").to_owned();
    assert!(heard.starts_with("[IMPORTANT: background process proc_"), "{heard}");
    assert!(heard.contains("built") && heard.ends_with("and?"), "{heard}");
}

#[test]
fn a_goal_is_pursued_until_the_judge_is_content() {
    let script = Script::new([Step::text("Half of it."), Step::text("All of it.")]).route(
        "judge",
        Match::system("works towards a goal"),
        [Step::text("CONTINUE: the other half"), Step::text("DONE: both halves are there")],
    );
    let scene = scene(script, "");
    let mut chat = Terminal::open(&scene.sandbox);
    chat.send("/goal make both halves");
    let text = chat.sees("The goal is reached: both halves are there");
    assert!(text.contains("(1 of 20): the other half"), "{text}");
    assert_eq!(chat.leaves(), Some(0));
    assert_eq!(asked_with(&scene, "works towards a goal"), 2);
    let questions = scene.server.questions();
    assert_eq!(questions.len(), 2);
    let second = questions[1].view().last_text("user").to_owned();
    assert!(second.contains("round 1 of 20") && second.contains("make both halves"), "{second}");
}

#[test]
fn several_models_advise_before_the_answer() {
    let moa = "moa: { presets: { default: { reference_models: [\
               {provider: custom, model: one}, {provider: custom, model: two}] } } }\n";
    let script = Script::new([Step::text("Green it is.")]).route(
        "reference",
        Match::system("Several models are asked"),
        [Step::text("I would say green.")],
    );
    let scene = scene(script, moa);
    let mut chat = Terminal::open(&scene.sandbox);
    chat.send("/moa which colour?");
    chat.sees("Green it is.");
    assert_eq!(chat.leaves(), Some(0));
    assert_eq!(asked_with(&scene, "Several models are asked"), 2);
    let questions = scene.server.questions();
    assert_eq!(questions.len(), 1);
    let asked = questions[0].view().last_text("user").to_owned();
    assert!(asked.contains("I would say green.") && asked.ends_with("which colour?"), "{asked}");
}

#[test]
fn history_is_shown_in_the_middle_of_a_turn() {
    let scene = scene([Step::text("The first answer."), Step::held().and_text("The second.")], "");
    let mut chat = Terminal::open(&scene.sandbox);
    chat.send("one");
    chat.sees("The first answer.");
    chat.send("two");
    scene.server.wait_for(2);
    chat.send("/history");
    let shown = |text: &str| text.matches("The first answer.").count() == 2;
    let text = chat.until("the history", shown);
    assert!(!text.contains("The second."), "{text}");
    scene.server.release();
    chat.sees("The second.");
    assert_eq!(chat.leaves(), Some(0));
}

#[test]
fn commands_of_ones_own_pass_the_same_rules() {
    let scene = scene(
        [Step::text("unused")],
        "approvals: { mode: manual }\n\
         quick_commands: { wipe: { type: exec, command: rm -rf notes } }\n",
    );
    let folder = scene.sandbox.scratch("build");
    std::fs::create_dir(&folder).unwrap();
    let mut chat = Terminal::open(&scene.sandbox);
    chat.send("/wipe");
    chat.answer("rm -rf notes", "n");
    chat.sees("→ deny");
    assert_eq!(chat.leaves(), Some(0));
    assert!(folder.exists());
}

#[test]
fn settings_change_in_the_middle_of_a_conversation() {
    let scene = scene(
        [Step::text("Hello.")],
        "quick_commands: { sum: { type: exec, command: echo sum-$((40 + 2)) } }\n",
    );
    let mut chat = Terminal::open(&scene.sandbox);
    chat.send("/sum");
    chat.sees("sum-42");
    chat.send("/personality concise");
    chat.sees("speaks as `concise` from the next session on");
    chat.send("/reload");
    chat.sees("agent.personality: from the next session on");
    chat.send("/new");
    chat.until("a new session", |text| text.matches("/help lists commands").count() == 2);
    chat.send("hi");
    chat.sees("Hello.");
    chat.send("/insights 7");
    chat.sees("of the last 7 days");
    assert_eq!(chat.leaves(), Some(0));
    let system = scene.sent()[0].view().system.clone();
    assert!(system.contains("as short as it can be"), "{system}");
    let insights = scene.sandbox.run(["insights", "--json"]).exits(0).json();
    assert_eq!(insights["usage"]["sessions"], 1);
    assert_eq!(insights["total"]["calls"], 1);
}
