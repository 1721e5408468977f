//! Archives, written and unpacked. What is unpacked comes from anywhere: every name, kind and size is looked at.

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use sha2::{Digest as _, Sha256};

use crate::staging::make_folder;

/// Files of one archive.
const MOST_FILES: usize = 200_000;
/// Bytes of one archive, unpacked.
const MOST_BYTES: u64 = 64 * 1024 * 1024 * 1024;

/// The permissions of a copy: a private file, and one that can be run if its origin can.
pub(crate) fn private_mode(origin: u32) -> u32 {
    match origin & 0o100 {
        0 => 0o600,
        _ => 0o700,
    }
}

/// Copies a file of a home, and whether it can be run; size and checksum.
pub(crate) fn copy_file(from: &Path, to: &Path) -> anyhow::Result<(u64, String)> {
    let mut file = fs::File::open(from)?;
    let mode = private_mode(file.metadata()?.permissions().mode());
    write_file(to, &mut file, u64::MAX, mode)
}

/// Copies a stream into a new private file; size and checksum.
pub(crate) fn write_file(
    path: &Path,
    from: &mut impl Read,
    most: u64,
    mode: u32,
) -> anyhow::Result<(u64, String)> {
    if let Some(folder) = path.parent() {
        make_folder(folder)?;
    }
    let mut options = fs::OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)
        .with_context(|| format!("write {}", path.display()))?;
    let (mut buffer, mut size, mut sum) = ([0_u8; 64 * 1024], 0_u64, Sha256::new());
    loop {
        let count = from.read(&mut buffer)?;
        let Some(bytes) = buffer.get(..count).filter(|bytes| !bytes.is_empty()) else { break };
        size += count as u64;
        ensure!(size <= most, "{} is larger than it may be", path.display());
        sum.update(bytes);
        file.write_all(bytes)?;
    }
    file.sync_all()?;
    Ok((size, hex(&sum.finalize())))
}

/// The checksum of a file.
pub(crate) fn checksum(path: &Path) -> io::Result<(u64, String)> {
    let mut sum = Sha256::new();
    let size = io::copy(&mut fs::File::open(path)?, &mut sum)?;
    Ok((size, hex(&sum.finalize())))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The name of an entry, if it stays below where it is unpacked.
fn inner_name(name: &Path) -> anyhow::Result<PathBuf> {
    let is_plain =
        name.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let is_text =
        name.to_str().is_some_and(|name| !name.contains(['\\', '\0']) && !name.trim().is_empty());
    ensure!(
        is_plain && is_text,
        "the archive has an entry that would leave the folder: {}",
        name.display()
    );
    Ok(name.components().filter(|part| matches!(part, Component::Normal(_))).collect())
}

/// How much may still be unpacked.
struct Allowance {
    files: usize,
    bytes: u64,
}

impl Allowance {
    fn for_folder(folder: &Path) -> Self {
        Self { files: MOST_FILES, bytes: MOST_BYTES.min(free_bytes(folder).unwrap_or(MOST_BYTES)) }
    }

    fn file(&mut self) -> anyhow::Result<u64> {
        self.files = self.files.checked_sub(1).context("the archive has too many entries")?;
        Ok(self.bytes)
    }
}

/// Bytes that are free where a folder is.
pub(crate) fn free_bytes(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

/// A file that is packed.
pub(crate) struct PackedEntry {
    pub(crate) name: PathBuf,
    /// Where its content is.
    pub(crate) source: PathBuf,
}

/// Whether a new archive may take a place that a person named: in a folder that is there, and of nothing but a file.
pub(crate) fn require_place(file: &Path) -> anyhow::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    ensure!(folder.is_dir(), "there is no folder {}", folder.display());
    // Whatever is called so would be replaced, a device too.
    match fs::symlink_metadata(file) {
        Ok(about) => ensure!(about.is_file(), "{} is there, and no file", file.display()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| format!("look at {}", file.display())),
    }
    Ok(())
}

/// Packs files of a folder.
pub(crate) fn pack_tar(to: &Path, files: &[PackedEntry]) -> anyhow::Result<()> {
    require_place(to)?;
    let staging = to.with_extension(format!("{}.new", std::process::id()));
    let mut options = fs::OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(&staging);
    let file = file.with_context(|| format!("write {}", staging.display()))?;
    let packed = || -> anyhow::Result<()> {
        let mut archive =
            tar::Builder::new(flate2::write::GzEncoder::new(file, flate2::Compression::default()));
        for PackedEntry { name, source } in files {
            let content = fs::File::open(source);
            let content = content.with_context(|| format!("read {}", source.display()))?;
            let about = content.metadata()?;
            let mut header = tar::Header::new_gnu();
            header.set_size(about.len());
            header.set_mode(private_mode(about.permissions().mode()));
            header.set_cksum();
            let mut content = content.take(about.len());
            archive.append_data(&mut header, name, &mut content)?;
            ensure!(content.limit() == 0, "{} became shorter just now", source.display());
        }
        archive.into_inner()?.finish()?.sync_all()?;
        fs::rename(&staging, to).with_context(|| format!("write {}", to.display()))
    };
    packed().inspect_err(|_| drop(fs::remove_file(&staging)))
}

/// Unpacks a `.tar.gz` into an empty folder.
pub(crate) fn unpack_tar(from: &Path, into: &Path) -> anyhow::Result<usize> {
    let file = fs::File::open(from).with_context(|| format!("read {}", from.display()))?;
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(file));
    let (mut left, mut count) = (Allowance::for_folder(into), 0);
    for entry in archive.entries().context("this is no .tar.gz")? {
        let mut entry = entry.context("the archive is broken")?;
        let name = inner_name(&entry.path()?)?;
        match entry.header().entry_type() {
            tar::EntryType::Directory => make_folder(&into.join(&name))?,
            tar::EntryType::Regular => {
                let most = left.file()?;
                let mode = private_mode(entry.header().mode().unwrap_or_default());
                left.bytes -= write_file(&into.join(&name), &mut entry, most, mode)?.0;
                count += 1;
            }
            other => bail!(
                "the archive has a {other:?} entry ({}); only files and folders are taken",
                name.display()
            ),
        }
    }
    Ok(count)
}

/// Unpacks a zip into an empty folder; size and checksum of every file.
pub(crate) fn unpack_zip(from: &Path, into: &Path) -> anyhow::Result<Vec<(String, u64, String)>> {
    let file = fs::File::open(from).with_context(|| format!("read {}", from.display()))?;
    let mut archive = zip::ZipArchive::new(file)
        .with_context(|| format!("{} is no zip file, as a backup is", from.display()))?;
    let (mut left, mut unpacked) = (Allowance::for_folder(into), Vec::new());
    for number in 0..archive.len() {
        let mut entry = archive.by_index(number).context("the archive is broken")?;
        let name = inner_name(Path::new(&*entry.name().context("a name cannot be read")?))?;
        ensure!(
            !entry.is_symlink(),
            "the archive has a link ({}); only files and folders are taken",
            name.display()
        );
        if entry.is_dir() {
            make_folder(&into.join(&name))?;
            continue;
        }
        let most = left.file()?;
        let mode = private_mode(entry.unix_mode().unwrap_or_default());
        let (size, sum) = write_file(&into.join(&name), &mut entry, most, mode)?;
        left.bytes -= size;
        unpacked.push((name.display().to_string(), size, sum));
    }
    Ok(unpacked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::staging::Staging;

    #[test]
    fn names_that_leave_the_folder_are_refused() {
        for bad in ["../x", "/etc/passwd", "a/../../b", "", "a\\..\\b"] {
            assert!(inner_name(Path::new(bad)).is_err(), "{bad:?}");
        }
        assert_eq!(inner_name(Path::new("./a/b")).unwrap(), Path::new("a/b"));
    }

    #[test]
    fn links_in_archives_are_refused_and_nothing_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("evil.tar.gz");
        let mut archive = tar::Builder::new(flate2::write::GzEncoder::new(
            fs::File::create(&file).unwrap(),
            flate2::Compression::default(),
        ));
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Symlink);
        header.set_size(0);
        archive.append_link(&mut header, "skills", "/etc").unwrap();
        archive.into_inner().unwrap().finish().unwrap();
        let staging = Staging::beside(&folder.path().join("home")).unwrap();
        let place = staging.path().to_owned();
        assert!(unpack_tar(&file, staging.path()).is_err());
        drop(staging);
        assert!(!place.exists());
    }
}
