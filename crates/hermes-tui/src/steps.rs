//! The steps of a single question, told on stderr while the answer is worked out.
//!
//! At a terminal a row of the moment says what goes on, with the last lines of a running command; what is done becomes a
//! line each, as in a chat. Elsewhere only those lines are written. The answer is somebody else's to print.

use std::collections::HashMap;
use std::io::{IsTerminal as _, Write as _, stderr, stdout};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hermes_guard::redact::Redactor;
use hermes_llm::model::BoxFuture;
use hermes_protocol::{AgentEvent, FrontEnd, NoticeLevel, json_stream};
use hermes_tool::Vars;

use crate::display::{Colour, DisplayOptions, REFRESH, Style, ToolLines, ToolLook, Transcript};
use crate::terminal::{DrawCommand, Frame, Narrowing, ScreenRenderer, Size};

/// Rows of the moment.
const MAX_LIVE: usize = 8;
/// Where nothing is broken into rows.
const WIDE: usize = 4_096;

/// Whoever watches a single question: steps on stderr, or events as lines of JSON on stdout.
pub struct QuestionWatcher {
    /// Steps, where somebody is to see them.
    pub steps: Option<Steps>,
    /// Warnings are told even without steps.
    pub tells_warnings: bool,
    /// Every event is a line of JSON on stdout.
    pub streams: bool,
    /// What the agent hears when it asks something.
    pub answer: &'static str,
}

impl QuestionWatcher {
    /// Waits for something and keeps the steps moving meanwhile.
    pub async fn moving_while<T>(&self, work: impl Future<Output = T>) -> T {
        let Some(steps) = &self.steps else { return work.await };
        let mut work = std::pin::pin!(work);
        let done = loop {
            match tokio::time::timeout(Steps::period(), work.as_mut()).await {
                Ok(done) => break done,
                Err(_) => steps.refresh(),
            }
        };
        steps.end();
        done
    }
}

impl FrontEnd for QuestionWatcher {
    fn on_event(&self, event: AgentEvent) {
        if self.streams {
            write_line(&json_stream::line(&event));
        }
        match (&self.steps, event) {
            (Some(steps), event) => steps.tell(&event),
            (None, AgentEvent::Notice { level: NoticeLevel::Warning, text })
                if self.tells_warnings =>
            {
                // Nobody is left to tell if stderr is gone.
                let _ = writeln!(anstream::stderr(), "warning: {text}");
            }
            (None, _) => {}
        }
    }

    fn clarify<'a>(&'a self, _: &'a str, _: &'a [String]) -> BoxFuture<'a, Option<String>> {
        Box::pin(std::future::ready(Some(self.answer.to_owned())))
    }
}

/// Writes a line of the stream at once; a reader that is gone needs none.
pub fn write_line(line: &serde_json::Value) {
    let mut out = stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Tells steps.
pub struct Steps(Mutex<StepState>);

struct StepState {
    transcript: Transcript,
    style: Style,
    /// Draws, where stderr is a terminal.
    drawer: Option<ScreenRenderer>,
}

impl Steps {
    /// Steps on this process's stderr.
    pub fn new(redactor: Redactor, vars: &Vars) -> Self {
        let narrowing = Narrowing::of(vars);
        let drawer = stderr()
            .is_terminal()
            .then(|| ScreenRenderer::start(stderr(), Size::of_terminal(), narrowing));
        let drawer = drawer.and_then(Result::ok);
        let colour = match anstream::AutoStream::choice(&stderr()) {
            anstream::ColorChoice::Never => Colour::Off,
            _ => Colour::On,
        };
        let width = if drawer.is_some() { Size::of_terminal().columns } else { WIDE };
        let shown = DisplayOptions { reasoning: false, diffs: false, ..DisplayOptions::default() };
        let lines = ToolLines { redactor, ..ToolLines::default() };
        let transcript = Transcript::new(shown, lines, Instant::now());
        Self(Mutex::new(StepState { transcript, style: Style::new(colour, width), drawer }))
    }

    /// How each tool wants its calls shown, once that is known.
    pub fn set_looks(&self, looks: HashMap<String, ToolLook>) {
        self.state().transcript.activity.looks = looks;
    }

    /// How often [`Steps::refresh`] is worth calling.
    #[must_use]
    pub fn period() -> Duration {
        REFRESH
    }

    /// Draws the row of the moment anew.
    pub fn refresh(&self) {
        self.state().show(Instant::now());
    }

    /// Something happened.
    pub fn tell(&self, event: &AgentEvent) {
        // The answer is not told here.
        if matches!(event, AgentEvent::Text(_) | AgentEvent::Reasoning(_)) {
            return;
        }
        let event = match event {
            AgentEvent::Said { .. } => &AgentEvent::Said { text: String::new() },
            other => other,
        };
        let mut state = self.state();
        let (now, style) = (Instant::now(), state.style);
        let rows = state.transcript.on_event(event, now, &style);
        state.print(rows);
        state.show(now);
    }

    /// Nothing more happens: what was held back is told, and the row of the moment goes away.
    pub fn end(&self) {
        let mut state = self.state();
        let style = state.style;
        let (rows, _) = state.transcript.end(Instant::now(), &style);
        state.print(rows);
        if let Some(drawer) = state.drawer.take() {
            drawer.order(DrawCommand::Show(Frame::default()));
            drop(drawer);
        }
    }

    fn state(&self) -> MutexGuard<'_, StepState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StepState {
    fn print(&self, mut rows: Vec<String>) {
        rows.retain(|row| !row.is_empty());
        match &self.drawer {
            Some(_) if rows.is_empty() => {}
            Some(drawer) => drawer.order(DrawCommand::Print(rows)),
            None => {
                let mut out = stderr().lock();
                for row in rows {
                    // Nobody is left to tell if stderr is gone.
                    let _ = writeln!(out, "{row}");
                }
            }
        }
    }

    fn show(&self, now: Instant) {
        let Some(drawer) = &self.drawer else { return };
        let mut rows = self.transcript.live(now, MAX_LIVE, &self.style);
        rows.retain(|row| !row.is_empty());
        let cursor = (rows.len().saturating_sub(1), 0);
        drawer.order(DrawCommand::Show(Frame { rows, cursor }));
    }
}
