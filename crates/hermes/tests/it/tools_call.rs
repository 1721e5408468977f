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
