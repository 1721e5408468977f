//! Finding the file behind a program name.
//!
//! Done by us and not by `execvp`, to tell "not found" from "not executable" and from "its
//! interpreter is missing", and so that a child with an empty environment can still be found.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};

use crate::error::ProcessError;

/// The file to execute for `program`.
///
/// Relative entries of `path` are passed over: what runs must not depend on the directory one
/// happens to be in. A `program` with a slash is taken as it is; `exec` resolves it after the
/// change of directory.
pub(crate) fn find(program: &OsStr, path: &OsStr) -> Result<PathBuf, ProcessError> {
    if program.as_bytes().contains(&b'/') {
        return Ok(PathBuf::from(program));
    }
    let mut unusable = None;
    for dir in std::env::split_paths(path).filter(|dir| dir.is_absolute()) {
        let candidate = dir.join(program);
        if is_executable(&candidate) {
            return Ok(candidate);
        }
        if unusable.is_none() && candidate.is_file() {
            unusable = Some(candidate);
        }
    }
    Err(match unusable {
        Some(path) => ProcessError::NotExecutable { path },
        None => ProcessError::NotFound {
            program: program.to_string_lossy().into_owned(),
            searched: format!("PATH ({})", path.to_string_lossy()),
        },
    })
}

fn is_executable(path: &Path) -> bool {
    path.is_file() && access(path, AccessFlags::X_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{OpenOptionsExt as _, symlink};

    fn put(dir: &Path, name: &str, mode: u32) {
        std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(dir.join(name))
            .expect("file made");
    }

    #[test]
    fn takes_the_first_executable_and_passes_over_the_rest() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        put(one.path(), "tool", 0o644);
        put(two.path(), "tool", 0o755);
        std::fs::create_dir(one.path().join("dir")).unwrap();
        symlink("tool", two.path().join("link")).unwrap();
        let path = std::env::join_paths([Path::new("."), one.path(), two.path()]).unwrap();

        assert_eq!(find(OsStr::new("tool"), &path).unwrap(), two.path().join("tool"));
        assert_eq!(find(OsStr::new("link"), &path).unwrap(), two.path().join("link"));
        assert!(matches!(find(OsStr::new("dir"), &path), Err(ProcessError::NotFound { .. })));
        assert!(matches!(
            find(OsStr::new("tool"), one.path().as_os_str()),
            Err(ProcessError::NotExecutable { path }) if path == one.path().join("tool")
        ));
    }

    #[test]
    fn a_path_is_not_looked_up() {
        let found = find(OsStr::new("./tool"), OsStr::new("/nowhere")).unwrap();
        assert_eq!(found, Path::new("./tool"));
    }
}
