//! `hermes acp`: an editor before the program, a scripted model behind it.

mod clients;
pub(crate) mod editor;

use hermes_testkit::{ModelServer, Script, Step};
use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::wire::{pid_in, wait_until_gone};
use editor::{Editor, said};

/// A sandbox whose agent has this model.
pub(crate) fn sandbox(script: impl Into<Script>, settings: &str) -> (Sandbox, ModelServer) {
    let model = ModelServer::start(script);
    let config = format!(
        "model:\n  provider: custom\n  base_url: {}\n  default: scripted\n  context_length: 200000\n\
         auxiliary: {{ title_generation: {{ enabled: false }} }}\napprovals:\n  mode: manual\n{settings}",
        model.url()
    );
    (Sandbox::with_config(&config), model)
}

fn write_call(path: &std::path::Path, content: &str) -> Step {
    Step::call("write_file", json!({"path": path, "content": content}))
}

#[test]
fn a_prompt_is_streamed_with_thinking_tools_and_a_plan() {
    let todos = json!({"todos": [{"id": "1", "content": "look", "status": "in_progress"}]});
    let (sandbox, model) = sandbox(
        [Step::call("todo", todos).reasoning("hm, a list"), Step::text("All done.").chunk(3)],
        "",
    );
    let mut editor = Editor::start(&sandbox, json!({}));
    let session = editor.session(&sandbox.scratch(""));
    let answer = editor.prompt(&session, "plan it");
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
    assert_eq!(editor.text(), "All done.");
    assert!(!editor.updates("agent_thought_chunk").is_empty());
    let plan = editor.updates("plan");
    assert_eq!(plan[0]["entries"][0]["content"], "look", "{plan:?}");
    assert_eq!(plan[0]["entries"][0]["status"], "in_progress");
    let done = editor.updates("tool_call_update");
    assert_eq!(done.last().unwrap()["status"], "completed");
    assert!(editor.updates("usage_update").last().unwrap()["size"].as_u64() == Some(200_000));
    assert!(!editor.updates("available_commands_update").is_empty());
    assert!(model.questions()[0].body.to_string().contains("code editor"));
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn a_change_is_shown_before_it_is_asked_about_and_a_no_keeps_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("note.txt");
    crate::support::write(&file, b"old\n");
    let write = || write_call(&file, "new\n");
    let read = Step::call("read_file", json!({"path": file}));
    let steps = [write(), Step::text("As you like."), read, write(), Step::text("Written.")];
    let (sandbox, _model) = sandbox(steps, "");
    let mut editor = Editor::start(&sandbox, json!({}));
    let session = editor.session(folder.path());
    editor.chooses = Some("deny");
    editor.prompt(&session, "change it");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "old\n");
    let asked =
        editor.heard.iter().position(|message| message["method"] == "session/request_permission");
    let shown = editor
        .heard
        .iter()
        .position(|message| message["params"]["update"]["content"][0]["type"] == "diff");
    assert!(shown.unwrap() < asked.unwrap(), "{:#?}", editor.heard);
    let question = editor.heard[asked.unwrap()]["params"].clone();
    let diff = &question["toolCall"]["content"][0];
    assert_eq!(
        (&diff["oldText"], &diff["newText"]),
        (&json!("old\n"), &json!("new\n")),
        "{question}"
    );
    assert_eq!(question["toolCall"]["kind"], "edit");
    let options: Vec<&str> = question["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["optionId"].as_str().unwrap())
        .collect();
    assert_eq!(options, ["allow_once", "allow_session", "allow_folder", "deny"]);
    editor.chooses = Some("allow_once");
    editor.prompt(&session, "change it after all");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "new\n");
}

#[test]
fn a_yes_for_a_folder_or_the_session_is_asked_for_once() {
    for option in ["allow_folder", "allow_session"] {
        let folder = tempfile::tempdir().unwrap();
        let inside = |name: &str| folder.path().join(name);
        let (sandbox, _model) = sandbox(
            [write_call(&inside("a"), "1"), write_call(&inside("b"), "2"), Step::text("Both.")],
            "",
        );
        let mut editor = Editor::start(&sandbox, json!({}));
        let session = editor.session(folder.path());
        editor.chooses = Some(option);
        editor.prompt(&session, "write two files");
        assert!(inside("a").exists() && inside("b").exists(), "{option}: {:#?}", editor.heard);
        let asked = editor
            .heard
            .iter()
            .filter(|message| message["method"] == "session/request_permission")
            .count();
        assert_eq!(asked, 1, "{option}");
    }
}

#[test]
fn modes_decide_what_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.txt");
    let (sandbox, _model) = sandbox([write_call(&file, "x"), Step::text("Done.")], "");
    let mut editor = Editor::start(&sandbox, json!({}));
    let session = editor.session(folder.path());
    editor.chooses = None;
    let set =
        editor.ask("session/set_mode", json!({"sessionId": session, "modeId": "accept_edits"}));
    assert!(set["error"].is_null(), "{set}");
    assert_eq!(editor.prompt(&session, "write it")["result"]["stopReason"], "end_turn");
    assert!(file.exists());
    let odd = editor.ask("session/set_mode", json!({"sessionId": session, "modeId": "chaos"}));
    assert_eq!(odd["error"]["code"], -32602);
}

#[test]
fn a_flagged_command_is_asked_about_and_the_answer_counts() {
    for (option, runs) in [("deny", false), ("allow_once", true)] {
        let command = "mkdir -p precious; rm -r precious; touch ran.mark";
        let call = Step::call("terminal", json!({"command": command}));
        let (sandbox, _model) = sandbox([call, Step::text("That was it.")], "");
        let mut editor = Editor::start(&sandbox, json!({}));
        let session = editor.session(&sandbox.scratch(""));
        editor.chooses = Some(option);
        editor.prompt(&session, "tidy up");
        assert_eq!(sandbox.scratch("ran.mark").exists(), runs, "{option}: {:#?}", editor.heard);
        let question = editor.until(|message| message["method"] == "session/request_permission");
        assert!(question["params"]["toolCall"]["content"].to_string().contains("rm -r precious"));
    }
}

#[test]
fn cancelling_ends_the_command_and_answers_the_prompt() {
    let command = "echo $$ > pid.txt; exec sleep 300";
    let (sandbox, _model) = sandbox(
        [
            Step::call("terminal", json!({"command": command})),
            Step::text("never"),
            Step::text("Here again."),
        ],
        "",
    );
    let mut editor = Editor::start(&sandbox, json!({}));
    let session = editor.session(&sandbox.scratch(""));
    let first = editor.send("session/prompt", said(&session, "wait"));
    let pid = pid_in(&sandbox.scratch("pid.txt"));
    // A prompt that waits for its turn is cancelled with the one that runs.
    let second = editor.send("session/prompt", said(&session, "and then"));
    editor.notify("session/cancel", json!({"sessionId": session}));
    assert_eq!(editor.answer_to(first)["result"]["stopReason"], "cancelled");
    assert_eq!(editor.answer_to(second)["result"]["stopReason"], "cancelled");
    wait_until_gone(pid);
}

#[test]
fn what_is_typed_and_not_saved_is_what_the_agent_reads() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().canonicalize().unwrap().join("draft.txt");
    crate::support::write(&file, b"saved\n");
    let (sandbox, model) = sandbox(
        [
            Step::call("read_file", json!({"path": file})),
            write_call(&file, "by the agent\n"),
            Step::text("Done."),
        ],
        "",
    );
    let can = json!({"fs": {"readTextFile": true, "writeTextFile": true}});
    let mut editor = Editor::start(&sandbox, can);
    editor.windows.insert(file.to_str().unwrap().to_owned(), "typed, not saved\n".to_owned());
    let session = editor.session(folder.path());
    editor.prompt(&session, "look and write");
    let asked = model.questions()[1].body.to_string();
    assert!(asked.contains("typed, not saved"), "{asked}");
    let wrote = editor.until(|message| message["method"] == "fs/write_text_file");
    assert_eq!(wrote["params"]["content"], "by the agent\n");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "by the agent\n");
}

#[test]
fn sessions_are_listed_loaded_forked_resumed_and_deleted_also_after_a_kill() {
    let (sandbox, model) =
        sandbox(["The word is plum.", "It was plum.", "Plum here too."].map(Step::text), "");
    let cwd = sandbox.scratch("");
    let mut editor = Editor::start(&sandbox, json!({}));
    let session = editor.session(&cwd);
    editor.prompt(&session, "remember plum");
    editor.kill();
    let mut editor = Editor::start(&sandbox, json!({}));
    let listed = editor.ask("session/list", json!({}));
    assert_eq!(listed["result"]["sessions"][0]["sessionId"], session, "{listed}");
    let place = json!({"sessionId": session, "cwd": cwd, "mcpServers": []});
    let loaded = editor.ask("session/load", place.clone());
    assert!(loaded["error"].is_null(), "{loaded}");
    let replayed: String = editor
        .updates("user_message_chunk")
        .iter()
        .map(|chunk| chunk["content"]["text"].as_str().unwrap().to_owned())
        .collect();
    assert!(replayed.contains("remember plum") && editor.text().contains("The word is plum."));
    editor.prompt(&session, "which?");
    assert!(model.questions()[1].body.to_string().contains("The word is plum."));
    let forked = editor.ask("session/fork", place.clone());
    let copy =
        forked["result"]["sessionId"].as_str().unwrap_or_else(|| panic!("{forked}")).to_owned();
    assert_ne!(copy, session);
    editor.prompt(&copy, "here?");
    assert!(model.questions()[2].body.to_string().contains("It was plum."));
    let resumed = editor.ask("session/resume", place);
    assert!(resumed["error"].is_null(), "{resumed}");
    for method in ["session/close", "session/delete"] {
        let gone = editor.ask(method, json!({"sessionId": copy}));
        assert!(gone["error"].is_null(), "{method}: {gone}");
    }
    let unknown = editor.prompt(&copy, "anybody?");
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    assert_eq!(
        editor.ask("session/load", json!({"sessionId": copy, "cwd": cwd, "mcpServers": []}))["error"]
            ["code"],
        -32602
    );
}

#[test]
fn a_failed_turn_is_an_error_and_an_empty_budget_a_reason() {
    let (sandbox, _model) =
        sandbox(Script::from([Step::status(401).error("no such key")]).repeat_last(), "");
    let mut editor = Editor::start(&sandbox, json!({}));
    let session = editor.session(&sandbox.scratch(""));
    let answer = editor.prompt(&session, "hello");
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    assert!(!answer["error"]["data"]["class"].is_null(), "{answer}");
    let steps = Script::from([Step::call("todo", json!({}))]).repeat_last();
    let (sandbox, _model) = self::sandbox(steps, "agent:\n  max_turns: 2\n");
    let mut editor = Editor::start(&sandbox, json!({}));
    let session = editor.session(&sandbox.scratch(""));
    assert_eq!(editor.prompt(&session, "go on")["result"]["stopReason"], "max_turn_requests");
}

#[test]
fn settings_servers_and_questions_of_a_session() {
    let server = sandbox_server();
    let (sandbox, model) = sandbox(
        [
            Step::call(
                "clarify",
                json!({"question": "Which colour?", "choices": ["red", "green"]}),
            ),
            Step::text("Green it is."),
        ],
        "",
    );
    let mut editor = Editor::start(&sandbox, json!({"elicitation": {"form": {}}}));
    let answer =
        editor.ask("session/new", json!({"cwd": sandbox.scratch(""), "mcpServers": [server]}));
    let session = answer["result"]["sessionId"].as_str().unwrap().to_owned();
    let options = &answer["result"]["configOptions"][0];
    assert_eq!(
        (&options["id"], &options["currentValue"]),
        (&json!("model"), &json!("scripted")),
        "{answer}"
    );
    editor.prompt(&session, "paint it");
    let tools = model.questions()[0].body["tools"].to_string();
    assert!(tools.contains("mcp__house__greet"), "the editor's own server is there: {tools}");
    assert!(model.questions()[1].body.to_string().contains("green"));
    let mut set = |model: &str| {
        let wanted = json!({"sessionId": session, "configId": "model", "value": model});
        editor.ask("session/set_config_option", wanted)
    };
    let unknown = set("nobody-has-this");
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let known = set("scripted");
    assert_eq!(known["result"]["configOptions"][0]["currentValue"], "scripted", "{known}");
}

/// A server of tools, as an editor would name it.
fn sandbox_server() -> Value {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/fixtures/mcp_server.py");
    json!({"name": "house", "command": "python3", "args": [script], "env": []})
}

#[test]
fn broken_lines_do_not_end_the_connection_and_long_ones_are_read() {
    let (sandbox, model) = sandbox([Step::text("Read.")], "");
    let mut editor = Editor::start(&sandbox, json!({}));
    editor.write("{not json");
    let session = editor.session(&sandbox.scratch(""));
    let long = "word ".repeat(400_000);
    assert_eq!(editor.prompt(&session, &long)["result"]["stopReason"], "end_turn");
    assert!(model.questions()[0].body.to_string().len() > 1_500_000);
    let unknown = editor.ask("session/dance", json!({}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
}

#[test]
fn check_and_manifest_say_what_there_is() {
    let (sandbox, _model) = sandbox([Step::text("never")], "");
    sandbox.run(["acp", "--check"]).exits(0).says("scripted");
    let manifest = sandbox.run(["acp", "--manifest"]).exits(0).json();
    assert_eq!(manifest["distribution"]["command"]["args"], json!(["acp"]));
    Sandbox::new().run(["acp", "--check"]).exits(1).notes("hermes setup");
}
