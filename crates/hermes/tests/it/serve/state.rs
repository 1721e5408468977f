//! What one command leaves in its shell counts when the next one is judged.

use serde_json::{Value, json};

use super::{Scene, TERMINAL};
use crate::wire::Request;

impl Scene {
    fn run(&self, session: &str, command: &str) -> Value {
        let (path, body) = (format!("{TERMINAL}?session={session}"), json!({"command": command}));
        let body = body.to_string();
        self.server.send(&Request::post(&path, body.as_bytes()).token(&self.token)).json()
    }

    /// Runs the commands in one session, the last of which would delete `precious`, and says
    /// whether it was refused.
    fn refuses(&self, session: &str, commands: &[&str]) -> bool {
        let precious = self.sandbox.scratch("precious");
        std::fs::create_dir_all(&precious).unwrap();
        let answers: Vec<Value> =
            commands.iter().map(|command| self.run(session, command)).collect();
        assert!(precious.exists(), "{commands:?} ran: {answers:?}");
        answers.iter().any(|answer| answer["result"].to_string().contains("BLOCKED"))
    }
}

/// All of these ran unasked: each call was judged as if the shell were new.
#[test]
fn state_across_calls_is_judged() {
    let scene = Scene::new();
    for (session, commands) in [
        ("variable", ["export X='rm -rf precious'", "$X"].as_slice()),
        ("quoted", &["export A=rm B=-rf", "\"$A\" \"$B\" precious"]),
        ("alias", &["alias z='rm -r'", "z precious"]),
        ("function", &["f() { \"$@\"; }", "f rm -rf precious"]),
        ("body", &["g() { rm -rf \"$1\"; }", "true", "g precious"]),
        ("command", &["ls() { command rm -rf precious; }", "ls"]),
        ("file", &["echo 'rm -rf precious' > todo.txt", "$(cat todo.txt)"]),
        ("evaluated", &["export C='rm -rf precious'", "eval \"$C\""]),
        ("shell", &["export C='rm -rf precious'", "bash -c \"$C\""]),
        ("sourced", &["echo 'h() { rm -rf precious; }' > lib.sh", ". ./lib.sh", "h"]),
    ] {
        assert!(scene.refuses(session, commands), "{session}");
    }
}

/// The floor holds for what was put together over several calls.
#[test]
fn the_floor_holds_across_calls() {
    let scene = Scene::new();
    scene.run("floor", "export X='rm -rf /'");
    let answer = scene.run("floor", "$X").to_string();
    assert!(answer.contains("hardline"), "{answer}");
    let answer = scene.run("floor", "alias power='shutdown now'").to_string();
    assert!(!answer.contains("hardline"), "an alias is only text: {answer}");
    let answer = scene.run("floor", "power").to_string();
    assert!(answer.contains("hardline"), "{answer}");
}

/// What one session exported was there in every other.
#[test]
fn state_belongs_to_its_session() {
    let scene = Scene::new();
    scene.run("a", "export MINE=only-here; alias hi='echo hello'; f() { echo called; }; cd /");
    let own = scene.run("a", "echo $MINE; hi; f; pwd").to_string();
    assert!(own.contains("only-here\\nhello\\ncalled\\n/"), "{own}");
    let other = scene.run("b", "echo [$MINE]; hi; f; pwd").to_string();
    assert!(other.contains("[]") && !other.contains("hello") && !other.contains("called"));
    assert!(!other.contains("only-here"), "{other}");
}

/// Harmless state stays usable.
#[test]
fn kept_names_of_harmless_things_run() {
    let scene = Scene::new();
    scene.run("s", "export EDITOR=true NAME=world; greet() { echo \"hello $1\"; }");
    let answer = scene.run("s", "greet $NAME && $EDITOR").to_string();
    assert!(answer.contains("hello world"), "{answer}");
}
