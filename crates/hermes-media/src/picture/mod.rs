//! Pictures: recognised by their bytes, made fit for models.
//!
//! A [`Picture`] is bytes whose kind is known from the bytes themselves; what a name or a header says does not count.
//! [`Picture::fit`] gives it the form a model takes: a format all of them know, no side longer than they look at, and no
//! more bytes than they accept. What fits already is sent as it is. Reading and scaling is work of the processor, so it
//! happens on threads made for waiting, and never on more of them at once than there are cores.
//!
//! Everything here may come from a stranger: how large a picture may become in memory is limited before it is unpacked
//! ([`MAX_SIDE`], [`MAX_MEMORY`]), and a drawing (SVG) is given no file and no address that it asks for.

mod scale;
mod source;
mod svg;

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
pub use hermes_files::view::ImageFormat;
pub use source::{PictureSource, PictureSourceError, download};
use tokio::sync::Semaphore;

/// Most bytes of a picture that is read at all.
pub const MAX_BYTES: usize = 50 << 20;
/// Longest side of a picture that is unpacked.
pub const MAX_SIDE: u32 = 30_000;
/// Most memory one picture may take when it is unpacked.
pub const MAX_MEMORY: u64 = 512 << 20;

/// How many pictures are worked on at a time.
static WORKERS: LazyLock<Semaphore> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Semaphore::new(cores)
});

/// What a picture is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureKind {
    /// Dots, in a format that is known.
    Dots(ImageFormat),
    /// A drawing in SVG.
    Drawing,
}

/// A picture, its kind told from its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    bytes: Vec<u8>,
    kind: PictureKind,
}

/// What a model takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureLimits {
    /// Most bytes once it is written in base64.
    pub base64_bytes: usize,
    /// Longest side.
    pub side: u32,
}

/// A picture as a model takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FittedPicture {
    /// The file as it is, not unpacked.
    pub bytes: Vec<u8>,
    /// Their format.
    pub format: ImageFormat,
    /// Whether it had to be changed.
    pub is_changed: bool,
}

impl FittedPicture {
    /// The picture as an address that holds it.
    #[must_use]
    pub fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.format.mime(), STANDARD.encode(&self.bytes))
    }
}

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    /// The bytes are something else.
    #[error("not an image (PNG, JPEG, GIF, BMP, WebP or SVG)")]
    NotAnImage,
    /// It cannot be unpacked, or only with more memory than is given.
    #[error("the image cannot be read: {0}")]
    Broken(String),
    /// It does not become small enough.
    #[error("the image cannot be made smaller than {0} bytes")]
    TooLarge(usize),
}

impl Picture {
    /// Recognises a picture.
    ///
    /// # Errors
    /// [`PictureError::NotAnImage`].
    pub fn recognise(bytes: Vec<u8>) -> Result<Self, PictureError> {
        let kind = match ImageFormat::sniff(&bytes) {
            Some(format) => PictureKind::Dots(format),
            None if svg::is_svg(&bytes) => PictureKind::Drawing,
            None => return Err(PictureError::NotAnImage),
        };
        Ok(Self { bytes, kind })
    }

    /// What it is made of.
    #[must_use]
    pub fn kind(&self) -> PictureKind {
        self.kind
    }

    /// The bytes as they came.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes themselves.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The picture in a form that a model takes.
    ///
    /// # Errors
    /// It cannot be read, or cannot be made small enough.
    pub async fn fit(self, limits: PictureLimits) -> Result<FittedPicture, PictureError> {
        let broken = |why: &dyn std::fmt::Display| PictureError::Broken(why.to_string());
        let _turn = WORKERS.acquire().await.map_err(|closed| broken(&closed))?;
        let work = tokio::task::spawn_blocking(move || self.fitted(limits));
        work.await.unwrap_or_else(|panicked| Err(broken(&panicked)))
    }

    fn fitted(self, limits: PictureLimits) -> Result<FittedPicture, PictureError> {
        match self.kind {
            PictureKind::Drawing => {
                let bytes = svg::rasterise(&self.bytes)?;
                let drawn = scale::fit(bytes, ImageFormat::Png, limits)?;
                Ok(FittedPicture { is_changed: true, ..drawn })
            }
            PictureKind::Dots(format) => scale::fit(self.bytes, format, limits),
        }
    }
}

#[cfg(test)]
mod tests;
