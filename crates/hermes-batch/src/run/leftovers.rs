//! What starts of a run that are over left behind where commands run: containers and sandboxes.

use std::sync::Arc;

use hermes_exec::BackendKind;
use hermes_exec::manager::{Environments, TaskOverride};
use hermes_host::Host;
use serde_json::Map;

/// Names whoever looks, not a task.
const LOOKER: &str = "batch-leftovers";

/// Looks for what is left of a run.
pub struct RunLeftovers {
    environments: Arc<Environments>,
    run: String,
    backend: Option<String>,
}

impl RunLeftovers {
    /// Of the run with this id, whose tasks run where it says, or where the settings say.
    #[must_use]
    pub fn of(host: &Host, run: &str, backend: Option<&str>) -> Self {
        let environments = host.environments();
        Self { environments, run: run.to_owned(), backend: backend.map(str::to_owned) }
    }

    fn place(&self, image: Option<&str>) {
        let mut terminal = Map::new();
        terminal
            .extend(self.backend.iter().map(|word| ("backend".to_owned(), word.clone().into())));
        terminal.extend(image.map(|image| ("docker_image".to_owned(), image.into())));
        self.environments
            .override_task(LOOKER, TaskOverride { terminal, ..TaskOverride::default() });
    }

    /// Ends what was made for starts before this one; how many that were, or nothing where tasks leave nothing behind.
    ///
    /// # Errors
    /// If nobody answers there, in words for a person.
    pub async fn end_before(&self, epoch: u64) -> Result<Option<usize>, String> {
        self.place(None);
        let settings = self.environments.settings(LOOKER).map_err(|error| error.to_string())?;
        if matches!(settings.backend(), BackendKind::Local | BackendKind::Ssh) {
            return Ok(None);
        }
        let ended = self.environments.end_leftovers(LOOKER, &self.run, epoch).await;
        ended.map(Some).map_err(|error| error.to_string())
    }

    /// Removes an image unless something is made of it; whether it is gone.
    ///
    /// # Errors
    /// If nobody answers, in words for a person.
    pub async fn remove_image(&self, image: &str) -> Result<bool, String> {
        self.place(Some(image));
        self.environments.remove_image(LOOKER).await.map_err(|error| error.to_string())
    }
}
