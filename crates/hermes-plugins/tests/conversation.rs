//! Plugins and a runtime, without the program around them: calls at the same time, progress,
//! cancellation, restarts, later registrations.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hermes_plugins::{PluginOptions, Plugins, Wake};
use hermes_runtime::{Runtime, Status, ToolCall};
use hermes_store::atomic::{self, WriteOptions};
use hermes_store::home::Home;
use hermes_tool::{ContextParts, Progress, Vars};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// Long enough for a loaded machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A plugin that speaks the protocol itself, one thread a call.
const PROGRAM: &str = r#"
import json, os, sys, threading, time
here = os.path.dirname(os.path.abspath(__file__))
lock = threading.Lock()
cancelled = {}
def send(message):
    with lock:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()
def serve(message):
    params = message["params"]
    tool, args, key = params["tool"], params["args"], message["id"]
    if tool == "nap":
        send({"method": "progress", "params": {"request": key, "message": "napping", "fraction": 7}})
        time.sleep(args["seconds"])
    if tool == "wait":
        cancelled[key] = threading.Event()
        open(os.path.join(here, "waiting"), "w").close()
        cancelled[key].wait(60)
        open(os.path.join(here, "cancelled"), "w").close()
    if tool == "grow":
        send({"method": "register", "params": {"tools": [{"name": "grown"}]}})
    if tool == "shrink":
        send({"method": "unregister", "params": {"tools": ["nap"]}})
    if tool == "die":
        os._exit(3)
    send({"id": key, "result": tool + " done"})
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "hello":
        names = ["nap", "wait", "grow", "shrink", "die"]
        tools = [{"name": name, "parallel": True} for name in names]
        send({"id": message["id"], "result": {"protocol": 1, "register": {"tools": tools}}})
    elif message.get("method") == "cancel":
        cancelled[message["params"]["request"]].set()
    elif message.get("method") == "ping":
        send({"id": message["id"], "result": "pong"})
    elif message.get("method") == "tool.call":
        threading.Thread(target=serve, args=(message,), daemon=True).start()
"#;

fn put(file: &Path, text: &str) {
    atomic::write(file, text.as_bytes(), WriteOptions::KEEP).unwrap();
}

struct Scene {
    folder: TempDir,
    runtime: Runtime,
    plugins: Plugins,
}

impl Scene {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let plugin = folder.path().join("plugins/talker");
        std::fs::create_dir_all(&plugin).unwrap();
        put(&plugin.join("plugin.yaml"), "name: talker\ncommand: python3 main.py\n");
        put(&plugin.join("main.py"), PROGRAM);
        let vars: Vars = Vars::from_process()
            .iter()
            .filter(|(name, _)| *name == "PATH")
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let config = json!({"plugins": {"enabled": ["talker"]}});
        let runtime = Runtime::builder().build();
        let setup = PluginOptions::new(Home::at(folder.path()), vars, &config);
        let plugins = Plugins::open(setup, &runtime);
        plugins.wake(Wake::Unknown, PATIENCE).await;
        assert_eq!(plugins.reports()[0].error, None);
        Self { folder, runtime, plugins }
    }

    async fn call(&self, tool: &str, args: Value) -> (Status, String) {
        let outcome = self.runtime.call(ToolCall::new(tool, args)).await;
        (outcome.verdict().status, outcome.text())
    }

    fn has(&self, tool: &str) -> bool {
        self.runtime.registry().get(tool).is_some()
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join("plugins/talker").join(name)
    }
}

async fn until(what: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !what() {
        assert!(Instant::now() < deadline, "it did not happen");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn until_there(file: &Path) {
    until(|| file.exists()).await;
}

#[tokio::test]
async fn calls_run_side_by_side_and_tell_how_far_they_are() {
    let scene = Scene::new().await;
    let notes: Arc<Mutex<Vec<Progress>>> = Arc::default();
    let sink = Arc::clone(&notes);
    let context = ContextParts {
        progress: Some(Arc::new(move |note| sink.lock().unwrap().push(note))),
        ..ContextParts::default()
    };
    let long = ToolCall { context, ..ToolCall::new("nap", json!({"seconds": 2.0})) };
    let begun = Instant::now();
    let (slow, quick) = tokio::join!(scene.runtime.call(long), async {
        let answered = scene.call("nap", json!({"seconds": 0})).await;
        (answered, begun.elapsed())
    });
    assert_eq!(slow.text(), "nap done");
    assert_eq!(quick.0.1, "nap done");
    assert!(quick.1 < Duration::from_secs(2), "the quick call waited for the slow one");
    let notes = notes.lock().unwrap();
    assert_eq!((notes[0].message.as_str(), notes[0].fraction), ("napping", Some(1.0)));
}

#[tokio::test]
async fn whoever_no_longer_waits_takes_the_call_back() {
    let scene = Scene::new().await;
    let cancellation = CancellationToken::new();
    let context = ContextParts { cancellation: cancellation.clone(), ..ContextParts::default() };
    let call = ToolCall { context, ..ToolCall::new("wait", json!({})) };
    let waiting = scene.file("waiting");
    let (outcome, ()) = tokio::join!(scene.runtime.call(call), async {
        until_there(&waiting).await;
        cancellation.cancel();
    });
    assert_eq!(outcome.verdict().status, Status::Cancelled);
    until_there(&scene.file("cancelled")).await;
}

#[tokio::test]
async fn a_plugin_that_dies_fails_calls_under_way_and_is_started_again() {
    let scene = Scene::new().await;
    let (nap, die) =
        tokio::join!(scene.call("nap", json!({"seconds": 30})), scene.call("die", json!({})));
    for (status, text) in [nap, die] {
        assert_eq!(status, Status::Error);
        assert!(text.contains("plugin 'talker': it ended (exit status: 3)"), "{text}");
    }
    assert_eq!(scene.call("nap", json!({"seconds": 0})).await.1, "nap done");
    scene.plugins.close().await;
}

#[tokio::test]
async fn tools_come_and_go_while_it_runs() {
    let scene = Scene::new().await;
    assert!(scene.has("nap") && !scene.has("grown"));
    scene.call("grow", json!({})).await;
    until(|| scene.has("grown")).await;
    scene.call("shrink", json!({})).await;
    until(|| !scene.has("nap")).await;
    assert!(scene.has("grown") && scene.has("die"));
    assert_eq!(scene.plugins.reports()[0].tools, ["wait", "grow", "shrink", "die", "grown"]);
}

#[tokio::test]
async fn after_closing_a_call_says_so() {
    let Scene { runtime, plugins, folder } = Scene::new().await;
    drop(plugins);
    let outcome = runtime.call(ToolCall::new("nap", json!({"seconds": 0}))).await;
    assert!(outcome.text().contains("plugins have been closed"), "{}", outcome.text());
    drop(folder);
}
