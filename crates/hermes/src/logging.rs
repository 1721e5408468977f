//! Log lines and panics: what is said, and how.

use std::io::{self, IsTerminal as _, Write};
use std::sync::OnceLock;

use hermes_agent::outcome::TURN_LOG;
use hermes_guard::redact::{RedactMode, Redactor};
use hermes_homes::logs::LogFileLayer;
pub(crate) use hermes_homes::logs::keep_in_files;

/// What hides secrets in log lines; before the settings are read, everything that looks like one.
static REDACTOR: OnceLock<Redactor> = OnceLock::new();

/// Hides secrets in log lines from now on as the settings say.
pub(crate) fn redact_with(redactor: Redactor) {
    // A command within a chat opens a host of its own; the first one counts.
    let _ = REDACTOR.set(redactor);
}

fn redactor() -> Redactor {
    REDACTOR.get().copied().unwrap_or_default()
}

/// Writes log lines without secrets.
#[derive(Default)]
struct RedactingWriter(hermes_tui::terminal::LogWriter);

impl Write for RedactingWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        self.0.write_all(redactor().redact(&text, RedactMode::Full).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A tool or check that panics is answered with an error result; its backtrace is for `-vv`. Only a
/// panic of the program itself, on the main thread, is shown.
pub(crate) fn quiet_panics() {
    let shown = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().name() == Some("main") {
            shown(panic);
        } else {
            tracing::debug!(%panic, "caught");
        }
    }));
}

/// Logs to stderr, or into the chat that has the terminal, the more the more `-v` there are; and to the log files of the
/// home, once it is known ([`keep_in_files`]).
pub(crate) fn start_logging(verbose: u8) {
    use tracing_subscriber::filter::{LevelFilter, Targets};
    use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
    use tracing_subscriber::util::SubscriberInitExt as _;
    let level = match verbose {
        0 => LevelFilter::WARN,
        1 => LevelFilter::INFO,
        _ => LevelFilter::DEBUG,
    };
    // What goes wrong with an MCP server we say ourselves, in our own words.
    let sdk = if verbose > 1 { level } else { LevelFilter::OFF };
    let screen = tracing_subscriber::fmt::layer()
        .with_writer(RedactingWriter::default)
        .with_ansi(io::stderr().is_terminal())
        .without_time()
        .with_target(false)
        .with_filter(
            Targets::new().with_default(level).with_target("rmcp", sdk).with_target(TURN_LOG, sdk),
        );
    let files = LogFileLayer::new(redactor)
        .with_filter(Targets::new().with_target("hermes", LevelFilter::INFO));
    tracing_subscriber::registry().with(screen).with(files).init();
}
