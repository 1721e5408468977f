//! A program with input, two outputs and a code, made of short questions.
//!
//! What the vendors offer for a running program differs: one takes no input, one hands out all output at the end, one
//! turns bytes into text. What all of them can do is run a short script and return what it wrote. So a command becomes
//! a folder over there with a *keeper* beside it, a shell that starts the command, puts its output down in numbered
//! pieces and feeds it pieces of input; and we ask, by short scripts, for the pieces from some number on and hand in
//! pieces under a number.
//!
//! Every one of these scripts may be run twice with the effect of once: a folder is made once, a piece has a number, and
//! what is fetched is removed only by the question for what follows it. Therefore a connection that breaks, a server
//! that is busy and an answer that gets lost are no trouble: the question is asked again, and nothing is run twice,
//! missing or there twice. The vendors' streams cannot promise that.
//!
//! A question waits over there for a while until there is something to tell, so a quick command costs one exchange.
//! Whoever writes faster than we fetch is held up, as by a full pipe: 64 pieces wait at most (`keep.sh`).
//!
//! Bytes travel as base64 between lines of ours, whatever else a vendor may put around them.

use std::fmt::Write as _;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::quote::{always_quoted, quoted};

const BEGIN: &str = include_str!("begin.sh");
const KEEP: &str = include_str!("keep.sh");
const FETCH: &str = include_str!("fetch.sh");
const PUT: &str = include_str!("put.sh");
const LEAVE: &str = include_str!("leave.sh");

/// What stands before each word of ours.
const OURS: &str = "hermes-relay ";
/// How many bytes fit into one piece of input: with base64 around them they are one word of a command line.
pub(super) const MOST_INPUT: usize = 72 * 1024;
/// How long a question waits over there for something to tell.
const PATIENCE: Duration = Duration::from_secs(15);
/// Turns of the waiting loop in `fetch.sh` for that long.
const TURNS: u32 = 340;
/// How long a question may take besides what it waits.
const OWN_TIME: Duration = Duration::from_secs(20);

/// A command as it is started over there.
pub(super) struct RelayedCommand<'a> {
    /// Its words.
    pub(super) words: &'a [String],
    /// Variables it gets.
    pub(super) granted: &'a [(String, String)],
    /// Where its input comes from.
    pub(super) input: RelayInput,
}

/// Where the input of a command comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RelayInput {
    /// There is none.
    None,
    /// Pieces that are handed in.
    Pieces,
    /// The same, and the command gets a terminal of this size.
    Terminal { rows: u16, columns: u16 },
}

/// A short script for the other side, and how long it may take.
pub(super) struct Question {
    pub(super) script: String,
    pub(super) limit: Duration,
}

/// What has been fetched so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fetched {
    pub(super) out: u64,
    pub(super) err: u64,
}

/// What a question for output was answered.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) out: Vec<u8>,
    pub(super) err: Vec<u8>,
    /// What has been fetched with this.
    pub(super) fetched: Fetched,
    /// The command's code, when there is nothing more to come.
    pub(super) code: Option<i32>,
}

/// Why an answer is none.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// There is no such command over there.
    Lost,
    /// It could not be started.
    Refused(String),
    /// These are not the words of the script.
    Odd(String),
}

/// One command over there, by its folder.
#[derive(Clone, Debug)]
pub(super) struct Relay {
    folder: String,
}

impl Relay {
    /// The command of this name in a folder of the session.
    pub(super) fn new(base: &str, name: &str) -> Self {
        Self { folder: format!("{base}/{name}") }
    }

    pub(super) fn folder(&self) -> &str {
        &self.folder
    }

    /// Starts it and waits for its first words, or for none if input has to be handed in first. Folders of commands
    /// that are over are swept away on the way.
    pub(super) fn begin(&self, command: &RelayedCommand<'_>, over: &[String]) -> Question {
        let sweep = match over {
            [] => ":".to_owned(),
            over => format!("rm -rf {}", over.join(" ")),
        };
        let begin = BEGIN
            .replace("@SWEEP@", &sweep)
            .replace("@FOLDER@", &quoted(&self.folder))
            .replace("@KEEPER@", &STANDARD.encode(keeper(command)));
        let patience = match command.input {
            RelayInput::None => PATIENCE,
            RelayInput::Pieces | RelayInput::Terminal { .. } => Duration::ZERO,
        };
        let fetch = self.fetch_within(Fetched::default(), patience);
        Question { script: format!("{begin}\n{}", fetch.script), limit: fetch.limit }
    }

    /// Asks for what comes after this.
    pub(super) fn fetch(&self, after: Fetched) -> Question {
        self.fetch_within(after, PATIENCE)
    }

    fn fetch_within(&self, after: Fetched, patience: Duration) -> Question {
        let turns = if patience.is_zero() { 0 } else { TURNS };
        let script = FETCH
            .replace("@FOLDER@", &quoted(&self.folder))
            .replace("@OUT@", &after.out.to_string())
            .replace("@ERR@", &after.err.to_string())
            .replace("@TURNS@", &turns.to_string());
        Question { script, limit: patience + OWN_TIME }
    }

    /// Hands in a piece of input, and says whether it was the last.
    pub(super) fn put(&self, number: u64, piece: &[u8], is_last: bool) -> Question {
        let mut next = number;
        let mut data = String::from(":");
        if !piece.is_empty() {
            next += 1;
            let piece = STANDARD.encode(piece);
            data = format!(
                "printf %s '{piece}' | base64 -d >\"$d/in.$n.part\" && mv \"$d/in.$n.part\" \"$d/in.$n\" || exit 1"
            );
        }
        let end = match is_last {
            true => {
                format!("echo {next} >\"$d/in.last\" && mv \"$d/in.last\" \"$d/in.end\" || exit 1")
            }
            false => ":".to_owned(),
        };
        let script = PUT
            .replace("@FOLDER@", &quoted(&self.folder))
            .replace("@NUMBER@", &number.to_string())
            .replace("@DATA@", &data)
            .replace("@END@", &end);
        Question { script, limit: Duration::from_secs(10) + OWN_TIME }
    }

    /// Gives it up: its input ends, its output goes nowhere, its folder goes with it.
    pub(super) fn leave(&self) -> Question {
        let script = LEAVE.replace("@FOLDER@", &quoted(&self.folder));
        Question { script, limit: OWN_TIME }
    }
}

/// What a piece of input was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Put {
    Taken,
    /// There is no room yet.
    Full,
}

/// Reads the answer to a piece of input.
pub(super) fn read_put(output: &str) -> Result<Put, NoAnswer> {
    match ours(output).next() {
        Some("taken") => Ok(Put::Taken),
        Some("full") => Ok(Put::Full),
        Some("lost") => Err(NoAnswer::Lost),
        _ => Err(NoAnswer::Odd(excerpt(output))),
    }
}

fn ours(output: &str) -> impl Iterator<Item = &str> {
    output.lines().filter_map(|line| line.trim_end().strip_prefix(OURS))
}

/// Reads the answer to a question for output.
pub(super) fn read_answer(output: &str, after: Fetched) -> Result<Answer, NoAnswer> {
    let odd = || NoAnswer::Odd(excerpt(output));
    let mut answer = Answer { fetched: after, ..Answer::default() };
    let mut stream: Option<Stream> = None;
    let mut text = String::new();
    let mut is_whole = false;
    for line in output.lines() {
        let Some(word) = line.trim_end().strip_prefix(OURS) else {
            if stream.is_some() {
                text.push_str(line.trim());
            }
            continue;
        };
        if let Some(stream) = stream.take() {
            let bytes = STANDARD.decode(&text).map_err(|_| odd())?;
            text.clear();
            match stream {
                Stream::Out => answer.out.extend(bytes),
                Stream::Err => answer.err.extend(bytes),
            }
        }
        let (first, rest) = word.split_once(' ').unwrap_or((word, ""));
        match first {
            "out" => {
                answer.fetched.out = rest.parse().map_err(|_| odd())?;
                stream = Some(Stream::Out);
            }
            "err" => {
                answer.fetched.err = rest.parse().map_err(|_| odd())?;
                stream = Some(Stream::Err);
            }
            "code" => {
                answer.code = Some(rest.parse().map_err(|_| odd())?);
                is_whole = true;
            }
            "more" => is_whole = true,
            "lost" => return Err(NoAnswer::Lost),
            "refused:" => return Err(NoAnswer::Refused(rest.to_owned())),
            _ => return Err(odd()),
        }
    }
    if is_whole { Ok(answer) } else { Err(odd()) }
}

enum Stream {
    Out,
    Err,
}

/// The beginning of something that makes no sense.
fn excerpt(output: &str) -> String {
    let text: String = output.trim().chars().take(300).collect();
    if text.is_empty() { "nothing".to_owned() } else { text }
}

/// The keeper's script.
fn keeper(command: &RelayedCommand<'_>) -> String {
    let mut granted = String::new();
    for (name, value) in command.granted {
        let _ = write!(granted, "export {name}={}; ", always_quoted(value));
    }
    let words: Vec<String> = command.words.iter().map(|word| quoted(word)).collect();
    let mut words = words.join(" ");
    if let RelayInput::Terminal { rows, columns } = command.input {
        let inner = format!("stty rows {rows} cols {columns} echo 2>/dev/null; exec {words}");
        let inner = always_quoted(&inner);
        let outer = format!(
            "if command -v script >/dev/null; then exec script -qfec {inner} /dev/null; fi; exec python3 -c \
             'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' bash -c {inner}"
        );
        words =
            format!("env TERM=xterm-256color SHELL=/bin/bash bash -c {}", always_quoted(&outer));
    }
    let input = if command.input == RelayInput::None { "no" } else { "yes" };
    KEEP.replace("@INPUT@", input).replace("@GRANTED@", &granted).replace("@WORDS@", &words)
}

#[cfg(test)]
mod tests;
