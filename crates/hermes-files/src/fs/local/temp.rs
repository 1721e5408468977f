//! Temporary files of writes: named after the process that makes them, so that what a killed process
//! left behind can be told from what a living one is working on. Process numbers are used again, in a
//! container at every start; the moment of the start is therefore part of the name.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::SystemTime;

use super::directory::Directory;

/// How the names of temporary files begin.
pub const TEMP_PREFIX: &str = ".hermes-tmp.";

/// A name nobody else uses.
pub(super) fn fresh_name() -> OsString {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{TEMP_PREFIX}{}.{}.{count}", std::process::id(), *STARTED).into()
}

/// When this process made its first temporary file, in nanoseconds.
static STARTED: LazyLock<String> = LazyLock::new(|| {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{:x}", now.as_nanos())
});

/// Clears a directory of what killed processes left in it, the first time this process writes there.
pub(super) fn clean_once(directory: &Directory) {
    static SEEN: LazyLock<Mutex<HashSet<PathBuf>>> = LazyLock::new(Mutex::default);
    let first =
        SEEN.lock().unwrap_or_else(PoisonError::into_inner).insert(directory.path().to_owned());
    if first {
        clean(directory);
    }
}

/// Removes temporary files whose makers are gone, and says how many went.
pub fn remove_stray_temps(directory: &Path) -> usize {
    Directory::open(directory).map_or(0, |directory| clean(&directory))
}

fn clean(directory: &Directory) -> usize {
    directory
        .names()
        .iter()
        .filter(|name| is_stray(name).unwrap_or(false))
        .filter(|name| directory.remove(name).is_ok())
        .count()
}

/// Whether the maker of a temporary file is gone; `None` for other files.
fn is_stray(name: &OsStr) -> Option<bool> {
    let mut parts = name.to_str()?.strip_prefix(TEMP_PREFIX)?.split('.');
    let process: u32 = parts.next()?.parse().ok()?;
    if process == std::process::id() {
        return Some(parts.next() != Some(STARTED.as_str()));
    }
    Some(!hermes_process::process_exists(process))
}
