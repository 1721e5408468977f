//! What a file is: text, a picture, a document, or something that cannot be shown.
//!
//! The name decides where it can: nobody names a text `.mp4`. Extensions that are used for both
//! text and binary data are decided by content, and so is every name that says nothing.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

mod extensions;
mod sample;
#[cfg(test)]
mod tests;

use super::document::DocumentKind;
use super::{ImageFormat, ViewError};
use extensions::Hint;

/// How a file can be shown, told from its first bytes and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContentKind {
    /// By its name a document whose text can be extracted. Whether it can is known only after
    /// trying; if not, ask [`classify_plain`].
    Document(DocumentKind),
    /// Anything else.
    Plain(PlainKind),
}

/// What a file is when it is not to be unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlainKind {
    /// Text in some encoding.
    Text,
    /// A picture that can be sent to a model.
    Image(ImageFormat),
    /// Nothing that can be shown.
    Binary(BinaryReason),
}

/// Why a file counts as binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BinaryReason {
    /// Its extension (lower case, without the dot) stands for binary data.
    Extension(String),
    /// Its extension stands for a picture, but of no kind that can be shown.
    ImageExtension(String),
    /// Its content holds NUL bytes.
    NulBytes,
    /// Its content is mostly control characters.
    ControlCharacters,
    /// Its content is mostly bytes that are no characters.
    Undecodable,
}

impl BinaryReason {
    /// What to tell the reader of the file: what it is and what to use instead.
    #[must_use]
    pub fn message(&self, path: &Path) -> String {
        let path = path.display();
        match self {
            Self::ImageExtension(extension) => format!(
                "Cannot show '{path}': .{extension} files are pictures. Use vision_analyze to look \
                 at it."
            ),
            Self::Extension(extension) => format!(
                "Cannot show '{path}': .{extension} files are binary. Use the terminal tool with a \
                 program that understands them."
            ),
            Self::NulBytes | Self::ControlCharacters | Self::Undecodable => format!(
                "Cannot show '{path}': the content is binary ({}). Use the terminal tool, for \
                 example with file, strings or xxd.",
                match self {
                    Self::NulBytes => "it holds NUL bytes",
                    Self::ControlCharacters => "it is full of control characters",
                    _ => "much of it is not text in any known encoding",
                }
            ),
        }
    }
}

/// Says what a file is; the path is only looked at for its extension.
///
/// # Errors
///
/// When the file cannot be read.
pub fn classify(path: &Path, file: &mut (impl Read + Seek)) -> Result<ContentKind, ViewError> {
    match DocumentKind::of(path) {
        Some(kind) => Ok(ContentKind::Document(kind)),
        None => classify_plain(path, file).map(ContentKind::Plain),
    }
}

/// Says what a file is apart from being a document: where no text could be extracted, a Word or
/// Excel file is binary, a notebook is text, and a PDF is what its bytes are.
///
/// # Errors
///
/// When the file cannot be read.
pub fn classify_plain(path: &Path, file: &mut (impl Read + Seek)) -> Result<PlainKind, ViewError> {
    let extension = path.extension().map(|name| name.to_string_lossy().to_ascii_lowercase());
    let hint = extension.as_deref().and_then(extensions::hint);
    if let Some(Hint::Binary) = hint {
        return Ok(PlainKind::Binary(BinaryReason::Extension(extension.unwrap_or_default())));
    }
    file.seek(SeekFrom::Start(0))?;
    let mut start = Vec::new();
    file.take(12).read_to_end(&mut start)?;
    let format = ImageFormat::sniff(&start);
    if let Some(Hint::Image) = hint {
        let reason = || BinaryReason::ImageExtension(extension.unwrap_or_default());
        return Ok(format.map_or_else(|| PlainKind::Binary(reason()), PlainKind::Image));
    }
    Ok(match (sample::judge(file)?, format) {
        (None, _) => PlainKind::Text,
        (Some(_), Some(format)) => PlainKind::Image(format),
        (Some(reason), None) => PlainKind::Binary(reason),
    })
}
