//! A file as the model sees it: numbered lines, a picture, the text of a document, or a refusal.
//!
//! [`show`] is the whole way of one file:
//!
//! 1. a notebook, Word, Excel or PDF file is turned into text ([`extract`]); where that does not
//!    work, it is handled like any other file;
//! 2. [`classify_plain`] tells text from pictures and other binary data, by name and by content;
//! 3. text is shown through a window of numbered lines ([`read_window`]).
//!
//! Everything here reads an opened file and nothing else: which file may be read, whether it was
//! read before and which secrets are hidden from the result is decided by the caller. All functions
//! block and are meant for a thread that may. Memory is bounded whatever the file is: windows keep
//! only what they show, documents and pictures have a size cap before they are loaded, and what is
//! unpacked has one of its own.

use std::io;
use std::path::Path;

use serde_json::Value;
use thiserror::Error;

use crate::fs::ReadSeek;

mod classify;
mod document;
mod encoding;
mod image;
#[cfg(test)]
mod tests;
mod window;

pub use classify::{BinaryReason, ContentKind, PlainKind, classify, classify_plain};
pub use document::{DocumentKind, MAX_DOCUMENT_BYTES, extract};
pub use encoding::Encoding;
pub use image::{ImageFormat, MAX_IMAGE_BYTES, image_part, read_image};
pub use window::{
    CUT_MARKER, DEFAULT_LIMIT, DEFAULT_MAX_CHARS, DEFAULT_MAX_LINE_CHARS, DEFAULT_OFFSET,
    LineWindow, WindowRequest, read_window, window_of_text,
};

/// Why a file could not be shown.
#[derive(Debug, Error)]
pub enum ViewError {
    /// The system could not read it.
    #[error("the file cannot be read: {0}")]
    Read(#[from] io::Error),
    /// A picture that is too large to send.
    #[error(
        "the picture has {size} bytes; at most {MAX_IMAGE_BYTES} can be shown. Make a smaller copy first"
    )]
    ImageTooLarge {
        /// Size of the whole file in bytes.
        size: u64,
    },
    /// The content is not a picture of a known format.
    #[error("the file is not a PNG, JPEG, GIF, WebP or BMP picture")]
    NotAnImage,
}

/// What [`show`] makes of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum FileView {
    /// Numbered lines of a text file.
    Text(LineWindow),
    /// Numbered lines of the text inside a document.
    Document(LineWindow),
    /// A picture, as a part of a chat message.
    Image {
        /// The format the bytes have, whatever the name says.
        format: ImageFormat,
        /// An `image_url` part that carries the picture itself.
        part: Value,
        /// Size of the whole file in bytes, before it was encoded.
        file_size: u64,
    },
    /// Nothing that could be shown.
    Binary(BinaryReason),
}

/// Shows a file: text and documents as a window, pictures as they are, the rest not at all.
///
/// The path is only looked at for its extension.
///
/// # Errors
///
/// When the file cannot be read, or is a picture too large to send.
pub fn show(
    path: &Path,
    file: &mut impl ReadSeek,
    request: &WindowRequest,
) -> Result<FileView, ViewError> {
    if let Some(kind) = DocumentKind::of(path)
        && let Some(text) = extract(kind, file)?
    {
        let file_size = file.seek(io::SeekFrom::End(0))?;
        return Ok(FileView::Document(window_of_text(&text, file_size, request)?));
    }
    match classify_plain(path, file)? {
        PlainKind::Text => Ok(FileView::Text(read_window(file, request)?)),
        PlainKind::Image(format) => {
            let bytes = read_image(file)?;
            let file_size = bytes.len() as u64;
            Ok(FileView::Image { format, part: image_part(&bytes)?, file_size })
        }
        PlainKind::Binary(reason) => Ok(FileView::Binary(reason)),
    }
}
