//! Archives: `.zip` and `.tar.gz`, read into memory under limits.
//!
//! What counts is what really comes out: the sizes in an archive's headers are its author's words. Links and devices
//! refuse the whole archive, because leaving them out would install something nobody looked at as a whole. An archive
//! inside an archive is a file like any other.

use std::io::{Cursor, Read};

use super::{BundleFile, BundleFiles, MAX_BUNDLE_BYTES, MAX_BUNDLE_FILES};
use crate::hub::error::HubError;

/// Most bytes that may come out of one byte, in small archives as in large ones.
const MOST_RATIO: usize = 100;
/// Text packs well; below this size a high ratio says nothing.
const RATIO_COUNTS_FROM: usize = 1 << 20;

/// Unpacks an archive of either kind, told apart by how it begins.
///
/// # Errors
/// It is neither, is broken, too large, or holds what a bundle may not hold.
pub fn unpack(bytes: &[u8]) -> Result<BundleFiles, HubError> {
    match bytes {
        [b'P', b'K', ..] => unzip(bytes),
        [0x1f, 0x8b, ..] => untar(bytes),
        _ => {
            Err(HubError::Bundle("the download is neither a .zip nor a .tar.gz archive".to_owned()))
        }
    }
}

fn broken(error: impl std::fmt::Display) -> HubError {
    HubError::Bundle(format!("the archive is broken: {error}"))
}

/// Counts what has come out, and stops in time.
struct Meter {
    packed: usize,
    out: usize,
}

impl Meter {
    fn read(&mut self, name: &str, reader: impl Read) -> Result<Vec<u8>, HubError> {
        let left = MAX_BUNDLE_BYTES.saturating_sub(self.out);
        let by_ratio = (self.packed.saturating_mul(MOST_RATIO))
            .max(RATIO_COUNTS_FROM)
            .saturating_sub(self.out);
        let most = left.min(by_ratio);
        let mut bytes = Vec::new();
        reader.take(most as u64 + 1).read_to_end(&mut bytes).map_err(broken)?;
        if bytes.len() > most {
            let why = if by_ratio < left {
                "unpacks to more than a hundred times its size"
            } else {
                "unpacks to more than 20 MiB"
            };
            return Err(HubError::Bundle(format!(
                "the archive {why} (at `{}`)",
                name.escape_debug()
            )));
        }
        self.out += bytes.len();
        Ok(bytes)
    }
}

fn unzip(bytes: &[u8]) -> Result<BundleFiles, HubError> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    if archive.has_duplicate_names() {
        return Err(HubError::Bundle("the archive has two files of one name".to_owned()));
    }
    if archive.len() > MAX_BUNDLE_FILES * 2 {
        return Err(HubError::Bundle(format!("it has more than {MAX_BUNDLE_FILES} files")));
    }
    let mut meter = Meter { packed: bytes.len(), out: 0 };
    let mut files = BundleFiles::default();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(broken)?;
        let name = entry.name().map_err(broken)?.into_owned();
        if entry.is_dir() {
            continue;
        }
        let mode = entry.unix_mode().unwrap_or(0o644);
        let kind = mode & 0o170_000;
        if entry.is_symlink() || !matches!(kind, 0 | 0o100_000) {
            return Err(special(&name));
        }
        let bytes = meter.read(&name, &mut entry)?;
        files.add(&name, BundleFile { bytes, executable: mode & 0o111 != 0 })?;
    }
    Ok(files)
}

fn untar(bytes: &[u8]) -> Result<BundleFiles, HubError> {
    let mut meter = Meter { packed: bytes.len(), out: 0 };
    // The archive's own frame is counted as well: a million empty entries are a bomb too.
    let frame =
        (bytes.len().saturating_mul(MOST_RATIO)).clamp(RATIO_COUNTS_FROM, 4 * MAX_BUNDLE_BYTES);
    let unpacked = flate2::read::MultiGzDecoder::new(bytes).take(frame as u64 + 1);
    let mut archive = tar::Archive::new(unpacked);
    let mut files = BundleFiles::default();
    for entry in archive.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let name = String::from_utf8(entry.path_bytes().into_owned()).map_err(|_| {
            HubError::Bundle("the archive has a file name that is no text".to_owned())
        })?;
        let kind = entry.header().entry_type();
        if kind.is_dir() || kind.is_pax_global_extensions() {
            continue;
        }
        if !kind.is_file() {
            return Err(special(&name));
        }
        let executable = entry.header().mode().unwrap_or(0o644) & 0o111 != 0;
        let bytes = meter.read(&name, &mut entry)?;
        let name = name.strip_prefix("./").unwrap_or(&name);
        files.add(name, BundleFile { bytes, executable })?;
    }
    Ok(files)
}

fn special(name: &str) -> HubError {
    HubError::Bundle(format!("`{}` in the archive is a link or a device", name.escape_debug()))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use proptest::prelude::*;

    use super::*;

    fn zip(files: &[(&str, &[u8], u32)]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes, mode) in files {
            let options = zip::write::SimpleFileOptions::default().unix_permissions(*mode);
            writer.start_file(*name, options).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    /// Written by hand where the library refuses to write what an attacker would.
    fn tar(entries: &[(&str, tar::EntryType, &[u8], &str)]) -> Vec<u8> {
        let mut out = Vec::new();
        for (name, kind, bytes, link) in entries {
            let mut header = tar::Header::new_ustar();
            header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
            header.as_old_mut().linkname[..link.len()].copy_from_slice(link.as_bytes());
            header.set_entry_type(*kind);
            header.set_size(bytes.len() as u64);
            header.set_mode(0o755);
            header.set_cksum();
            out.extend_from_slice(header.as_bytes());
            out.extend_from_slice(bytes);
            out.resize(out.len().next_multiple_of(512), 0);
        }
        out.resize(out.len() + 1024, 0);
        gzip(&out)
    }

    #[test]
    fn both_kinds_keep_binary_files_and_executable_bits() {
        let packed = zip(&[("s/SKILL.md", b"x", 0o644), ("s/run.sh", b"#!/bin/sh\n\xff\0", 0o755)]);
        let files = unpack(&packed).unwrap();
        assert_eq!(files.get("s/run.sh").unwrap().bytes, b"#!/bin/sh\n\xff\0");
        assert!(files.get("s/run.sh").unwrap().executable);
        assert!(!files.get("s/SKILL.md").unwrap().executable);
        let packed = tar(&[
            ("./s/", tar::EntryType::Directory, b"", ""),
            ("./s/SKILL.md", tar::EntryType::Regular, b"x", ""),
        ]);
        assert_eq!(unpack(&packed).unwrap().paths(), ["s/SKILL.md"]);
    }

    #[test]
    fn links_devices_and_paths_that_lead_out_refuse_the_whole_archive() {
        use tar::EntryType;
        for entry in [
            ("a", EntryType::Symlink, "/etc/passwd"),
            ("a", EntryType::Link, "b"),
            ("a", EntryType::Char, ""),
            ("a", EntryType::Block, ""),
            ("a", EntryType::Fifo, ""),
            ("../a", EntryType::Regular, ""),
            ("/a", EntryType::Regular, ""),
            ("b/../../a", EntryType::Regular, ""),
            (".git/hooks/x", EntryType::Regular, ""),
        ] {
            let packed = tar(&[
                ("SKILL.md", EntryType::Regular, b"x", ""),
                (entry.0, entry.1, b"", entry.2),
            ]);
            assert!(unpack(&packed).is_err(), "{entry:?}");
        }
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        writer.add_symlink("a", "/etc/passwd", zip::write::SimpleFileOptions::default()).unwrap();
        assert!(unpack(&writer.finish().unwrap().into_inner()).is_err());
        for name in ["../a", "/a", "C:\\a", "a/../../b"] {
            assert!(unpack(&zip(&[(name, b"x", 0o644)])).is_err(), "{name}");
        }
    }

    #[test]
    fn bombs_stop_at_what_really_comes_out() {
        let bomb = zip(&[("a", &vec![0; 8 << 20], 0o644)]);
        assert!(bomb.len() < 1 << 20);
        let error = unpack(&bomb).unwrap_err().to_string();
        assert!(error.contains("a hundred times"), "{error}");
        let bomb = tar(&[("a", tar::EntryType::Regular, &vec![0; 8 << 20], "")]);
        assert!(unpack(&bomb).is_err());
    }

    #[test]
    fn duplicate_and_case_clashing_names_in_archives_are_refused() {
        use tar::EntryType::Regular;
        assert!(unpack(&tar(&[("a", Regular, b"1", ""), ("a", Regular, b"2", "")])).is_err());
        assert!(unpack(&tar(&[("a", Regular, b"1", ""), ("A", Regular, b"2", "")])).is_err());
        assert!(unpack(&zip(&[("Skill.md", b"1", 0o644), ("SKILL.md", b"2", 0o644)])).is_err());
    }

    #[test]
    fn an_archive_inside_an_archive_is_a_file() {
        let inner = zip(&[("x", b"y", 0o644)]);
        let files = unpack(&zip(&[("inner.zip", &inner, 0o644)])).unwrap();
        assert_eq!(files.get("inner.zip").unwrap().bytes, inner);
    }

    proptest! {
        #[test]
        fn broken_archives_are_refused_not_fatal(noise in proptest::collection::vec(any::<u8>(), 0..400), cut in 0usize..400) {
            let _ = unpack(&noise);
            let whole = zip(&[("SKILL.md", &noise, 0o644)]);
            let _ = unpack(&whole[..cut.min(whole.len())]);
            let whole = tar(&[("SKILL.md", tar::EntryType::Regular, &noise, "")]);
            let _ = unpack(&whole[..cut.min(whole.len())]);
        }
    }
}
