//! Bringing the skills of a home up to date with the stock.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hermes_store::atomic::{self, WriteOptions};
use hermes_store::home::ensure_private_dir;
use hermes_store::lock::{EDIT_WAIT, FileLock, Wait};

use crate::folders;
use crate::index::SkillTable;
use crate::layout::{SKILL_FILE, SkillsHome};
use crate::roots::RootKind;

use super::manifest::{self, BundledManifest};
use super::stock::{Stock, StockSkill, hash, read_folder};

/// What a sync did, by names of skills.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words are those of the report")]
pub struct SyncReport {
    pub copied: Vec<String>,
    pub updated: Vec<String>,
    pub moved: Vec<String>,
    /// Changed by the user, and so left alone.
    pub user_modified: Vec<String>,
    /// Something else of the user's has its place.
    pub kept: Vec<String>,
    /// Put away by the curator.
    pub suppressed: Vec<String>,
    /// Also in one of the user's further folders.
    pub external: Vec<String>,
    /// Deleted by the user.
    pub deleted: Vec<String>,
    /// No longer shipped; their files stay.
    pub cleaned: Vec<String>,
    /// The home wants none of them.
    pub skipped_opt_out: bool,
    /// What could not be done, in words.
    pub problems: Vec<String>,
}

/// Brings the copies in a home up to date. `table` says what is in the user's further folders.
pub fn sync(home: &SkillsHome, stock: &Stock, table: &SkillTable) -> SyncReport {
    if home.opt_out_marker().exists() {
        return SyncReport { skipped_opt_out: true, ..SyncReport::default() };
    }
    let mut report = SyncReport::default();
    if is_current(home, stock) {
        return report;
    }
    let locked =
        ensure_private_dir(&home.root()).map_err(|problem| problem.to_string()).and_then(|()| {
            FileLock::acquire(&home.write_lock(), Wait::AtMost(EDIT_WAIT))
                .map_err(|problem| problem.to_string())
        });
    let _lock = match locked {
        Ok(lock) => lock,
        Err(problem) => {
            report.problems.push(problem);
            return report;
        }
    };
    let mut work =
        Work { home, stock, before: manifest::read(home), after: BundledManifest::new(), report };
    let suppressed = manifest::suppressed(home);
    let external: Vec<&str> = table
        .all
        .iter()
        .filter(|entry| entry.kind == RootKind::External)
        .flat_map(|entry| [entry.name.as_str(), entry.folder.as_str()])
        .collect();
    for (name, skill) in &stock.skills {
        let done = if suppressed.contains(name) {
            work.report.suppressed.push(name.clone());
            work.keep_entry(name);
            Ok(())
        } else if external.contains(&name.as_str()) {
            work.shadowed(name)
        } else {
            work.one(name, skill)
        };
        if let Err(problem) = done {
            work.report.problems.push(format!("{name}: {problem}"));
            work.keep_entry(name);
        }
    }
    work.finish()
}

/// Whether the manifest says that everything is as it should be: nothing else need be looked at then.
fn is_current(home: &SkillsHome, stock: &Stock) -> bool {
    let known = manifest::read(home);
    let as_shipped = |(name, skill): (&String, &StockSkill)| known.get(name) == Some(&skill.hash);
    known.len() == stock.skills.len() && stock.skills.iter().all(as_shipped)
}

struct Work<'a> {
    home: &'a SkillsHome,
    stock: &'a Stock,
    before: BundledManifest,
    after: BundledManifest,
    report: SyncReport,
}

impl Work<'_> {
    fn keep_entry(&mut self, name: &str) {
        if let Some(hash) = self.before.get(name) {
            self.after.insert(name.to_owned(), hash.clone());
        }
    }

    fn record(&mut self, name: &str, hash: &str) {
        self.after.insert(name.to_owned(), hash.to_owned());
    }

    fn one(&mut self, name: &str, skill: &StockSkill) -> io::Result<()> {
        let target = self.home.root().join(&skill.folder);
        folders::mend(&target)?;
        match self.before.get(name).cloned() {
            None => self.unknown(name, skill, &target),
            Some(origin) => self.known(name, skill, &target, &origin),
        }
    }

    /// Never seeded here.
    fn unknown(&mut self, name: &str, skill: &StockSkill, target: &Path) -> io::Result<()> {
        if fs::symlink_metadata(target).is_err() {
            if self.elsewhere(name, target).is_some() {
                self.report.kept.push(name.to_owned());
                return Ok(());
            }
            folders::create(target, &skill.files)?;
            self.record(name, &skill.hash);
            self.report.copied.push(name.to_owned());
        } else if hash_of(target)? == skill.hash {
            self.record(name, &skill.hash);
        } else {
            self.report.kept.push(name.to_owned());
        }
        Ok(())
    }

    fn known(
        &mut self,
        name: &str,
        skill: &StockSkill,
        target: &Path,
        origin: &str,
    ) -> io::Result<()> {
        if fs::symlink_metadata(target).is_err() {
            let Some(old) = self.elsewhere(name, target) else {
                // Recorded as if it were there, so that the next start need not look again.
                self.record(name, &skill.hash);
                self.report.deleted.push(name.to_owned());
                return Ok(());
            };
            // The stock moved to another category.
            if hash_of(&old)? != origin {
                self.record(name, origin);
                self.report.user_modified.push(name.to_owned());
                return Ok(());
            }
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::rename(&old, target)?;
            if let Some(parent) = old.parent().filter(|parent| **parent != self.home.root()) {
                let _ = fs::remove_dir(parent);
            }
            self.report.moved.push(name.to_owned());
        }
        if !is_own_folder(&self.home.root(), target) {
            self.record(name, origin);
            self.report.user_modified.push(name.to_owned());
            return Ok(());
        }
        let copy = hash_of(target)?;
        if copy == skill.hash {
            self.record(name, &skill.hash);
        } else if origin.is_empty() {
            // An entry of an older program does not say what was seeded: an edited copy must not pass for it.
            self.record(name, &skill.hash);
            self.report.user_modified.push(name.to_owned());
        } else if copy == origin {
            folders::replace(target, &skill.files)?;
            self.record(name, &skill.hash);
            self.report.updated.push(name.to_owned());
        } else {
            self.record(name, origin);
            self.report.user_modified.push(name.to_owned());
        }
        Ok(())
    }

    /// The user has the skill in a folder of their own: a copy of ours that is as we ship it only hides it.
    fn shadowed(&mut self, name: &str) -> io::Result<()> {
        self.report.external.push(name.to_owned());
        let Some(skill) = self.stock.skills.get(name) else { return Ok(()) };
        let target = self.home.root().join(&skill.folder);
        if is_own_folder(&self.home.root(), &target) && hash_of(&target)? == skill.hash {
            folders::remove(&target)?;
        } else {
            self.keep_entry(name);
        }
        Ok(())
    }

    /// A skill of this name that lies somewhere else below the skills.
    fn elsewhere(&self, name: &str, target: &Path) -> Option<PathBuf> {
        let root = self.home.root();
        let own = target.file_name()?;
        let direct = root.join(own);
        let below = fs::read_dir(&root).into_iter().flatten().flatten();
        let below = below.filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'));
        let candidates = std::iter::once(direct).chain(below.map(|entry| entry.path().join(own)));
        let is_it = |path: &PathBuf| {
            path != target && path.join(SKILL_FILE).is_file() && is_own_folder(&root, path) && {
                let bytes = fs::read(path.join(SKILL_FILE)).unwrap_or_default();
                let written = crate::document::SkillDocument::read(&bytes).frontmatter.name();
                written.is_none_or(|written| written == name)
            }
        };
        candidates.into_iter().find(is_it)
    }

    fn finish(mut self) -> SyncReport {
        for (name, hash) in &self.before {
            if !self.stock.skills.contains_key(name) {
                self.report.cleaned.push(name.clone());
                tracing::debug!(name, hash, "no longer shipped");
            }
        }
        for (path, bytes) in &self.stock.descriptions {
            let target = self.home.root().join(path);
            let folder_is_there = target.parent().is_some_and(Path::is_dir);
            if folder_is_there
                && !target.exists()
                && let Err(problem) =
                    atomic::write(&target, bytes, WriteOptions::new_file_mode(0o644))
            {
                self.report.problems.push(format!("{}: {problem}", target.display()));
            }
        }
        if self.after != self.before
            && let Err(problem) = manifest::write(self.home, &self.after)
        {
            self.report.problems.push(problem.to_string());
        }
        self.report
    }
}

/// Whether a path is a folder strictly inside another, with no link on the way.
pub(super) fn is_own_folder(root: &Path, path: &Path) -> bool {
    path != root
        && path.starts_with(root)
        && path
            .ancestors()
            .take_while(|part| *part != root)
            .all(|part| fs::symlink_metadata(part).is_ok_and(|metadata| metadata.is_dir()))
}

pub(super) fn hash_of(folder: &Path) -> io::Result<String> {
    Ok(hash(&read_folder(folder)?))
}
