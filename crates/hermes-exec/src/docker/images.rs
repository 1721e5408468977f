//! Images: looked at before a container is made of one, and fetched once for all who want it.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use super::INSPECT_LIMIT;
use crate::backend::BackendKind;
use crate::error::ExecError;
use crate::programs::ClientProgram;

/// How long an image may take until it is here. Those for machines that learn have many gigabytes.
const PULL_LIMIT: Duration = Duration::from_secs(600);
const REMOVE_LIMIT: Duration = Duration::from_secs(60);
/// Characters kept of what the engine says about one that cannot be had.
const WORDS: usize = 500;

/// Who fetches which image at the moment, in this process: the others wait instead of fetching it, too.
static FETCHING: LazyLock<Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>> =
    LazyLock::new(Mutex::default);

/// An image that is here.
pub(super) struct HereImage {
    /// Its entry point, as JSON.
    pub(super) entry_point: String,
    /// Whether it was fetched for this.
    pub(super) was_fetched: bool,
}

/// Has an image here.
pub(super) async fn bring(engine: &ClientProgram, image: &str) -> Result<HereImage, ExecError> {
    if let Some(entry_point) = look(engine, image).await? {
        return Ok(HereImage { entry_point, was_fetched: false });
    }
    let turn = {
        let mut fetching = FETCHING.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(fetching.entry(image.to_owned()).or_default())
    };
    let _turn = turn.lock().await;
    if let Some(entry_point) = look(engine, image).await? {
        return Ok(HereImage { entry_point, was_fetched: false });
    }
    tracing::info!(image, "fetching an image");
    let pulled = engine.ask(["pull", "--quiet", image], PULL_LIMIT).await?;
    match look(engine, image).await? {
        Some(entry_point) => Ok(HereImage { entry_point, was_fetched: true }),
        None => {
            let words: String = pulled.words.chars().take(WORDS).collect();
            let why = format!("the image {image} cannot be had: {words}");
            Err(ExecError::NotStarted { backend: BackendKind::Docker, why })
        }
    }
}

/// The entry point of an image, if it is here.
async fn look(engine: &ClientProgram, image: &str) -> Result<Option<String>, ExecError> {
    let words = ["image", "inspect", "--format", "{{json .Config.Entrypoint}}", image];
    let answer = engine.ask(words, INSPECT_LIMIT).await?;
    Ok(answer.succeeded.then_some(answer.output))
}

/// Removes an image, unless a container is made of it; whether it is gone.
pub(super) async fn remove(engine: &ClientProgram, image: &str) -> Result<bool, ExecError> {
    Ok(engine.ask(["rmi", image], REMOVE_LIMIT).await?.succeeded)
}
