//! Scripts of a model.

use hermes_testkit::Step;
use serde_json::json;

use crate::agent::{BOTH, Scene, Wire};
use crate::support::write;

#[test]
fn a_model_gets_what_its_script_prints() {
    for wire in BOTH {
        let code = "from hermes_tools import read_file, terminal\n\
                    text = read_file('a.txt')['content']\n\
                    print(text.upper(), terminal('echo $((6*7))')['output'])";
        let scene = Scene::new(
            wire,
            [Step::call("execute_code", json!({"code": code})), Step::text("Done.")],
        );
        super::allow_scripts(&scene.sandbox);
        write(&scene.sandbox.scratch("a.txt"), b"quiet\n");
        scene.asks("shout").exits(0).says("Done.");
        let results = scene.results();
        assert!(results[0].contains("1|QUIET 42"), "{wire:?}: {results:?}");
        assert!(results[0].contains("\"tool_calls_made\":2"), "{wire:?}: {results:?}");
    }
}

#[test]
fn the_offer_names_the_functions_of_the_session() {
    let scene = Scene::new(Wire::Chat, [Step::text("Fine.")]);
    scene.asks_with(&["-t", "file,code_execution"], "hello").exits(0);
    let sent = scene.sent();
    let tools = sent[0].body["tools"].as_array().unwrap();
    let offer = tools.iter().find(|tool| tool["function"]["name"] == "execute_code").unwrap();
    let text = offer["function"]["description"].as_str().unwrap();
    assert!(text.contains("read_file(path, offset=1, limit=500)"), "{text}");
    assert!(!text.contains("terminal(") && !text.contains("web_search("), "{text}");
}

#[test]
fn a_dangerous_call_in_a_script_is_refused_when_nobody_is_there() {
    let code = "import hermes_tools\nprint(hermes_tools.terminal('rm -rf precious'))";
    let scene = Scene::new(
        Wire::Chat,
        [Step::call("execute_code", json!({"code": code})), Step::text("Refused.")],
    );
    super::allow_scripts(&scene.sandbox);
    let folder = scene.sandbox.scratch("precious");
    std::fs::create_dir(&folder).unwrap();
    scene.asks("tidy up").exits(0);
    assert!(scene.results()[0].contains("blocked"), "{:?}", scene.results());
    assert!(folder.exists());
}
