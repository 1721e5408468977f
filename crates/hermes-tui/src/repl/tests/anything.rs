//! Whatever happens in whatever order: keys, pasted text, other sizes, pieces of a stream. Nothing may break, no row may
//! be wider than the terminal, no control sequence of the model's may arrive, and the terminal shows what was printed
//! last, below it the rows of the moment and nothing else, and the cursor where it belongs.

use hermes_protocol::AgentEvent;
use hermes_tool::OutputTail;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::display::fit::columns;
use crate::input::EditStyle;
use crate::terminal::emulator::DrawnCell;
use crate::terminal::{Drawing, Frame, Narrowing, Screen};

#[derive(Clone, Debug)]
enum Act {
    Key(KeyCode, KeyModifiers),
    Paste(String),
    Resize(usize, usize),
    /// The size stays as it is for a moment.
    Pause,
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
        1 => Just(Act::Pause),
    ];
    prop::collection::vec(act, 0..80)
}

/// Keeps what is ordered, to be looked at before it is drawn.
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

/// Rows of the terminal, as far as they were written to.
fn rows_of(emulator: &Emulator, size: Size) -> Vec<String> {
    let drawn = emulator.drawn();
    let text = |row: &Vec<DrawnCell>| row.iter().map(|cell| cell.text.as_str()).collect::<String>();
    let visible = &drawn[drawn.len() - size.rows..];
    visible.iter().map(|row| text(row).trim_end().to_owned()).collect()
}

/// What the terminal shows: what was printed last, the frame, and nothing below it.
fn check_drawn(emulator: &Emulator, frame: &Frame, above: Option<&PrintLog>, size: Size) {
    let rows = rows_of(emulator, size);
    let (row, column) = emulator.cursor();
    // A frame that is too high or too wide for the terminal is cut by the screen, which has tests of its own.
    let is_cut = frame.rows.len() >= size.rows;
    if is_cut || frame.rows.iter().any(|row| columns(row) > size.columns) {
        return;
    }
    let Some(top) = row.checked_sub(frame.cursor.0) else {
        panic!("the cursor is in row {row} of {rows:#?}, for {frame:#?}");
    };
    let below = &rows[top..];
    for (at, drawn) in below.iter().enumerate() {
        let wanted = frame.rows.get(at).map_or("", |row| row.trim_end());
        assert_eq!(drawn, wanted, "row {at} of the frame on {size:?}: {rows:#?}\n{frame:#?}");
    }
    assert_eq!(column, frame.cursor.1.min(size.columns - 1), "{rows:#?}\n{frame:#?}");
    // Rows for another width stand there only until the size has stayed for a moment.
    let fits =
        |(row, width): &(&str, usize)| *width == size.columns && columns(row) <= size.columns;
    let newest = above.into_iter().flat_map(PrintLog::newest).take_while(fits);
    for (drawn, (wanted, _)) in rows[..top].iter().rev().zip(newest) {
        assert_eq!(drawn, wanted.trim_end(), "above the frame on {size:?}: {rows:#?}");
    }
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
    let emulator = Emulator::new(size);
    // As the emulator does.
    let mut drawing = Drawing::new(Screen::new(emulator.clone(), size, Narrowing::Cuts));
    let (mut frame, mut fitted) = (Frame::default(), true);
    for act in acts {
        match act {
            Act::Key(code, modifiers) => {
                repl.on_input(TerminalInput::Key(KeyEvent::new(code, modifiers)));
            }
            Act::Paste(text) => repl.on_input(TerminalInput::Paste(text)),
            Act::Resize(columns, rows) => {
                emulator.resize(Size { columns, rows });
                repl.on_input(TerminalInput::Resize(Size { columns, rows }));
            }
            Act::Pause => repl.mind_time(Instant::now() + SETTLED),
            Act::Tell(event) => repl.on_event(ChatEvent::Event(event)),
        }
        repl.draw();
        let size = repl.size;
        for order in screen.0.lock().unwrap().drain(..) {
            match &order {
                DrawCommand::Show(newer) => {
                    check(newer, size);
                    frame = newer.clone();
                }
                DrawCommand::Print(rows)
                | DrawCommand::Page(rows)
                | DrawCommand::Reprint(_, rows) => {
                    assert!(
                        rows.iter().all(|row| !row.contains(['\x1b', '\x07', '\n'])),
                        "{rows:?}"
                    );
                }
                _ => {}
            }
            drawing.take(order).unwrap();
        }
        drawing.finish().unwrap();
        if repl.pager.is_none() {
            // Where the frame did not fit, pieces of it scrolled away, and come back above it.
            fitted &= frame.rows.len() < size.rows;
            // And what the terminal cut is whole again once the size has stayed for a moment.
            let is_settled = fitted && repl.reflow_at.is_none();
            check_drawn(&emulator, &frame, is_settled.then_some(&repl.printed), size);
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
