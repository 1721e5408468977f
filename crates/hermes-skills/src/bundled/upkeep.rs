//! What a user can do about the skills we ship.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::PathBuf;

use hermes_store::UnknownName;
use hermes_store::atomic::{self, WriteOptions};
use hermes_store::lock::{EDIT_WAIT, FileLock, Wait};
use serde::Serialize;

use crate::folders;
use crate::layout::SkillsHome;

use super::manifest;
use super::stock::{Stock, StockSkill, read_folder};
use super::sync::{hash_of, is_own_folder};
use super::unified;

/// A copy that differs from what we ship.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModifiedSkill {
    /// By which it is reset or shown.
    pub name: String,
    /// Its folder.
    pub path: PathBuf,
    /// Whether the stock changed as well since it was seeded.
    pub stock_changed: bool,
}

/// What `opt-out` removed and kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the words say it")]
pub struct OptedOut {
    pub removed: Vec<String>,
    pub kept: Vec<String>,
}

fn locked(home: &SkillsHome) -> io::Result<FileLock> {
    fs::create_dir_all(home.root())?;
    FileLock::acquire(&home.write_lock(), Wait::AtMost(EDIT_WAIT)).map_err(io::Error::other)
}

fn of_stock<'a>(stock: &'a Stock, name: &str) -> io::Result<&'a StockSkill> {
    stock.skills.get(name).ok_or_else(|| {
        let known: Vec<&str> = stock.skills.keys().map(String::as_str).collect();
        UnknownName::io(format!(
            "`{name}` does not come with the program; these do: {}",
            known.join(", ")
        ))
    })
}

/// Copies the user changed.
#[must_use]
pub fn list_modified(home: &SkillsHome, stock: &Stock) -> Vec<ModifiedSkill> {
    let known = manifest::read(home);
    let modified = |(name, skill): (&String, &StockSkill)| {
        let path = home.root().join(&skill.folder);
        let origin = known.get(name)?;
        let copy = hash_of(&path).ok()?;
        let stock_changed = *origin != skill.hash;
        (copy != *origin && copy != skill.hash).then(|| ModifiedSkill {
            name: name.clone(),
            path,
            stock_changed,
        })
    };
    stock.skills.iter().filter_map(modified).collect()
}

/// Has the present copy count as ours: the next sync brings it to the stock, and every later change of the stock too.
///
/// # Errors
/// When there is no such skill, or the manifest cannot be written.
pub fn reset(home: &SkillsHome, stock: &Stock, name: &str) -> io::Result<()> {
    let skill = of_stock(stock, name)?;
    let _lock = locked(home)?;
    let target = home.root().join(&skill.folder);
    let mut known = manifest::read(home);
    match is_own_folder(&home.root(), &target) {
        true => known.insert(name.to_owned(), hash_of(&target)?),
        // Deleted: forgotten, so that it comes back.
        false => known.remove(name),
    };
    manifest::suppress(home, name, false).map_err(io::Error::other)?;
    manifest::write(home, &known).map_err(io::Error::other)
}

/// Puts the copy of the stock in the place of the user's.
///
/// # Errors
/// When there is no such skill, or it cannot be written; the copy is as it was then.
pub fn restore_stock(home: &SkillsHome, stock: &Stock, name: &str) -> io::Result<()> {
    let skill = of_stock(stock, name)?;
    let _lock = locked(home)?;
    let root = home.root();
    let target = root.join(&skill.folder);
    folders::mend(&target)?;
    if fs::symlink_metadata(&target).is_err() {
        folders::create(&target, &skill.files)?;
    } else if is_own_folder(&root, &target) {
        folders::replace(&target, &skill.files)?;
    } else {
        return Err(io::Error::other(format!(
            "{} is reached through a link and stays",
            target.display()
        )));
    }
    let mut known = manifest::read(home);
    known.insert(name.to_owned(), skill.hash.clone());
    manifest::suppress(home, name, false).map_err(io::Error::other)?;
    manifest::write(home, &known).map_err(io::Error::other)
}

/// What `repair-official` found and did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RepairedStock {
    /// Damaged copies that are the original again.
    pub repaired: Vec<String>,
    /// Copies that somebody changed: they are left alone.
    pub kept: Vec<String>,
    /// Copies with nothing wrong.
    pub sound: Vec<String>,
}

/// Puts back copies that are damaged and that nobody can have meant to be so: without their document, with one that
/// cannot be read, or with files missing and the rest untouched. What was changed or deleted stays that way.
///
/// # Errors
/// When a copy cannot be read or written; those before it are repaired then.
pub fn repair(home: &SkillsHome, stock: &Stock) -> io::Result<RepairedStock> {
    let root = home.root();
    let mut done = RepairedStock::default();
    for (name, skill) in &stock.skills {
        let target = root.join(&skill.folder);
        let present = {
            let _lock = locked(home)?;
            folders::mend(&target)?;
            is_own_folder(&root, &target)
        };
        if !present {
            continue;
        }
        let copy = read_folder(&target)?;
        let origin = manifest::read(home).get(name).cloned();
        let hash = hash_of(&target)?;
        if hash == skill.hash || origin.as_ref() == Some(&hash) {
            done.sound.push(name.clone());
        } else if is_damaged(&copy, skill) {
            restore_stock(home, stock, name)?;
            done.repaired.push(name.clone());
        } else {
            done.kept.push(name.clone());
        }
    }
    Ok(done)
}

/// Whether a copy is none that a person made on purpose.
fn is_damaged(copy: &BTreeMap<PathBuf, Vec<u8>>, skill: &StockSkill) -> bool {
    let document = copy
        .iter()
        .find(|(path, _)| path.to_str().is_some_and(|path| path.eq_ignore_ascii_case("SKILL.md")));
    let Some((_, document)) = document else { return true };
    let readable = std::str::from_utf8(document).is_ok_and(|text| {
        let mut lines = text.trim_start_matches('\u{feff}').trim_start().lines();
        lines.next().is_some_and(|line| line.trim_end() == "---")
            && lines.any(|line| line.trim_end() == "---")
    });
    let untouched = copy.iter().all(|(path, bytes)| skill.files.get(path) == Some(bytes));
    !readable || untouched && copy.len() < skill.files.len()
}

/// How the user's copy differs from the stock, in the usual form.
///
/// # Errors
/// When there is no such skill or copy.
pub fn diff(home: &SkillsHome, stock: &Stock, name: &str) -> io::Result<String> {
    let skill = of_stock(stock, name)?;
    let copy = read_folder(&home.root().join(&skill.folder))?;
    let paths: BTreeSet<&PathBuf> = skill.files.keys().chain(copy.keys()).collect();
    let mut text = String::new();
    for path in paths {
        let (old, new) = (skill.files.get(path), copy.get(path));
        if old == new {
            continue;
        }
        let shown = crate::support::slashed(path);
        let read = |bytes: Option<&Vec<u8>>| String::from_utf8(bytes.cloned().unwrap_or_default());
        match (read(old), read(new)) {
            (Ok(old), Ok(new)) => text += &unified(&shown, &old, &new),
            _ => text += &format!("Binary files a/{shown} and b/{shown} differ\n"),
        }
    }
    Ok(text)
}

/// Never seeds this home again; with `remove`, copies that are as they were seeded go too.
///
/// # Errors
/// When the marker cannot be written or a copy cannot be removed.
pub fn opt_out(home: &SkillsHome, stock: &Stock, remove: bool) -> io::Result<OptedOut> {
    fs::create_dir_all(home.home().root())?;
    let _lock = locked(home)?;
    let why = b"Skills that come with the program are not put into this home.\n";
    atomic::write(&home.opt_out_marker(), why, WriteOptions::KEEP).map_err(io::Error::other)?;
    let mut done = OptedOut::default();
    if !remove {
        return Ok(done);
    }
    let (root, mut known) = (home.root(), manifest::read(home));
    for (name, skill) in &stock.skills {
        let target = root.join(&skill.folder);
        if !is_own_folder(&root, &target) {
            continue;
        }
        let copy = hash_of(&target)?;
        if known.get(name) == Some(&copy) || (known.contains_key(name) && copy == skill.hash) {
            folders::remove(&target)?;
            known.remove(name);
            done.removed.push(name.clone());
            if let Some(parent) = target.parent().filter(|parent| **parent != root) {
                remove_described(parent, stock, &root);
            }
        } else {
            done.kept.push(name.clone());
        }
    }
    manifest::write(home, &known).map_err(io::Error::other)?;
    Ok(done)
}

/// Removes a category that holds nothing but the description we put there.
fn remove_described(category: &std::path::Path, stock: &Stock, root: &std::path::Path) {
    let file = category.join("DESCRIPTION.md");
    let only = fs::read_dir(category).map(Iterator::count).unwrap_or(0) == 1;
    let ours = file.strip_prefix(root).ok().and_then(|path| stock.descriptions.get(path));
    if only && fs::read(&file).ok().as_ref() == ours && ours.is_some() {
        let _ = fs::remove_file(&file);
    }
    let _ = fs::remove_dir(category);
}

/// Seeds this home again from the next time on.
///
/// # Errors
/// When the marker cannot be removed.
pub fn opt_in(home: &SkillsHome) -> io::Result<()> {
    match fs::remove_file(home.opt_out_marker()) {
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}
