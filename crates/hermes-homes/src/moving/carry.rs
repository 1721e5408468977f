//! The files of a home into another folder. Where they come from, nothing changes.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::part::MovedPart;
use crate::backup::{SideFiles, copy_database};
use crate::contents::{CopyFor, MACHINERY, files, profiles_below};
use crate::packing::copy_file;
use crate::staging::make_folder;

/// What is made anew here.
const MADE_ANEW: &[&str] =
    &["cache", "logs", "checkpoints", "sandboxes", "hook_outputs", "venv", ".venv", "__pycache__"];
/// What stays in the old home because it is a copy of it, or was thrown away.
const COPIES: &[&str] = &["backups", "state-snapshots", "trash"];

/// A home that was carried: the root, or a profile below it.
pub(super) struct CarriedHome {
    /// From the root on; empty for the root.
    pub(super) relative: PathBuf,
    pub(super) files: Vec<PathBuf>,
}

/// What was carried.
pub(super) struct Carried {
    pub(super) homes: Vec<CarriedHome>,
    pub(super) bytes: u64,
    /// What was left where it is.
    pub(super) left: Vec<MovedPart>,
    pub(super) warnings: Vec<String>,
}

/// The files of a home that would be carried.
pub(super) fn list(home: &Path) -> std::io::Result<Vec<PathBuf>> {
    let (found, _) = files(home, CopyFor::Move)?;
    Ok(found.into_iter().map(|file| file.relative).collect())
}

/// Carries a home with its profiles into an empty folder.
pub(super) fn carry(from: &Path, into: &Path) -> anyhow::Result<Carried> {
    let mut carried =
        Carried { homes: Vec::new(), bytes: 0, left: left(from), warnings: Vec::new() };
    let profiles = profiles_below(from).into_iter().map(|name| Path::new("profiles").join(name));
    let homes = std::iter::once(PathBuf::new()).chain(profiles);
    for relative in homes {
        let (source, target) = (from.join(&relative), into.join(&relative));
        make_folder(&target)?;
        let (found, links) =
            files(&source, CopyFor::Move).with_context(|| format!("read {}", source.display()))?;
        for link in links {
            let link = relative.join(link);
            carried.warnings.push(format!("the link {} was left out", link.display()));
        }
        let mut names = Vec::new();
        for file in found {
            let (old, new) = (source.join(&file.relative), target.join(&file.relative));
            match carry_file(&old, &new, file.is_database) {
                Ok(size) => carried.bytes += size,
                Err(problem) if is_missing(&problem) => continue,
                Err(problem) => return Err(problem),
            }
            names.push(file.relative);
        }
        carried.homes.push(CarriedHome { relative, files: names });
    }
    Ok(carried)
}

/// Gone since it was listed.
fn is_missing(problem: &anyhow::Error) -> bool {
    let of_the_system = problem.downcast_ref::<std::io::Error>();
    of_the_system.is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

fn carry_file(old: &Path, new: &Path, is_database: bool) -> anyhow::Result<u64> {
    if let Some(folder) = new.parent() {
        make_folder(folder)?;
    }
    if is_database {
        copy_database(old, new, SideFiles::Untouched)?;
        fs::set_permissions(new, fs::Permissions::from_mode(0o600))?;
        return Ok(fs::metadata(new)?.len());
    }
    Ok(copy_file(old, new)?.0)
}

/// What of a home is not carried, and why.
fn left(from: &Path) -> Vec<MovedPart> {
    let there = |names: &[&str]| -> Vec<String> {
        let has_something = |name: &&&str| match fs::read_dir(from.join(name)) {
            Ok(mut entries) => entries.next().is_some(),
            Err(_) => from.join(name).is_file(),
        };
        names.iter().filter(has_something).map(|name| (*name).to_owned()).collect()
    };
    [
        ("logs and caches", there(MADE_ANEW), "made anew here"),
        ("copies", there(COPIES), "they stay where they are"),
        ("machinery", there(MACHINERY), "the Python program's own"),
    ]
    .into_iter()
    .filter(|(_, names, _)| !names.is_empty())
    .map(|(part, names, why)| MovedPart::stays(part, names, why))
    .collect()
}
