//! The engine as a child of this program.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hermes_process::{Command, OutputMode, ProcessHandle};
use hermes_store::home::HOME_VARIABLE;
use tokio::io::{AsyncBufReadExt as _, BufReader};

use super::{EngineAddress, EngineError};

/// How long a model may take to load.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long the end of an engine is waited for whose connection broke.
const END_PATIENCE: Duration = Duration::from_secs(2);
/// What the engine needs of our variables.
const VARIABLES: [&str; 7] =
    ["PATH", "HOME", "HF_HOME", "HF_HUB_CACHE", "OLLAMA_MODELS", "LD_LIBRARY_PATH", "TMPDIR"];
/// Lines of its error output that are kept: the last ones say why it ended.
const KEPT_LINES: usize = 20;
/// Most characters of such a line that are told.
const MAX_LINE: usize = 300;

/// A model server that lives as long as this value.
pub struct EngineChild {
    address: EngineAddress,
    handle: ProcessHandle,
    said: LastWords,
    _child: hermes_process::Child,
}

impl std::fmt::Debug for EngineChild {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EngineChild").field("model", &self.address.model).finish_non_exhaustive()
    }
}

/// The last lines that it wrote for people.
#[derive(Clone, Default)]
struct LastWords(Arc<Mutex<VecDeque<String>>>);

impl LastWords {
    fn keep(&self, line: &str) {
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == KEPT_LINES {
            lines.pop_front();
        }
        lines.push_back(line.chars().take(MAX_LINE).collect());
    }

    /// The line that says most: the last error if one is marked as such, else the last line.
    fn reason(&self) -> Option<String> {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let marked = |line: &&String| line.starts_with("error:");
        let line = lines.iter().rev().find(marked).or_else(|| lines.back())?;
        Some(line.trim_start_matches("error:").trim().to_owned())
    }
}

impl EngineChild {
    /// Starts `program local serve` for a model and waits until it can be asked.
    ///
    /// # Errors
    /// If it cannot be started, or says why it does not serve.
    pub async fn start(program: &Path, home: &Path, model: &str) -> Result<Self, EngineError> {
        let failed =
            |what: &dyn std::fmt::Display| EngineError::Model(format!("start the engine: {what}"));
        let mut child = Command::new(program)
            .args(["local", "serve", model])
            .env_inherit(VARIABLES)
            .env(HOME_VARIABLE, home)
            .output(OutputMode::Separate)
            .spawn()
            .map_err(|error| failed(&error))?;
        let (Some(out), Some(err)) = (child.take_stdout(), child.take_stderr()) else {
            return Err(failed(&"it has no output"));
        };
        let said = LastWords::default();
        let words = said.clone();
        // What it says is read all the time, for a full pipe would stop it; the last of it is kept.
        let reading = tokio::spawn(read_words(BufReader::new(err), words));
        let mut line = String::new();
        let mut out = BufReader::new(out);
        let read = tokio::time::timeout(PATIENCE, out.read_line(&mut line)).await;
        match read {
            Ok(Ok(1..)) => {}
            Ok(_) => {
                // Its words are whole once its pipe is closed.
                let _ = tokio::time::timeout(END_PATIENCE, reading).await;
                let how = tokio::time::timeout(END_PATIENCE, child.wait()).await;
                return Err(match (said.reason(), how) {
                    (Some(reason), _) => failed(&reason),
                    (None, Ok(Ok(status))) => failed(&format!("it ended at once ({status})")),
                    (None, _) => failed(&"it ended without a word"),
                });
            }
            Err(_) => {
                let seconds = PATIENCE.as_secs();
                return Err(failed(&format!("the model was not loaded within {seconds} seconds")));
            }
        }
        let address = serde_json::from_str(&line).map_err(|error| failed(&error))?;
        tokio::spawn(read_words(out, LastWords::default()));
        Ok(Self { address, handle: child.handle(), said, _child: child })
    }

    /// Where it answers.
    #[must_use]
    pub fn address(&self) -> &EngineAddress {
        &self.address
    }

    /// Whether it runs, as far as is known yet.
    #[must_use]
    pub fn is_running(&self) -> bool {
        !self.handle.is_gone() && matches!(self.handle.try_wait(), Ok(None))
    }

    /// How it ended, if it has or is about to: a broken connection is often seen before the end of the process.
    pub async fn ending(&self) -> Option<String> {
        let status = tokio::time::timeout(END_PATIENCE, self.handle.wait()).await.ok()?.ok()?;
        let model = &self.address.model;
        Some(match self.said.reason() {
            Some(reason) => format!("the engine of {model} ended ({status}): {reason}"),
            None => format!("the engine of {model} ended ({status})"),
        })
    }
}

async fn read_words(mut pipe: impl tokio::io::AsyncBufRead + Unpin, words: LastWords) {
    let mut part = Vec::new();
    while matches!(pipe.read_until(b'\n', &mut part).await, Ok(1..)) {
        words.keep(&String::from_utf8_lossy(&part));
        part.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_error_counts_and_old_lines_are_forgotten() {
        let words = LastWords::default();
        assert_eq!(words.reason(), None);
        words.keep("error: the model cannot be loaded\n");
        words.keep("   \n");
        words.keep("a backtrace");
        assert_eq!(words.reason().unwrap(), "the model cannot be loaded");
        for number in 0..KEPT_LINES {
            words.keep(&format!("line {number}"));
        }
        assert_eq!(words.reason().unwrap(), format!("line {}", KEPT_LINES - 1));
    }
}
