//! `hermes tools call`: ways to give arguments, dry runs, results.

use serde_json::{Value, json};

use crate::support::{Run, Sandbox, write};

fn call(args: &[&str]) -> Run {
    Sandbox::new().run(["tools", "call"].iter().chain(args))
}

/// What a dry run says about a call of `todo`.
fn rehearsed(args: &[&str]) -> Value {
    call(&[&["todo", "--dry-run"], args].concat()).exits(0).quietly().json()
}

#[test]
fn agent_level_tools_answer_that_they_need_an_agent() {
    for tool in ["todo", "memory", "session_search", "delegate_task", "clarify"] {
        let run = call(&[tool]).exits(1).quietly();
        assert_eq!(
            run.json(),
            json!({"error": format!("{tool} must be handled by the agent loop")})
        );
    }
}

#[test]
fn an_older_name_of_a_tool_is_understood_and_the_present_one_said() {
    let run = call(&["search", "--dry-run", "--arg", "pattern=x"]).exits(0);
    assert_eq!(run.json()["tool"], "search_files");
    let sandbox = Sandbox::new();
    write(&sandbox.scratch("notes.txt"), b"a needle\n");
    let found = sandbox.run(["tools", "call", "search", "--arg", "pattern=needle"]).exits(0);
    found.says("notes.txt");
}

#[test]
fn arguments_come_as_json() {
    let shown = rehearsed(&[r#"{"todos": [{"id": "1", "content": "rest"}], "merge": true}"#]);
    assert_eq!(shown["tool"], "todo");
    assert_eq!(
        shown["arguments"],
        json!({"todos": [{"id": "1", "content": "rest"}], "merge": true})
    );
    assert_eq!(shown["coerced"], json!([]));
    assert_eq!(shown["gate"], json!({"would": "run"}));
}

#[test]
fn arguments_come_on_stdin() {
    let text = r#"{"merge": false}"#;
    let run = Sandbox::new().run_with_stdin(["tools", "call", "todo", "-", "-n"], text).exits(0);
    assert_eq!(run.json()["arguments"], json!({"merge": false}));
}

#[test]
fn no_arguments_and_empty_stdin_are_an_empty_object() {
    assert_eq!(rehearsed(&[])["arguments"], json!({}));
    let run = Sandbox::new().run_with_stdin(["tools", "call", "todo", "-", "-n"], "").exits(0);
    assert_eq!(run.json()["arguments"], json!({}));
}

#[test]
fn arguments_come_one_by_one() {
    let shown = rehearsed(&["--arg", "merge=true", "--arg", r#"todos:=[{"id": "a=b"}]"#]);
    assert_eq!(shown["arguments"], json!({"merge": true, "todos": [{"id": "a=b"}]}));
}

#[test]
fn dry_runs_show_what_coercion_changed() {
    let shown = rehearsed(&[r#"{"merge": "true", "todos": "[]"}"#]);
    assert_eq!(shown["arguments"], json!({"merge": true, "todos": []}));
    assert_eq!(
        shown["coerced"],
        json!([{"argument": "merge", "from": "string", "to": "boolean"},
               {"argument": "todos", "from": "string", "to": "array"}])
    );
}

#[test]
fn arguments_that_are_almost_json_are_mended_with_a_note() {
    let run = call(&["todo", "-n", "{'merge': True, todos: [],}"]).exits(0);
    assert_eq!(run.json()["arguments"], json!({"merge": true, "todos": []}));
    run.notes(r#"(the arguments were not quite JSON; read as {"merge":true,"todos":[]})"#);
}

#[test]
fn names_that_leave_no_doubt_are_taken_with_a_note() {
    let run = call(&["Session-Search", "-n"]).exits(0);
    assert_eq!(run.json()["tool"], "session_search");
    run.notes("(taking `Session-Search` for `session_search`)");
}

#[test]
fn a_note_on_the_way_leaves_stdout_to_the_result() {
    let run = call(&["todo", "{'merge': True}"]).exits(1).notes("not quite JSON");
    assert_eq!(run.json(), json!({"error": "todo must be handled by the agent loop"}));
    assert_eq!(run.out.lines().count(), 1);
}

#[test]
fn a_padded_patch_whose_hunks_build_on_each_other_is_applied() {
    let sandbox = Sandbox::with_config("");
    let file = sandbox.scratch("notes.txt");
    write(&file, b"one\ntwo");
    let patch = format!(
        " *** Begin Patch\n  *** Update File: {0}\n@@\n one\n+middle\n@@\n-middle\n+centre\n*** Update File: {0}\n@@\n+three\n *** End Patch \n",
        file.display()
    );
    let args = serde_json::json!({"mode": "patch", "patch": patch}).to_string();
    sandbox.run(["tools", "call", "patch", &args]).exits(0);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\ncentre\ntwo\nthree\n");
}

#[test]
fn the_last_line_of_a_notebook_is_a_line_that_is_there() {
    let sandbox = Sandbox::with_config("");
    let file = sandbox.scratch("a.ipynb");
    write(&file, br#"{"cells": [{"cell_type": "code", "source": "x = 1\n"}], "nbformat": 4}"#);
    let args = serde_json::json!({"path": file}).to_string();
    let read = sandbox.run(["tools", "call", "read_file", &args]).exits(0).json();
    assert_eq!(read["content"], "1|# ── Code cell 1 ──\n2|x = 1", "{read}");
}

#[test]
fn the_callers_path_survives_login_files() {
    let sandbox =
        Sandbox::with_config("").var("PATH", "/venv/bin:/nvm/bin:/usr/bin:/bin:/last/bin");
    write(&sandbox.scratch("user/.bash_profile"), b"export PATH=/own/bin:/usr/bin:/bin\n");
    let args = r#"{"command": "echo $PATH"}"#;
    let run = sandbox.run(["tools", "call", "terminal", args]).exits(0).json();
    let path = run["output"].as_str().unwrap().trim();
    assert!(path.contains("/venv/bin:/nvm/bin:/own/bin:/usr/bin:/bin"), "{path}");
    assert!(path.contains(":/last/bin"), "{path}");
    assert_eq!(path.split(':').filter(|entry| *entry == "/venv/bin").count(), 1, "{path}");
}
