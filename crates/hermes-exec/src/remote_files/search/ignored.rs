//! Which directories git's rules hide with all they hold.
//!
//! The engine decides that for itself, in the mirror. It is decided here before there is one, so
//! that the mirror does not get tens of thousands of files that no search will see. Only what is
//! hidden for certain counts: a directory too many costs time, one too few would be a wrong result.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::listing::{EntryKind, TreeListing};

/// The rules of a tree.
#[derive(Default)]
pub(super) struct Ignored {
    git: HashMap<PathBuf, Gitignore>,
    plain: HashMap<PathBuf, Gitignore>,
    repositories: HashSet<PathBuf>,
}

impl Ignored {
    pub(super) fn of(listing: &TreeListing) -> Self {
        let mut rules = Self::default();
        for (path, content) in &listing.rules {
            let (Some(name), Some(directory)) = (path.file_name(), path.parent()) else { continue };
            let kind = match name.to_str() {
                Some(".gitignore") => &mut rules.git,
                Some(".ignore") => &mut rules.plain,
                _ => continue,
            };
            let mut builder = GitignoreBuilder::new(directory);
            for line in String::from_utf8_lossy(content).lines() {
                // A line that is no rule is none for the engine either.
                let _ = builder.add_line(None, line);
            }
            if let Ok(built) = builder.build() {
                kind.insert(directory.to_owned(), built);
            }
        }
        let repositories =
            listing.entries.iter().filter(|entry| entry.kind == EntryKind::Repository);
        rules.repositories =
            repositories.filter_map(|entry| entry.path.parent().map(Path::to_owned)).collect();
        rules
    }

    /// Whether a directory is hidden, as far as those above it are not.
    pub(super) fn hides(&self, directory: &Path) -> bool {
        let above = || directory.ancestors().skip(1);
        if above().any(|at| {
            self.plain.get(at).is_some_and(|own| own.matched(directory, true).is_whitelist())
        }) {
            return false;
        }
        let is_in_repository = above().any(|at| self.repositories.contains(at));
        if !is_in_repository {
            return false;
        }
        for at in above() {
            match self.git.get(at).map(|own| own.matched(directory, true)) {
                Some(Match::Ignore(_)) => return true,
                Some(Match::Whitelist(_)) => return false,
                Some(Match::None) | None => {}
            }
            if self.repositories.contains(at) {
                break;
            }
        }
        false
    }
}
