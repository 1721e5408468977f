//! A tree's names on this machine, for the engine to walk.
//!
//! The mirror of `/a/b` is `DIR/a/b` in a private directory, which goes when the mirror does. It
//! holds nothing but directories and regular files that were made here: nothing that came from the
//! other side decides where anything is written.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use hermes_files::fs::{ContentQuery, NameQuery, SearchRoot};
use hermes_files::search::{
    ContentReply, ContentSearch, FileReply, FileSearch, SearchError, SearchScope,
};
use tempfile::TempDir;

use super::ignored::Ignored;
use super::listing::{EntryKind, ListedEntry, TreeListing, is_plain, unreadable};
use super::{MOST_MIRRORED, tar, too_much};

/// How much of a tree is mirrored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MirrorExtent {
    /// What git's rules do not hide.
    Visible,
    /// All of it.
    Everything,
}

/// The mirror of a tree.
pub(super) struct Mirror {
    folder: TempDir,
    /// What is in it.
    files: Vec<ListedEntry>,
    unreadable_directories: usize,
    is_partial: bool,
}

impl Mirror {
    pub(super) fn of(
        listing: &TreeListing,
        part: MirrorExtent,
        place: &SearchRoot,
    ) -> Result<Self, SearchError> {
        let failed = |source| unreadable(place, source);
        let folder = private_folder().map_err(failed)?;
        let rules = (part == MirrorExtent::Visible).then(|| Ignored::of(listing));
        let mut mirror =
            Self { folder, files: Vec::new(), unreadable_directories: 0, is_partial: false };
        let mut hidden: HashSet<&Path> = HashSet::new();
        let mut made = 0;
        for entry in &listing.entries {
            if entry.path.parent().is_some_and(|parent| hidden.contains(parent)) {
                mirror.is_partial = true;
                if entry.kind != EntryKind::File {
                    hidden.insert(&entry.path);
                }
                continue;
            }
            let is_hidden = entry.kind == EntryKind::Directory
                && rules.as_ref().is_some_and(|rules| rules.hides(&entry.path));
            if is_hidden {
                hidden.insert(&entry.path);
            }
            made += 1;
            if made > MOST_MIRRORED {
                return Err(too_much(place, &format!("it has more than {MOST_MIRRORED} files")));
            }
            mirror.add(entry).map_err(failed)?;
        }
        if place_is_directory(listing, place) {
            std::fs::create_dir_all(mirror.there(&place.root)).map_err(failed)?;
        }
        for (path, content) in &listing.rules {
            let hidden = path.ancestors().skip(1).any(|above| hidden.contains(above));
            if !hidden && is_plain(path) {
                mirror.put(path, content).map_err(failed)?;
            }
        }
        Ok(mirror)
    }

    fn add(&mut self, entry: &ListedEntry) -> io::Result<()> {
        let path = self.there(&entry.path);
        match entry.kind {
            EntryKind::Directory | EntryKind::Repository => {
                if !entry.is_readable {
                    self.unreadable_directories += 1;
                }
                std::fs::create_dir_all(path)
            }
            EntryKind::File => {
                let file = match File::create_new(&path) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {
                        make_parent(&path)?;
                        File::create_new(&path)?
                    }
                    file => file?,
                };
                file.set_modified(entry.modified)?;
                self.files.push(entry.clone());
                Ok(())
            }
        }
    }

    /// Gives a file its content. Its time stays what it was.
    fn put(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        use io::Write as _;
        let path = self.there(path);
        make_parent(&path)?;
        let mut file = File::options().write(true).create(true).truncate(false).open(path)?;
        let modified = file.metadata()?.modified()?;
        file.write_all(content)?;
        file.set_len(content.len() as u64)?;
        file.set_modified(modified)
    }

    /// Puts the content of files into the mirror; others than those in it are left out.
    pub(super) fn fill(&self, packed: &[u8]) -> io::Result<()> {
        let known: HashSet<&Path> = self.files.iter().map(|file| file.path.as_path()).collect();
        for (path, content) in tar::files(packed) {
            if known.contains(path.as_path()) {
                self.put(&path, content)?;
            }
        }
        Ok(())
    }

    /// Whether something was left out because the rules hide it.
    pub(super) fn is_partial(&self) -> bool {
        self.is_partial
    }

    pub(super) fn unreadable_directories(&self) -> usize {
        self.unreadable_directories
    }

    /// A path of the tree in the mirror.
    fn there(&self, path: &Path) -> PathBuf {
        self.folder.path().join(path.strip_prefix("/").unwrap_or(path))
    }

    /// A path in the mirror as it is in the tree.
    fn here(&self, path: &Path) -> PathBuf {
        Path::new("/").join(path.strip_prefix(self.folder.path()).unwrap_or(path))
    }

    /// The files that a search would open, or leave out because it may not, and its warnings.
    pub(super) fn opened_by(
        &self,
        place: &SearchRoot,
        query: &ContentQuery,
    ) -> Result<(Vec<ListedEntry>, Vec<String>), SearchError> {
        let met: Mutex<HashSet<PathBuf>> = Mutex::default();
        // Asked before a file is opened; to say yes keeps the search from doing so.
        let note = |path: &Path| {
            met.lock().unwrap_or_else(PoisonError::into_inner).insert(self.here(path));
            true
        };
        let reply = self.search(place, &note, |scope| search_of(scope, query).run())?;
        let met = met.into_inner().unwrap_or_else(PoisonError::into_inner);
        let opened = self.files.iter().filter(|file| met.contains(&file.path)).cloned().collect();
        Ok((opened, reply.warnings))
    }

    pub(super) fn content(
        &self,
        place: &SearchRoot,
        query: &ContentQuery,
    ) -> Result<ContentReply, SearchError> {
        let denied = |path: &Path| (place.denied)(&self.here(path));
        self.search(place, &denied, |scope| search_of(scope, query).run())
    }

    pub(super) fn names(
        &self,
        place: &SearchRoot,
        query: &NameQuery,
    ) -> Result<FileReply, SearchError> {
        let denied = |path: &Path| (place.denied)(&self.here(path));
        self.search(place, &denied, |scope| {
            FileSearch { scope, pattern: query.pattern.clone(), page: query.page }.run()
        })
    }

    fn search<T>(
        &self,
        place: &SearchRoot,
        denied: &(dyn Fn(&Path) -> bool + Sync),
        run: impl FnOnce(SearchScope<'_>) -> T,
    ) -> T {
        let cancelled = || place.cancel.is_cancelled();
        let scope = SearchScope::new(self.there(&place.root), place.shown_root.as_str());
        run(scope.cancel(&cancelled).denied(denied))
    }
}

/// Memory that looks like a disk: to make a file there takes a tenth of the time.
const QUICK_PLACE: &str = "/dev/shm";
/// Bytes that must be free there. A mirror takes less than half of it.
const ROOM: u64 = 1 << 30;

fn private_folder() -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("hermes-search-");
    #[allow(clippy::unnecessary_cast, reason = "the types differ from system to system")]
    let free = nix::sys::statvfs::statvfs(QUICK_PLACE).map_or(0, |place| {
        (place.blocks_available() as u64).saturating_mul(place.fragment_size() as u64)
    });
    match builder.tempdir_in(QUICK_PLACE) {
        Ok(folder) if free >= ROOM => Ok(folder),
        _ => builder.tempdir(),
    }
}

fn search_of<'a>(scope: SearchScope<'a>, query: &ContentQuery) -> ContentSearch<'a> {
    let ContentQuery { pattern, file_glob, output, context, page } = query.clone();
    ContentSearch { scope, pattern, file_glob, output, context, page }
}

/// Whether the root was listed as a directory: then it is not among the entries itself.
fn place_is_directory(listing: &TreeListing, place: &SearchRoot) -> bool {
    listing.is_tree && !listing.entries.iter().any(|entry| entry.path == place.root)
}

fn make_parent(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))
}
