//! A home with its profiles as one file, and the way back.
//!
//! Databases are copied by their own engine, so that a copy made in the middle of ten conversations is whole. A home comes back
//! in one step: everything is unpacked and checked beside it, and the two folders change places. What was there before is kept.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use hermes_store::home::Home;
use rusqlite::{Connection, OpenFlags};
use serde::{Deserialize, Serialize};
use zip::write::SimpleFileOptions;

use crate::contents::{CopyFor, SECRETS, files, profiles_below};
use crate::packing::{checksum, copy_file, private_mode, require_place, unpack_zip};
use crate::staging::{Staging, make_folder};
use crate::swap::{SWAP_FILE, put_in_place};

/// The list of what is in a backup.
const MANIFEST: &str = "hermes-backup.json";
/// What a restored home does not take over from a backup, whoever made it.
const NOT_RESTORED: &[&str] = &[
    "gateway_state.json",
    concat!("gateway", ".lock"),
    concat!("gateway", ".pid"),
    "processes.json",
    MANIFEST,
    SWAP_FILE,
];
/// Links that are told of by name.
const MOST_LINKS: usize = 10;

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
    /// The profiles that are in it beside the home itself.
    pub(crate) profiles: Vec<String>,
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
    match to {
        None => make_folder(folder)?,
        Some(_) => require_place(&file)?,
    }
    let staging = Staging::beside(&folder.join("databases"))?;
    let draft = file.with_extension(format!("{}.new", std::process::id()));
    let packed = pack(root, &staging, &draft, &file, label);
    let (manifest, links) = match packed {
        Ok(packed) => packed,
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
    if !links.is_empty() {
        let named: Vec<String> =
            links.iter().take(MOST_LINKS).map(|link| link.display().to_string()).collect();
        let more = if links.len() > MOST_LINKS { ", …" } else { "" };
        let names = named.join(", ");
        notes.push(format!("{} links are not in it: {names}{more}", links.len()));
    }
    let bytes = fs::metadata(&file)?.len();
    let profiles = profiles_below(root);
    Ok(MadeBackup { files: manifest.files.len(), file, bytes, profiles, notes })
}

/// The home itself and its profiles, from the home on.
fn homes(root: &Path) -> Vec<PathBuf> {
    let profiles = profiles_below(root).into_iter().map(|name| Path::new("profiles").join(name));
    std::iter::once(PathBuf::new()).chain(profiles).collect()
}

fn pack(
    root: &Path,
    staging: &Staging,
    draft: &Path,
    target: &Path,
    label: Option<&str>,
) -> anyhow::Result<(BackupManifest, Vec<PathBuf>)> {
    // Before there is a draft: it may be in the home, and would be packed into itself.
    let (mut found, mut links) = (Vec::new(), Vec::new());
    for home in homes(root) {
        let (files, left) = files(&root.join(&home), CopyFor::Backup)?;
        found.extend(files.into_iter().map(|file| (home.join(file.relative), file.is_database)));
        links.extend(left.into_iter().map(|link| home.join(link)));
    }
    // An older copy that this one takes the place of.
    let target = target.canonicalize().ok();
    found.retain(|(relative, _)| {
        target.is_none() || root.join(relative).canonicalize().ok() != target
    });
    let mut options = fs::OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(draft);
    let file = file.with_context(|| format!("write {}", draft.display()))?;
    let mut archive = zip::ZipWriter::new(file);
    let kind = SimpleFileOptions::default().unix_permissions(0o600).large_file(true);
    let mut manifest = BackupManifest {
        format: 1,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        created_at: jiff::Timestamp::now().to_string(),
        label: label.map(str::to_owned),
        files: Vec::new(),
    };
    for (number, (relative, is_database)) in found.into_iter().enumerate() {
        let mut source = root.join(&relative);
        let mode = fs::metadata(&source).map_or(0o600, |about| about.permissions().mode());
        if is_database {
            let copy = staging.path().join(format!("{number}.db"));
            copy_database(&source, &copy, SideFiles::MayAppear)?;
            source = copy;
        }
        let path = relative.to_str().context("a name is no text")?.to_owned();
        let (size, sha256) = match checksum(&source) {
            Ok(sum) => sum,
            // Gone since it was listed.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error).with_context(|| format!("read {}", source.display())),
        };
        archive.start_file(&path, kind.unix_permissions(private_mode(mode)))?;
        std::io::copy(&mut fs::File::open(&source)?, &mut archive)?;
        manifest.files.push(PackedFile { path, size, sha256 });
        if is_database {
            let _ = fs::remove_file(&source);
        }
    }
    archive.start_file(MANIFEST, kind)?;
    archive.write_all(&serde_json::to_vec_pretty(&manifest)?)?;
    archive.finish()?.sync_all()?;
    Ok((manifest, links))
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
    for home in homes(root) {
        let Some(pid) = hermes_gateway::running(&root.join(&home)) else { continue };
        let words = match home.file_name() {
            Some(name) => format!("hermes -p {} gateway stop", name.display()),
            None => "hermes gateway stop".to_owned(),
        };
        bail!(
            "the gateway of {} runs (process {pid}); `{words}` ends it",
            root.join(home).display()
        );
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
    for home in homes(staging.path()) {
        for name in NOT_RESTORED {
            let _ = fs::remove_file(staging.path().join(&home).join(name));
        }
    }
    let files = unpacked.len();
    if dry_run {
        return Ok(Restored { files, before: None, notes });
    }
    for home in homes(staging.path()) {
        keep_secrets(&root.join(&home), &staging.path().join(&home))?;
    }
    let before = put_in_place(staging, root, "before-import")?;
    Ok(Restored { files, before, notes })
}

/// Keys and sign-ins are in no backup: those of the home that is replaced stay in force.
fn keep_secrets(old: &Path, new: &Path) -> anyhow::Result<()> {
    let tokens = fs::read_dir(old).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let tokens = tokens.filter(|name| name.to_str().is_some_and(|name| name.ends_with(".token")));
    for name in SECRETS.iter().map(Into::into).chain(tokens) {
        let (from, to) = (old.join(&name), new.join(&name));
        if !to.exists() {
            copy_secret(&from, &to)?;
        }
    }
    Ok(())
}

/// A file, or a folder with everything in it.
fn copy_secret(from: &Path, to: &Path) -> anyhow::Result<()> {
    if from.is_dir() {
        make_folder(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy_secret(&entry.path(), &to.join(entry.file_name()))?;
        }
    } else if from.is_file() {
        copy_file(from, to).with_context(|| format!("keep {}", from.display()))?;
    }
    Ok(())
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
