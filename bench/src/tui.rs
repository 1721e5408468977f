//! The front end: what a long answer costs to draw, how long a key takes to be seen while an answer is written, and what a chat
//! costs that nobody touches.
//!
//! The program itself runs at a terminal of ours (a pty) and talks with a scripted model on the loopback. Its processor time
//! is read from the kernel's clock of the process, before and after; a key is a character that occurs nowhere else, so that it
//! is on the screen when it first comes out of the terminal.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::Child;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use hermes_testkit::{ModelServer, Script, Step, TempHome};
use nix::time::clock_getcpuclockid;
use nix::unistd::Pid;
use serde::Serialize;

use crate::process;
use crate::report::{Baseline, Row, Target};
use crate::timing::median;
use crate::units::Unit;

/// Length of the long answer.
const BYTES: usize = 1_000_000;
/// How often it is drawn.
const RUNS: usize = 3;
/// Characters of a token, and how long a model that writes 500 of them in a second takes for each.
const TOKEN: usize = 4;
const TOKEN_MS: u64 = 2;
/// Keys that are pressed while it writes, and how long somebody waits between them.
const KEYS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(60);
/// The first of the characters that are typed: letters that no answer holds.
const FIRST_KEY: u32 = 0x100;
/// How long nobody touches anything.
const IDLE: Duration = Duration::from_secs(10);
/// Longer than anything here takes, also in a debug build.
const PATIENCE: Duration = Duration::from_secs(300);

const LONG_ANSWER: Target = Target::AtMost(300e6);
const KEY: Target = Target::AtMost(16e6);
/// A millisecond in ten seconds is a hundredth of a percent.
const NOTHING: Target = Target::AtMost(1e6);

/// Nanoseconds.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Numbers {
    long_answer_cpu: f64,
    key_median: f64,
    key_99th: f64,
    idle_cpu: f64,
}

/// Measures all of it with this program.
pub(crate) fn measure(hermes: &Path) -> Result<Numbers> {
    let mut costs = Vec::new();
    for _ in 0..RUNS {
        costs.push(long_answer(hermes)?);
    }
    let mut keys = keys(hermes)?;
    keys.sort_by(f64::total_cmp);
    let worst = keys.get(keys.len() * 99 / 100).copied().context("no key was pressed")?;
    Ok(Numbers {
        long_answer_cpu: median(costs.into_iter()).context("nothing was measured")?,
        key_median: median(keys.into_iter()).context("no key was pressed")?,
        key_99th: worst,
        idle_cpu: idle(hermes)?,
    })
}

/// An answer with everything that answers have.
fn text(bytes: usize) -> String {
    let mut text = String::new();
    for number in 0.. {
        if text.len() >= bytes {
            break;
        }
        text.push_str(&format!(
            "## Part {number}\n\nSome **words** about `part_{number}`, with [a link](https://example.org/{number}) and more of them, so that the \
             row has to be broken.\n\n- one\n- two\n\n```rust\nfn part_{number}() -> u32 {{\n    {number} // the number\n}}\n```\n\n\
             | key | value |\n|---|--:|\n| a | {number} |\n\n"
        ));
    }
    text
}

/// Processor time of drawing a long answer, beyond that of a short one.
fn long_answer(hermes: &Path) -> Result<f64> {
    let short = Step::text("A few words. SHORT-END");
    let long = Step { chunk: 2_000, no_usage: true, ..Step::text(text(BYTES) + "LONG-END") };
    let mut chat = Chat::start(hermes, Script::new([short, long]))?;
    chat.send("short", "SHORT-END")?;
    let before = chat.cpu_ns()?;
    chat.send("long", "LONG-END")?;
    Ok(chat.cpu_ns()? - before)
}

/// How long each key takes to be seen while 500 tokens a second are drawn.
fn keys(hermes: &Path) -> Result<Vec<f64>> {
    let seconds = (PAUSE * (KEYS + 20)).as_millis() as u64;
    let bytes = usize::try_from(seconds / TOKEN_MS)? * TOKEN;
    let step =
        Step { chunk: TOKEN, chunk_delay_ms: TOKEN_MS, no_usage: true, ..Step::text(text(bytes)) };
    let mut chat = Chat::start(hermes, Script::new([step]))?;
    chat.send("write", "Part 1")?;
    let mut took = Vec::new();
    for number in 0..KEYS {
        let key = char::from_u32(FIRST_KEY + number).context("no such letter")?;
        let pressed = Instant::now();
        chat.type_in(&key.to_string())?;
        let seen = chat.sees_key(key)?;
        took.push(seen.saturating_duration_since(pressed).as_nanos() as f64);
        std::thread::sleep(PAUSE);
    }
    Ok(took)
}

/// Processor time of a chat in which nothing happens.
fn idle(hermes: &Path) -> Result<f64> {
    let chat = Chat::start(hermes, Script::new(Vec::<Step>::new()))?;
    // What is begun at the start comes to its end.
    std::thread::sleep(Duration::from_secs(3));
    let before = chat.cpu_ns()?;
    std::thread::sleep(IDLE);
    Ok(chat.cpu_ns()? - before)
}

/// What has come out of the terminal.
#[derive(Default)]
struct Seen {
    /// The end of it, without what was waited for already.
    text: String,
    /// When each of the characters that are typed came first.
    keys: HashMap<char, Instant>,
    is_over: bool,
}

/// The program at a terminal, with its model. It is ended when this is dropped.
struct Chat {
    terminal: File,
    child: Child,
    seen: Arc<(Mutex<Seen>, Condvar)>,
    _server: ModelServer,
    _home: TempHome,
}

impl Chat {
    fn start(hermes: &Path, script: Script) -> Result<Self> {
        let server = ModelServer::listen(script, 0).context("starting the model")?;
        let home = TempHome::with_config(&format!(
            "model:\n  provider: custom\n  base_url: {}/v1\n  default: scripted\n  context_length: 2000000\n\
             display:\n  theme: dark\n",
            server.origin()
        ))?;
        let size = nix::pty::Winsize { ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 };
        let pair = nix::pty::openpty(Some(&size), None).context("opening a terminal")?;
        let mut command = process::command(hermes.as_os_str());
        command.env_clear().current_dir(home.path());
        command.env("HERMES_HOME", home.path()).env("HOME", home.path());
        command.env("PATH", "/usr/bin:/bin").env("TERM", "xterm-256color").env("LANG", "C.UTF-8");
        command.stdin(pair.slave.try_clone()?).stdout(pair.slave.try_clone()?).stderr(pair.slave);
        let child = command.spawn().with_context(|| format!("starting {}", hermes.display()))?;
        drop(command);
        let terminal = File::from(pair.master);
        let seen = Arc::<(Mutex<Seen>, Condvar)>::default();
        let (reader, told) = (terminal.try_clone()?, Arc::clone(&seen));
        std::thread::spawn(move || watch(reader, &told));
        let mut chat = Self { terminal, child, seen, _server: server, _home: home };
        chat.sees("/help lists commands")?;
        Ok(chat)
    }

    fn type_in(&mut self, text: &str) -> Result<()> {
        self.terminal.write_all(text.as_bytes()).context("typing")
    }

    /// Sends a line and waits for something on the screen.
    fn send(&mut self, line: &str, awaited: &str) -> Result<()> {
        self.type_in(line)?;
        self.type_in("\r")?;
        self.sees(awaited)
    }

    fn sees(&mut self, awaited: &str) -> Result<()> {
        self.until(awaited, |seen| {
            let at = seen.text.find(awaited)?;
            seen.text.drain(..at + awaited.len());
            Some(())
        })
    }

    fn sees_key(&mut self, key: char) -> Result<Instant> {
        self.until("a key", |seen| seen.keys.get(&key).copied())
    }

    fn until<T>(&mut self, what: &str, mut found: impl FnMut(&mut Seen) -> Option<T>) -> Result<T> {
        let (seen, changed) = &*self.seen;
        let began = Instant::now();
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(value) = found(&mut seen) {
                return Ok(value);
            }
            if seen.is_over || began.elapsed() > PATIENCE {
                bail!("{what} never came: {}", seen.text);
            }
            let waited = changed.wait_timeout(seen, Duration::from_secs(1));
            seen = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Processor time of the program so far.
    fn cpu_ns(&self) -> Result<f64> {
        let pid = Pid::from_raw(self.child.id().try_into()?);
        let time = clock_getcpuclockid(pid).and_then(|clock| clock.now());
        let time = Duration::from(time.context("reading the clock of the program")?);
        Ok(time.as_nanos() as f64)
    }
}

impl Drop for Chat {
    fn drop(&mut self) {
        // It may have ended by itself, and nothing it keeps is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Most that is kept of what was drawn and not waited for.
const KEPT: usize = 1 << 16;

/// Reads what is drawn until the terminal is gone.
fn watch(mut terminal: File, told: &(Mutex<Seen>, Condvar)) {
    let (seen, changed) = told;
    let (mut part, mut rest) = ([0; 1 << 16], Vec::new());
    while let Ok(count @ 1..) = terminal.read(&mut part) {
        let now = Instant::now();
        rest.extend_from_slice(&part[..count]);
        // A character may be cut in two.
        let whole = match std::str::from_utf8(&rest) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        let drawn: String = String::from_utf8_lossy(&rest[..whole]).into_owned();
        rest.drain(..whole);
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        let keys = FIRST_KEY..FIRST_KEY + KEYS;
        for key in drawn.chars().filter(|letter| keys.contains(&u32::from(*letter))) {
            seen.keys.entry(key).or_insert(now);
        }
        seen.text.push_str(&drawn);
        let mut surplus = seen.text.len().saturating_sub(KEPT);
        while !seen.text.is_char_boundary(surplus) {
            surplus += 1;
        }
        seen.text.drain(..surplus);
        changed.notify_all();
    }
    seen.lock().unwrap_or_else(PoisonError::into_inner).is_over = true;
    changed.notify_all();
}

/// All rows. Nothing here is compared with another program.
pub(crate) fn rows(numbers: &Numbers) -> Vec<Row> {
    let row = |name, value, target| Row::new(name, Unit::Time, value, Baseline::Skipped, target);
    vec![
        row("answer of 1 MB drawn, processor time", numbers.long_answer_cpu, LONG_ANSWER),
        row("key to screen at 500 tokens/s, median", numbers.key_median, Target::None),
        row("key to screen at 500 tokens/s, 99 of 100", numbers.key_99th, KEY),
        row("chat left alone for 10 s, processor time", numbers.idle_cpu, NOTHING),
    ]
}
