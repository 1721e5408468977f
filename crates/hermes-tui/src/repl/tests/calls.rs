//! What a person sees of tool calls, on terminals of three sizes.

use hermes_protocol::AgentEvent;
use hermes_tool::OutputTail;
use serde_json::{Value, json};

use super::*;
use crate::test_session::Step;

fn finished(tool: &str, args: Value, output: &Value) -> Step {
    Step::Tell(AgentEvent::ToolFinished {
        id: "1".into(),
        tool: tool.into(),
        args,
        failed: false,
        output: output.to_string(),
        took: Duration::from_millis(1_500),
    })
}

fn output(lines: usize) -> String {
    (1..=lines).map(|number| format!("test case_{number} ... ok\n")).collect()
}

fn every_kind(_: &str) -> Vec<Step> {
    let diff = "--- a/src/parse.rs\n+++ b/src/parse.rs\n@@ -9,3 +9,4 @@\n fn parse() {\n-    old();\n\
                +    new();\n+    newer();\n }\n";
    vec![
        finished("read_file", json!({"path": "src/parse.rs"}), &json!({"content": "…"})),
        finished("read_file", json!({"path": "src/lib.rs"}), &json!({"content": "…"})),
        finished("search_files", json!({"pattern": "parse", "path": "src"}), &json!({})),
        finished("patch", json!({"path": "src/parse.rs"}), &json!({"diff": diff})),
        finished(
            "write_file",
            json!({"path": "notes.md", "content": "# Notes\n\n- 一\n"}),
            &json!({}),
        ),
        finished(
            "terminal",
            json!({"command": "cargo test"}),
            &json!({"output": output(40), "exit_code": 0}),
        ),
        Step::Tell(AgentEvent::Said { text: "Done.".into() }),
    ]
}

async fn screen(columns: usize, rows: usize) -> String {
    let play = Play::sized(every_kind, ChatSettings::default(), Size { columns, rows });
    play.send("mend it");
    play.until("the end of the turn", |text| text.ends_with("Done.\n\n❯")).await
}

#[tokio::test]
async fn every_kind_of_call_on_80_by_24() {
    // The answer fills the screen: how much of its beginning has gone up depends on rows that were there for a moment.
    let shown = screen(80, 24).await;
    let rows: Vec<&str> = shown.lines().collect();
    insta::assert_snapshot!(rows[rows.len() - 18..].join("\n"));
}

#[tokio::test]
async fn every_kind_of_call_on_120_by_40() {
    insta::assert_snapshot!(screen(120, 40).await);
}

#[tokio::test]
async fn every_kind_of_call_on_200_by_50() {
    insta::assert_snapshot!(screen(200, 50).await);
}

fn runs_long(_: &str) -> Vec<Step> {
    let tail = OutputTail { lines: vec!["compiling a".into(), "compiling b".into()], total: 12 };
    vec![
        Step::Tell(AgentEvent::ToolStarted {
            id: "1".into(),
            tool: "terminal".into(),
            args: json!({"command": "make"}),
        }),
        Step::Tell(AgentEvent::ToolOutput { id: "1".into(), tail }),
        Step::Wait(PATIENCE),
    ]
}

#[tokio::test]
async fn what_a_running_command_writes_is_seen() {
    let play = Play::new(runs_long);
    play.send("build");
    play.sees("make (0.").await;
    play.sees("    … + 10 lines\n    compiling a\n    compiling b\n").await;
}

#[tokio::test]
async fn ctrl_o_shows_a_call_whole_and_leaves_no_trace() {
    let play = Play::new(every_kind);
    play.send("mend it");
    let before = play.until("the end", |text| text.ends_with("Done.\n\n❯")).await;
    play.control('o');
    let page = play.sees("#6 terminal · 1.5s · exit 0").await;
    assert!(page.contains("command\ncargo test\n\n→ output\ntest case_1 ... ok"), "{page}");
    play.key(KeyCode::PageDown, KeyModifiers::NONE);
    play.sees("case_20").await;
    play.key(KeyCode::Left, KeyModifiers::NONE);
    play.sees("#5 write_file").await;
    play.keys.send(TerminalInput::Resize(Size { columns: 60, rows: 20 })).unwrap();
    play.type_in("q");
    play.until("the conversation", |text| text == before).await;
    play.send("/expand 4");
    play.sees("#4 patch").await;
    play.sees(" 10 -     old();").await;
    play.key(KeyCode::Esc, KeyModifiers::NONE);
    play.send("/expand 9");
    play.sees("Calls 1 to 6 can be shown.").await;
}
