//! What vendors kept for us, by task: a small file in the Hermes home.

use std::path::Path;

use hermes_store::atomic::{self, WriteOptions};
use hermes_store::lock::{EDIT_WAIT, FileLock, Wait, lock_path};
use serde_json::{Map, Value};

use super::trouble::CloudTrouble;

/// What was kept under a name.
pub(super) fn look_up(record: &Path, name: &str) -> Option<String> {
    known(record).get(name)?.as_str().map(str::to_owned)
}

/// Writes down what is kept under a name, or that there is nothing any more, and returns what was there.
pub(super) fn put_down(
    record: &Path,
    name: &str,
    kept: Option<&str>,
) -> Result<Option<String>, CloudTrouble> {
    let trouble = |why: String| CloudTrouble::Refused(format!("{}: {why}", record.display()));
    let lock = FileLock::acquire(&lock_path(record), Wait::AtMost(EDIT_WAIT));
    let _lock = lock.map_err(|error| trouble(error.to_string()))?;
    let mut known = known(record);
    let before = match kept {
        Some(kept) => known.insert(name.to_owned(), Value::String(kept.to_owned())),
        None => known.shift_remove(name),
    };
    let text = serde_json::to_vec_pretty(&known).map_err(|error| trouble(error.to_string()))?;
    let written = atomic::write(record, &text, WriteOptions::KEEP);
    written.map_err(|error| trouble(error.to_string()))?;
    Ok(before.and_then(|before| before.as_str().map(str::to_owned)))
}

/// What cannot be read is made anew: the worst that is lost is a way to old files.
fn known(record: &Path) -> Map<String, Value> {
    let text = std::fs::read(record).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_again_until_it_is_dropped() {
        let home = tempfile::tempdir().unwrap();
        let record = home.path().join("record.json");
        assert_eq!(look_up(&record, "a"), None);
        assert_eq!(put_down(&record, "a", Some("one")), Ok(None));
        assert_eq!(put_down(&record, "b", Some("two")), Ok(None));
        assert_eq!(put_down(&record, "a", Some("three")), Ok(Some("one".to_owned())));
        assert_eq!(look_up(&record, "a").as_deref(), Some("three"));
        assert_eq!(put_down(&record, "a", None), Ok(Some("three".to_owned())));
        assert_eq!((look_up(&record, "a"), look_up(&record, "b").as_deref()), (None, Some("two")));
    }
}
