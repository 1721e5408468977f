//! The names in a tree, and the ignore files that say which of them count.

use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use hermes_files::fs::SearchRoot;
use hermes_files::search::{DEADLINE, SearchEnding, SearchError};

use super::super::answer::{ScriptReply, error_in, nanoseconds};
use super::super::script::FileScript;
use super::super::{RunEnd, ScriptRunner};
use super::{Stopped, tar, too_much};

const PACK: &str = include_str!("../scripts/pack.sh");
const LIST: &str = include_str!("../scripts/list.sh");

/// Most bytes of a listing with its ignore files.
const LISTING_BYTES: u64 = 64 << 20;
/// Bytes of names looked at for "did you mean".
const NEAR_BYTES: u64 = 1 << 20;

/// Which hidden directories a pattern could reveal. Those it cannot are not even listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hidden {
    directories: bool,
    git: bool,
}

impl Hidden {
    /// None of them.
    pub(super) const NONE: Self = Self { directories: false, git: false };

    /// What a glob or a name could reveal; rather too much than too little.
    pub(super) fn in_pattern(pattern: &str) -> Self {
        let Some((parents, _)) = pattern.rsplit_once('/') else { return Self::NONE };
        let starts_part = |at: usize| {
            parents[..at].chars().next_back().is_none_or(|before| "/{,[\\".contains(before))
        };
        let directories = parents.match_indices('.').any(|(at, _)| starts_part(at));
        let git = parents.to_lowercase().contains(".git") || parents.contains(['*', '?', '[', '{']);
        Self { directories, git: directories && git }
    }
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    /// A directory.
    Directory,
    /// A regular file.
    File,
    /// What makes a directory the root of a repository.
    Repository,
}

/// One name in the tree.
#[derive(Clone, Debug)]
pub(super) struct ListedEntry {
    pub(super) kind: EntryKind,
    pub(super) size: u64,
    pub(super) modified: SystemTime,
    pub(super) is_readable: bool,
    pub(super) path: PathBuf,
}

/// A tree as it was listed: directories before what is in them.
#[derive(Debug, Default)]
pub(super) struct TreeListing {
    pub(super) entries: Vec<ListedEntry>,
    /// Whether the root is there; then it is not among the entries unless it is a file.
    pub(super) is_tree: bool,
    /// Ignore files with their content.
    pub(super) rules: Vec<(PathBuf, Vec<u8>)>,
    /// Whether the tools over there can choose files by a text in them.
    pub(super) sifts: bool,
}

/// Lists a tree.
pub(super) async fn list(
    runner: &dyn ScriptRunner,
    place: &SearchRoot,
    hidden: Hidden,
) -> Result<TreeListing, Stopped> {
    let choice = |list| if list { "list" } else { "skip" };
    let script = FileScript::about(&place.root)
        .map_err(|error| unreadable(place, io::Error::other(error)))?
        .value("hidden", choice(hidden.directories))
        .value("git", choice(hidden.git))
        .value("most_near", NEAR_BYTES)
        .then(PACK)
        .then(LIST)
        .says(LISTING_BYTES);
    let mut answer = ask(runner, place, script, "its names are more than 64 MiB").await?;
    match answer.text().as_deref() {
        Some("tree") => tree(answer).ok_or_else(|| broken(place)),
        Some("missing") => missing(answer, place),
        _ => Err(SearchError::NotAFile { path: place.shown_root.clone() }.into()),
    }
}

/// Runs a script of a search. `size` says what it means if it says too much.
pub(super) async fn ask(
    runner: &dyn ScriptRunner,
    place: &SearchRoot,
    script: FileScript,
    size: &str,
) -> Result<ScriptReply, Stopped> {
    let job = script.within(DEADLINE).until(place.cancel.clone()).job();
    let run = runner.run(job).await.map_err(|error| unreadable(place, io::Error::other(error)))?;
    match run.end {
        RunEnd::Cancelled => return Err(Stopped::Early(SearchEnding::Cancelled)),
        RunEnd::TimedOut => return Err(Stopped::Early(SearchEnding::TimedOut)),
        RunEnd::TooMuch => return Err(too_much(place, size).into()),
        RunEnd::Exited(_) => {}
    }
    let mut answer = ScriptReply::of(run).map_err(|error| unreadable(place, error))?;
    match answer.failure(&place.root) {
        Some(failure) => Err(unreadable(place, io::Error::other(failure)).into()),
        None => Ok(answer),
    }
}

pub(super) fn unreadable(place: &SearchRoot, source: io::Error) -> SearchError {
    SearchError::Unreadable { path: place.shown_root.clone(), source }
}

pub(super) fn broken(place: &SearchRoot) -> Stopped {
    unreadable(place, io::Error::other("the answer from there is incomplete")).into()
}

fn tree(mut answer: ScriptReply) -> Option<TreeListing> {
    let sifts = answer.text()? == "sifts";
    let mut entries = Vec::new();
    loop {
        let record = answer.record()?;
        if record.is_empty() || record == [1] {
            break;
        }
        entries.extend(ListedEntry::parse(record));
    }
    let packed = answer.rest();
    let rules = tar::files(&packed).map(|(path, content)| (path, content.to_vec())).collect();
    Some(TreeListing { entries, is_tree: true, rules, sifts })
}

/// The names near a missing root, so that the engine can say which one was meant.
fn missing(mut answer: ScriptReply, place: &SearchRoot) -> Result<TreeListing, Stopped> {
    let error = error_in(&answer.text().unwrap_or_default());
    if error.kind() != io::ErrorKind::NotFound {
        return Err(unreadable(place, error).into());
    }
    let Some(near) = answer.path() else { return Err(broken(place)) };
    let of = |kind, path| {
        let modified = SystemTime::UNIX_EPOCH;
        ListedEntry { kind, size: 0, modified, is_readable: true, path }
    };
    let mut entries = vec![of(EntryKind::Directory, near)];
    while let Some(path) = answer.path() {
        if is_plain(&path) {
            entries.push(of(EntryKind::File, path));
        }
    }
    Ok(TreeListing { entries, ..TreeListing::default() })
}

impl ListedEntry {
    /// Reads `[u ]KIND SIZE TIME PATH`. A tree whose names would lead out of the mirror is lying
    /// about them: such names are left out.
    fn parse(record: &[u8]) -> Option<Self> {
        use std::os::unix::ffi::OsStringExt as _;
        let record = record.strip_prefix(&[1]).unwrap_or(record);
        let (record, is_readable) = match record.strip_prefix(b"u ") {
            Some(rest) => (rest, false),
            None => (record, true),
        };
        let mut fields = record.splitn(4, |byte| *byte == b' ');
        let mut field = || std::str::from_utf8(fields.next()?).ok();
        let (kind, size, time) = (field()?, field()?.parse().ok()?, field()?);
        let mut path = fields.next()?.to_vec();
        if kind.len() > 1 {
            // Tools that end names by line breaks had those exchanged for another character.
            path.iter_mut().filter(|byte| **byte == 1).for_each(|byte| *byte = b'\n');
        }
        let path = PathBuf::from(std::ffi::OsString::from_vec(path));
        let kind = kind_of(kind, &path)?;
        is_plain(&path).then_some(Self { kind, size, modified: time_of(time), is_readable, path })
    }
}

fn kind_of(kind: &str, path: &Path) -> Option<EntryKind> {
    if path.file_name().is_some_and(|name| name == ".git") {
        return Some(EntryKind::Repository);
    }
    match kind {
        "d" => Some(EntryKind::Directory),
        "f" => Some(EntryKind::File),
        mode => match u32::from_str_radix(mode, 16).ok()? & 0o170_000 {
            0o040_000 => Some(EntryKind::Directory),
            0o100_000 => Some(EntryKind::File),
            _ => None,
        },
    }
}

/// An absolute path without detours.
pub(super) fn is_plain(path: &Path) -> bool {
    let plain = |part| matches!(part, Component::RootDir | Component::Normal(_));
    path.is_absolute() && path.components().all(plain)
}

/// Seconds, with or without parts of them.
fn time_of(text: &str) -> SystemTime {
    let (seconds, parts) = text.split_once('.').unwrap_or((text, "0"));
    let parts = Duration::from_nanos(u64::try_from(nanoseconds(parts)).unwrap_or(0));
    let whole = match seconds.strip_prefix('-') {
        Some(before) => {
            SystemTime::UNIX_EPOCH.checked_sub(Duration::from_secs(before.parse().unwrap_or(0)))
        }
        None => {
            SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds.parse().unwrap_or(0)))
        }
    };
    whole.and_then(|whole| whole.checked_add(parts)).unwrap_or(SystemTime::UNIX_EPOCH)
}
