//! Making pictures smaller.

use std::io::Cursor;

use hermes_files::view::ImageFormat;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder, ImageReader, Limits};

use super::{FittedPicture, MAX_MEMORY, MAX_SIDE, PictureError, PictureLimits};

/// How faithful a JPEG is, of 100.
const QUALITY: u8 = 85;
/// How often a picture is made smaller before it is given up.
const ATTEMPTS: usize = 8;
/// No side gets shorter than this.
const MIN_SIDE: u32 = 16;

/// Formats that every model takes.
fn is_common(format: ImageFormat) -> bool {
    !matches!(format, ImageFormat::Bmp)
}

/// The length of so many bytes in base64.
pub(crate) fn base64_length(bytes: usize) -> usize {
    bytes.div_ceil(3) * 4
}

pub(super) fn fit(
    bytes: Vec<u8>,
    format: ImageFormat,
    limits: PictureLimits,
) -> Result<FittedPicture, PictureError> {
    let fits_bytes = base64_length(bytes.len()) <= limits.base64_bytes;
    let (width, height) = dimensions(&bytes)?;
    let fits_side = width.max(height) <= limits.side;
    if is_common(format) && fits_bytes && fits_side {
        return Ok(FittedPicture { bytes, format, is_changed: false });
    }
    let mut picture = unpack(&bytes)?;
    drop(bytes);
    if !fits_side {
        picture = picture.resize(limits.side, limits.side, FilterType::Triangle);
    }
    // A picture with transparent parts, or one that only changes its format, stays exact if it can.
    let exact = fits_bytes && fits_side || picture.color().has_alpha();
    for _ in 0..ATTEMPTS {
        let (packed, format) = pack(&picture, exact)?;
        let length = base64_length(packed.len());
        if length <= limits.base64_bytes {
            return Ok(FittedPicture { bytes: packed, format, is_changed: true });
        }
        let (width, height) = (picture.width(), picture.height());
        if width.max(height) <= MIN_SIDE {
            break;
        }
        let (width, height) = (smaller(width, length, limits), smaller(height, length, limits));
        picture = picture.resize(width, height, FilterType::Triangle);
    }
    Err(PictureError::TooLarge(limits.base64_bytes))
}

/// A side scaled so that the area fits the bytes, with some room.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an estimate of a side, which is small and positive"
)]
fn smaller(side: u32, length: usize, limits: PictureLimits) -> u32 {
    let ratio = (limits.base64_bytes as f64 / length as f64).sqrt() * 0.9;
    ((f64::from(side) * ratio.clamp(0.2, 0.9)) as u32).max(MIN_SIDE)
}

fn reader(bytes: &[u8]) -> Result<ImageReader<Cursor<&[u8]>>, PictureError> {
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|error| PictureError::Broken(error.to_string()))?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_MEMORY);
    reader.limits(limits);
    Ok(reader)
}

#[expect(clippy::needless_pass_by_value, reason = "shaped for `map_err`")]
fn broken(error: image::ImageError) -> PictureError {
    PictureError::Broken(error.to_string())
}

fn dimensions(bytes: &[u8]) -> Result<(u32, u32), PictureError> {
    reader(bytes)?.into_dimensions().map_err(broken)
}

/// The picture (of several, the first) the way up it is meant to be seen.
fn unpack(bytes: &[u8]) -> Result<DynamicImage, PictureError> {
    let mut decoder = reader(bytes)?.into_decoder().map_err(broken)?;
    let orientation = decoder.orientation().map_err(broken)?;
    let mut picture = DynamicImage::from_decoder(decoder).map_err(broken)?;
    picture.apply_orientation(orientation);
    Ok(picture)
}

fn pack(picture: &DynamicImage, exact: bool) -> Result<(Vec<u8>, ImageFormat), PictureError> {
    let mut packed = Cursor::new(Vec::new());
    if exact {
        picture.write_to(&mut packed, image::ImageFormat::Png).map_err(broken)?;
        return Ok((packed.into_inner(), ImageFormat::Png));
    }
    let encoder = JpegEncoder::new_with_quality(&mut packed, QUALITY);
    picture.to_rgb8().write_with_encoder(encoder).map_err(broken)?;
    Ok((packed.into_inner(), ImageFormat::Jpeg))
}
