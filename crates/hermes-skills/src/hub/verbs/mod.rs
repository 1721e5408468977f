//! The hub as words: the same for `hermes skills …` and for `/skills …` in a chat.
//!
//! [`run`] does one verb and gives back what to print. Whoever calls it brings a [`VerbFront`]: where progress is
//! shown, and whether somebody can be asked.

mod args;
mod find;
mod keep;
mod share;
mod show;

pub use args::{BrowseArgs, HubVerb, InstallArgs, PublishArgs, SearchArgs, SnapshotVerb, TapVerb};

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::HubContext;
use super::error::HubError;
use crate::report::{VerbReport, VerbStatus};

/// How long nothing is said about what goes on.
const SILENCE: Duration = Duration::from_secs(1);

/// Who watches.
pub trait VerbFront: Sync {
    /// Something goes on that may take a while.
    fn progress(&self, text: &str);

    /// Shows an offer and asks for consent.
    fn agree(&self, offer: &str) -> bool;
}

/// Does what the words say. Errors become reports: there is always something to print. What goes on is told to the
/// front when it has taken longer than `SILENCE`.
pub async fn run(hub: &HubContext, verb: &HubVerb, front: &dyn VerbFront) -> VerbReport {
    let watched = WatchedFront { front, latest: Mutex::default() };
    let work = async {
        hub.state.recover()?;
        dispatch(hub, verb, &watched).await
    };
    let mut work = std::pin::pin!(work);
    let mut told = String::new();
    loop {
        match tokio::time::timeout(SILENCE, &mut work).await {
            Ok(done) => return done.unwrap_or_else(|error| failed(&error)),
            Err(_) => {
                let latest = watched.latest();
                if latest != told {
                    front.progress(&latest);
                    told = latest;
                }
            }
        }
    }
}

/// Keeps what is going on until it has taken long enough to be told.
struct WatchedFront<'a> {
    front: &'a dyn VerbFront,
    latest: Mutex<String>,
}

impl WatchedFront<'_> {
    fn latest(&self) -> String {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl VerbFront for WatchedFront<'_> {
    fn progress(&self, text: &str) {
        text.clone_into(&mut self.latest.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn agree(&self, offer: &str) -> bool {
        self.front.agree(offer)
    }
}

async fn dispatch(
    hub: &HubContext,
    verb: &HubVerb,
    front: &dyn VerbFront,
) -> Result<VerbReport, HubError> {
    match verb {
        HubVerb::Search(args) => find::search(hub, args, front).await,
        HubVerb::Browse(args) => find::browse(hub, args, front).await,
        HubVerb::Inspect { identifier, json } => find::inspect(hub, identifier, *json, front).await,
        HubVerb::Install(args) => keep::install(hub, args, front).await,
        HubVerb::Check { name, json } => keep::check(hub, name.as_deref(), *json, front).await,
        HubVerb::Update { name, force, json } => {
            keep::update(hub, name.as_deref(), *force, *json, front).await
        }
        HubVerb::Audit { name, deep, json } => {
            let depth = if *deep { keep::AuditDepth::Deep } else { keep::AuditDepth::Usual };
            keep::audit(hub, name.as_deref(), depth, *json).await
        }
        HubVerb::Uninstall { name } => keep::uninstall(hub, name),
        HubVerb::Publish(args) => share::publish(hub, args, front).await,
        HubVerb::Snapshot(verb) => share::snapshot(hub, verb, front).await,
        HubVerb::Tap(verb) => share::tap(hub, verb),
    }
}

fn failed(error: &HubError) -> VerbReport {
    let status = match error {
        error if error.is_block() => VerbStatus::Blocked,
        HubError::Usage(_)
        | HubError::Identifier { .. }
        | HubError::NotFound(_)
        | HubError::Ambiguous { .. } => VerbStatus::Usage,
        _ => VerbStatus::Failed,
    };
    let mut notes = vec![error.to_string()];
    if let HubError::Ambiguous { matches, .. } = error {
        notes.push(show::records(matches).plain());
    }
    VerbReport::ended(status).noted(notes)
}
