//! The Debian package: an `ar` file of a version, a tar file with the package's words and one with its files.

use std::path::Path;

use super::archive::{TarGz, read};
use super::target::Target;
use super::{HOMEPAGE, PAPERS, Package, SUMMARY, VERSION};

/// The package of a Linux target.
pub(super) fn pack(root: &Path, target: Target, binary: &[u8]) -> anyhow::Result<Option<Package>> {
    let (Some(architecture), Some((major, minor))) = (target.deb, target.glibc) else {
        return Ok(None);
    };
    let mut data = TarGz::new();
    for folder in [
        "./",
        "./usr/",
        "./usr/bin/",
        "./usr/share/",
        "./usr/share/doc/",
        "./usr/share/doc/hermes-rs/",
    ] {
        data.folder(folder)?;
    }
    data.program("./usr/bin/hermes", binary)?;
    let mut size = binary.len();
    for paper in PAPERS {
        let bytes = read(root, paper)?;
        size += bytes.len();
        data.file(&format!("./usr/share/doc/hermes-rs/{paper}"), &bytes)?;
    }
    let words = format!(
        "Package: hermes-rs\nVersion: {VERSION}\nArchitecture: {architecture}\nSection: utils\nPriority: optional\n\
         Maintainer: The Hermes developers <hermes@hermes-rs.invalid>\nInstalled-Size: {}\n\
         Depends: libc6 (>= {major}.{minor}), bash\nRecommends: ca-certificates, git\nHomepage: {HOMEPAGE}\n\
         Description: {SUMMARY}\n Talk with it in a terminal, ask it one question from a script, or use its tools\n by hand, \
         over MCP or over HTTP.\n",
        size.div_ceil(1024)
    );
    let mut control = TarGz::new();
    control.folder("./")?;
    control.file("./control", words.as_bytes())?;

    let mut bytes = b"!<arch>\n".to_vec();
    for (name, member) in [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", control.finish()?),
        ("data.tar.gz", data.finish()?),
    ] {
        // Name, time, owner, group, mode, size, each in columns of its own.
        bytes.extend(
            format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 100_644, member.len())
                .bytes(),
        );
        bytes.extend(&member);
        if member.len() % 2 == 1 {
            bytes.push(b'\n');
        }
    }
    Ok(Some(Package { name: format!("hermes-rs_{VERSION}_{architecture}.deb"), bytes }))
}
