//! A session database that another program holds locked: nobody waits for it, and nothing is lost.
//!
//! Symptom before: Ctrl-C was ignored for 6 s, and an answer that was ready appeared 18 s late.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::time::{Duration, Instant};

use hermes_testkit::Step;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use super::terminal::Terminal;
use super::{Scene, Wire};
use crate::support::std_command;

/// How much later than without a lock something may happen.
const LATER: Duration = Duration::from_millis(200);
/// Of so many runs the quickest counts: a busy machine is not what is measured.
const RUNS: usize = 3;
/// What the person is told.
const NOTE: &str = "which another program holds locked";

/// Another program, in the middle of a transaction that lasts.
struct Lock {
    child: Child,
    stdin: Option<ChildStdin>,
}

impl Lock {
    fn hold(database: &Path) -> Self {
        let script = "import sqlite3, sys\n\
            db = sqlite3.connect(sys.argv[1], isolation_level=None)\n\
            db.execute('BEGIN EXCLUSIVE')\n\
            print('held', flush=True)\n\
            sys.stdin.read()\n\
            db.execute('ROLLBACK')\n";
        let mut child = std_command("python3")
            .args(["-c", script])
            .arg(database)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = [0; 4];
        child.stdout.as_mut().unwrap().read_exact(&mut said).unwrap();
        assert_eq!(&said, b"held");
        let stdin = child.stdin.take();
        Self { child, stdin }
    }

    fn release(mut self) {
        drop(self.stdin.take());
        self.child.wait().unwrap();
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A question under way, and the model's answer held back.
struct Asked {
    child: Child,
    before: usize,
}

fn ask(scene: &Scene, question: &str) -> Asked {
    let before = scene.server.requests().len();
    let child = scene
        .sandbox
        .command()
        .args(["-z", question])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    scene.server.wait_for(before + 1);
    Asked { child, before }
}

impl Asked {
    /// Lets the model answer; how long it takes until the answer is shown.
    fn answered(mut self, scene: &Scene) -> (Duration, String) {
        let mut line = String::new();
        let mut out = BufReader::new(self.child.stdout.take().unwrap());
        let released = Instant::now();
        scene.server.release();
        out.read_line(&mut line).unwrap();
        let took = released.elapsed();
        assert_eq!(line, "Four.\n");
        let end = self.child.wait_with_output().unwrap();
        assert_eq!(end.status.code(), Some(0), "{}", self.before);
        (took, String::from_utf8_lossy(&end.stderr).into_owned())
    }

    /// Interrupts; how long it takes until the program has ended.
    fn interrupted(self) -> (Duration, String) {
        // The request is on its way; a moment later the program waits for the answer.
        std::thread::sleep(Duration::from_millis(100));
        let sent = Instant::now();
        kill(Pid::from_raw(self.child.id().cast_signed()), Signal::SIGINT).unwrap();
        let end = self.child.wait_with_output().unwrap();
        assert_eq!(end.status.code(), Some(130));
        (sent.elapsed(), String::from_utf8_lossy(&end.stderr).into_owned())
    }
}

fn scene(steps: usize) -> Scene {
    let held = (0..steps).map(|_| Step::text("Four.").hold_after(0));
    let scene = Scene::new(
        Wire::Chat,
        std::iter::once(Step::text("Begun.")).chain(held).collect::<Vec<_>>(),
    );
    // There is a database to be locked.
    scene.asks("begin").exits(0);
    scene
}

/// How often each text was said, over all sessions.
fn said(scene: &Scene) -> Vec<(String, String)> {
    let out = scene.sandbox.run(["sessions", "export", "-"]).exits(0).out;
    let mut said = Vec::new();
    for line in out.lines() {
        let session: Value = serde_json::from_str(line).unwrap();
        for message in session["messages"].as_array().unwrap() {
            let text = |name: &str| message[name].as_str().unwrap_or_default().to_owned();
            said.push((text("role"), text("content")));
        }
    }
    said
}

fn count(said: &[(String, String)], role: &str, text: &str) -> usize {
    said.iter().filter(|(by, what)| by == role && what == text).count()
}

fn unwritten(scene: &Scene) -> Vec<String> {
    scene.sandbox.entries().into_iter().filter(|name| name.contains(".unwritten-")).collect()
}

#[test]
fn an_answer_is_not_late_because_another_program_holds_the_database_locked() {
    let scene = scene(2 * RUNS);
    let (mut free, mut locked) = (Duration::MAX, Duration::MAX);
    for run in 0..RUNS {
        free = free.min(ask(&scene, &format!("free {run}")).answered(&scene).0);
    }
    let lock = Lock::hold(&scene.sandbox.path("state.db"));
    for run in 0..RUNS {
        let (took, notes) = ask(&scene, &format!("locked {run}")).answered(&scene);
        assert!(notes.contains(NOTE), "{notes}");
        assert!(notes.contains("written when Hermes next uses it"), "{notes}");
        locked = locked.min(took);
    }
    eprintln!("answer after {free:?} free, {locked:?} locked");
    assert!(locked <= free + LATER, "{locked:?} with a lock, {free:?} without");
    assert_eq!(unwritten(&scene).len(), RUNS);
    lock.release();
    let said = said(&scene);
    for run in 0..RUNS {
        for question in [format!("free {run}"), format!("locked {run}")] {
            assert_eq!(count(&said, "user", &question), 1, "{question}: {said:?}");
        }
    }
    assert_eq!(count(&said, "assistant", "Four."), 2 * RUNS, "{said:?}");
    assert_eq!(unwritten(&scene), [""; 0]);
    scene.sandbox.run(["sessions", "repair", "--check"]).exits(0);
}

#[test]
fn ctrl_c_takes_effect_while_another_program_holds_the_database_locked() {
    let scene = scene(2 * RUNS);
    let (mut free, mut locked) = (Duration::MAX, Duration::MAX);
    for run in 0..RUNS {
        free = free.min(ask(&scene, &format!("free {run}")).interrupted().0);
    }
    let lock = Lock::hold(&scene.sandbox.path("state.db"));
    for run in 0..RUNS {
        locked = locked.min(ask(&scene, &format!("locked {run}")).interrupted().0);
    }
    eprintln!("ended after {free:?} free, {locked:?} locked");
    assert!(locked <= free + LATER, "{locked:?} with a lock, {free:?} without");
    lock.release();
    let said = said(&scene);
    for run in 0..RUNS {
        assert_eq!(count(&said, "user", &format!("locked {run}")), 1, "{said:?}");
    }
    assert_eq!(
        said.len(),
        2 + 4 * RUNS,
        "each question with the note that it was stopped: {said:?}"
    );
}

#[test]
fn what_was_said_to_a_killed_process_while_the_database_was_locked_is_not_lost() {
    let scene = scene(2);
    let lock = Lock::hold(&scene.sandbox.path("state.db"));
    let mut asked = ask(&scene, "remember me");
    asked.child.kill().unwrap();
    asked.child.wait().unwrap();
    assert_eq!(unwritten(&scene).len(), 1);
    // While it is locked, looking works and finds nothing yet.
    scene.sandbox.run(["sessions", "list"]).exits(0);
    assert_eq!(unwritten(&scene).len(), 1);
    lock.release();
    scene.server.release();
    scene.asks_with(&["-c"], "who am I?").exits(0).says("Four.");
    let said = said(&scene);
    assert_eq!(count(&said, "user", "remember me"), 1, "{said:?}");
    assert_eq!(count(&said, "user", "who am I?"), 1, "{said:?}");
    let sent = scene.server.questions();
    assert!(sent.last().unwrap().view().raw.contains("remember me"));
}

#[test]
fn a_chat_goes_on_while_the_database_is_locked_and_is_whole_afterwards() {
    let settings = "auxiliary: { title_generation: { enabled: false } }\n";
    let steps = [
        Step::text("One."),
        Step::call("todo", json!({"todos": [{"id": "1", "content": "look"}]})),
        Step::text("Two."),
        Step::text("Three."),
    ];
    let scene = Scene::with_config(Wire::Chat, steps, settings);
    let mut chat = Terminal::open(&scene.sandbox);
    chat.send("first");
    chat.sees("One.");
    let lock = Lock::hold(&scene.sandbox.path("state.db"));
    chat.send("second");
    let text = chat.sees("Two.");
    assert!(text.replace('\n', " ").contains("another program"), "{text}");
    lock.release();
    chat.send("third");
    chat.sees("Three.");
    assert_eq!(chat.leaves(), Some(0));
    let said = said(&scene);
    let order: Vec<&str> = said.iter().map(|(role, _)| role.as_str()).collect();
    let expected =
        ["user", "assistant", "user", "assistant", "tool", "assistant", "user", "assistant"];
    assert_eq!(order, expected, "{said:?}");
    assert_eq!((said[2].1.as_str(), said[5].1.as_str()), ("second", "Two."));
    assert_eq!(unwritten(&scene), [""; 0]);
}
