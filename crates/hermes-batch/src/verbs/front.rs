//! What a terminal, a pipe or a program sees of a run on its way, and the signals that end it.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::signal::unix::{SignalKind, signal};

use super::args::BatchVerb;
use crate::run::{RunControl, RunFront, RunProgress};

/// In a pipe there is one line in this time, or for each percent.
const PLAIN_EVERY: Duration = Duration::from_secs(30);

/// The first signal lets what runs finish, the second stops it. Must be called inside an async runtime.
///
/// # Errors
/// If signals cannot be listened for.
pub fn stopped_by_signals() -> io::Result<RunControl> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let control = RunControl::default();
    let told = control.clone();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = terminate.recv() => told.drain.cancel(),
                _ = interrupt.recv() => {
                    if told.drain.is_cancelled() {
                        told.cancel.cancel();
                    }
                    told.drain.cancel();
                }
            }
        }
    });
    Ok(control)
}

/// How the way is told.
#[derive(Debug)]
enum Style {
    /// Three lines that are drawn over.
    Bar,
    /// A line now and then.
    Plain,
    /// Events for programs.
    Json,
    Quiet,
}

/// Tells a run on stderr: three lines that are drawn over, a line now and then, or events on stdout for programs.
#[derive(Debug)]
pub struct StreamFront {
    style: Style,
    drawn: Mutex<Drawn>,
}

#[derive(Debug, Default)]
struct Drawn {
    lines: usize,
    at: Option<Instant>,
    percent: usize,
}

impl StreamFront {
    /// As the options of a verb and the streams of this process say.
    #[must_use]
    pub fn of(verb: &BatchVerb) -> Self {
        let start = match verb {
            BatchVerb::Run(args) => Some(&args.start),
            BatchVerb::Resume(args) => Some(&args.start),
            BatchVerb::Worker { start, .. } => Some(start),
            _ => None,
        };
        let is_json = matches!(verb, BatchVerb::Status { json: true, .. });
        let style = match start {
            _ if is_json => Style::Json,
            Some(start) if start.json => Style::Json,
            Some(start) if start.quiet => Style::Quiet,
            _ if io::stderr().is_terminal() => Style::Bar,
            _ => Style::Plain,
        };
        Self { style, drawn: Mutex::default() }
    }

    /// Lines for people or events for programs, without a bar: for work that has no known end.
    #[must_use]
    pub fn plain(json: bool, quiet: bool) -> Self {
        let style = match (json, quiet) {
            (true, _) => Style::Json,
            (false, true) => Style::Quiet,
            (false, false) => Style::Plain,
        };
        Self { style, drawn: Mutex::default() }
    }

    /// Takes the bar away, for what is printed next.
    pub fn clear(&self) {
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        let up = std::mem::take(&mut drawn.lines);
        if up > 0 {
            let _ = write!(io::stderr(), "\x1b[{up}A\x1b[J");
        }
    }
}

impl RunFront for StreamFront {
    fn event(&self, event: &Value) {
        if matches!(self.style, Style::Json) {
            let mut out = io::stdout().lock();
            // A reader that is gone needs no events.
            let _ = writeln!(out, "{event}").and_then(|()| out.flush());
        }
    }

    fn progress(&self, progress: &RunProgress) {
        match self.style {
            Style::Bar => {
                self.clear();
                let width =
                    terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0));
                let cut =
                    |line: String| line.chars().take(width.saturating_sub(1)).collect::<String>();
                let lines = [
                    progress.bar(width.saturating_sub(1)),
                    cut(progress.counts()),
                    cut(progress.now()),
                ];
                let _ = writeln!(io::stderr(), "{}", lines.join("\n"));
                self.drawn.lock().unwrap_or_else(PoisonError::into_inner).lines = lines.len();
            }
            Style::Plain => {
                let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
                let percent = progress.done * 100 / progress.total.max(1);
                let is_due = drawn.at.is_none_or(|at| at.elapsed() >= PLAIN_EVERY);
                if is_due || percent != drawn.percent {
                    *drawn = Drawn { at: Some(Instant::now()), percent, lines: 0 };
                    let (done, total) = (progress.done, progress.total);
                    let _ = writeln!(io::stderr(), "{done}/{total} · {}", progress.counts());
                }
            }
            Style::Json | Style::Quiet => {}
        }
    }

    fn note(&self, text: &str) {
        if !matches!(self.style, Style::Quiet) {
            self.clear();
            let _ = writeln!(io::stderr(), "{text}");
        }
    }
}
