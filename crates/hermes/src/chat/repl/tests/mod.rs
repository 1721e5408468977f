//! Whole conversations, with a scripted agent and a terminal in memory.

mod asking;
mod beside;
mod commands;
mod screens;
mod turns;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use hermes_llm::model::BoxFuture;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use super::*;
use crate::chat::clipboard::Clip;
use crate::chat::input::{Completer, History};
use crate::chat::quick::Does;
use crate::chat::scripted::{Script, Scripted};
use crate::chat::slash::command_words;
use crate::chat::terminal::Drawer;
use crate::chat::terminal::emulator::Emulator;
use crate::chat::wire::Wire;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

struct FakeStage {
    drawer: Drawer,
    composed: &'static str,
}

impl Stage for FakeStage {
    fn order(&self, order: Order) {
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
    agent: Arc<Scripted>,
    keys: UnboundedSender<Input>,
    task: JoinHandle<Exit>,
    wire: Wire,
}

impl Play {
    fn new(script: Script) -> Self {
        Self::with(script, ChatSettings::default())
    }

    fn with(script: Script, settings: ChatSettings) -> Self {
        Self::sized(script, settings, Size { columns: 60, rows: 20 })
    }

    fn sized(script: Script, settings: ChatSettings, size: Size) -> Self {
        let screen = Emulator::new(size);
        let (wire, inbox) = Wire::pair();
        let agent = Arc::new(Scripted::new(&wire, script));
        let (keys, input) = unbounded_channel();
        let quick = vec![
            QuickCommand { name: "disk".into(), does: Does::Exec("df -h".into()) },
            QuickCommand { name: "fix".into(), does: Does::Alias("/title fixed".into()) },
        ];
        let completer = Completer {
            commands: command_words(&quick, Vec::new()),
            folder: "/".into(),
            home: None,
        };
        let drawer = Drawer::start(screen.clone(), size).unwrap();
        let (mut repl, done) = Repl::new(Parts {
            conversation: Arc::clone(&agent) as Arc<dyn Conversation>,
            stage: FakeStage { drawer, composed: "composed" },
            editor: Editor::new(History::default(), completer),
            activity: Activity::default(),
            settings,
            colour: Colour::Off,
            size,
            home: "/home/someone/.hermes".into(),
            quick,
        });
        let task = tokio::spawn(async move { repl.run(input, inbox, done).await });
        Self { screen, agent, keys, task, wire }
    }

    fn key(&self, code: KeyCode, modifiers: KeyModifiers) {
        self.keys.send(Input::Key(KeyEvent::new(code, modifiers))).unwrap();
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

    async fn leaves(self) -> (Exit, String) {
        let exit = tokio::time::timeout(PATIENCE, self.task).await.expect("it never ends").unwrap();
        (exit, self.screen.text())
    }
}
