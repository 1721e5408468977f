//! Pictures for models that can see: recognised by their first bytes, sent as they are.

use std::io::{Read, Seek, SeekFrom};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::ViewError;

/// Largest picture that is sent: in base64 this is 5 MiB, the least any large provider accepts.
pub const MAX_IMAGE_BYTES: u64 = 3_932_160;

/// A kind of picture that models accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageFormat {
    /// Portable Network Graphics.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF.
    Gif,
    /// WebP.
    Webp,
    /// Windows bitmap.
    Bmp,
}

impl ImageFormat {
    /// Recognises a picture by its first bytes (twelve are enough); names can be wrong.
    #[must_use]
    pub fn sniff(start: &[u8]) -> Option<Self> {
        match start {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => Some(Self::Png),
            [0xFF, 0xD8, 0xFF, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            // Two letters alone would also be the start of a text; the reserved field is zero.
            [b'B', b'M', _, _, _, _, 0, 0, 0, 0, ..] => Some(Self::Bmp),
            _ => None,
        }
    }

    /// The media type, as models want it named.
    #[must_use]
    pub const fn mime(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
            Self::Bmp => "image/bmp",
        }
    }
}

/// Loads a whole picture.
///
/// # Errors
///
/// When it is larger than [`MAX_IMAGE_BYTES`] or cannot be read.
pub fn read_image(file: &mut (impl Read + Seek)) -> Result<Vec<u8>, ViewError> {
    let size = file.seek(SeekFrom::End(0))?;
    if size > MAX_IMAGE_BYTES {
        return Err(ViewError::ImageTooLarge { size });
    }
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    file.take(MAX_IMAGE_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A picture as a part of a chat message: an `image_url` that carries the data itself. The media
/// type comes from the bytes.
///
/// # Errors
///
/// When the bytes are no picture of a known format, or too many.
pub fn image_part(bytes: &[u8]) -> Result<Value, ViewError> {
    let size = bytes.len() as u64;
    if size > MAX_IMAGE_BYTES {
        return Err(ViewError::ImageTooLarge { size });
    }
    let format = ImageFormat::sniff(bytes).ok_or(ViewError::NotAnImage)?;
    let url = format!("data:{};base64,{}", format.mime(), STANDARD.encode(bytes));
    Ok(json!({"type": "image_url", "image_url": {"url": url}}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n....";

    #[test]
    fn recognises_each_format_by_its_first_bytes() {
        let cases: [(&[u8], &str); 6] = [
            (PNG, "image/png"),
            (b"\xFF\xD8\xFF\xE0", "image/jpeg"),
            (b"GIF87a", "image/gif"),
            (b"GIF89a..", "image/gif"),
            (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
            (b"BM\x46\0\0\0\0\0\0\0\x36", "image/bmp"),
        ];
        for (bytes, mime) in cases {
            assert_eq!(ImageFormat::sniff(bytes).map(ImageFormat::mime), Some(mime));
        }
        for other in [&b""[..], b"BM is a text", b"RIFF\0\0\0\0WAVE", b"GIF8", b"<svg>"] {
            assert_eq!(ImageFormat::sniff(other), None);
        }
    }

    #[test]
    fn a_part_carries_the_data_and_the_real_type() {
        let part = image_part(b"GIF89a").unwrap();
        assert_eq!(part["type"], "image_url");
        assert_eq!(part["image_url"]["url"], "data:image/gif;base64,R0lGODlh");
    }

    #[test]
    fn refuses_what_is_no_picture_or_too_large() {
        assert!(matches!(image_part(b"hello"), Err(ViewError::NotAnImage)));
        let mut large = PNG.to_vec();
        large.resize(usize::try_from(MAX_IMAGE_BYTES).unwrap() + 1, 0);
        assert!(matches!(image_part(&large), Err(ViewError::ImageTooLarge { .. })));
        let refused = read_image(&mut Cursor::new(&large)).unwrap_err().to_string();
        assert!(refused.contains("3932161"), "{refused}");
        large.pop();
        assert_eq!(read_image(&mut Cursor::new(&large)).unwrap(), large);
        assert!(image_part(&large).is_ok());
    }
}
