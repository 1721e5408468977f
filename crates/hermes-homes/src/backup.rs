//! A home as one file, and the way back.
//!
//! Databases are copied by their own engine, so that a copy made in the middle of ten conversations is whole. A home comes back
//! in one step: everything is unpacked and checked beside it, and the two folders change places. What was there before is kept.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use hermes_store::home::Home;
use rusqlite::{Connection, OpenFlags};
use serde::{Deserialize, Serialize};
use zip::write::SimpleFileOptions;

use crate::contents::{CopyFor, SECRETS, files};
use crate::packing::{Staging, checksum, make_folder, unpack_zip, write_file};

/// The list of what is in a backup.
const MANIFEST: &str = "hermes-backup.json";
/// What a restored home does not take over from a backup, whoever made it.
const NOT_RESTORED: &[&str] = &[
    "gateway_state.json",
    concat!("gateway", ".lock"),
    concat!("gateway", ".pid"),
    "processes.json",
    MANIFEST,
];
/// What stays as it is, because no backup holds it.
const STAYS: &[&str] = &[
    "cache",
    "logs",
    "checkpoints",
    "sandboxes",
    "backups",
    "state-snapshots",
    "trash",
    "profiles",
    "models",
    "active_profile",
];

/// One file of a backup.
#[derive(Debug, Serialize, Deserialize)]
struct PackedFile {
    path: String,
    size: u64,
    sha256: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct BackupManifest {
    format: u32,
    version: String,
    created_at: String,
    label: Option<String>,
    files: Vec<PackedFile>,
}

/// What a backup came to.
#[derive(Debug, Serialize)]
pub(crate) struct MadeBackup {
    pub(crate) file: PathBuf,
    pub(crate) files: usize,
    pub(crate) bytes: u64,
    pub(crate) notes: Vec<String>,
}

/// What may happen to the folder of a database that is copied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SideFiles {
    /// The engine may put its files beside it, as it does for every reader.
    MayAppear,
    /// Nothing, unless such files are there already, because somebody has it open.
    Untouched,
}

/// Copies a database that may be in use, whole.
#[expect(
    clippy::disallowed_methods,
    reason = "any database of a home, only read, by its own engine"
)]
pub(crate) fn copy_database(from: &Path, to: &Path, side: SideFiles) -> anyhow::Result<()> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let beside = |suffix: &str| {
        let mut name = from.as_os_str().to_owned();
        name.push(suffix);
        Path::new(&name).exists()
    };
    let in_use = beside("-wal") || beside("-shm") || beside("-journal");
    let opened = if in_use || side == SideFiles::MayAppear {
        Connection::open_with_flags(from, flags)
    } else {
        flags |= OpenFlags::SQLITE_OPEN_URI;
        Connection::open_with_flags(format!("{}?immutable=1", file_uri(from)), flags)
    };
    let connection = opened.with_context(|| format!("open {}", from.display()))?;
    connection.busy_timeout(std::time::Duration::from_secs(30))?;
    let target = to.to_str().context("the path is no text")?;
    connection
        .execute("VACUUM INTO ?1", [target])
        .with_context(|| format!("copy {}", from.display()))?;
    Ok(())
}

fn file_uri(path: &Path) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-".contains(byte);
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    let escaped = bytes.map(|byte| match plain(byte) {
        true => char::from(*byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    format!("file:{}", escaped.collect::<String>())
}

/// Makes a backup in a folder, or as a file.
pub(crate) fn make(
    home: &Home,
    to: Option<&Path>,
    label: Option<&str>,
) -> anyhow::Result<MadeBackup> {
    let root = home.root();
    ensure!(root.is_dir(), "there is nothing to back up in {}", root.display());
    let now = jiff::Zoned::now();
    let name = format!("hermes-backup-{}.zip", now.strftime("%Y%m%d-%H%M%S"));
    let file = match to {
        None => root.join("backups").join(name),
        Some(folder) if folder.is_dir() => folder.join(name),
        Some(file) => file.to_owned(),
    };
    let folder =
        file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    make_folder(folder)?;
    let staging = Staging::beside(&folder.join("databases"))?;
    let draft = file.with_extension(format!("{}.new", std::process::id()));
    let packed = pack(root, &staging, &draft, label);
    let manifest = match packed {
        Ok(manifest) => manifest,
        Err(problem) => {
            let _ = fs::remove_file(&draft);
            return Err(problem);
        }
    };
    fs::rename(&draft, &file).with_context(|| format!("write {}", file.display()))?;
    let mut notes = Vec::new();
    if SECRETS.iter().any(|name| root.join(name).exists()) {
        notes.push(
            "keys and sign-ins (.env, auth.json) are not in it; keep them elsewhere".to_owned(),
        );
    }
    let bytes = fs::metadata(&file)?.len();
    Ok(MadeBackup { files: manifest.files.len(), file, bytes, notes })
}

fn pack(
    root: &Path,
    staging: &Staging,
    draft: &Path,
    label: Option<&str>,
) -> anyhow::Result<BackupManifest> {
    let mut options = fs::OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(draft)?;
    let mut archive = zip::ZipWriter::new(file);
    let kind = SimpleFileOptions::default().unix_permissions(0o600).large_file(true);
    let mut manifest = BackupManifest {
        format: 1,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        created_at: jiff::Timestamp::now().to_string(),
        label: label.map(str::to_owned),
        files: Vec::new(),
    };
    for (number, found) in files(root, CopyFor::Backup)?.0.into_iter().enumerate() {
        let mut source = root.join(&found.relative);
        if found.is_database {
            let copy = staging.path().join(format!("{number}.db"));
            copy_database(&source, &copy, SideFiles::MayAppear)?;
            source = copy;
        }
        let path = found.relative.to_str().context("a name is no text")?.to_owned();
        let (size, sha256) = match checksum(&source) {
            Ok(sum) => sum,
            // Gone since it was listed.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error).with_context(|| format!("read {}", source.display())),
        };
        archive.start_file(&path, kind)?;
        std::io::copy(&mut fs::File::open(&source)?, &mut archive)?;
        manifest.files.push(PackedFile { path, size, sha256 });
    }
    archive.start_file(MANIFEST, kind)?;
    archive.write_all(&serde_json::to_vec_pretty(&manifest)?)?;
    archive.finish()?.sync_all()?;
    Ok(manifest)
}

/// What bringing a backup back came to, or would.
#[derive(Debug, Serialize)]
pub(crate) struct Restored {
    pub(crate) files: usize,
    /// Where what was there before is.
    pub(crate) before: Option<PathBuf>,
    pub(crate) notes: Vec<String>,
}

/// Brings a home back from a backup, ours or the Python program's.
pub(crate) fn restore(
    home: &Home,
    from: &Path,
    force: bool,
    dry_run: bool,
) -> anyhow::Result<Restored> {
    let root = home.root();
    if let Some(pid) = hermes_gateway::running(root) {
        bail!("the gateway runs (process {pid}); `hermes gateway stop` ends it");
    }
    let is_used = root.join("state.db").exists() || root.join("config.yaml").exists();
    if is_used && !force && !dry_run {
        bail!(
            "{} is in use; --force replaces it (what is there is kept as a snapshot)",
            root.display()
        );
    }
    let staging = Staging::beside(root)?;
    let unpacked = unpack_zip(from, staging.path())?;
    let notes = check(staging.path(), &unpacked)?;
    for name in NOT_RESTORED {
        let _ = fs::remove_file(staging.path().join(name));
    }
    let files = unpacked.len();
    if dry_run {
        return Ok(Restored { files, before: None, notes });
    }
    // Keys are in no backup: those of this home stay in force.
    for name in SECRETS.iter().copied().chain(["api.token", "serve.token", "mcp.token"]) {
        let (old, new) = (root.join(name), staging.path().join(name));
        if old.is_file() && !new.exists() {
            write_file(&new, &mut fs::File::open(&old)?, u64::MAX)?;
        }
    }
    let before = put_in_place(staging, root, "before-import")?;
    Ok(Restored { files, before, notes })
}

/// Puts a home that is ready into its place; where what was there before is kept now.
pub(crate) fn put_in_place(
    staging: Staging,
    root: &Path,
    label: &str,
) -> anyhow::Result<Option<PathBuf>> {
    if !root.exists() {
        staging.place(root)?;
        return Ok(None);
    }
    exchange(staging.path(), root)?;
    let old = staging.keep();
    for name in STAYS {
        let (from, to) = (old.join(name), root.join(name));
        if from.exists() && !to.exists() {
            fs::rename(&from, &to).with_context(|| format!("keep {}", to.display()))?;
        }
    }
    let stamp = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S").to_string();
    let before = root.join("state-snapshots").join(format!("{label}-{stamp}"));
    make_folder(&root.join("state-snapshots"))?;
    fs::rename(&old, &before)
        .with_context(|| format!("keep what was there in {}", before.display()))?;
    Ok(Some(before))
}

/// Two folders change places, in one step that cannot be seen half done.
fn exchange(one: &Path, other: &Path) -> anyhow::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).with_context(|| {
        format!("put the restored home in the place of {} (nothing was changed)", other.display())
    })
}

/// Compares what was unpacked with the list that came along; what a person should know.
fn check(folder: &Path, unpacked: &[(String, u64, String)]) -> anyhow::Result<Vec<String>> {
    let Ok(text) = fs::read(folder.join(MANIFEST)) else {
        ensure!(
            unpacked.iter().any(|(name, ..)| ["config.yaml", "state.db"].contains(&name.as_str())),
            "this is no backup of a home: it has neither config.yaml nor state.db"
        );
        return Ok(vec!["it has no list of checksums: it was not made by this program".to_owned()]);
    };
    let manifest: BackupManifest =
        serde_json::from_slice(&text).context("the backup's list is broken")?;
    ensure!(manifest.format == 1, "the backup was made by a newer version ({})", manifest.version);
    for listed in &manifest.files {
        let found = unpacked.iter().find(|(name, ..)| *name == listed.path);
        ensure!(
            found.is_some_and(|(_, size, sum)| *size == listed.size && *sum == listed.sha256),
            "the backup is damaged: {} is not what it was",
            listed.path
        );
    }
    Ok(Vec::new())
}
