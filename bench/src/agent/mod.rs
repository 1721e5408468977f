//! The whole program: a question to a scripted model on this machine, the tools it calls, the answer.
//!
//! Each side is started as a person would start it, and talks to the same server. A run is one process
//! of this benchmark that plays the model and starts the program (`run.rs`). Each side has a home of its
//! own that lasts, so that the first run, which is not counted, makes what is made once. The sides take
//! turns; ours is run more often, because it is quick.

mod others;
mod rows;
mod run;
mod side;
mod work;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;

use crate::process::Sandbox;
use crate::reference::Reference;
use run::{Job, Run};
use side::Side;
use work::{FILES, Work, file_name, file_text};

pub(crate) use rows::rows;
pub(crate) use run::print;

/// Counted rounds of ours.
const ROUNDS: usize = 15;
/// Counted rounds of the others.
const ROUNDS_OF_OTHERS: usize = 3;

/// The sides, and where they run.
pub(crate) struct Contest<'a> {
    /// The surroundings of all.
    pub(crate) sandbox: &'a Sandbox,
    /// This program, which holds a conversation when asked with `--conversation`.
    pub(crate) bench: &'a Path,
    /// Our program.
    pub(crate) hermes: PathBuf,
    /// The reference, unless left out.
    pub(crate) reference: Option<&'a Reference>,
    /// Whether other agents are compared as well.
    pub(crate) others: Others,
}

/// Whether other agents are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Others {
    /// They are installed if they are not there.
    Compared,
    /// They are left out.
    Skipped,
}

/// What a side took for each kind of conversation.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Runs {
    answer: Run,
    turns: Run,
    parallel: Run,
}

/// A side besides ours: what it took, or why it could not be measured. None when it is left out.
type Theirs = Option<Result<Runs, String>>;

/// What was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Numbers {
    ours: Runs,
    reference: Theirs,
    codex: Theirs,
    goose: Theirs,
}

/// A program and the best it did.
struct Contender {
    side: Side,
    program: PathBuf,
    best: [Option<Run>; Work::ALL.len()],
}

impl Contender {
    fn new(side: Side, program: PathBuf) -> Self {
        Self { side, program, best: [None; Work::ALL.len()] }
    }

    fn runs(&self) -> Result<Runs> {
        let [answer, turns, parallel] = self.best.map(|run| run.context("no run was measured"));
        Ok(Runs { answer: answer?, turns: turns?, parallel: parallel? })
    }
}

impl Contest<'_> {
    /// Measures everything.
    pub(crate) fn measure(&self) -> Result<Numbers> {
        let folder = tempfile::tempdir().context("making a folder for the files")?;
        let files = folder.path().join("files");
        std::fs::create_dir(&files).context("making a folder for the files")?;
        for number in 0..FILES {
            put(&files.join(file_name(number)), file_text(number).as_bytes())
                .context("writing a file to read")?;
        }
        let mut ours = Contender::new(Side::Ours, self.hermes.clone());
        let mut others = [Side::Reference, Side::Codex, Side::Goose].map(|side| self.other(side));
        for round in 0..=ROUNDS {
            for other in others.iter_mut().flatten() {
                if round <= ROUNDS_OF_OTHERS
                    && let Ok(contender) = other
                    && let Err(problem) = self.round(contender, folder.path(), round)
                {
                    // Ours has to be measured; that another cannot be is told, and no reason to stop.
                    *other = Err(format!("{problem:#}"));
                }
            }
            self.round(&mut ours, folder.path(), round).context("measuring ours")?;
        }
        let [reference, codex, goose] = others.map(|other| {
            other.map(|found| {
                found.and_then(|contender| {
                    contender.runs().map_err(|problem| format!("{problem:#}"))
                })
            })
        });
        Ok(Numbers { ours: ours.runs()?, reference, codex, goose })
    }

    fn other(&self, side: Side) -> Option<Result<Contender, String>> {
        match side {
            Side::Reference => {
                self.reference.map(|reference| Ok(Contender::new(side, reference.program())))
            }
            _ if self.others == Others::Skipped => None,
            _ => Some(others::find(side).map(|program| Contender::new(side, program))),
        }
    }

    /// One conversation of each kind. The first round gets everything ready and does not count.
    fn round(&self, contender: &mut Contender, folder: &Path, round: usize) -> Result<()> {
        let home = folder.join(contender.side.name());
        std::fs::create_dir_all(&home).with_context(|| format!("making {}", home.display()))?;
        for (work, best) in Work::ALL.into_iter().zip(&mut contender.best) {
            let job = Job {
                side: contender.side,
                work,
                program: contender.program.clone(),
                home: home.clone(),
                folder: folder.join("files"),
            };
            let file = folder.join("job.json");
            put(&file, &serde_json::to_vec(&job)?).context("writing the job")?;
            let file = file.to_str().context("the temporary folder's path is not UTF-8")?;
            let run: Run = self.sandbox.read_json(self.bench, &["--conversation", file])?;
            if round > 0 {
                *best = Some(best.map_or(run, |best| best.best(run)));
            }
        }
        Ok(())
    }
}

/// A new file. Nothing is lost if it is cut short: it is of this run alone.
fn put(path: &std::path::Path, content: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;
    std::fs::File::create(path)?.write_all(content)
}
