//! What there is to bring, file by file.

use std::collections::BTreeMap;
use std::fs::DirEntry;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::shown::{SyncSources, SyncedKind, SyncedPath};

/// How deep folders are followed.
const DEEPEST: usize = 32;

/// A file to be brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SyncItem {
    pub(super) host: PathBuf,
    pub(super) kind: SyncedKind,
    pub(super) modified: SystemTime,
    pub(super) len: u64,
    pub(super) mode: u32,
}

/// All files that are shown, by the path under which they are seen. What cannot be read is not
/// there.
pub(super) fn take(sources: &SyncSources) -> BTreeMap<String, SyncItem> {
    let mut items = BTreeMap::new();
    for shown in sources.list() {
        for (host, below) in files_of(&shown, sources) {
            if let Some(item) = item(host, shown.kind) {
                items.insert(below, item);
            }
        }
    }
    items
}

fn item(host: PathBuf, kind: SyncedKind) -> Option<SyncItem> {
    let about = std::fs::symlink_metadata(&host).ok()?;
    let modified = about.modified().ok()?;
    about.is_file().then(|| SyncItem { host, kind, modified, len: about.len(), mode: about.mode() })
}

/// The regular files of something shown: itself, or what is in the folder and may be taken along.
pub(super) fn files_of(shown: &SyncedPath, sources: &SyncSources) -> Vec<(PathBuf, String)> {
    if shown.kind == SyncedKind::Credential {
        return vec![(shown.host.clone(), shown.below.clone())];
    }
    let mut files = Vec::new();
    // The folder itself may be a link: that is how people keep their skills elsewhere.
    let root = shown.host.canonicalize().unwrap_or_else(|_| shown.host.clone());
    walk(&root, DEEPEST, &mut |entry| {
        let path = entry.path();
        let Ok(rest) = path.strip_prefix(&root) else { return Visit::Skip };
        let kind = entry.file_type();
        let seen_at = shown.host.join(rest);
        if !sources.allows(&seen_at) || !sources.allows(&path) {
            return Visit::Skip;
        }
        if kind.as_ref().is_ok_and(std::fs::FileType::is_file)
            && let Some(rest) = rest.to_str()
        {
            files.push((path.clone(), format!("{}/{rest}", shown.below)));
        }
        Visit::Enter
    });
    files
}

/// Whether a folder holds anything that is not to be seen: links, or what the agent may not read.
pub(super) fn has_hidden(shown: &SyncedPath, sources: &SyncSources) -> bool {
    let mut found = false;
    walk(&shown.host, DEEPEST, &mut |entry| {
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        found |= is_link || !sources.allows(&entry.path());
        Visit::Enter
    });
    found
}

enum Visit {
    Enter,
    Skip,
}

/// Visits everything below a folder; links are visited, not followed.
fn walk(folder: &Path, depth: usize, visit: &mut impl FnMut(&DirEntry) -> Visit) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let enters = matches!(visit(&entry), Visit::Enter);
        if enters && depth > 0 && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&entry.path(), depth - 1, visit);
        }
    }
}
