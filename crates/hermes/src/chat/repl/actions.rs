//! Doing what commands ask for.
//!
//! What can be done at once is. What the agent has to be asked for runs on the side, and its result
//! ([`Done`]) comes back through the same loop as everything else.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use hermes_agent::Level;
use hermes_llm::Message;

use super::{Repl, Stage};
use crate::chat::clipboard::Clip;
use crate::chat::conversation::{
    Ask, Conversation, GoalStep, Reloaded, Status, TurnEnd, Way, Yolo,
};
use crate::chat::display::notes;
use crate::chat::slash::{Action, BusyMode, ReasoningChange, help, plugin_help};
use crate::chat::terminal::Order;
use crate::exit::Exit;

/// Sessions that are listed.
const MAX_SESSIONS: usize = 20;

/// What came of something that took a while.
#[derive(Debug)]
pub(crate) enum Done {
    /// A turn is over.
    Turn(TurnEnd),
    /// A command is done.
    Command(anyhow::Result<Outcome>),
}

/// What a command gives.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// A line on it.
    Line(String),
    /// Rows, as they are to be shown.
    Rows(Vec<String>),
    /// Something to be said to the agent.
    Say(String),
    /// Something was taken back, and could be said differently.
    Undone(Option<String>),
    /// A conversation goes on.
    Resumed(Vec<Message>),
    /// What was said, to be shown.
    Said(Vec<Message>),
    /// Text for the clipboard.
    Copy(String),
    /// A new session has begun.
    Fresh(Past),
    /// Something came of the goal.
    Goal(GoalStep),
    /// Settings were read anew.
    Reloaded(Box<Reloaded>),
    /// What lay in the clipboard.
    Pasted(Clip),
    /// The program is to end.
    Leave,
}

/// What becomes of the screen when a new session begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Past {
    Kept,
    Cleared,
}

impl<S: Stage> Repl<S> {
    /// Does what a command asks for.
    pub(super) fn act(&mut self, action: Action) {
        match action {
            Action::Help => {
                let style = self.style();
                let mut rows = help(&self.quick, &style);
                rows.extend(plugin_help(&self.conversation.plugin_commands(), &style));
                self.print(rows);
            }
            Action::Quit { delete: false } => self.leave(Exit::Done),
            Action::Quit { delete: true } => {
                self.ask_agent(
                    |agent| async move { agent.delete().await.map(|()| Outcome::Leave) },
                );
            }
            Action::Clear => self.fresh(None, Past::Cleared),
            Action::New(title) => self.fresh(title, Past::Kept),
            Action::History => {
                self.ask_agent(|agent| async move { agent.history().await.map(Outcome::Said) });
            }
            Action::Save(file) => self.save(file),
            Action::Retry => self.ask_agent(|agent| async move {
                let said = agent.undo(1).await?;
                Ok(said.map_or_else(nothing_said, Outcome::Say))
            }),
            Action::Undo(turns) => {
                self.ask_agent(
                    move |agent| async move { agent.undo(turns).await.map(Outcome::Undone) },
                );
            }
            Action::Title(None) => {
                let title = self.conversation.status().title;
                let text = title.map_or("This session has no title.".to_owned(), |title| {
                    format!("This session is called “{title}”.")
                });
                self.notice(Level::Info, &text);
            }
            Action::Title(Some(title)) => self.ask_agent(move |agent| async move {
                agent.set_title(title.clone()).await?;
                Ok(Outcome::Line(format!("This session is called “{title}” from now on.")))
            }),
            Action::Resume(Some(which)) => self.ask_agent(move |agent| async move {
                agent.resume(which).await.map(Outcome::Resumed)
            }),
            Action::Resume(None) | Action::Sessions => {
                let style = self.style();
                self.ask_agent(move |agent| async move {
                    let sessions = agent.sessions(MAX_SESSIONS).await?;
                    Ok(Outcome::Rows(super::reports::sessions(&sessions, &style)))
                });
            }
            Action::Branch(title) => self.ask_agent(move |agent| async move {
                let id = agent.branch(title).await?;
                Ok(Outcome::Line(format!("This is session {id} now, a copy of the one before.")))
            }),
            Action::Compress(how) => {
                self.ask_agent(
                    move |agent| async move { agent.compress(how).await.map(Outcome::Line) },
                );
            }
            Action::Model(None) => {
                let status = self.conversation.status();
                let text = format!(
                    "{} ({}) answers.\n/model NAME changes that for this session, --global for good.",
                    status.model, status.provider
                );
                self.notice(Level::Info, &text);
            }
            Action::Model(Some(choice)) => self.ask_agent(move |agent| async move {
                agent.set_model(choice).await.map(Outcome::Line)
            }),
            Action::Stop(which) => self.stop(which),
            Action::Steer(text) if self.in_turn => self.steer(&text),
            Action::Steer(text) | Action::Queue(text) => {
                self.queue.push_back(Ask::from(text));
                self.start_queued();
            }
            Action::Busy(mode) => self.set_busy(mode),
            Action::Yolo => self.toggle_yolo(),
            Action::Reasoning(change) => self.set_reasoning(change),
            Action::Verbose(level) => {
                let level = level.unwrap_or_else(|| self.transcript.shown.tools.next());
                self.transcript.shown.tools = level;
                self.notice(Level::Info, &format!("Tools: {}.", level.name()));
            }
            Action::Status => self.report(super::reports::status),
            Action::Usage => self.report(super::reports::usage),
            Action::Compose => self.compose(),
            Action::Image(path) => self.attach(path),
            Action::Copy(number) => self.ask_agent(move |agent| async move {
                let messages = agent.history().await?;
                super::reports::answer(&messages, number).map(Outcome::Copy)
            }),
            Action::Version => {
                self.notice(Level::Info, concat!("Hermes ", env!("CARGO_PKG_VERSION")));
            }
            Action::Profile => {
                let home = self.home.display().to_string();
                self.notice(Level::Info, &format!("State is kept in {home}."));
            }
            Action::CommandLine(words) => self.run_command(words),
            Action::Background(prompt) => self.ask_agent(move |agent| async move {
                agent.background(prompt).await.map(Outcome::Line)
            }),
            Action::Tasks => self.list_tasks(),
            Action::Goal(order) => self.order_goal(order),
            Action::Moa(text) => {
                let images = std::mem::take(&mut self.images);
                self.queue.push_back(Ask { text, images, way: Way::Mixture });
                self.start_queued();
            }
            Action::Personality(name) => self.personality(name),
            Action::Fast => self.toggle_fast(),
            Action::Reload => self.ask_agent(|agent| async move {
                agent.reload().await.map(|read| Outcome::Reloaded(Box::new(read)))
            }),
            Action::ReloadServers => self
                .ask_agent(|agent| async move { agent.reload_servers().await.map(Outcome::Line) }),
            Action::Paste => self.paste(),
            Action::Debug => self.debug(),
            Action::NotThere(what) => {
                self.notice(Level::Warning, &format!("{what}: this build cannot do that yet."));
            }
        }
    }

    /// The result of something that took a while.
    pub(super) fn on_done(&mut self, done: Done) {
        let result = match done {
            Done::Turn(end) => {
                self.end_turn(end);
                return;
            }
            Done::Command(result) => result,
        };
        self.commands = self.commands.saturating_sub(1);
        match result {
            Err(problem) => self.notice(Level::Warning, &crate::chain(&problem)),
            Ok(Outcome::Line(text)) => self.notice(Level::Info, &text),
            Ok(Outcome::Rows(rows)) => self.print(rows),
            Ok(Outcome::Say(text)) => self.queue.push_front(text.into()),
            Ok(Outcome::Undone(None)) => self.notice(Level::Info, "There is nothing to take back."),
            Ok(Outcome::Undone(Some(text))) => {
                self.notice(Level::Info, "Taken back; what you had said is in the line again.");
                self.editor.set(text);
            }
            Ok(Outcome::Resumed(messages)) => {
                let style = self.style();
                let mut rows = vec![String::new()];
                rows.extend(crate::chat::welcome::greeting(&self.conversation.status(), &style));
                rows.push(String::new());
                rows.extend(notes::recap(&messages, &style));
                self.print(rows);
            }
            Ok(Outcome::Said(messages)) => {
                self.print(super::reports::said(
                    &messages,
                    self.settings.shown.markdown,
                    &self.style(),
                ));
            }
            Ok(Outcome::Copy(text)) => {
                let count = text.chars().count();
                self.stage.order(Order::Copy(text));
                self.notice(Level::Info, &format!("Copied {count} characters."));
            }
            Ok(Outcome::Fresh(past)) => {
                if past == Past::Cleared {
                    self.stage.order(Order::Clear);
                }
                let rows =
                    crate::chat::welcome::greeting(&self.conversation.status(), &self.style());
                self.print(rows);
            }
            Ok(Outcome::Goal(step)) => self.follow_goal(step),
            Ok(Outcome::Reloaded(reloaded)) => self.reloaded(*reloaded),
            Ok(Outcome::Pasted(clip)) => self.pasted(clip),
            Ok(Outcome::Leave) => self.leave(Exit::Done),
        }
        self.start_queued();
    }

    /// Asks the agent for something on the side.
    pub(super) fn ask_agent<F>(&mut self, ask: impl FnOnce(Arc<dyn Conversation>) -> F)
    where
        F: Future<Output = anyhow::Result<Outcome>> + Send + 'static,
    {
        if self.commands == 0 {
            self.commands_since = Instant::now();
        }
        self.commands += 1;
        let asked = ask(Arc::clone(&self.conversation));
        let results = self.results.clone();
        tokio::spawn(async move {
            let result = tokio::spawn(asked).await;
            let result = result.unwrap_or_else(|_| Err(anyhow::anyhow!("the command broke off")));
            let _ = results.send(Done::Command(result));
        });
    }

    /// A command of a plugin, which may take its time.
    pub(super) fn run_plugin_command(&mut self, name: String, args: String) {
        self.ask_agent(move |agent| async move {
            let said = agent.run_plugin_command(name, args).await?;
            let rows = said.unwrap_or_default();
            Ok(Outcome::Rows(rows.lines().map(str::to_owned).collect()))
        });
    }

    fn fresh(&mut self, title: Option<String>, past: Past) {
        self.ask_agent(move |agent| async move {
            agent.new_session(title).await.map(|()| Outcome::Fresh(past))
        });
    }

    fn save(&mut self, file: Option<PathBuf>) {
        let session = self.conversation.status().session_id;
        let file = file.unwrap_or_else(|| PathBuf::from(format!("hermes-{session}.md")));
        self.ask_agent(move |agent| async move {
            let text = super::reports::document(&agent.history().await?);
            let options = hermes_store::atomic::WriteOptions::KEEP;
            hermes_store::atomic::write(&file, text.as_bytes(), options)?;
            Ok(Outcome::Line(format!("Written to {}.", file.display())))
        });
    }

    fn set_busy(&mut self, mode: Option<BusyMode>) {
        if let Some(mode) = mode {
            self.settings.busy = mode;
        }
        let does = match self.settings.busy {
            BusyMode::Interrupt => "ends the turn and begins the next",
            BusyMode::Queue => "waits for the end of the turn",
            BusyMode::Steer => "is told to the agent without stopping it",
        };
        let name = self.settings.busy.name();
        self.notice(Level::Info, &format!("What you type while the agent works {does} ({name})."));
    }

    fn toggle_yolo(&mut self) {
        let yolo = match self.conversation.status().yolo {
            Yolo::On => Yolo::Off,
            Yolo::Off => Yolo::On,
        };
        self.ask_agent(move |agent| async move {
            agent.set_yolo(yolo).await?;
            Ok(Outcome::Line(match yolo {
                Yolo::On => "Flagged commands run without asking, in this session. What is never \
                             allowed still is not. /yolo again asks."
                    .to_owned(),
                Yolo::Off => "You are asked about flagged commands again.".to_owned(),
            }))
        });
    }

    fn set_reasoning(&mut self, change: ReasoningChange) {
        match change {
            ReasoningChange::Show => self.transcript.shown.reasoning = true,
            ReasoningChange::Hide => self.transcript.shown.reasoning = false,
            ReasoningChange::None => {}
            ReasoningChange::Effort(effort) => {
                self.ask_agent(move |agent| async move {
                    agent.set_effort(Some(effort)).await?;
                    let name = crate::chat::slash::effort_name(effort);
                    Ok(Outcome::Line(format!("The model thinks at level {name} from now on.")))
                });
                return;
            }
        }
        let seen = if self.transcript.shown.reasoning { "shown" } else { "hidden" };
        let effort = self.conversation.status().effort.map(crate::chat::slash::effort_name);
        let effort = effort.unwrap_or("as the provider sees fit");
        self.notice(Level::Info, &format!("Thinking: {effort}; thoughts are {seen}."));
    }

    fn report(&mut self, rows: fn(&Status, &crate::chat::display::Style) -> Vec<String>) {
        self.print(rows(&self.conversation.status(), &self.style()));
    }

    fn compose(&mut self) {
        let draft = self.editor.expanded();
        match self.stage.compose(&draft) {
            Ok(text) if text.trim().is_empty() => self.notice(Level::Info, "Nothing was written."),
            Ok(text) => {
                let text = text.trim_end().to_owned();
                self.editor.take();
                self.editor.remember(&text);
                self.queue.push_back(text.into());
                self.start_queued();
            }
            Err(problem) => self.notice(Level::Warning, &crate::chain(&problem)),
        }
    }

    fn attach(&mut self, path: PathBuf) {
        match path.metadata() {
            Ok(found) if found.is_file() => self.images.push(path),
            Ok(_) => self.notice(Level::Warning, &format!("{} is no file.", path.display())),
            Err(problem) => {
                self.notice(Level::Warning, &format!("{}: {problem}", path.display()));
            }
        }
    }

    fn run_command(&mut self, words: Vec<String>) {
        let run = self.stage.command_line();
        let style = self.style();
        self.ask_agent(move |_| async move {
            let rows = tokio::task::spawn_blocking(move || run(&words, &style)).await?;
            Ok(Outcome::Rows(rows))
        });
    }
}

fn nothing_said() -> Outcome {
    Outcome::Line("Nothing was said yet.".to_owned())
}
