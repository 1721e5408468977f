//! Checkpoints that tools ask for before they change something.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use hermes_files::checkpoints::{CheckpointSettings, CheckpointStore};
use hermes_store::home::Home;
use hermes_tool::ToolContext;

/// The store of a home, if checkpoints are switched on. One per home and process: it knows which
/// directories were saved this turn.
pub(crate) fn store(cx: &ToolContext, home: &Home) -> Option<Arc<CheckpointStore>> {
    static STORES: LazyLock<Mutex<HashMap<PathBuf, Arc<CheckpointStore>>>> =
        LazyLock::new(Mutex::default);
    let settings = CheckpointSettings::from_config(cx.config(), cx.vars());
    if !settings.enabled {
        return None;
    }
    let folder = home.checkpoints();
    let mut stores = STORES.lock().unwrap_or_else(PoisonError::into_inner);
    let store = stores
        .entry(folder.clone())
        .or_insert_with(|| Arc::new(CheckpointStore::open(&folder, settings)));
    Some(Arc::clone(store))
}

/// Saves directories before the first change of a turn. That they could not be saved never stops
/// the change: the tool does what it was asked to.
pub(crate) async fn take(
    store: &CheckpointStore,
    turn: &str,
    folders: BTreeSet<PathBuf>,
    reason: &str,
) {
    for folder in folders {
        let taken = match turn {
            "" => store.snapshot(&folder, reason).await,
            turn => store.snapshot_once(turn, &folder, reason).await,
        };
        let folder = folder.display();
        match taken {
            Ok(outcome) => tracing::debug!(?outcome, %folder, "checkpoint"),
            Err(problem) => tracing::warn!(%problem, %folder, "no checkpoint was taken"),
        }
    }
}
