//! One hash for a skill's content, the same in memory and on the disk.
//!
//! Files are taken in the order of their path *components*. An order by whole paths differs between a list of strings
//! and a walk over folders (`a.b` and `a/b`), and then every look says that there is an update.

use std::fs;
use std::io;
use std::path::Path;

use sha2::{Digest, Sha256};

/// How many hexadecimal digits are kept of a content hash.
const SHORT: usize = 16;

/// `sha256:` and the first digits of the hash over path, NUL and bytes of each file.
pub fn of_files<'a>(files: impl Iterator<Item = (&'a str, &'a [u8])>) -> String {
    let full = full(files);
    full["sha256:".len()..]
        .get(..SHORT)
        .map_or_else(|| full.clone(), |short| format!("sha256:{short}"))
}

/// The same with all its digits.
pub fn full<'a>(files: impl Iterator<Item = (&'a str, &'a [u8])>) -> String {
    let mut files: Vec<_> = files.collect();
    files.sort_by(|(left, _), (right, _)| left.split('/').cmp(right.split('/')));
    let mut digest = Sha256::new();
    for (path, bytes) in files {
        digest.update(path.as_bytes());
        digest.update([0]);
        digest.update(bytes);
    }
    format!("sha256:{:x}", digest.finalize())
}

/// `sha256:` and the hash of plain bytes, as registries write it.
#[must_use]
pub fn of_bytes(bytes: &[u8]) -> String {
    format!("sha256:{:x}", Sha256::digest(bytes))
}

/// Every regular file below a folder, with its path in the form of a bundle. Links are not followed; they are listed
/// as what they are, so that a link put there by hand changes the hash.
///
/// # Errors
/// Something below cannot be read.
pub fn read_folder(folder: &Path) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut found = Vec::new();
    collect(folder, "", &mut found)?;
    Ok(found)
}

fn collect(folder: &Path, prefix: &str, found: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&entry.path(), &format!("{path}/"), found)?;
        } else if kind.is_symlink() {
            let target = fs::read_link(entry.path())?;
            found.push((path, format!("link to {}", target.display()).into_bytes()));
        } else if kind.is_file() {
            found.push((path, fs::read(entry.path())?));
        }
    }
    Ok(())
}

/// The content hash of a folder.
///
/// # Errors
/// Something below cannot be read.
pub fn of_folder(folder: &Path) -> io::Result<String> {
    let files = read_folder(folder)?;
    Ok(of_files(files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disk_and_memory_give_the_same_hash_whatever_sorts_between_a_dot_and_a_slash() {
        let folder = tempfile::tempdir().unwrap();
        let files = [
            ("a/b.md", "1"),
            ("a.b", "2"),
            ("a-b", "3"),
            ("a/b/c", "4"),
            ("SKILL.md", "5"),
            ("B", "6"),
        ];
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            #[expect(clippy::disallowed_methods, reason = "a file of the test's own")]
            fs::write(path, text).unwrap();
        }
        let memory = of_files(files.iter().map(|(path, text)| (*path, text.as_bytes())));
        assert_eq!(of_folder(folder.path()).unwrap(), memory);
        let backwards = of_files(files.iter().rev().map(|(path, text)| (*path, text.as_bytes())));
        assert_eq!(backwards, memory);
        assert_eq!(memory.len(), "sha256:".len() + SHORT);
    }

    #[test]
    fn moving_a_byte_from_a_name_to_a_content_changes_the_hash() {
        let hash = |path, bytes: &[u8]| of_files([(path, bytes)].into_iter());
        assert_ne!(hash("a", b"bc"), hash("ab", b"c"));
    }
}
