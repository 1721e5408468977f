//! Working out a path, remembering every link on the way.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use super::super::{FsError, Resolved};
use super::stat_of;

/// Links followed before they count as a circle, as on Linux.
const MAX_LINKS: usize = 40;

pub(super) fn resolve(path: &Path) -> Result<Resolved, FsError> {
    if path.as_os_str().as_bytes().contains(&0) {
        let problem = "the path contains a NUL byte; no file can be called that".to_owned();
        return Err(FsError::BadPath { problem });
    }
    let literal = normal(path);
    let mut hops = Vec::new();
    let canonical = follow(&literal, &mut hops)?;
    let stat = match canonical.symlink_metadata() {
        Ok(metadata) => Some(stat_of(&metadata)),
        Err(error) if is_absent(&error) => None,
        Err(error) => return Err(FsError::of("look at", &literal)(error)),
    };
    Ok(Resolved { literal, hops, canonical, stat })
}

/// Absence of the file, or of a directory on the way to it.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The path with `.` and `..` worked out by text.
fn normal(path: &Path) -> PathBuf {
    let mut plain = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::Normal(name) => plain.push(name),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    plain
}

/// Follows links component by component. What does not exist is taken as written.
fn follow(path: &Path, hops: &mut Vec<PathBuf>) -> Result<PathBuf, FsError> {
    let mut real = PathBuf::from("/");
    let mut left: VecDeque<OsString> = names(path);
    while let Some(name) = left.pop_front() {
        if name == ".." {
            real.pop();
            continue;
        }
        let next = real.join(&name);
        match next.read_link() {
            Err(_) => real = next,
            Ok(target) => {
                let target = if target.is_absolute() { target } else { real.join(target) };
                hops.push(normal(&left.iter().fold(target.clone(), |path, name| path.join(name))));
                if hops.len() > MAX_LINKS {
                    return Err(FsError::LinkLoop(path.to_owned()));
                }
                // The rest of the way starts over from the target.
                for part in names(&target).into_iter().rev() {
                    left.push_front(part);
                }
                real = PathBuf::from("/");
            }
        }
    }
    Ok(real)
}

fn names(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some(OsString::from("..")),
            _ => None,
        })
        .collect()
}
