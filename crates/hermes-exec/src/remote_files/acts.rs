//! Resolving, listing, writing, moving and keeping.

use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime};

use hermes_files::fs::{FsError, Resolved, Stat, TEMP_PREFIX, Written};

use super::answer::{error_in, incomplete};
use super::script::FileScript;
use super::{ScriptRunner, TRANSFER_LIMIT};

const RESOLVE: &str = include_str!("scripts/resolve.sh");
const NAMES: &str = include_str!("scripts/names.sh");
const CHANGE: &str = include_str!("scripts/change.sh");
const WRITE: &str = include_str!("scripts/write.sh");
const REMOVE: &str = include_str!("scripts/remove.sh");
const RENAME: &str = include_str!("scripts/rename.sh");
const KEEP: &str = include_str!("scripts/keep.sh");
const PUT_BACK: &str = include_str!("scripts/put_back.sh");

/// Links followed before they count as a circle, as on Linux.
const MAX_LINKS: usize = 40;
/// Bytes of a name, with what stands between it and the next.
const NAME_BYTES: u64 = 4096;
/// Age at which a temporary file counts as left behind. Whether its maker is alive cannot be seen
/// from there.
const STRAY_AGE: Duration = Duration::from_secs(24 * 60 * 60);

pub(super) async fn resolve(
    runner: Arc<dyn ScriptRunner>,
    path: PathBuf,
) -> Result<Resolved, FsError> {
    const ACT: &str = "look at";
    let literal = normal(&path);
    let script = FileScript::about(&literal)?.value("most", MAX_LINKS).then(RESOLVE);
    let mut answer = script.run(&*runner, ACT, &literal).await?;
    let mut hops = Vec::new();
    let missing = || incomplete(ACT, &literal);
    loop {
        let record = answer.text().ok_or_else(missing)?;
        match record.as_str() {
            "hop" => hops.push(normal(&answer.path().ok_or_else(missing)?)),
            "at" => break,
            _ => return Err(answer_of_loop(&literal, &record).unwrap_or_else(missing)),
        }
    }
    let canonical = answer.path().ok_or_else(missing)?;
    let stat = match answer.text().as_deref() {
        Some("found") => Some(answer.state().ok_or_else(missing)?.stat),
        _ => absence(&literal, &answer.text().ok_or_else(missing)?)?,
    };
    Ok(Resolved { literal, hops, canonical, stat })
}

/// A circle is noticed after the links that lead into it were told.
fn answer_of_loop(literal: &Path, record: &str) -> Option<FsError> {
    (record == "failed").then(|| FsError::LinkLoop(literal.to_owned()))
}

/// Absence of the file, or of a directory on the way to it, is no error.
fn absence(literal: &Path, message: &str) -> Result<Option<Stat>, FsError> {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    let error = error_in(message);
    match error.kind() {
        NotFound | NotADirectory => Ok(None),
        _ => Err(FsError::of("look at", literal)(error)),
    }
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

pub(super) async fn names(
    runner: Arc<dyn ScriptRunner>,
    directory: PathBuf,
    most: usize,
) -> Result<Vec<String>, FsError> {
    let bytes = (most as u64).saturating_mul(NAME_BYTES);
    let script = FileScript::about(&directory)?.value("most", bytes).then(NAMES).says(bytes);
    let mut answer = script.run(&*runner, "list", &directory).await?;
    answer.record();
    let mut names = Vec::new();
    while names.len() < most
        && let Some(path) = answer.path()
    {
        names.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
    }
    Ok(names)
}

pub(super) async fn write(
    runner: Arc<dyn ScriptRunner>,
    path: PathBuf,
    content: Vec<u8>,
) -> Result<Written, FsError> {
    const ACT: &str = "write";
    let script = changing(&path)?
        .path("temp", &fresh_name(&path))?
        .value("size", content.len())
        .then(WRITE)
        .reads(content)
        .within(TRANSFER_LIMIT);
    let mut answer = script.run(&*runner, ACT, &path).await?;
    answer.record();
    let made = answer.text();
    let stamp = answer.state().ok_or_else(|| incomplete(ACT, &path))?.stat.stamp;
    let made_directories = made.as_deref() == Some("made");
    Ok(Written { bytes: stamp.size, made_directories, stamp })
}

pub(super) async fn remove(runner: Arc<dyn ScriptRunner>, path: PathBuf) -> Result<(), FsError> {
    let script = FileScript::about(&path)?.then(REMOVE);
    script.run(&*runner, "remove", &path).await.map(drop)
}

pub(super) async fn rename(
    runner: Arc<dyn ScriptRunner>,
    from: PathBuf,
    to: PathBuf,
) -> Result<(), FsError> {
    let script = changing(&from)?.path("to", &to)?.then(RENAME).within(TRANSFER_LIMIT);
    script.run(&*runner, "move", &from).await.map(drop)
}

pub(super) async fn keep(runner: Arc<dyn ScriptRunner>, path: PathBuf) -> Result<PathBuf, FsError> {
    let kept = fresh_name(&path);
    let script = changing(&path)?.path("temp", &kept)?.then(KEEP).within(TRANSFER_LIMIT);
    script.run(&*runner, "copy", &path).await?;
    Ok(kept)
}

pub(super) async fn put_back(
    runner: Arc<dyn ScriptRunner>,
    kept: PathBuf,
    path: PathBuf,
) -> Result<(), FsError> {
    let script = changing(&path)?.path("kept", &kept)?.then(PUT_BACK);
    script.run(&*runner, "put back", &path).await.map(drop)
}

/// A script that changes the file at `path`.
fn changing(path: &Path) -> Result<FileScript, FsError> {
    Ok(FileScript::about(path)?
        .value("prefix", TEMP_PREFIX)
        .value("ours", &*STARTED)
        .value("patience", STRAY_AGE.as_secs())
        .then(CHANGE))
}

/// A name nobody else uses, beside a file. It does not begin with the number of a process like
/// those on this machine: in a directory shared with a container they would be taken for each
/// other.
fn fresh_name(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("{TEMP_PREFIX}there-{}.{}.{count}", std::process::id(), *STARTED);
    path.parent().unwrap_or(Path::new("/")).join(name)
}

/// When this process made its first file elsewhere, in nanoseconds.
static STARTED: LazyLock<String> = LazyLock::new(|| {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{:x}", now.as_nanos())
});
