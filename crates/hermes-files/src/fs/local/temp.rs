//! Temporary files of writes: named after the process that makes them, so that what a killed process
//! left behind can be told from what a living one is working on.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

/// How the names of temporary files begin.
pub const TEMP_PREFIX: &str = ".hermes-tmp.";

/// A name nobody else uses, in the same directory.
pub(super) fn fresh_name(directory: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    directory.join(format!("{TEMP_PREFIX}{}.{count}", std::process::id()))
}

/// Clears a directory of what killed processes left in it, the first time this process writes there.
pub(super) fn clean_once(directory: &Path) {
    static SEEN: LazyLock<Mutex<HashSet<PathBuf>>> = LazyLock::new(Mutex::default);
    let first = SEEN.lock().unwrap_or_else(PoisonError::into_inner).insert(directory.to_owned());
    if first {
        remove_stray_temps(directory);
    }
}

/// Removes temporary files whose makers are gone, and says how many went.
pub fn remove_stray_temps(directory: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir(directory) else { return 0 };
    entries
        .filter_map(Result::ok)
        .filter(|entry| maker(&entry.file_name()).is_some_and(|process| !is_alive(process)))
        .filter(|entry| std::fs::remove_file(entry.path()).is_ok())
        .count()
}

/// The process that made a temporary file.
fn maker(name: &OsStr) -> Option<u32> {
    name.to_str()?.strip_prefix(TEMP_PREFIX)?.split('.').next()?.parse().ok()
}

fn is_alive(process: u32) -> bool {
    process == std::process::id() || Path::new("/proc").join(process.to_string()).exists()
}
