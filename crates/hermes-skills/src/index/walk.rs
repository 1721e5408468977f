//! Finding documents below the roots.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::layout::{PRUNED_FOLDERS, SKILL_FILE, SUPPORT_FOLDERS};
use crate::roots::{RootKind, SkillRoot};

use super::stamp::Stamp;

/// Deepest folder looked into, below a root.
pub const MAX_DEPTH: usize = 8;

/// Most folders looked into in all.
pub const MAX_FOLDERS: usize = 20_000;

/// A document that was found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) kind: RootKind,
    pub(super) root: PathBuf,
    pub(super) relative: PathBuf,
    pub(super) stamp: Stamp,
}

/// A folder that holds no document itself, and so may get or lose skills.
#[derive(Clone, Debug)]
pub(super) struct WalkedFolder {
    pub(super) path: PathBuf,
    pub(super) stamp: Stamp,
}

/// What a walk found, in order of roots and then of paths.
#[derive(Debug, Default)]
pub(super) struct Walk {
    pub(super) documents: Vec<Found>,
    pub(super) folders: Vec<WalkedFolder>,
    /// Files that describe categories, with the folders they stand in.
    pub(super) descriptions: Vec<(PathBuf, Stamp, String)>,
    pub(super) warnings: Vec<String>,
    visited: usize,
    through_links: HashSet<PathBuf>,
}

/// The file that describes a category.
pub(super) const DESCRIPTION_FILE: &str = "DESCRIPTION.md";

pub(super) fn walk(roots: &[SkillRoot]) -> Walk {
    let mut walk = Walk::default();
    for root in roots {
        let first = walk.documents.len();
        walk.folder(root, Path::new(""), 0, Inside::Category);
        walk.documents[first..].sort_by(|a, b| a.relative.cmp(&b.relative));
    }
    walk
}

/// What a folder lies in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Category,
    /// The folder of a skill, or one below: the support folders hold data.
    Skill,
}

impl Walk {
    fn folder(&mut self, root: &SkillRoot, relative: &Path, depth: usize, inside: Inside) {
        let path = root.path.join(relative);
        // Looked at before it is read: what is added in between shows the next time.
        let Some(stamp) = Stamp::of(&path) else { return };
        let Ok(listing) = fs::read_dir(&path) else { return };
        self.visited += 1;
        if self.visited > MAX_FOLDERS {
            if self.visited == MAX_FOLDERS + 1 {
                self.warnings
                    .push(format!("more than {MAX_FOLDERS} folders; the rest was not looked at"));
            }
            return;
        }
        let mut document: Option<String> = None;
        let mut describes = false;
        let mut below = Vec::new();
        for entry in listing.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            if name == SKILL_FILE || (name.eq_ignore_ascii_case(SKILL_FILE) && document.is_none()) {
                document = Some(name);
            } else if name == DESCRIPTION_FILE {
                describes = true;
            } else if kind.is_dir() {
                below.push((name, false));
            } else if kind.is_symlink() {
                below.push((name, true));
            }
        }
        let inside = match &document {
            Some(name) => {
                self.document(root, &relative.join(name));
                Inside::Skill
            }
            None => {
                self.folders.push(WalkedFolder { path: path.clone(), stamp });
                inside
            }
        };
        if describes && document.is_none() && depth > 0 {
            let file = path.join(DESCRIPTION_FILE);
            if let Some(stamp) = Stamp::of(&file) {
                let chain: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
                self.descriptions.push((file, stamp, chain.join("/")));
            }
        }
        below.sort();
        for (name, is_link) in below {
            // What an unfinished change left behind is no skill.
            let pruned = crate::folders::is_leftover(name.as_ref())
                || PRUNED_FOLDERS.contains(&name.as_str())
                || (inside == Inside::Skill && SUPPORT_FOLDERS.contains(&name.as_str()));
            if pruned || (is_link && !self.follows(&path, &path.join(&name))) {
                continue;
            }
            if depth >= MAX_DEPTH {
                let shown = path.display();
                self.warnings.push(format!(
                    "{shown}: folders more than {MAX_DEPTH} deep were not looked at"
                ));
                break;
            }
            self.folder(root, &relative.join(&name), depth + 1, inside);
        }
    }

    fn document(&mut self, root: &SkillRoot, relative: &Path) {
        let file = root.path.join(relative);
        match Stamp::of_file(&file) {
            Some(stamp) => {
                let (kind, root) = (root.kind, root.path.clone());
                self.documents.push(Found { kind, root, relative: relative.to_path_buf(), stamp });
            }
            None => self.warnings.push(format!("{}: no file that can be read", file.display())),
        }
    }

    /// Whether a link leads to a folder that is not on the way to it, and was not entered by another link.
    fn follows(&mut self, from: &Path, link: &Path) -> bool {
        let Ok(target) = link.canonicalize() else { return false };
        let Ok(here) = from.canonicalize() else { return false };
        target.is_dir() && !here.starts_with(&target) && self.through_links.insert(target)
    }
}
