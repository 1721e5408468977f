use hermes_llm::TokenUsage;
use hermes_protocol::NoticeLevel;
use serde_json::{Value, json};

use super::*;
use crate::display::fit::columns;
use crate::display::style::Colour;

fn started(tool: &str, id: &str, args: &Value) -> AgentEvent {
    AgentEvent::ToolStarted { id: id.into(), tool: tool.into(), args: args.clone() }
}

fn finished(tool: &str, id: &str, args: &Value, output: &str) -> AgentEvent {
    AgentEvent::ToolFinished {
        id: id.into(),
        tool: tool.into(),
        args: args.clone(),
        output: output.into(),
        failed: output.contains("\"error\""),
        took: Duration::from_millis(250),
    }
}

fn turn() -> Vec<AgentEvent> {
    let path = json!({"path": "src/lib.rs"});
    let patch = json!({"path": "src/lib.rs", "old_string": "a", "new_string": "b"});
    let diff = json!({"success": true, "diff": "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -1 +1 @@\n-a\n+b\n"});
    let todo = json!({"todos": [{"id": "1", "content": "mend", "status": "in_progress"}]});
    let child = |event: AgentEvent| AgentEvent::Child {
        task: 1,
        goal: "look".into(),
        event: Box::new(event),
    };
    let command = json!({"command": "grep -r 名前 ."});
    vec![
        AgentEvent::Asking { call: 1 },
        AgentEvent::Reasoning("The user wants\nthe file mended".into()),
        AgentEvent::Text("\n\nI will look at ".into()),
        AgentEvent::Text("the **file**.\n".into()),
        AgentEvent::Said { text: "I will look at the **file**.".into() },
        started("read_file", "1", &path),
        finished("read_file", "1", &path, "{}"),
        finished("todo", "2", &todo, &todo.to_string()),
        finished("patch", "3", &patch, &diff.to_string()),
        child(started("terminal", "1", &command)),
        child(AgentEvent::Text("words for the agent".into())),
        child(finished("terminal", "1", &command, r#"{"error": "denied"}"#)),
        AgentEvent::Notice { level: NoticeLevel::Warning, text: "Rate limit; waiting 3 s.".into() },
        AgentEvent::Spent {
            usage: TokenUsage { input_tokens: 900, output_tokens: 20, ..TokenUsage::default() },
            context_tokens: 1_000,
        },
        AgentEvent::Text("Done: 完了しました".into()),
    ]
}

fn drawn(shown: DisplayOptions, width: usize) -> String {
    let now = Instant::now();
    let style = Style::new(Colour::Off, width);
    let mut transcript = Transcript::new(shown, crate::test_looks::tool_lines(&[]), now);
    let mut rows: Vec<String> = Vec::new();
    for event in turn() {
        rows.extend(transcript.on_event(&event, now, &style));
    }
    let (rest, cost) = transcript.end(now + Duration::from_secs(2), &style);
    rows.extend(rest);
    rows.push(notices::cost(&cost, &style));
    rows.join("\n")
}

#[test]
fn a_turn_at_80_columns() {
    insta::assert_snapshot!(drawn(DisplayOptions::default(), 80));
}

#[test]
fn a_turn_at_200_columns_with_everything() {
    let shown = DisplayOptions { tools: Verbosity::Verbose, ..DisplayOptions::default() };
    insta::assert_snapshot!(drawn(shown, 200));
}

#[test]
fn a_turn_with_as_little_as_possible() {
    let shown = DisplayOptions {
        tools: Verbosity::Off,
        reasoning: false,
        streaming: false,
        ..DisplayOptions::default()
    };
    insta::assert_snapshot!(drawn(shown, 80));
}

#[test]
fn the_moment_shows_what_is_being_written_and_what_runs() {
    let now = Instant::now();
    let style = Style::new(Colour::Off, 40);
    let mut transcript =
        Transcript::new(DisplayOptions::default(), crate::test_looks::tool_lines(&[]), now);
    let at = now + Duration::from_millis(600);
    transcript.on_event(&AgentEvent::Asking { call: 0 }, now, &style);
    assert_eq!(transcript.live(at, 5, &style), ["", "⠴ (•‿•) thinking… (0.6s)"]);
    transcript.on_event(&AgentEvent::Text("half a li".into()), now, &style);
    let rows = transcript.live(at, 5, &style);
    assert_eq!(rows, ["half a li", "", "⠴ (•‿•) thinking… (0.6s)"]);
    transcript.on_event(&AgentEvent::Text("ne\n".into()), now, &style);
    for id in ["a", "b"] {
        transcript.on_event(&started("terminal", id, &json!({"command": "sleep 1"})), now, &style);
    }
    let progress = AgentEvent::ToolProgress { id: "b".into(), message: "half\nway".into() };
    transcript.on_event(&progress, now, &style);
    assert_eq!(
        transcript.live(at, 5, &style),
        ["", "⠴ ⚡ sleep 1 (0.6s)", "⠴ ⚡ sleep 1: half way (0.6s)"]
    );
    assert_eq!(transcript.live(at, 1, &style).len(), 1);
}

#[test]
fn a_long_unfinished_text_leaves_room_for_the_prompt() {
    let now = Instant::now();
    let style = Style::new(Colour::Off, 40);
    let mut transcript =
        Transcript::new(DisplayOptions::default(), crate::test_looks::tool_lines(&[]), now);
    transcript.on_event(&AgentEvent::Text("word ".repeat(500)), now, &style);
    let rows = transcript.live(now, 8, &style);
    assert_eq!(rows.len(), 8);
    assert!(rows.iter().all(|row| columns(row) <= 40));
    assert!(rows[7].contains("thinking"));
}

#[test]
fn a_tool_is_named_once_while_it_stays_the_same() {
    let now = Instant::now();
    let style = Style::new(Colour::Off, 80);
    let shown = DisplayOptions { tools: Verbosity::New, ..DisplayOptions::default() };
    let mut transcript = Transcript::new(shown, crate::test_looks::tool_lines(&[]), now);
    let args = json!({"path": "a"});
    let mut count = |output: &str| {
        transcript.on_event(&finished("read_file", "1", &args, output), now, &style).len()
    };
    assert_eq!((count("{}"), count("{}"), count(r#"{"error": "gone"}"#)), (2, 0, 1));
}
