//! `index-cache/`: answers of registries, kept for a while and, when the network fails, for longer.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use hermes_store::atomic;
use hermes_store::home::ensure_private_dir;
use sha2::{Digest, Sha256};

use super::{HubState, OWN_FILES};

/// How long an answer of a registry counts.
pub const ANSWER_KEPT: Duration = Duration::from_secs(3600);
/// How long the central index counts.
pub const INDEX_KEPT: Duration = Duration::from_secs(6 * 3600);
/// The name the central index is kept under.
pub const INDEX_KEY: &str = "hermes-index";

/// Whether a kept answer may still be given out without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Yes.
    Fresh,
    /// Only when nothing newer can be had.
    Stale,
}

/// A key for an address.
#[must_use]
pub fn key_of(address: &str) -> String {
    let hash = format!("{:x}", Sha256::digest(address.as_bytes()));
    hash.chars().take(24).collect()
}

fn file_of(state: &HubState, key: &str) -> PathBuf {
    state.skills().hub_index_cache().join(format!("{key}.json"))
}

/// How old a kept answer is.
pub(super) fn age(state: &HubState, key: &str) -> Option<Duration> {
    let changed = std::fs::metadata(file_of(state, key)).ok()?.modified().ok()?;
    SystemTime::now().duration_since(changed).ok()
}

/// The kept answer, with its age judged.
#[must_use]
pub fn get(state: &HubState, key: &str, kept: Duration) -> Option<(Vec<u8>, Freshness)> {
    let file = file_of(state, key);
    let age = SystemTime::now().duration_since(std::fs::metadata(&file).ok()?.modified().ok()?);
    let bytes = std::fs::read(&file).ok()?;
    // A time in the future is a clock that was put back: ask again.
    let fresh = age.is_ok_and(|age| age < kept);
    Some((bytes, if fresh { Freshness::Fresh } else { Freshness::Stale }))
}

/// Keeps an answer. One that cannot be kept is asked for again next time.
pub fn put(state: &HubState, key: &str, bytes: &[u8]) {
    let kept = ensure_private_dir(&state.skills().hub())
        .and_then(|()| ensure_private_dir(&state.skills().hub_index_cache()))
        .and_then(|()| atomic::write(&file_of(state, key), bytes, OWN_FILES));
    if let Err(error) = kept {
        tracing::debug!(%error, "an answer of a registry is not kept");
    }
}
