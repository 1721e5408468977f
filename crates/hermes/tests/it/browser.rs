//! The browser as a model reaches it: tools of the program, a real Chromium, a site of our own.

use hermes_testkit::{SHOP_PASSWORD, Step, WebServer, demo_site, part};
use serde_json::{Value, json};

use crate::agent::{Scene, Wire};
use crate::support::Sandbox;

/// The Chromium of the tests, for the program.
fn with_chromium(sandbox: &Sandbox) {
    let line = format!("AGENT_BROWSER_EXECUTABLE_PATH={}\n", part("HERMES_TEST_CHROMIUM"));
    sandbox.write(".env", &line);
}

fn url(site: &WebServer, page: &str) -> String {
    format!("{}/{page}", site.origin())
}

fn call(name: &str, arguments: Value) -> Step {
    Step::call(name, arguments)
}

#[test]
fn a_model_shops_in_fourteen_steps() {
    let site = demo_site();
    let steps = [
        call("browser_navigate", json!({"url": url(&site, "shop")})),
        call("browser_type", json!({"ref": "@e2", "text": "ada"})),
        call("browser_type", json!({"ref": "@e3", "text": SHOP_PASSWORD})),
        call("browser_click", json!({"ref": "@e4"})),
        call(
            "browser_console",
            json!({"expression": "new Promise((done) => { const look = () => document.querySelector('[name=q]') ? done('in') : setTimeout(look, 5); look() })"}),
        ),
        call("browser_snapshot", json!({})),
        call("browser_type", json!({"ref": "@e6", "text": "tea"})),
        call("browser_press", json!({"key": "Enter"})),
        call(
            "browser_console",
            json!({"expression": "new Promise((done) => { const look = () => document.body.innerText.includes('3 found') ? done('found') : setTimeout(look, 5); look() })"}),
        ),
        call("browser_snapshot", json!({"full": true})),
        call(
            "browser_console",
            json!({"expression": "[...document.querySelectorAll('button')].find((one) => one.textContent === 'Add Green tea').click(), [...document.querySelectorAll('button')].find((one) => one.textContent.startsWith('Basket')).click(), 1"}),
        ),
        call("browser_snapshot", json!({})),
        call(
            "browser_console",
            json!({"expression": "document.querySelector('[name=address]').focus(), 1"}),
        ),
        call("browser_press", json!({"key": "x"})),
        call("browser_press", json!({"key": "Enter"})),
        call("browser_dialog", json!({"action": "accept"})),
        call("browser_snapshot", json!({"full": true})),
        Step::text("Ordered."),
    ];
    let count = steps.len();
    let scene = Scene::new(Wire::Chat, steps);
    with_chromium(&scene.sandbox);
    scene.asks_with(&["-t", "browser"], "order green tea").exits(0);
    let sent = scene.sent();
    assert_eq!(sent.len(), count);
    let last = sent.last().unwrap().body.to_string();
    assert!(last.contains("Thank you. Sent to x by Card"), "{last}");
    assert!(
        !last.contains(SHOP_PASSWORD) || last.matches(SHOP_PASSWORD).count() == 1,
        "only in the call itself"
    );
}

#[test]
fn every_tool_answers_a_call_from_the_command_line() {
    let site = demo_site();
    let sandbox = Sandbox::new();
    with_chromium(&sandbox);
    let called = |name: &str, arguments: Value| {
        let arguments = arguments.to_string();
        sandbox.run(["tools", "call", name, &arguments]).out
    };
    let answer = called("browser_navigate", json!({"url": url(&site, "login.html")}));
    for part in ["\\\"Sign in\\\"", "element_count", "ref=e6"] {
        assert!(answer.contains(part), "{part} in {answer}");
    }
    let refused = called("browser_navigate", json!({"url": "http://169.254.169.254/latest/"}));
    assert!(refused.contains("Blocked:"), "{refused}");
    let refused = called("browser_navigate", json!({"url": url(&site, "to-metadata")}));
    assert!(refused.contains("could not be opened") || refused.contains("Blocked:"), "{refused}");
    let first = called("browser_back", json!({}));
    assert!(first.contains("no page to go back to"), "{first}");
    let unknown = called("browser_click", json!({"ref": "@e1"}));
    assert!(unknown.contains("take a new snapshot"), "{unknown}");
}

#[test]
fn a_model_without_eyes_has_the_page_described() {
    let site = demo_site();
    let scene = Scene::new(
        Wire::Chat,
        [
            call("browser_navigate", json!({"url": url(&site, "login.html")})),
            call("browser_vision", json!({"question": "Which form is it?", "annotate": true})),
            Step::text("A form to sign in, with a blue button."),
            Step::text("It is the form to sign in."),
        ],
    );
    with_chromium(&scene.sandbox);
    scene
        .asks_with(&["-t", "browser"], "what is on the page?")
        .exits(0)
        .says("the form to sign in");
    let requests = scene.server.requests();
    let looked =
        requests.iter().find(|seen| seen.body.to_string().contains("data:image/png;base64,"));
    let looked = looked.unwrap().body["messages"].to_string();
    assert!(looked.contains("Which form is it?"), "{looked}");
    let last = requests.last().unwrap().body["messages"].to_string();
    assert!(last.contains("A form to sign in, with a blue button."), "{last}");
    let path = last.split("screenshot_path").nth(1).unwrap();
    let path =
        path.split('"').find(|part| part.ends_with(".png") || part.contains(".png\\")).unwrap();
    let picture = std::fs::read(path.trim_end_matches('\\')).unwrap();
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 1_000);
    assert!(!last.contains("base64,"), "the picture itself is not in the conversation");
}

#[test]
fn a_long_page_is_shortened_by_a_model_that_knows_the_task() {
    let site = demo_site();
    let scene = Scene::new(
        Wire::Chat,
        [
            call("browser_navigate", json!({"url": url(&site, "links.html")})),
            Step::text("- link \"Link number 7\" [ref=e7]\n- …"),
            call("browser_snapshot", json!({"full": true})),
            // A reference that is not on the page: nobody could click it.
            Step::text("- button \"Order\" [ref=e9999]"),
            Step::text("Number seven."),
        ],
    );
    with_chromium(&scene.sandbox);
    scene.asks_with(&["-t", "browser"], "find link seven").exits(0).says("Number seven.");
    let requests = scene.server.requests();
    let asked = requests[1].body.to_string();
    assert!(asked.contains("find link seven") && asked.contains("[ref=e399]"), "{asked}");
    let shown = requests[2].body["messages"].as_array().unwrap().last().unwrap().to_string();
    assert!(shown.contains("[ref=e7]") && !shown.contains("[ref=e399]"), "{shown}");
    assert!(shown.contains("a model's choice of what matters, from "), "{shown}");
    let path = shown.split("snapshot is in ").nth(1).unwrap().split(", read").next().unwrap();
    assert!(std::fs::read_to_string(path).unwrap().contains("[ref=e399]"));
    let cut = requests[4].body["messages"].as_array().unwrap().last().unwrap().to_string();
    assert!(!cut.contains("e9999") && cut.contains(" more lines; the whole snapshot"), "{cut}");
}

/// Processes that have a text in their command line.
fn running_with(text: &str) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(text)
        })
        .count()
}

#[test]
fn killed_a_hundred_times_it_leaves_no_browser() {
    /// Longer than anything here takes on a busy machine.
    const PATIENCE: std::time::Duration = std::time::Duration::from_secs(30);
    let site = demo_site();
    let sandbox = Sandbox::new();
    with_chromium(&sandbox);
    let profiles = sandbox.home().join("cache/browser");
    let mark = format!("--user-data-dir={}", profiles.display());
    let arguments = json!({"url": url(&site, "never")}).to_string();
    for round in 0..100 {
        let mut command = sandbox.command();
        command.args(["tools", "call", "browser_navigate", &arguments]);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let mut child = command.spawn().unwrap();
        let deadline = std::time::Instant::now() + PATIENCE;
        // At another moment of its start each time.
        while running_with(&mark) < 1 + round % 6 {
            assert!(std::time::Instant::now() < deadline, "no browser in round {round}");
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let deadline = std::time::Instant::now() + PATIENCE;
        while running_with(&mark) > 0 {
            assert!(std::time::Instant::now() < deadline, "a browser is left in round {round}");
            std::thread::yield_now();
        }
    }
}
