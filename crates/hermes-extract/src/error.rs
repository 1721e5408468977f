//! Why there is nothing to read.

use crate::page::NeedsBrowser;

/// Why there is nothing to read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtractError {
    /// The page is empty until its scripts run.
    #[error(transparent)]
    NeedsBrowser(#[from] NeedsBrowser),
    /// It is a picture.
    #[error("it is a picture ({0})")]
    Image(String),
    /// The pages of the file are pictures.
    #[error("the PDF has no text ({pages} pages, probably scanned)")]
    ScannedPdf {
        /// How many pages it has.
        pages: usize,
    },
    /// The file cannot be read.
    #[error("the PDF cannot be read: {0}")]
    BrokenPdf(String),
    /// Nothing that could be shown as text.
    #[error("content of type {media_type} ({bytes} bytes) cannot be shown as text")]
    Unsupported {
        /// What the server called it.
        media_type: String,
        /// How long it is.
        bytes: usize,
    },
}
