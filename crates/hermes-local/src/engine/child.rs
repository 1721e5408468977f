//! The engine as a child of this program.

use std::path::Path;
use std::time::Duration;

use hermes_process::{Child, Command, OutputMode};
use hermes_store::home::HOME_VARIABLE;
use tokio::io::{AsyncBufReadExt as _, BufReader};

use super::{EngineAddress, EngineError};

/// How long a model may take to load.
const PATIENCE: Duration = Duration::from_secs(120);
/// What the engine needs of our variables.
const VARIABLES: [&str; 6] =
    ["PATH", "HOME", "HF_HOME", "HF_HUB_CACHE", "OLLAMA_MODELS", "LD_LIBRARY_PATH"];

/// A model server that lives as long as this value.
pub struct EngineChild {
    address: EngineAddress,
    _child: Child,
}

impl std::fmt::Debug for EngineChild {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EngineChild").field("model", &self.address.model).finish_non_exhaustive()
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
        let mut line = String::new();
        let mut out = BufReader::new(out);
        let read = tokio::time::timeout(PATIENCE, out.read_line(&mut line)).await;
        if !matches!(read, Ok(Ok(1..))) {
            let mut said = String::new();
            let mut err = BufReader::new(err);
            let _ = tokio::time::timeout(Duration::from_secs(2), err.read_line(&mut said)).await;
            let said = said.trim().trim_start_matches("error:").trim();
            return Err(failed(if said.is_empty() { &"it ended without a word" } else { &said }));
        }
        let address = serde_json::from_str(&line).map_err(|error| failed(&error))?;
        // What it says later is for nobody; a full pipe would stop it.
        tokio::spawn(async move {
            let _ = tokio::join!(drain(out), drain(BufReader::new(err)));
        });
        Ok(Self { address, _child: child })
    }

    /// Where it answers.
    #[must_use]
    pub fn address(&self) -> &EngineAddress {
        &self.address
    }
}

async fn drain(mut pipe: impl tokio::io::AsyncBufRead + Unpin) {
    let mut part = Vec::new();
    while matches!(pipe.read_until(b'\n', &mut part).await, Ok(1..)) {
        part.clear();
    }
}
