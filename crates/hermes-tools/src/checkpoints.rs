//! Checkpoints that tools ask for before they change something.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use hermes_files::checkpoints::{Settings, Store};
use hermes_tool::ToolContext;

/// The store of a home, if checkpoints are switched on. One per home and process: it knows which
/// directories were saved this turn.
pub(crate) fn store(cx: &ToolContext, home: &Path) -> Option<Arc<Store>> {
    static STORES: LazyLock<Mutex<HashMap<PathBuf, Arc<Store>>>> = LazyLock::new(Mutex::default);
    let settings = Settings::from_config(cx.config(), cx.vars());
    if !settings.enabled {
        return None;
    }
    let folder = home.join("checkpoints");
    let mut stores = STORES.lock().unwrap_or_else(PoisonError::into_inner);
    let store =
        stores.entry(folder.clone()).or_insert_with(|| Arc::new(Store::open(&folder, settings)));
    Some(Arc::clone(store))
}

/// Saves directories before the first change of a turn. That they could not be saved never stops
/// the change: the tool does what it was asked to.
pub(crate) async fn take(store: &Store, turn: &str, folders: BTreeSet<PathBuf>, reason: &str) {
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
