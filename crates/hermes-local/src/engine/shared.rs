//! One engine for all who ask the same model of a home.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use hermes_llm::Secret;
use hermes_llm::model::BoxFuture;
use hermes_llm::on_demand::{OnDemandServer, ServerPlace};

use super::{EngineAddress, EngineChild, EngineError};

/// The engine of a model: started by the first request, shared by all holders, started anew if it has ended. It ends with
/// its last holder.
#[derive(Debug)]
pub struct SharedEngine {
    program: PathBuf,
    home: PathBuf,
    model: String,
    running: tokio::sync::Mutex<Option<EngineChild>>,
}

/// What tells engines apart: program, home and model.
type EngineKey = (PathBuf, PathBuf, String);

/// The engines that somebody holds. A model takes gigabytes, so nobody may start a second one of the same.
static ENGINES: LazyLock<Mutex<HashMap<EngineKey, Weak<SharedEngine>>>> =
    LazyLock::new(Mutex::default);

impl SharedEngine {
    /// The engine of a model, run by `program local serve`. Nothing is started yet.
    #[must_use]
    pub fn of(program: &Path, home: &Path, model: &str) -> Arc<Self> {
        let key = (program.to_owned(), home.to_owned(), model.to_owned());
        let mut engines = ENGINES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = engines.get(&key).and_then(Weak::upgrade) {
            return held;
        }
        engines.retain(|_, engine| engine.strong_count() > 0);
        let (program, home, model) = key.clone();
        let made = Arc::new(Self { program, home, model, running: tokio::sync::Mutex::default() });
        engines.insert(key, Arc::downgrade(&made));
        made
    }

    /// Where it answers; it is started first if it does not run.
    ///
    /// # Errors
    /// If it cannot be started, or says why it does not serve.
    pub async fn address(&self) -> Result<EngineAddress, EngineError> {
        let mut running = self.running.lock().await;
        if let Some(child) = running.as_ref().filter(|child| child.is_running()) {
            return Ok(child.address().clone());
        }
        // What is left of an old one must be gone before the memory is taken a second time.
        *running = None;
        let child = EngineChild::start(&self.program, &self.home, &self.model).await?;
        Ok(running.insert(child).address().clone())
    }
}

impl OnDemandServer for SharedEngine {
    fn place(&self) -> BoxFuture<'_, Result<ServerPlace, String>> {
        Box::pin(async {
            let address = self.address().await.map_err(|error| error.to_string())?;
            Ok(ServerPlace { base_url: address.base_url, key: Secret::new(address.key) })
        })
    }

    fn why_it_ended(&self) -> BoxFuture<'_, Option<String>> {
        Box::pin(async {
            match &*self.running.lock().await {
                Some(child) => child.ending().await,
                None => None,
            }
        })
    }
}
