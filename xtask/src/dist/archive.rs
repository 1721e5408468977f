//! The archive of a target: the binary, the papers, nothing else; and tar files as every other package needs them.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::Context;
use flate2::{Compression, GzBuilder};

use super::target::Target;
use super::{PAPERS, Package, VERSION};

/// The archive that the installer, the formula and people download.
pub(super) fn pack(root: &Path, target: Target, binary: &[u8]) -> anyhow::Result<Package> {
    let folder = format!("hermes-v{VERSION}-{}", target.triple);
    let mut tar = TarGz::new();
    tar.program(&format!("{folder}/hermes"), binary)?;
    for paper in PAPERS {
        tar.file(&format!("{folder}/{paper}"), &read(root, paper)?)?;
    }
    Ok(Package { name: format!("{folder}.tar.gz"), bytes: tar.finish()? })
}

/// A file of the repository.
pub(super) fn read(root: &Path, file: &str) -> anyhow::Result<Vec<u8>> {
    fs::read(root.join(file)).with_context(|| format!("read {file}"))
}

/// A compressed tar file that tells nothing of when, where and by whom it was made.
pub(super) struct TarGz {
    tar: tar::Builder<flate2::write::GzEncoder<Vec<u8>>>,
}

impl TarGz {
    pub(super) fn new() -> Self {
        let gzip = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
        Self { tar: tar::Builder::new(gzip) }
    }

    pub(super) fn file(&mut self, path: &str, bytes: &[u8]) -> anyhow::Result<()> {
        self.entry(path, bytes, 0o644, tar::EntryType::Regular)
    }

    pub(super) fn program(&mut self, path: &str, bytes: &[u8]) -> anyhow::Result<()> {
        self.entry(path, bytes, 0o755, tar::EntryType::Regular)
    }

    pub(super) fn folder(&mut self, path: &str) -> anyhow::Result<()> {
        self.entry(path, &[], 0o755, tar::EntryType::Directory)
    }

    fn entry(
        &mut self,
        path: &str,
        bytes: &[u8],
        mode: u32,
        kind: tar::EntryType,
    ) -> anyhow::Result<()> {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_size(bytes.len() as u64);
        header.set_mtime(0);
        header.set_uid(0);
        header.set_gid(0);
        self.tar.append_data(&mut header, path, bytes).with_context(|| format!("pack {path}"))
    }

    pub(super) fn finish(self) -> anyhow::Result<Vec<u8>> {
        let mut gzip = self.tar.into_inner().context("finish a tar file")?;
        gzip.flush()?;
        gzip.finish().context("finish a compressed file")
    }
}
