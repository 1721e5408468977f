//! Workers that are processes on this machine.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_process::{Child, Command, InputPipe, OutputMode, OutputPipe, Stdin};
use hermes_store::home::HOME_VARIABLE;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;

use super::{CLOSING, PoolInner, WorkerWay};

/// A worker that ends this soon after its start, and without having got a task, will do so again.
const SOON: Duration = Duration::from_secs(10);
/// So many of those in a row, and no more are started.
const MOST_SOON: u32 = 3;
/// The longest pause before a worker is started again.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Lines of its log that are shown when no more are started.
const SHOWN_LINES: usize = 20;
/// How often it is looked whether a worker still says something.
const LOOKED_AFTER: Duration = Duration::from_secs(5);
/// Variables a worker gets. Keys are not among them: they go over the pipe.
pub(super) const VARIABLES: [&str; 20] = [
    "HOME",
    "PATH",
    HOME_VARIABLE,
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "TERM",
    "DOCKER_HOST",
    "XDG_RUNTIME_DIR",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
];

/// How workers on this machine are started.
#[derive(Clone, Debug)]
pub struct ProcessOptions {
    /// How many.
    pub count: usize,
    /// Tasks at a time in each.
    pub slots: usize,
    /// What is started: the same file that runs here.
    pub program: PathBuf,
    /// What its log files are below.
    pub logs: PathBuf,
}

/// Keeps one worker running until the pool closes.
pub(super) async fn pump(inner: Arc<PoolInner>, place: usize, options: ProcessOptions) {
    let (mut soon, mut pause) = (0, Duration::from_secs(1));
    let log = options.logs.join(format!("worker-{place}.log"));
    while !inner.closing.is_cancelled() {
        let began = Instant::now();
        let command = Command::new(&options.program)
            .args(["batch", "worker", "--stdio", "--slots"])
            .arg(options.slots.to_string())
            .env_inherit(VARIABLES);
        let (child, input, output) = match spawn(command, &log) {
            Ok(started) => started,
            Err(why) => return inner.give_up(format!("no worker can be started: {why}")),
        };
        let (lines, from) = mpsc::unbounded_channel();
        inner.up(place, WorkerWay { lines, slot: None });
        let talk = Talk { child, input, output, lines: from, keep: None };
        let reason = talk
            .on(&inner, |inner, line| inner.heard(place, line), || inner.is_silent(place))
            .await;
        let had = inner.down(place, &format!("worker {place} {reason}"));
        if inner.closing.is_cancelled() {
            return;
        }
        if had == 0 && began.elapsed() < SOON {
            soon += 1;
            if soon >= MOST_SOON {
                return inner.give_up(format!(
                    "{soon} workers in a row ended at once: worker {place} {reason}\n{}",
                    last_lines(&log)
                ));
            }
        } else {
            soon = 0;
        }
        if began.elapsed() > LONGEST_PAUSE {
            pause = Duration::from_secs(1);
        }
        tokio::select! {
            () = inner.closing.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Starts a program that is spoken to in lines; what it writes besides goes to a log.
pub(super) fn spawn(
    command: Command,
    log: &Path,
) -> Result<(Child, InputPipe, OutputPipe), String> {
    if let Some(folder) = log.parent() {
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    }
    let log =
        File::options().append(true).create(true).open(log).map_err(|error| error.to_string())?;
    let mut child = command
        .stdin(Stdin::Piped)
        .output(OutputMode::ErrorsToFile(log))
        .spawn()
        .map_err(|error| error.to_string())?;
    let (Some(input), Some(output)) = (child.take_stdin(), child.take_stdout()) else {
        return Err("it has no pipes".to_owned());
    };
    Ok((child, input, output))
}

/// A conversation with a program that was started.
pub(super) struct Talk {
    pub(super) child: Child,
    pub(super) input: InputPipe,
    pub(super) output: OutputPipe,
    pub(super) lines: mpsc::UnboundedReceiver<String>,
    /// Held until the pool closes: the program's input ends with the last way to it.
    pub(super) keep: Option<mpsc::UnboundedSender<String>>,
}

impl Talk {
    /// Passes lines on in both directions until the program ends; how it ended.
    pub(super) async fn on(
        self,
        inner: &Arc<PoolInner>,
        mut heard: impl FnMut(&Arc<PoolInner>, &[u8]),
        is_silent: impl Fn() -> bool,
    ) -> String {
        let Self { mut child, mut input, output, mut lines, mut keep } = self;
        let writer = tokio::spawn(async move {
            while let Some(line) = lines.recv().await {
                if input.write_all(line.as_bytes()).await.is_err() {
                    break;
                }
            }
        });
        let mut output = BufReader::with_capacity(1 << 16, output);
        let mut line = Vec::new();
        let mut looked = tokio::time::interval(LOOKED_AFTER);
        let mut close_at = None;
        let mut was_silent = false;
        loop {
            tokio::select! {
                read = output.read_until(b'\n', &mut line) => match read {
                    Ok(count) if count > 0 => {
                        heard(inner, &line);
                        line.clear();
                    }
                    _ => break,
                },
                _ = looked.tick() => {
                    was_silent = is_silent();
                    let is_late = close_at.is_some_and(|at| Instant::now() > at);
                    if was_silent || is_late {
                        break;
                    }
                }
                () = inner.closing.cancelled(), if close_at.is_none() => {
                    close_at = Some(Instant::now() + CLOSING);
                    keep = None;
                }
            }
        }
        writer.abort();
        drop(keep);
        if was_silent {
            let _ = child.kill().await;
            return "said nothing for a minute".to_owned();
        }
        match tokio::time::timeout(Duration::from_secs(5), child.wait()).await {
            Ok(Ok(status)) => format!("ended: {status}"),
            Ok(Err(error)) => format!("ended: {error}"),
            Err(_) => {
                let _ = child.kill().await;
                "closed its output and was ended".to_owned()
            }
        }
    }
}

/// The end of a log.
pub(super) fn last_lines(log: &Path) -> String {
    let read = || -> std::io::Result<String> {
        let mut file = File::open(log)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(16_384)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let text = read().unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n")
}
