//! What of a home belongs into a copy of it.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::swap::{STAYS, SWAP_FILE};

/// Files that hold secrets, by their names at the top of a home.
pub(crate) const SECRETS: &[&str] = &[".env", "auth.json", "mcp-tokens"];
/// What else no copy of a home holds, beside what [stays](STAYS): it belongs to a process, or is copied as a home of its own.
const NEVER: &[&str] = &[
    "profiles",
    "gateway_state.json",
    "processes.json",
    "__pycache__",
    crate::staging::MARK,
    SWAP_FILE,
];
/// What the Python program keeps in its home for itself: its source, the programs it fetched, caches, marks.
pub(crate) const MACHINERY: &[&str] = &[
    "hermes-agent",
    "node",
    "bin",
    "lsp",
    "audio_cache",
    "image_cache",
    "video_cache",
    "document_cache",
    "browser_screenshots",
    "desktop",
    ".update_check",
    ".skills_prompt_snapshot.json",
    ".restart_last_processed.json",
];
/// How a database file begins.
const DATABASE_MARK: [u8; 16] = *b"SQLite format 3\0";
/// What was said: left out of copies that are handed on.
const HISTORY: &[&str] = &["sessions", "pairing", "pending", "shell-hooks-allowlist.json"];

/// What a copy is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopyFor {
    /// Keeping: all that cannot be made again, but no secrets.
    Backup,
    /// Somebody or somewhere else: settings and know-how, no history.
    Export,
    /// Another profile of the same user: as an export, with the secrets.
    Clone,
    /// Another home of the same user: all that cannot be made again, secrets and history too.
    Move,
}

/// A file of a home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HomeFile {
    /// From the home on.
    pub(crate) relative: PathBuf,
    /// Whether it is a database, which is not copied byte by byte.
    pub(crate) is_database: bool,
}

/// The names of the profiles below a home, sorted. Links are none.
pub(crate) fn profiles_below(home: &Path) -> Vec<String> {
    let entries = fs::read_dir(home.join("profiles")).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    names
}

/// The files of a home that belong into a copy, sorted; and the links that were left out.
pub(crate) fn files(
    home: &Path,
    purpose: CopyFor,
) -> std::io::Result<(Vec<HomeFile>, Vec<PathBuf>)> {
    let (mut found, mut links) = (Vec::new(), Vec::new());
    walk(home, Path::new(""), purpose, &mut found, &mut links)?;
    found.sort_by(|one, two| one.relative.cmp(&two.relative));
    Ok((found, links))
}

fn walk(
    home: &Path,
    below: &Path,
    purpose: CopyFor,
    found: &mut Vec<HomeFile>,
    links: &mut Vec<PathBuf>,
) -> std::io::Result<()> {
    for entry in fs::read_dir(home.join(below))? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let relative = below.join(name);
        let is_top = below.as_os_str().is_empty();
        if !is_wanted(name, is_top, purpose) {
            continue;
        }
        let kind = entry.file_type()?;
        if kind.is_symlink() {
            links.push(relative);
        } else if kind.is_dir() {
            walk(home, &relative, purpose, found, links)?;
        } else if kind.is_file() {
            let is_called_so = name.ends_with(".db");
            if !is_called_so || matches!(purpose, CopyFor::Backup | CopyFor::Move) {
                // Other programs give this ending to other files.
                let is_database = is_called_so && is_database(&entry.path());
                found.push(HomeFile { relative, is_database });
            }
        }
    }
    Ok(())
}

/// Whether a file is one that the database engine writes.
pub(crate) fn is_database(file: &Path) -> bool {
    let mut head = [0_u8; DATABASE_MARK.len()];
    let read = fs::File::open(file).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == DATABASE_MARK
}

fn is_wanted(name: &str, is_top: bool, purpose: CopyFor) -> bool {
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    let is_live = ends(&["-wal", "-shm", "-journal", ".pid", ".lock", ".sock"])
        || hermes_store::atomic::is_temp_name(name.as_ref());
    let is_secret = (is_top && SECRETS.contains(&name)) || ends(&[".token"]);
    let is_never = (NEVER.contains(&name) || STAYS.contains(&name))
        && (is_top || !["cache", "logs", "models"].contains(&name));
    let is_history = is_top && HISTORY.contains(&name);
    let is_machinery = is_top && purpose == CopyFor::Move && MACHINERY.contains(&name);
    !is_live
        && !is_never
        && !is_machinery
        && (!is_secret || matches!(purpose, CopyFor::Clone | CopyFor::Move))
        && (!is_history || matches!(purpose, CopyFor::Backup | CopyFor::Move))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_hold_no_secret_and_nothing_alive() {
        let home = tempfile::tempdir().unwrap();
        for name in [
            "config.yaml",
            ".env",
            "api.token",
            "state.db",
            "state.db-wal",
            "gateway.pid",
            "skills/a/SKILL.md",
            "skills/a/logs/kept.txt",
            "logs/x.log",
            "cron/jobs.json",
            "cron/executions.db",
            "profiles/b/.env",
            "sessions/s.json",
            "hermes-agent/setup.py",
        ] {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::File::create(path).unwrap();
        }
        std::os::unix::fs::symlink("/etc", home.path().join("skills/etc")).unwrap();
        let names = |purpose| -> Vec<String> {
            let (found, links) = files(home.path(), purpose).unwrap();
            assert_eq!(links, [Path::new("skills/etc")]);
            found.into_iter().map(|file| file.relative.display().to_string()).collect()
        };
        let know_how = [
            "config.yaml",
            "cron/jobs.json",
            "hermes-agent/setup.py",
            "skills/a/SKILL.md",
            "skills/a/logs/kept.txt",
        ];
        assert_eq!(names(CopyFor::Export), know_how);
        assert!(names(CopyFor::Clone).contains(&".env".to_owned()));
        let moved = names(CopyFor::Move);
        for name in [".env", "state.db", "sessions/s.json", "cron/executions.db"] {
            assert!(moved.contains(&name.to_owned()), "{name}: {moved:?}");
        }
        assert!(
            !moved.iter().any(|name| name.contains("profiles") || name.contains("hermes-agent"))
        );
        let backup = names(CopyFor::Backup);
        assert!(
            backup.contains(&"state.db".to_owned())
                && backup.contains(&"sessions/s.json".to_owned())
        );
        assert!(
            !backup.iter().any(|name| name.contains(".env")
                || name.contains("token")
                || name.contains("wal"))
        );
    }
}
