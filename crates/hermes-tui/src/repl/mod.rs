//! The loop of a conversation.
//!
//! Three things go on at once: a person types, an agent works, and a screen is drawn. Each has a
//! task or thread of its own, and they meet here: a [`Repl`] takes keys, events, questions and the
//! results of commands from channels, one at a time, and after each says what the screen looks like.
//! Nothing it does takes long, so a key is never left waiting, whatever the agent is doing.
//!
//! A line that is sent becomes a turn, or a command, or (while a turn runs) whatever the user's
//! setting says: it interrupts, waits in a queue, or steers. A question of the agent takes the
//! prompt's place until it is answered; what was being typed comes back afterwards.
//!
//! The terminal is behind [`ChatTerminal`] and the agent behind [`ChatSession`], so all of this can be
//! played through with neither.

mod actions;
mod background;
mod chat_terminal;
mod keys;
mod outcome;
mod pager;
mod picker;
mod picking;
mod pictures;
mod planning;
mod preferences;
mod printed;
mod questions;
mod reports;
#[cfg(test)]
mod tests;
mod turns;
mod view;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_llm::model::Effort;
use hermes_protocol::{AgentEvent, NoticeLevel, Notification};
use hermes_protocol::{ChatSession, UserInput};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use self::background::Subagents;
pub(crate) use self::chat_terminal::ChatTerminal;
pub use self::chat_terminal::CommandLine;
use self::outcome::{Completion, OwnOutput, ToldExtras};
use self::pager::Pager;
use self::picker::Picker;
use self::printed::{PrintLog, PrintedSource, RowSource};
use self::questions::OpenQuestion;
use super::display::pictures::PictureProtocol;
use super::display::{REFRESH, Style, ToolLines, Transcript, notices};
use super::input::Composer;
use super::quick::QuickCommand;
use super::settings::ChatSettings;
use super::terminal::{DrawCommand, Narrowing, Size, TerminalInput};
use crate::ChatExit;
use crate::channel::{ChatEvent, ChatQuestion, ChatReceiver};

/// How long a second Ctrl-C counts as one more.
const TWICE: Duration = Duration::from_secs(2);
/// How long a turn may take to end when the program ends.
const LAST_MOMENT: Duration = Duration::from_secs(2);

/// How long the size has to stay as it is before what is on the screen is drawn anew: while a window is dragged, each
/// size on the way would leave a copy among what has scrolled away.
const SETTLED: Duration = Duration::from_millis(200);

/// What a chat is made of.
pub(crate) struct ReplParts<S> {
    pub(crate) conversation: Arc<dyn ChatSession>,
    pub(crate) terminal: S,
    pub(crate) composer: Composer,
    pub(crate) tool_lines: ToolLines,
    pub(crate) settings: ChatSettings,
    /// Colour and theme; the width is the terminal's.
    pub(crate) style: Style,
    pub(crate) size: Size,
    /// What the terminal does with rows when it becomes narrower.
    pub(crate) narrowing: Narrowing,
    pub(crate) place: PlaceNames,
    /// Where the state folder is, for `/debug`.
    pub(crate) home: PathBuf,
    /// Commands of the person's own.
    pub(crate) quick: Vec<QuickCommand>,
    /// How the terminal draws pictures, if it does.
    pub(crate) pictures: Option<PictureProtocol>,
}

/// Where a chat is, for the row at the bottom.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlaceNames {
    pub(crate) folder: PathBuf,
    /// What `~` stands for.
    pub(crate) user_home: Option<PathBuf>,
}

/// A conversation at a terminal.
pub(crate) struct Repl<S> {
    conversation: Arc<dyn ChatSession>,
    terminal: S,
    composer: Composer,
    transcript: Transcript,
    settings: ChatSettings,
    style: Style,
    size: Size,
    narrowing: Narrowing,
    /// What was printed last.
    printed: PrintLog,
    /// When what is on the screen is to be drawn anew, after a change of the width.
    reflow_at: Option<Instant>,
    place: PlaceNames,
    branch: Option<String>,
    home: PathBuf,
    /// A turn runs.
    in_turn: bool,
    /// Commands that are being carried out.
    commands: usize,
    /// When the first of them began.
    commands_since: Instant,
    queue: VecDeque<UserInput>,
    /// To go with the next message.
    images: Vec<PathBuf>,
    questions: VecDeque<ChatQuestion>,
    open: Option<OpenQuestion>,
    /// A list to choose from, which takes the prompt's place.
    picker: Option<Picker>,
    /// A text on a screen of its own.
    pager: Option<Pager>,
    /// A word that stays for a moment.
    flash: Option<(String, Instant)>,
    interrupted: Option<Instant>,
    /// When Escape was pressed with nothing going on.
    escaped: Option<Instant>,
    /// When a question was answered with a single key.
    answered: Option<Instant>,
    /// What the person's own commands wrote, to go with the next message.
    outputs: Vec<OwnOutput>,
    /// What went with the last message beside its words, in case it is taken back.
    told: ToldExtras,
    quick: Vec<QuickCommand>,
    pictures: Option<PictureProtocol>,
    /// The subagents of the running turn.
    children: Subagents,
    /// What happened beside the turn and is shown after it.
    held: Vec<Notification>,
    /// How much the model thought before it was to think less.
    before_fast: Option<Option<Effort>>,
    results: UnboundedSender<Completion>,
    ending: Option<ChatExit>,
}

impl<S: ChatTerminal> Repl<S> {
    /// A conversation in which nothing has been said, and where results of commands arrive.
    pub(crate) fn new(parts: ReplParts<S>) -> (Self, UnboundedReceiver<Completion>) {
        let (results, done) = unbounded_channel();
        let tool_lines = ToolLines {
            preview: parts.settings.preview,
            redactor: parts.settings.redactor,
            ..parts.tool_lines
        };
        let mut composer = parts.composer;
        composer.set_style(parts.settings.editing);
        let repl = Self {
            transcript: Transcript::new(parts.settings.shown, tool_lines, Instant::now()),
            conversation: parts.conversation,
            terminal: parts.terminal,
            composer,
            settings: parts.settings,
            style: parts.style,
            branch: crate::place::branch(&parts.place.folder),
            place: parts.place,
            size: parts.size,
            narrowing: parts.narrowing,
            printed: PrintLog::default(),
            reflow_at: None,
            home: parts.home,
            in_turn: false,
            commands: 0,
            commands_since: Instant::now(),
            queue: VecDeque::new(),
            images: Vec::new(),
            questions: VecDeque::new(),
            open: None,
            picker: None,
            pager: None,
            flash: None,
            interrupted: None,
            escaped: None,
            answered: None,
            outputs: Vec::new(),
            told: ToldExtras::default(),
            quick: parts.quick,
            pictures: parts.pictures,
            children: Subagents::default(),
            held: Vec::new(),
            before_fast: None,
            results,
            ending: None,
        };
        (repl, done)
    }

    /// Goes on until the person leaves, or the terminal does.
    pub(crate) async fn run(
        &mut self,
        mut input: UnboundedReceiver<TerminalInput>,
        mut receiver: ChatReceiver,
        mut done: UnboundedReceiver<Completion>,
    ) -> ChatExit {
        loop {
            self.draw();
            if let Some(exit) = self.ending {
                self.wind_up(&mut receiver, &mut done).await;
                return exit;
            }
            tokio::select! {
                typed = input.recv() => self.on_input(typed.unwrap_or(TerminalInput::Gone)),
                Some(event) = receiver.recv() => self.on_event(event),
                Some(result) = done.recv() => {
                    // Whatever happened before the end of a turn is already in the queue.
                    self.take_all(&mut receiver);
                    self.on_done(result);
                }
                () = tokio::time::sleep(REFRESH), if self.needs_refresh() => {}
            }
            self.take_all(&mut receiver);
            self.mind_questions();
            self.mind_time(Instant::now());
        }
    }

    /// Does what a line says before anything is typed.
    pub(crate) fn carry_out(&mut self, line: &str) {
        self.on_plain_line(line, line);
    }

    /// Says something before the conversation begins.
    pub(crate) fn open_with(
        &mut self,
        draw: impl Fn(&Style) -> Vec<String> + Send + Sync + 'static,
    ) {
        self.show(draw);
    }

    /// Does what is due: a person's time is counted, and what is on the screen is drawn for its width.
    fn mind_time(&mut self, now: Instant) {
        let is_asked = self.open.is_some();
        self.transcript.set_asking(is_asked, now);
        self.printed.set_asking(is_asked, now);
        if self.reflow_at.take_if(|due| *due <= now).is_some() {
            self.reflow();
        }
    }

    /// Draws what is on the screen anew, as it is now wide.
    fn reflow(&mut self) {
        let style = self.style();
        let lines = &self.transcript.activity;
        let Some(anew) = self.printed.again(self.size, self.narrowing, lines, &style) else {
            return;
        };
        self.terminal.order(DrawCommand::Reprint(anew.replaced, anew.rows));
    }

    fn take_all(&mut self, receiver: &mut ChatReceiver) {
        while let Ok(event) = receiver.try_recv() {
            self.on_event(event);
        }
    }

    fn on_event(&mut self, event: ChatEvent) {
        match event {
            ChatEvent::Notification(news) => self.on_news(news),
            ChatEvent::Event(event) => {
                self.children.hear(&event);
                self.hear(&event);
                self.show_pictures(&event);
            }
            ChatEvent::Question(question) => self.questions.push_back(question),
            ChatEvent::InjectedInput(words) => self.say(&words, &words),
        }
    }

    /// Whether something on the screen moves by itself.
    fn needs_refresh(&self) -> bool {
        self.is_busy() || self.open.is_some() || self.flash.is_some() || self.reflow_at.is_some()
    }

    fn is_busy(&self) -> bool {
        self.in_turn || self.commands > 0
    }

    fn style(&self) -> Style {
        Style { width: Style::new(self.style.colour, self.size.columns).width, ..self.style }
    }

    /// Prints rows that cannot be drawn differently.
    fn print(&mut self, rows: Vec<String>) {
        if !rows.is_empty() {
            self.put(PrintedSource::Rows(rows.clone()), rows);
        }
    }

    /// Prints what this draws, also for another width later.
    fn show(&mut self, draw: impl Fn(&Style) -> Vec<String> + Send + Sync + 'static) {
        self.show_source(RowSource::new(draw));
    }

    fn show_source(&mut self, source: RowSource) {
        let rows = source.rows(&self.style());
        self.put(PrintedSource::Drawn(source), rows);
    }

    fn put(&mut self, source: PrintedSource, rows: Vec<String>) {
        self.printed.add(source, &rows, self.size.columns);
        if !rows.is_empty() {
            self.terminal.order(DrawCommand::Print(rows));
        }
    }

    /// Something happened in the turn.
    fn hear(&mut self, event: &AgentEvent) {
        let now = Instant::now();
        let rows = self.transcript.on_event(event, now, &self.style());
        if PrintLog::matters(event) {
            let source = PrintedSource::Event(event.clone(), self.transcript.shown, now);
            self.put(source, rows);
        }
    }

    fn notice(&mut self, level: NoticeLevel, text: &str) {
        let text = text.to_owned();
        self.show(move |style| notices::notice(level, &text, style));
    }

    fn leave(&mut self, exit: ChatExit) {
        self.ending = Some(exit);
    }

    /// Lets a running turn end in order, but not for ever.
    async fn wind_up(
        &mut self,
        receiver: &mut ChatReceiver,
        done: &mut UnboundedReceiver<Completion>,
    ) {
        self.questions.clear();
        self.open = None;
        self.queue.clear();
        if self.in_turn {
            self.conversation.interrupt();
            let ended = async {
                while let Some(result) = done.recv().await {
                    if matches!(result, Completion::Turn(_)) {
                        return Some(result);
                    }
                }
                None
            };
            if let Ok(Some(result)) = tokio::time::timeout(LAST_MOMENT, ended).await {
                self.take_all(receiver);
                self.questions.clear();
                self.on_done(result);
            }
        }
        self.print(self.farewell());
    }
}
