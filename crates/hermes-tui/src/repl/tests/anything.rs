//! Whatever happens in whatever order: keys, pasted text, other sizes, pieces of a stream. Nothing may break, no row may
//! be wider than the terminal, no control sequence of the model's may arrive, and the cursor stays on the screen.

use hermes_protocol::AgentEvent;
use hermes_tool::OutputTail;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::display::fit::columns;
use crate::input::EditStyle;
use crate::terminal::{Frame, Narrowing};

#[derive(Clone, Debug)]
enum Act {
    Key(KeyCode, KeyModifiers),
    Paste(String),
    Resize(usize, usize),
    Tell(AgentEvent),
}

fn keys() -> impl Strategy<Value = Act> {
    let code = prop_oneof![
        6 => prop::char::range(' ', '~').prop_map(KeyCode::Char),
        1 => Just(KeyCode::Char('日')),
        1 => prop::sample::select(vec![
            KeyCode::Enter, KeyCode::Esc, KeyCode::Tab, KeyCode::BackTab, KeyCode::Up, KeyCode::Down,
            KeyCode::Left, KeyCode::Right, KeyCode::Backspace, KeyCode::Home, KeyCode::End,
            KeyCode::PageUp, KeyCode::PageDown, KeyCode::Delete, KeyCode::F(1),
        ]),
    ];
    let modifiers = prop_oneof![
        6 => Just(KeyModifiers::NONE), 1 => Just(KeyModifiers::CONTROL), 1 => Just(KeyModifiers::ALT),
    ];
    // Leaving ends the play, and the background is for shells.
    let stays = |code: &KeyCode, modifiers: KeyModifiers| {
        let leaves = matches!(code, KeyCode::Char('c' | 'C' | 'd' | 'D' | 'z' | 'Z'));
        !(modifiers == KeyModifiers::CONTROL && leaves)
    };
    (code, modifiers).prop_filter_map("leaves", move |(code, modifiers)| {
        stays(&code, modifiers).then_some(Act::Key(code, modifiers))
    })
}

fn events() -> impl Strategy<Value = Act> {
    let text = "[a-z*_`#|>\\[\\](){}\n 日\u{1b}\u{7}\t-]{0,40}";
    let id = || prop::sample::select(vec!["1", "2"]).prop_map(str::to_owned);
    prop_oneof![
        4 => text.prop_map(AgentEvent::Text),
        1 => text.prop_map(AgentEvent::Reasoning),
        1 => text.prop_map(|text| AgentEvent::Said { text }),
        1 => (id(), text).prop_map(|(id, text)| AgentEvent::ToolStarted {
            id, tool: "terminal".into(), args: json!({"command": text})
        }),
        1 => (id(), text).prop_map(|(id, text)| AgentEvent::ToolOutput {
            id, tail: OutputTail { lines: vec![text], total: 3 }
        }),
        1 => (id(), text).prop_map(|(id, text)| AgentEvent::ToolFinished {
            id, tool: "terminal".into(), args: json!({"command": text}), failed: false,
            output: json!({"output": text, "exit_code": 0}).to_string(), took: Duration::ZERO,
        }),
    ]
    .prop_map(Act::Tell)
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        6 => keys(),
        3 => events(),
        1 => "[a-z\n\u{1b}日]{0,80}".prop_map(Act::Paste),
        1 => (2_usize..130, 2_usize..50).prop_map(|(columns, rows)| Act::Resize(columns, rows)),
    ];
    prop::collection::vec(act, 0..80)
}

/// Keeps what is ordered instead of drawing it.
#[derive(Clone, Default)]
struct Recorder(Arc<std::sync::Mutex<Vec<DrawCommand>>>);

impl ChatTerminal for Recorder {
    fn order(&self, order: DrawCommand) {
        self.0.lock().unwrap().push(order);
    }

    fn suspend(&mut self) -> std::io::Result<()> {
        Ok(())
    }

    fn compose(&mut self, text: &str) -> anyhow::Result<String> {
        Ok(text.to_owned())
    }

    fn clipboard(&self) -> BoxFuture<'static, anyhow::Result<Clip>> {
        Box::pin(async { anyhow::bail!("no clipboard") })
    }

    fn command_line(&self) -> CommandLine {
        Arc::new(|_, _| Vec::new())
    }
}

fn check(frame: &Frame, size: Size) {
    let width = Style::new(Colour::Off, size.columns).width;
    for row in &frame.rows {
        assert!(columns(row) <= width, "{row:?} on {size:?}");
        assert!(!row.contains(['\x1b', '\x07', '\n', '\r']), "{row:?}");
    }
    assert!(frame.rows.is_empty() || frame.cursor.0 < frame.rows.len(), "{frame:?}");
}

async fn play(acts: Vec<Act>, editing: EditStyle) {
    let size = Size { columns: 60, rows: 20 };
    let (sender, _receiver) = ChatSender::pair();
    let agent = Arc::new(ScriptedSession::new(&sender, |_| Vec::new()));
    let commands = command_words(&[], Vec::new());
    let completer = Completer { commands, folder: "/nowhere".into(), home: None };
    let screen = Recorder::default();
    let (mut repl, _done) = Repl::new(ReplParts {
        conversation: agent as Arc<dyn ChatSession>,
        terminal: screen.clone(),
        composer: Composer::new(History::default(), completer),
        tool_lines: ToolLines::default(),
        settings: ChatSettings {
            status_line: Some("{model} · {dir}".into()),
            editing,
            ..ChatSettings::default()
        },
        style: Style::new(Colour::Off, size.columns),
        size,
        place: PlaceNames::default(),
        home: "/home".into(),
        quick: Vec::new(),
        pictures: None,
        narrowing: Narrowing::Cuts,
    });
    for act in acts {
        match act {
            Act::Key(code, modifiers) => {
                repl.on_input(TerminalInput::Key(KeyEvent::new(code, modifiers)));
            }
            Act::Paste(text) => repl.on_input(TerminalInput::Paste(text)),
            Act::Resize(columns, rows) => {
                repl.on_input(TerminalInput::Resize(Size { columns, rows }));
            }
            Act::Tell(event) => repl.on_event(ChatEvent::Event(event)),
        }
        repl.draw();
        let size = repl.size;
        for order in screen.0.lock().unwrap().drain(..) {
            match order {
                DrawCommand::Show(frame) => check(&frame, size),
                DrawCommand::Print(rows) | DrawCommand::Page(rows) => {
                    assert!(
                        rows.iter().all(|row| !row.contains(['\x1b', '\x07', '\n'])),
                        "{rows:?}"
                    );
                }
                _ => {}
            }
        }
    }
}

proptest! {
    // `PROPTEST_CASES=1000000` goes on for as long as one likes; a failure prints the seed to repeat it.
    #![proptest_config(ProptestConfig::default())]

    #[test]
    fn nothing_breaks_whatever_comes(acts in acts(), is_vim in any::<bool>()) {
        let editing = if is_vim { EditStyle::Vim } else { EditStyle::Shell };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(play(acts, editing));
    }
}
