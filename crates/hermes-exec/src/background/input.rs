//! What is typed to a background process.
//!
//! A process has one keyboard: whoever wants to type takes it, learns what was typed before, has the
//! gate decide, and types, before anybody else may. Two halves of a line that are judged apart would be
//! run together.

use std::sync::Arc;

use hermes_approval::{Approved, ExecutionTarget, InputEcho, ProgramInput};
use hermes_guard::input::remember;
use tokio::sync::OwnedMutexGuard;

use super::entry::{ProcessEntry, ProcessOrder};
use super::{ProcessStart, Processes, TellError};

/// The keyboard of a process, held.
pub struct ProcessKeyboard {
    entry: Arc<ProcessEntry>,
    typed: OwnedMutexGuard<String>,
}

impl Processes {
    /// Takes the keyboard of a process that runs; waits while somebody else has it.
    pub async fn keyboard(&self, id: &str) -> Result<ProcessKeyboard, TellError> {
        let entry = self.running(id)?;
        let typed = Arc::clone(&entry.typed).lock_owned().await;
        Ok(ProcessKeyboard { entry, typed })
    }
}

impl ProcessKeyboard {
    /// What was typed before, as far as it is remembered.
    #[must_use]
    pub fn before(&self) -> &str {
        &self.typed
    }

    /// What was started.
    #[must_use]
    pub fn start(&self) -> &ProcessStart {
        &self.entry.start
    }

    /// Where it runs.
    #[must_use]
    pub fn target(&self) -> ExecutionTarget {
        self.entry.start.target.unwrap_or(ExecutionTarget::Local)
    }

    /// The names of the programs it consists of, if it runs on this machine: without the shell that was
    /// started to run it, unless another program has taken that one's place.
    #[must_use]
    pub fn processes(&self) -> Vec<String> {
        const STARTED_WITH: &str = "bash";
        let pid = self.entry.pid.filter(|_| self.entry.start.on_host);
        let names = pid.map(hermes_process::programs_of_tree).unwrap_or_default();
        let own = names.iter().take_while(|name| *name == STARTED_WITH).take(2).count();
        names[own..].to_vec()
    }

    /// Whether what is typed now can be seen on its terminal.
    #[must_use]
    pub fn echo(&self) -> InputEcho {
        match &self.entry.echo {
            Some(echo) if echo.hides_a_line() => InputEcho::Hidden,
            _ => InputEcho::Shown,
        }
    }

    /// Types an approved text, and says how many bytes it has.
    pub async fn write(mut self, input: &Approved<ProgramInput>) -> Result<usize, TellError> {
        let id = self.entry.id.clone();
        let wrong = |why: String| TellError::Failed { id, why };
        let text = input.input_for(self.target()).map_err(|error| wrong(error.to_string()))?;
        // Remembered before it is known whether all of it arrived: a part may have.
        if self.echo() == InputEcho::Shown {
            remember(&mut self.typed, text);
        }
        let data = text.as_bytes().to_vec();
        let count = data.len();
        super::tell(&self.entry, |answer| ProcessOrder::Write { data, answer }).await?;
        Ok(count)
    }
}
