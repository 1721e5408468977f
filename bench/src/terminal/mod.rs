//! The terminal, the guard in front of it and the redaction behind it.
//!
//! Commands are compared with what nobody can beat: `bash -c`, started and waited for by the
//! plainest means, in turns with ours in one process. The guard and the redaction have rates to
//! reach. The reference is measured as well, for information, in processes of its own
//! (`reference_terminal.py`); what it does not finish in two minutes is left out.
//!
//! Each [`Part`] is measured in several rounds, each in a process of its own; the best round of
//! each number counts, since noise only ever adds. Of memory the worst counts.

mod commands;
mod crowd;
mod guard;
mod hostile;
mod redaction;
mod rig;
mod rows;
mod texts;

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::process::{Ended, Sandbox};
use crate::reference::Reference;
use commands::Commands;
use crowd::Crowd;
use guard::Guard;
use redaction::Speed;

pub(crate) use rig::Rig;
pub(crate) use rows::rows;

const ROUNDS: usize = 5;

/// What one process of ours measures.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Part {
    /// A command that does nothing.
    Commands,
    /// Many commands at a time.
    Crowd,
    /// Judging commands.
    Guard,
    /// Hiding secrets.
    Redaction,
}

impl Part {
    /// The word both sides take on their command line.
    fn word(self) -> &'static str {
        match self {
            Self::Commands => "commands",
            Self::Crowd => "crowd",
            Self::Guard => "guard",
            Self::Redaction => "redaction",
        }
    }
}

/// Measures a part of ours and prints its JSON.
pub(crate) fn print(part: Part, texts: Option<&Path>) -> Result<()> {
    let text = match part {
        Part::Commands => serde_json::to_string(&commands::measure()?)?,
        Part::Crowd => serde_json::to_string(&crowd::measure()?)?,
        Part::Guard => serde_json::to_string(&guard::measure()?)?,
        Part::Redaction => {
            let texts = texts.context("redaction needs --texts")?;
            serde_json::to_string(&redaction::measure(texts)?)?
        }
    };
    writeln!(std::io::stdout(), "{text}").context("printing the measurements")
}

/// Everything measured.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Numbers {
    commands: Commands,
    crowd: Crowd,
    guard: Guard,
    redaction: Vec<Speed>,
    reference: Option<Theirs>,
}

/// What the reference took; nothing where it was stopped.
#[derive(Clone, Debug, Serialize)]
struct Theirs {
    /// Nanoseconds of the median call of its tool.
    commands: Option<f64>,
    guard: Option<Guard>,
    redaction: Option<Vec<Speed>>,
}

/// The sides, and where they run.
pub(crate) struct Contest<'a> {
    /// The surroundings of both.
    pub(crate) sandbox: &'a Sandbox,
    /// The program that measures ours when asked with `--part`.
    pub(crate) ours: &'a Path,
    /// The other side, unless left out.
    pub(crate) reference: Option<&'a Reference>,
}

impl Contest<'_> {
    /// Measures every part.
    pub(crate) fn measure(&self) -> Result<Numbers> {
        let folder = tempfile::tempdir().context("making a folder for the texts")?;
        redaction::save_texts(folder.path())?;
        let texts = folder.path().to_str().context("the folder's path is not UTF-8")?;
        let commands = self.rounds(Part::Commands, &[], Commands::best)?;
        let crowd = self.rounds(Part::Crowd, &[], Crowd::best)?;
        let guard = self.rounds(Part::Guard, &[], Guard::best)?;
        let faster = |one, other: Vec<Speed>| redaction::best(one, &other);
        let redaction = self.rounds(Part::Redaction, &["--texts", texts], faster)?;
        let reference = match self.reference {
            Some(reference) => Some(self.theirs(reference, texts)?),
            None => None,
        };
        Ok(Numbers { commands, crowd, guard, redaction, reference })
    }

    fn rounds<T: DeserializeOwned>(
        &self,
        part: Part,
        more: &[&str],
        best: impl Fn(T, T) -> T,
    ) -> Result<T> {
        let words = [&["--part", part.word()], more].concat();
        let round = || -> Result<T> {
            let measured = self.sandbox.read_json(self.ours, &words);
            measured.with_context(|| format!("measuring our {}", part.word()))
        };
        let mut result = round()?;
        for _ in 1..ROUNDS {
            result = best(result, round()?);
        }
        Ok(result)
    }

    fn theirs(&self, reference: &Reference, texts: &str) -> Result<Theirs> {
        let (everyday, dangerous) =
            (guard::corpus("everyday.jsonl"), guard::corpus("dangerous.jsonl"));
        let path = |path: &Path| -> Result<String> {
            Ok(path.to_str().context("the path of a corpus is not UTF-8")?.to_owned())
        };
        let (everyday, dangerous) = (path(&everyday)?, path(&dangerous)?);
        Ok(Theirs {
            commands: self.their(reference, Part::Commands, &[])?,
            guard: self.their(reference, Part::Guard, &[&everyday, &dangerous])?,
            redaction: self.their(reference, Part::Redaction, &[texts])?,
        })
    }

    fn their<T: DeserializeOwned>(
        &self,
        reference: &Reference,
        part: Part,
        more: &[&str],
    ) -> Result<Option<T>> {
        let script =
            reference.terminal_script.to_str().context("the script's path is not UTF-8")?;
        let words = [&[script, part.word()], more].concat();
        let ended = self
            .sandbox
            .read_json_in_time(&reference.python(), &words)
            .with_context(|| format!("measuring the reference's {}", part.word()))?;
        Ok(match ended {
            Ended::Printed(measured) => Some(measured),
            Ended::OutOfTime => None,
        })
    }
}
