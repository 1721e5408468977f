//! Whole conversations, with a scripted agent and a terminal in memory.

mod anything;
mod asking;
mod background;
mod calls;
mod choosing;
mod commands;
mod gallery;
mod habits;
mod screens;
mod turns;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use hermes_llm::model::BoxFuture;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use super::*;
use crate::channel::ChatSender;
use crate::clipboard::Clip;
use crate::display::Colour;
use crate::input::{Completer, History};
use crate::quick::QuickAction;
use crate::slash::command_words;
use crate::terminal::emulator::Emulator;
use crate::terminal::{Narrowing, ScreenRenderer};
use crate::test_session::{Script, ScriptedSession};

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

struct FakeTerminal {
    drawer: ScreenRenderer,
    composed: &'static str,
}

impl ChatTerminal for FakeTerminal {
    fn order(&self, order: DrawCommand) {
        self.drawer.order(order);
    }

    fn suspend(&mut self) -> std::io::Result<()> {
        Err(std::io::Error::other("no shell here"))
    }

    fn compose(&mut self, text: &str) -> anyhow::Result<String> {
        Ok(format!("{text}{}", self.composed))
    }

    fn clipboard(&self) -> BoxFuture<'static, anyhow::Result<Clip>> {
        Box::pin(async { Ok(Clip::Text("from the clipboard".into())) })
    }

    fn command_line(&self) -> CommandLine {
        Arc::new(|words, _| vec![format!("ran {}", words.join(" "))])
    }
}

struct Play {
    screen: Emulator,
    agent: Arc<ScriptedSession>,
    keys: UnboundedSender<TerminalInput>,
    task: JoinHandle<ChatExit>,
    sender: ChatSender,
}

impl Play {
    fn new(script: Script) -> Self {
        Self::with(script, ChatSettings::default())
    }

    fn with(script: Script, settings: ChatSettings) -> Self {
        Self::sized(script, settings, Size { columns: 60, rows: 20 })
    }

    fn sized(script: Script, settings: ChatSettings, size: Size) -> Self {
        Self::styled(script, settings, size, Style::new(Colour::Off, size.columns))
    }

    fn styled(script: Script, settings: ChatSettings, size: Size, style: Style) -> Self {
        let screen = Emulator::new(size);
        let (sender, receiver) = ChatSender::pair();
        let agent = Arc::new(ScriptedSession::new(&sender, script));
        let (keys, input) = unbounded_channel();
        let quick = vec![
            QuickCommand { name: "disk".into(), does: QuickAction::Exec("df -h".into()) },
            QuickCommand { name: "fix".into(), does: QuickAction::Alias("/title fixed".into()) },
        ];
        let completer = Completer {
            commands: command_words(&quick, Vec::new()),
            folder: "/".into(),
            home: None,
        };
        let drawer = ScreenRenderer::start(screen.clone(), size, Narrowing::Cuts).unwrap();
        let (mut repl, done) = Repl::new(ReplParts {
            conversation: Arc::clone(&agent) as Arc<dyn ChatSession>,
            terminal: FakeTerminal { drawer, composed: "composed" },
            composer: Composer::new(History::default(), completer),
            tool_lines: crate::test_looks::tool_lines(&[]),
            settings,
            style,
            size,
            place: PlaceNames { folder: "/home/me/src".into(), user_home: Some("/home/me".into()) },
            home: "/home/someone/.hermes".into(),
            quick,
            pictures: None,
            // As the emulator does.
            narrowing: Narrowing::Cuts,
        });
        let task = tokio::spawn(async move { repl.run(input, receiver, done).await });
        Self { screen, agent, keys, task, sender }
    }

    fn key(&self, code: KeyCode, modifiers: KeyModifiers) {
        self.keys.send(TerminalInput::Key(KeyEvent::new(code, modifiers))).unwrap();
    }

    fn control(&self, letter: char) {
        self.key(KeyCode::Char(letter), KeyModifiers::CONTROL);
    }

    fn type_in(&self, text: &str) {
        for letter in text.chars() {
            self.key(KeyCode::Char(letter), KeyModifiers::NONE);
        }
    }

    fn send(&self, text: &str) {
        self.type_in(text);
        self.key(KeyCode::Enter, KeyModifiers::NONE);
    }

    /// Waits until the screen is as it should be.
    async fn until(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let started = Instant::now();
        loop {
            let text = self.screen.text();
            if is_so(&text) {
                return text;
            }
            assert!(started.elapsed() < PATIENCE, "{what} never came:\n{text}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    async fn sees(&self, part: &str) -> String {
        self.until(part, |text| text.contains(part)).await
    }

    /// Waits until the agent has done something.
    async fn did(&self, what: &str) {
        let started = Instant::now();
        while !self.agent.log().iter().any(|done| done == what) {
            assert!(started.elapsed() < PATIENCE, "no {what} in {:?}", self.agent.log());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    async fn leaves(self) -> (ChatExit, String) {
        let exit = tokio::time::timeout(PATIENCE, self.task).await.expect("it never ends").unwrap();
        (exit, self.screen.text())
    }
}
