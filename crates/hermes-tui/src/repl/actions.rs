//! Doing what commands ask for.
//!
//! What can be done at once is. What the agent has to be asked for runs on the side, and its result
//! ([`Completion`]) comes back through the same loop as everything else.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use hermes_protocol::NoticeLevel;
use hermes_protocol::{
    ChatSession, ModelEntry, SessionEntry, SessionStatus, TurnMode, UserInput, Yolo,
};

use super::outcome::{CommandOutcome, Completion, OwnOutput, Scrollback};
use super::pager::PageSubject;
use super::picker::{Picker, PickerItem};
use super::picking;
use super::printed::RowSource;
use super::{ChatTerminal, Repl};
use crate::ChatExit;
use crate::display::{Style, notices, tail_rows};
use crate::input::key_help;
use crate::slash::{
    BusyMode, HelpTopic, ReasoningChange, SlashAction, help, help_on, names, plugin_help,
};
use crate::terminal::DrawCommand;

/// Sessions that are listed.
const MAX_SESSIONS: usize = 20;
/// Rows of what an own command wrote.
const MAX_OWN_ROWS: usize = 30;
/// Sessions that can be picked.
const MAX_PICKED: usize = 200;

impl<S: ChatTerminal> Repl<S> {
    /// Does what a command asks for.
    pub(super) fn act(&mut self, action: SlashAction) {
        match action {
            SlashAction::Help(topic) => self.help(&topic),
            SlashAction::Quit { delete: false } => self.leave(ChatExit::Done),
            SlashAction::Quit { delete: true } => {
                self.ask_agent(|agent| async move {
                    agent.delete().await.map(|()| CommandOutcome::Leave)
                });
            }
            SlashAction::Clear => self.fresh(None, Scrollback::Cleared),
            SlashAction::New(title) => self.fresh(title, Scrollback::Kept),
            SlashAction::History => {
                self.ask_agent(
                    |agent| async move { agent.history().await.map(CommandOutcome::Said) },
                );
            }
            SlashAction::Save(file) => self.save(file),
            SlashAction::Retry => self.ask_agent(|agent| async move {
                let said = agent.undo(1).await?;
                Ok(said.map_or_else(nothing_said, CommandOutcome::SayAgain))
            }),
            SlashAction::Undo(turns) => {
                self.ask_agent(move |agent| async move {
                    agent.undo(turns).await.map(CommandOutcome::Undone)
                });
            }
            SlashAction::Title(None) => {
                let title = self.conversation.status().title;
                let text = title.map_or("This session has no title.".to_owned(), |title| {
                    format!("This session is called “{title}”.")
                });
                self.notice(NoticeLevel::Info, &text);
            }
            SlashAction::Title(Some(title)) => self.ask_agent(move |agent| async move {
                agent.set_title(title.clone()).await?;
                Ok(CommandOutcome::Line(format!("This session is called “{title}” from now on.")))
            }),
            SlashAction::Resume(Some(which)) => self.ask_agent(move |agent| async move {
                agent.resume(which).await.map(CommandOutcome::Resumed)
            }),
            SlashAction::Resume(None) => self.ask_agent(move |agent| async move {
                let sessions = agent.sessions(MAX_PICKED).await?;
                let items = sessions.into_iter().map(session_item).collect();
                Ok(CommandOutcome::Pick(Picker::new("Sessions", items)))
            }),
            SlashAction::Theme(name) => self.theme(name),
            SlashAction::PickTool => {
                self.pick_from("Tools", &["tools", "list", "--json"], picking::tool_item);
            }
            SlashAction::PickCheckpoint => self.pick_from(
                "Checkpoints",
                &["checkpoints", "list", "--json"],
                picking::checkpoint_item,
            ),
            SlashAction::PickServer => {
                self.pick_from("MCP servers", &["mcp", "list", "--json"], picking::server_item);
            }
            SlashAction::Sessions => {
                self.ask_agent(move |agent| async move {
                    let sessions = agent.sessions(MAX_SESSIONS).await?;
                    let draw = move |style: &Style| super::reports::sessions(&sessions, style);
                    Ok(CommandOutcome::Drawn(RowSource::new(draw)))
                });
            }
            SlashAction::Branch(title) => self.ask_agent(move |agent| async move {
                let id = agent.branch(title).await?;
                Ok(CommandOutcome::Line(format!(
                    "This is session {id} now, a copy of the one before."
                )))
            }),
            SlashAction::Compress(how) => {
                self.ask_agent(move |agent| async move {
                    agent.compress(how).await.map(CommandOutcome::Line)
                });
            }
            SlashAction::Model(None) => {
                let status = self.conversation.status();
                let text = format!(
                    "{} ({}) answers.\n/model NAME changes that for this session, --global for good.",
                    status.model, status.provider
                );
                self.ask_agent(move |agent| async move {
                    let offered = agent.models().await?;
                    if offered.is_empty() {
                        // The server does not tell what it has.
                        return Ok(CommandOutcome::Line(text));
                    }
                    let item = |offered: ModelEntry| model_item(offered, &status.model);
                    let items = offered.into_iter().map(item).collect();
                    Ok(CommandOutcome::Pick(Picker::new("Models", items)))
                });
            }
            SlashAction::Model(Some(choice)) => self.ask_agent(move |agent| async move {
                agent.set_model(choice).await.map(CommandOutcome::Line)
            }),
            SlashAction::Stop(which) => self.stop(which),
            SlashAction::Steer(text) if self.in_turn => self.steer(&text),
            SlashAction::Steer(text) | SlashAction::Queue(text) => {
                self.queue.push_back(UserInput::from(text));
                self.start_queued();
            }
            SlashAction::Busy(mode) => self.set_busy(mode),
            SlashAction::Yolo => self.toggle_yolo(),
            SlashAction::Reasoning(change) => self.set_reasoning(change),
            SlashAction::Verbose(level) => {
                let level = level.unwrap_or_else(|| self.transcript.shown.tools.next());
                self.transcript.shown.tools = level;
                self.notice(NoticeLevel::Info, &format!("Tools: {}.", level.name()));
            }
            SlashAction::Status => self.report(super::reports::status),
            SlashAction::Usage => self.report(super::reports::usage),
            SlashAction::Compose => self.compose(),
            SlashAction::Image(path) => self.attach(&path),
            SlashAction::Copy(number) => self.ask_agent(move |agent| async move {
                let messages = agent.history().await?;
                super::reports::answer(&messages, number).map(CommandOutcome::Copy)
            }),
            SlashAction::Version => {
                self.notice(NoticeLevel::Info, concat!("Hermes ", env!("CARGO_PKG_VERSION")));
            }
            SlashAction::PickProfile => {
                self.pick_from("Profiles", &["profile", "list", "--json"], picking::profile_item);
            }
            SlashAction::CommandLine(words) => self.run_command(words),
            SlashAction::Background(prompt) => self.ask_agent(move |agent| async move {
                agent.background(prompt).await.map(CommandOutcome::Line)
            }),
            SlashAction::Tasks => self.list_tasks(),
            SlashAction::Goal(order) => self.order_goal(order),
            SlashAction::Moa(text) => {
                let images = std::mem::take(&mut self.images);
                self.queue.push_back(UserInput {
                    images,
                    way: TurnMode::MixtureOfAgents,
                    ..UserInput::from(text)
                });
                self.start_queued();
            }
            SlashAction::Personality(name) => self.personality(name),
            SlashAction::Fast => self.toggle_fast(),
            SlashAction::Reload => self.ask_agent(|agent| async move {
                agent.reload().await.map(|read| CommandOutcome::Reloaded(Box::new(read)))
            }),
            SlashAction::ReloadServers => self.ask_agent(|agent| async move {
                agent.reload_servers().await.map(CommandOutcome::Line)
            }),
            SlashAction::ReloadSkills => self.ask_agent(|agent| async move {
                agent.reload_skills().await.map(CommandOutcome::Line)
            }),
            SlashAction::Paste => self.paste(),
            SlashAction::Debug => self.debug(),
            SlashAction::Diff => self.show_change(),
            SlashAction::Context => self.show_context(),
            SlashAction::Plan(wanted) => self.plan(wanted),
            SlashAction::Review(what) => self.ask_agent(move |agent| async move {
                agent.review(what).await.map(CommandOutcome::Line)
            }),
            SlashAction::Export(file) => self.export(file),
            SlashAction::Expand(number) => self.expand(number),
        }
    }

    /// The result of something that took a while.
    pub(super) fn on_done(&mut self, done: Completion) {
        let result = match done {
            Completion::Turn(end) => {
                self.end_turn(end);
                return;
            }
            Completion::Picture(rows) => {
                self.print(rows);
                return;
            }
            Completion::Command(result) => result,
        };
        self.commands = self.commands.saturating_sub(1);
        match result {
            Err(problem) => {
                self.notice(NoticeLevel::Warning, &hermes_protocol::text::error_chain(&*problem));
            }
            Ok(CommandOutcome::Line(text)) => self.notice(NoticeLevel::Info, &text),
            Ok(CommandOutcome::Rows(rows)) => self.print(rows),
            Ok(CommandOutcome::Drawn(source)) => self.show_source(source),
            Ok(CommandOutcome::SayAgain(text)) => {
                self.take_back_extras();
                let images = std::mem::take(&mut self.images);
                self.queue.push_front(UserInput { images, ..UserInput::from(text) });
            }
            Ok(CommandOutcome::Undone(None)) => {
                self.notice(NoticeLevel::Info, "There is nothing to take back.");
            }
            Ok(CommandOutcome::Undone(Some(text))) => {
                self.take_back_extras();
                self.notice(
                    NoticeLevel::Info,
                    "Taken back; what you had said is in the line again.",
                );
                self.composer.set(text);
            }
            Ok(CommandOutcome::Resumed(messages)) => {
                let status = self.conversation.status();
                self.show(move |style| {
                    let mut rows = vec![String::new()];
                    rows.extend(crate::welcome::greeting(&status, style));
                    rows.push(String::new());
                    rows.extend(notices::recap(&messages, style));
                    rows
                });
            }
            Ok(CommandOutcome::Said(messages)) => {
                let markdown = self.settings.shown.markdown;
                self.show(move |style| super::reports::said(&messages, markdown, style));
            }
            Ok(CommandOutcome::Ran(ran)) => {
                let lines: Vec<String> = ran.output.lines().map(str::to_owned).collect();
                let last = lines[lines.len().saturating_sub(MAX_OWN_ROWS)..].to_vec();
                self.show(move |style| tail_rows(&last, lines.len(), style));
                self.outputs.push(ran);
            }
            Ok(CommandOutcome::Change(diff)) => self.page_change(&diff),
            Ok(CommandOutcome::Pick(picker)) => self.pick(picker),
            Ok(CommandOutcome::Copy(text)) => {
                let count = text.chars().count();
                self.terminal.order(DrawCommand::Copy(text));
                self.notice(NoticeLevel::Info, &format!("Copied {count} characters."));
            }
            Ok(CommandOutcome::Fresh(past)) => {
                if past == Scrollback::Cleared {
                    self.printed.clear();
                    self.terminal.order(DrawCommand::Clear);
                }
                let status = self.conversation.status();
                self.show(move |style| crate::welcome::greeting(&status, style));
            }
            Ok(CommandOutcome::Planned(text)) => {
                self.queue.push_back(UserInput::from(text));
            }
            Ok(CommandOutcome::Goal(step)) => self.follow_goal(step),
            Ok(CommandOutcome::Reloaded(reloaded)) => self.reloaded(&reloaded),
            Ok(CommandOutcome::Pasted(clip)) => self.pasted(clip),
            Ok(CommandOutcome::Leave) => self.leave(ChatExit::Done),
        }
        self.start_queued();
    }

    /// Asks the agent for something on the side.
    pub(super) fn ask_agent<F>(&mut self, ask: impl FnOnce(Arc<dyn ChatSession>) -> F)
    where
        F: Future<Output = anyhow::Result<CommandOutcome>> + Send + 'static,
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
            let _ = results.send(Completion::Command(result));
        });
    }

    /// A command of a plugin, which may take its time.
    pub(super) fn run_plugin_command(&mut self, name: String, args: String) {
        self.ask_agent(move |agent| async move {
            let said = agent.run_plugin_command(name, args).await?;
            let rows = said.unwrap_or_default();
            Ok(CommandOutcome::Rows(rows.lines().map(str::to_owned).collect()))
        });
    }

    fn fresh(&mut self, title: Option<String>, past: Scrollback) {
        self.ask_agent(move |agent| async move {
            agent.new_session(title).await.map(|()| CommandOutcome::Fresh(past))
        });
    }

    fn save(&mut self, file: Option<PathBuf>) {
        let session = self.conversation.status().session_id;
        let file = file.unwrap_or_else(|| PathBuf::from(format!("hermes-{session}.md")));
        self.ask_agent(move |agent| async move {
            let text = super::reports::document(&agent.history().await?);
            let options = hermes_store::atomic::WriteOptions::KEEP;
            hermes_store::atomic::write(&file, text.as_bytes(), options)?;
            Ok(CommandOutcome::Line(format!("Written to {}.", file.display())))
        });
    }

    fn help(&mut self, topic: &HelpTopic) {
        let (quick, brought) = (self.quick.clone(), self.conversation.plugin_commands());
        match topic {
            HelpTopic::Names => self.show(move |style| names(&quick, &brought, style)),
            HelpTopic::One(name) => {
                let name = *name;
                self.show(move |style| help_on(name, style));
            }
            HelpTopic::All => {
                let keys = key_help::pairs(&self.settings.keys, self.settings.editing);
                self.page(PageSubject::Text, "Commands".to_owned(), move |style| {
                    let mut rows = help(&quick, &keys, style);
                    rows.extend(plugin_help(&brought, style));
                    rows
                });
            }
        }
    }

    /// Has the command line write the session, so that both write the same.
    fn export(&mut self, file: Option<PathBuf>) {
        let session = self.conversation.status().session_id;
        let file = file.unwrap_or_else(|| PathBuf::from(format!("hermes-{session}.html")));
        let kind = file.extension().and_then(|kind| kind.to_str()).map(str::to_ascii_lowercase);
        let format = match kind.as_deref() {
            Some("html" | "htm") => "html",
            Some("md" | "markdown") => "md",
            Some("jsonl") => "jsonl",
            _ => {
                let text = "The file's name says in which form: it ends in .md, .html or .jsonl.";
                self.notice(NoticeLevel::Warning, text);
                return;
            }
        };
        if self.conversation.status().messages == 0 {
            self.notice(NoticeLevel::Info, "Nothing was said yet.");
            return;
        }
        let file = file.to_string_lossy().into_owned();
        let words = ["sessions", "export", &file, "--session-id", &session, "--format", format];
        let mut words: Vec<String> = words.map(str::to_owned).to_vec();
        words.push("--redact".to_owned());
        self.run_command(words);
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
        self.notice(
            NoticeLevel::Info,
            &format!("What you type while the agent works {does} ({name})."),
        );
    }

    pub(super) fn toggle_yolo(&mut self) {
        let yolo = match self.conversation.status().yolo {
            Yolo::On => Yolo::Off,
            Yolo::Off => Yolo::On,
        };
        self.ask_agent(move |agent| async move {
            agent.set_yolo(yolo).await?;
            Ok(CommandOutcome::Line(match yolo {
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
                    let name = crate::slash::effort_name(effort);
                    Ok(CommandOutcome::Line(format!(
                        "The model thinks at level {name} from now on."
                    )))
                });
                return;
            }
        }
        let seen = if self.transcript.shown.reasoning { "shown" } else { "hidden" };
        let effort = self.conversation.status().effort.map(crate::slash::effort_name);
        let effort = effort.unwrap_or("as the provider sees fit");
        self.notice(NoticeLevel::Info, &format!("Thinking: {effort}; thoughts are {seen}."));
    }

    fn report(&mut self, rows: fn(&SessionStatus, &Style) -> Vec<String>) {
        let status = self.conversation.status();
        self.show(move |style| rows(&status, style));
    }

    fn compose(&mut self) {
        // Whatever the editor leaves on the screen is not ours.
        self.printed.clear();
        let draft = self.composer.expanded();
        match self.terminal.compose(&draft) {
            Ok(text) if text.trim().is_empty() => {
                self.notice(NoticeLevel::Info, "Nothing was written.");
            }
            Ok(text) => {
                let text = text.trim_end().to_owned();
                self.composer.take();
                self.composer.remember(&text);
                self.queue.push_back(text.into());
                self.start_queued();
            }
            Err(problem) => {
                self.notice(NoticeLevel::Warning, &hermes_protocol::text::error_chain(&*problem));
            }
        }
    }

    /// Has the line edited in the person's editor.
    pub(super) fn edit_line(&mut self) {
        self.printed.clear();
        match self.terminal.compose(&self.composer.expanded()) {
            Ok(text) => self.composer.set(text.trim_end()),
            Err(problem) => {
                self.notice(NoticeLevel::Warning, &hermes_protocol::text::error_chain(&*problem));
            }
        }
    }

    /// Runs a command the person wrote, past the same rules as the agent's.
    pub(super) fn run_own(&mut self, command: String) {
        if self.is_busy() {
            self.notice(NoticeLevel::Warning, "A command has to wait for the end of the turn.");
            return;
        }
        self.ask_agent(move |agent| async move {
            let output = agent.run_quick(command.clone()).await?;
            Ok(CommandOutcome::Ran(OwnOutput { command, output }))
        });
    }

    fn attach(&mut self, path: &Path) {
        let path = match (path.strip_prefix("~"), &self.place.user_home) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => self.place.folder.join(path),
        };
        match path.metadata() {
            Ok(found) if found.is_file() => self.images.push(path),
            Ok(_) => self.notice(NoticeLevel::Warning, &format!("{} is no file.", path.display())),
            Err(problem) => {
                self.notice(NoticeLevel::Warning, &format!("{}: {problem}", path.display()));
            }
        }
    }

    pub(super) fn run_command(&mut self, words: Vec<String>) {
        let run = self.terminal.command_line();
        let style = self.style();
        self.ask_agent(move |_| async move {
            let rows = tokio::task::spawn_blocking(move || run(&words, &style)).await?;
            Ok(CommandOutcome::Rows(rows))
        });
    }
}

fn session_item(session: SessionEntry) -> PickerItem {
    let about = session.title.unwrap_or_else(|| session.preview.clone());
    PickerItem {
        name: session.when,
        preview: format!("{} · {} messages\n{}", session.id, session.messages, session.preview),
        line: format!("/resume {}", session.id),
        about,
        is_current: false,
    }
}

fn model_item(offered: ModelEntry, current: &str) -> PickerItem {
    let window = offered
        .window
        .map(|tokens| format!("{} tokens of context", hermes_protocol::text::amount(tokens)));
    PickerItem {
        about: window.unwrap_or_default(),
        preview: "For this session; /model NAME --global for all later ones too.".to_owned(),
        line: format!("/model {}", offered.name),
        is_current: offered.name == current,
        name: offered.name,
    }
}

fn nothing_said() -> CommandOutcome {
    CommandOutcome::Line("Nothing was said yet.".to_owned())
}
