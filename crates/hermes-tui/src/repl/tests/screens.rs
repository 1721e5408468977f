//! Whole screens, as a person sees them.

use hermes_protocol::AgentEvent;
use serde_json::json;

use super::*;
use crate::test_session::Step;

const ANSWER: &str = "\
## Findings 調査結果

The **parser** in `src/parse.rs` reads 東京 and other wide words, and this sentence goes on until \
it has to be broken. See [the docs](https://example.org/docs).

1. read the file
2. mended it

```rust
fn main() {}
```

| file | lines |
|---|--:|
| 解析.rs | 120 |
";

fn works(_: &str) -> Vec<Step> {
    let finished = |tool: &str, args: serde_json::Value, output: serde_json::Value| {
        Step::Tell(AgentEvent::ToolFinished {
            id: "1".into(),
            tool: tool.into(),
            args,
            failed: output.get("error").is_some(),
            output: output.to_string(),
            took: Duration::from_millis(1_500),
        })
    };
    vec![
        finished("read_file", json!({"path": "src/parse.rs", "limit": 80}), json!({})),
        finished("terminal", json!({"command": "cargo test"}), json!({"exit_code": 101})),
        Step::Tell(AgentEvent::Text(ANSWER.into())),
        Step::Tell(AgentEvent::Said { text: ANSWER.into() }),
    ]
}

async fn screen(columns: usize, rows: usize) -> String {
    let play = Play::sized(works, ChatSettings::default(), Size { columns, rows });
    play.send("What about the parser 構文解析器?");
    play.until("the end of the turn", |text| text.ends_with("120\n\n❯")).await;
    play.type_in("a draft");
    play.control('j');
    play.type_in("二行目");
    play.sees("❯ a draft\n  二行目").await
}

#[tokio::test]
async fn a_conversation_on_80_by_24() {
    insta::assert_snapshot!(screen(80, 24).await);
}

#[tokio::test]
async fn a_conversation_on_200_by_50() {
    insta::assert_snapshot!(screen(200, 50).await);
}

#[tokio::test]
async fn the_row_at_the_bottom_tells_where_things_stand() {
    let settings = ChatSettings {
        status_line: Some(crate::display::status_line::USUAL_FORMAT.to_owned()),
        ..ChatSettings::default()
    };
    let play = Play::sized(works, settings, Size { columns: 80, rows: 24 });
    let model = play.agent.status().model;
    play.until("the row", |text| text.ends_with("~/src")).await;
    assert!(play.screen.text().contains(&model));
    assert_eq!(play.screen.cursor().1, 2);
    play.send("/yolo");
    play.until("the mode", |text| text.ends_with("~/src · yolo")).await;
}

#[tokio::test]
async fn a_theme_is_chosen_and_kept() {
    let play = Play::new(works);
    play.send("/theme");
    play.sees("› ✓ dark ").await;
    play.type_in("light");
    play.key(KeyCode::Enter, KeyModifiers::NONE);
    play.sees("ran config set display.theme light").await;
    play.send("/theme pink");
    play.sees("There is no theme `pink`").await;
}
