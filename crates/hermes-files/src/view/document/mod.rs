//! The text inside documents: notebooks, Word, Excel and PDF files.
//!
//! [`extract`] gives a text that is then shown through the same window as any other. It is written
//! for files from anywhere: the size is capped before anything is loaded, the unpacked size and its
//! ratio to the packed one while it is unpacked, and the resulting text while it is written. A file
//! that is not what its name says, or is damaged, gives nothing, never an error: it is then treated
//! like a file with any other name.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

mod notebook;
mod pdf;
mod rendering;
mod sheet;
mod word;
mod xml;
mod zipped;

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod tests;

use super::ViewError;

/// A larger document is not unpacked.
pub const MAX_DOCUMENT_BYTES: u64 = 50 * 1024 * 1024;

/// A kind of document whose text can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    /// Jupyter notebook, `.ipynb`.
    Notebook,
    /// Word document, `.docx`.
    Word,
    /// Excel workbook, `.xlsx`.
    Sheet,
    /// Portable Document Format, `.pdf`.
    Pdf,
}

impl DocumentKind {
    /// The kind a file has by its name.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "ipynb" => Some(Self::Notebook),
            "docx" => Some(Self::Word),
            "xlsx" => Some(Self::Sheet),
            "pdf" => Some(Self::Pdf),
            _ => None,
        }
    }
}

/// The text of a document, or nothing when the file is too large, damaged, encrypted or something
/// else.
///
/// # Errors
///
/// Only when the file cannot be read.
pub fn extract(
    kind: DocumentKind,
    file: &mut (impl Read + Seek),
) -> Result<Option<String>, ViewError> {
    let size = file.seek(SeekFrom::End(0))?;
    if size == 0 || size > MAX_DOCUMENT_BYTES {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.take(MAX_DOCUMENT_BYTES).read_to_end(&mut bytes)?;
    Ok(match kind {
        DocumentKind::Notebook => notebook::text(&bytes),
        DocumentKind::Word => word::text(&bytes),
        DocumentKind::Sheet => sheet::text(&bytes),
        DocumentKind::Pdf => pdf::text(&bytes),
    })
}
