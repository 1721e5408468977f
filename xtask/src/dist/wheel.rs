//! The Python wheel: the binary as a script of the environment, and a module of a few lines, so that
//! `uvx hermes-rs` and `python -m hermes_rs` find it too.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::archive::read;
use super::target::Target;
use super::{HOMEPAGE, Package, SUMMARY, VERSION};

/// Runs the binary that the wheel has put beside the environment's other scripts.
const MODULE: &str = r#""""Runs the hermes program that came with this package."""

import os
import sys
import sysconfig


def find():
    """The program, in the place where this package's installation has put it."""
    name = "hermes"
    folders = [sysconfig.get_path("scripts"), os.path.dirname(os.path.abspath(sys.argv[0]))]
    here = os.path.dirname(os.path.abspath(__file__))
    # pip install --target and --prefix keep scripts in a folder of their own.
    folders += [os.path.join(here, "..", "bin"), os.path.join(here, "..", "..", "..", "..", "bin")]
    for folder in folders:
        file = os.path.join(folder, name)
        if os.access(file, os.X_OK) and os.path.isfile(file):
            return file
    sys.exit("hermes-rs: the program is not beside this package; install the package again")


def main():
    file = find()
    os.execv(file, [file, *sys.argv[1:]])
"#;

const MAIN: &str = "from hermes_rs import main\n\nmain()\n";

/// The wheel of a target.
pub(super) fn pack(root: &Path, target: Target, binary: &[u8]) -> anyhow::Result<Package> {
    let tag = format!("py3-none-{}", target.wheel);
    let stem = format!("hermes_rs-{VERSION}");
    let info = format!("{stem}.dist-info");
    let readme = String::from_utf8(read(root, "README.md")?)?;
    let metadata = format!(
        "Metadata-Version: 2.1\nName: hermes-rs\nVersion: {VERSION}\nSummary: {SUMMARY}\nHome-page: {HOMEPAGE}\n\
         License: MIT OR Apache-2.0\nRequires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n{readme}"
    );
    let wheel = format!(
        "Wheel-Version: 1.0\nGenerator: hermes xtask\nRoot-Is-Purelib: false\nTag: {tag}\n"
    );

    let mut wheel_file =
        Wheel { zip: ZipWriter::new(Cursor::new(Vec::new())), record: String::new() };
    wheel_file.add(&format!("{stem}.data/scripts/hermes"), binary, 0o755)?;
    wheel_file.add("hermes_rs/__init__.py", MODULE.as_bytes(), 0o644)?;
    wheel_file.add("hermes_rs/__main__.py", MAIN.as_bytes(), 0o644)?;
    wheel_file.add(&format!("{info}/METADATA"), metadata.as_bytes(), 0o644)?;
    wheel_file.add(&format!("{info}/WHEEL"), wheel.as_bytes(), 0o644)?;
    let entry = b"[console_scripts]\nhermes-rs = hermes_rs:main\n";
    wheel_file.add(&format!("{info}/entry_points.txt"), entry, 0o644)?;
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        wheel_file.add(&format!("{info}/licenses/{licence}"), &read(root, licence)?, 0o644)?;
    }
    let bytes = wheel_file.finish(&info)?;
    Ok(Package { name: format!("{stem}-{tag}.whl"), bytes })
}

/// A zip file that lists itself with checksums, as installers of wheels demand.
struct Wheel {
    zip: ZipWriter<Cursor<Vec<u8>>>,
    record: String,
}

impl Wheel {
    fn add(&mut self, path: &str, bytes: &[u8], mode: u32) -> anyhow::Result<()> {
        let sum = URL_SAFE_NO_PAD.encode(Sha256::digest(bytes));
        writeln!(self.record, "{path},sha256={sum},{}", bytes.len())?;
        self.write(path, bytes, mode)
    }

    fn write(&mut self, path: &str, bytes: &[u8], mode: u32) -> anyhow::Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(mode);
        self.zip.start_file(path, options)?;
        Ok(self.zip.write_all(bytes)?)
    }

    fn finish(mut self, info: &str) -> anyhow::Result<Vec<u8>> {
        let path = format!("{info}/RECORD");
        writeln!(self.record, "{path},,")?;
        let record = std::mem::take(&mut self.record);
        self.write(&path, record.as_bytes(), 0o644)?;
        Ok(self.zip.finish()?.into_inner())
    }
}
