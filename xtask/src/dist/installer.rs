//! The installer for a shell: `packaging/install.sh` with the version, the address and the checksums of this release.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::ensure;

use super::archive::read;
use super::target::Target;
use super::{DOWNLOADS, Package, VERSION};

/// The line of the template that the table of archives takes the place of.
const TABLE: &str = "#ARCHIVES#\n";

/// The installer for the archives of this release.
pub(super) fn write(root: &Path, archives: &[(Target, Package)]) -> anyhow::Result<Package> {
    let template = String::from_utf8(read(root, "packaging/install.sh")?)?;
    ensure!(template.contains(TABLE), "packaging/install.sh has no line {TABLE:?}");
    let mut table = String::new();
    for (target, archive) in archives {
        writeln!(table, "{} {} {}", target.triple, archive.name, archive.sha256())?;
    }
    let text = template
        .replace(TABLE, &table)
        .replace("#VERSION#", VERSION)
        .replace("#DOWNLOADS#", &format!("{DOWNLOADS}/v{VERSION}"));
    Ok(Package { name: "hermes-installer.sh".into(), bytes: text.into_bytes() })
}
