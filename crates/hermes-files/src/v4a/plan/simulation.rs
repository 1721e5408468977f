//! The files of a patch while its operations are played through.
//!
//! A node is one file, wherever its path is at the moment: it may come from disk, be changed, be
//! renamed, vanish and come back. Renames and deletes of files on disk are noted as effects the
//! moment they happen; content is written once, at the end, where the node then lives. That order
//! is always safe: files made by the patch are not on disk while the renames are carried out.

use super::super::editor::AppliedHunk;
use super::super::problem::ProblemKind;
use super::super::workspace::{PatchWorkspace, PathNeed, PathState};
use super::PatchEffect;
use std::collections::BTreeMap;

/// One file.
#[derive(Debug, Default)]
pub(super) struct PlannedFile {
    /// Where it is on disk, for files not made by the patch.
    pub(super) origin: Option<String>,
    /// Where it is now; `None` once deleted.
    pub(super) path: Option<String>,
    /// Its bytes on disk, once read.
    pub(super) before: Option<Vec<u8>>,
    /// Its new bytes, once written.
    pub(super) after: Option<Vec<u8>>,
    pub(super) hunks: Vec<AppliedHunk>,
    /// Some change of it failed: its content means nothing.
    pub(super) broken: bool,
    /// The last header that dealt with it.
    pub(super) patch_line: usize,
}

impl PlannedFile {
    /// Its bytes as they are now.
    fn content(&self) -> Option<&[u8]> {
        self.after.as_deref().or(self.before.as_deref())
    }

    /// Its new bytes, if they differ from those on disk.
    pub(super) fn changed(&self) -> Option<&[u8]> {
        self.after.as_deref().filter(|after| Some(*after) != self.before.as_deref())
    }
}

/// What is known about a path.
#[derive(Debug, Clone, Copy)]
enum Slot {
    Free,
    /// Deleted at the place it has on disk: adding it again is a rewrite.
    Deleted(usize),
    Taken(usize),
}

/// All files seen so far.
pub(super) struct Simulation<'w> {
    workspace: &'w dyn PatchWorkspace,
    pub(super) nodes: Vec<PlannedFile>,
    slots: BTreeMap<String, Slot>,
    pub(super) effects: Vec<PatchEffect>,
}

impl<'w> Simulation<'w> {
    pub(super) fn new(workspace: &'w dyn PatchWorkspace) -> Self {
        Self { workspace, nodes: Vec::new(), slots: BTreeMap::new(), effects: Vec::new() }
    }

    /// Creates a file, or rewrites one deleted before.
    pub(super) fn add(&mut self, path: &str, content: Vec<u8>) -> Result<usize, ProblemKind> {
        let slot = self.slot(path)?;
        if matches!(slot, Slot::Taken(_)) {
            return Err(ProblemKind::Exists);
        }
        self.check_nesting(path)?;
        let key = self.workspace.identity(path);
        let node = match slot {
            Slot::Deleted(node) if self.revive(node, &key) => node,
            _ => {
                self.nodes.push(PlannedFile::default());
                self.nodes.len() - 1
            }
        };
        self.nodes[node].path = Some(path.to_owned());
        self.nodes[node].after = Some(content);
        self.slots.insert(key, Slot::Taken(node));
        Ok(node)
    }

    /// The file at a path.
    pub(super) fn find(&mut self, path: &str) -> Result<usize, ProblemKind> {
        match self.slot(path)? {
            Slot::Taken(node) => Ok(node),
            Slot::Free | Slot::Deleted(_) => Err(ProblemKind::Missing),
        }
    }

    /// The bytes of a file, read when first needed.
    pub(super) fn content(&mut self, node: usize) -> Result<&[u8], ProblemKind> {
        if self.nodes[node].content().is_none()
            && let Some(origin) = &self.nodes[node].origin
        {
            let before = match self.workspace.state(origin, PathNeed::Content) {
                PathState::Text(bytes) => bytes,
                PathState::Missing => return Err(ProblemKind::Missing),
                PathState::Present => {
                    return Err(ProblemKind::Unreadable("its content is not available".into()));
                }
                PathState::NotRegular(what) => return Err(ProblemKind::NotRegular(what)),
                PathState::Unreadable(why) => return Err(ProblemKind::Unreadable(why)),
            };
            self.nodes[node].before = Some(before);
        }
        Ok(self.nodes[node].content().unwrap_or_default())
    }

    pub(super) fn write(&mut self, node: usize, content: Vec<u8>) {
        self.nodes[node].after = Some(content);
    }

    /// Removes a file.
    pub(super) fn delete(&mut self, path: &str) -> Result<usize, ProblemKind> {
        let node = self.find(path)?;
        let key = self.workspace.identity(path);
        let at_home = self.nodes[node].origin.as_deref().map(|it| self.workspace.identity(it))
            == Some(key.clone());
        if self.nodes[node].origin.is_some() {
            let path = self.nodes[node].path.clone().unwrap_or_else(|| path.to_owned());
            self.effects.push(PatchEffect::Delete { path });
        }
        self.nodes[node].path = None;
        self.slots.insert(key, if at_home { Slot::Deleted(node) } else { Slot::Free });
        Ok(node)
    }

    /// Checks that a file could be moved to a path; renaming to itself is no move.
    pub(super) fn check_target(&mut self, from: &str, to: &str) -> Result<(), ProblemKind> {
        let (old, new) = (self.workspace.identity(from), self.workspace.identity(to));
        match self.slot(to)? {
            Slot::Taken(_) if old == new => Ok(()),
            Slot::Taken(_) => Err(ProblemKind::Exists),
            Slot::Free | Slot::Deleted(_) => self.check_nesting(to),
        }
    }

    /// Renames a file whose target was checked.
    pub(super) fn rename(&mut self, node: usize, from: &str, to: &str) {
        let (old, new) = (self.workspace.identity(from), self.workspace.identity(to));
        if old == new {
            return;
        }
        if self.nodes[node].origin.is_some() {
            let from = self.nodes[node].path.clone().unwrap_or_else(|| from.to_owned());
            self.effects.push(PatchEffect::Move { from, to: to.to_owned() });
        }
        self.nodes[node].path = Some(to.to_owned());
        self.slots.insert(old, Slot::Free);
        self.slots.insert(new, Slot::Taken(node));
    }

    /// Takes a deletion back so that the file can be rewritten in place, which keeps its mode and
    /// lets the change be shown. Impossible for content that cannot be read.
    fn revive(&mut self, node: usize, key: &str) -> bool {
        if self.content(node).is_err() {
            return false;
        }
        let at_path = |effect: &PatchEffect| match effect {
            PatchEffect::Delete { path } => self.workspace.identity(path) == key,
            PatchEffect::Move { .. } | PatchEffect::Write { .. } => false,
        };
        if let Some(effect) = self.effects.iter().rposition(at_path) {
            self.effects.remove(effect);
        }
        self.nodes[node].hunks.clear();
        true
    }

    fn slot(&mut self, path: &str) -> Result<Slot, ProblemKind> {
        let key = self.workspace.identity(path);
        if let Some(slot) = self.slots.get(&key) {
            return Ok(*slot);
        }
        let slot = match self.workspace.state(path, PathNeed::Existence) {
            PathState::Missing => Slot::Free,
            PathState::Present | PathState::Text(_) => {
                let path = Some(path.to_owned());
                self.nodes.push(PlannedFile {
                    origin: path.clone(),
                    path,
                    ..PlannedFile::default()
                });
                Slot::Taken(self.nodes.len() - 1)
            }
            PathState::NotRegular(what) => return Err(ProblemKind::NotRegular(what)),
            PathState::Unreadable(why) => return Err(ProblemKind::Unreadable(why)),
        };
        self.slots.insert(key, slot);
        Ok(slot)
    }

    /// Refuses `a/b` beside a file `a`, and the other way round.
    fn check_nesting(&mut self, path: &str) -> Result<(), ProblemKind> {
        let parents = path.match_indices('/').map(|(cut, _)| &path[..cut]);
        for parent in parents.filter(|parent| !parent.is_empty()) {
            if let Ok(Slot::Taken(_)) = self.slot(parent) {
                return Err(ProblemKind::Nested(parent.to_owned()));
            }
        }
        let below = format!("{}/", self.workspace.identity(path));
        let mut children =
            self.slots.range(below.clone()..).take_while(|(path, _)| path.starts_with(&below));
        match children.find(|(_, slot)| matches!(slot, Slot::Taken(_))) {
            Some((child, _)) => Err(ProblemKind::Nested(child.clone())),
            None => Ok(()),
        }
    }
}
