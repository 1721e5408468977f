//! Bodies, counted while they arrive and while they are unpacked.
//!
//! A body is held twice at most: packed, up to the limit, and unpacked, up to the same limit. What would unpack to
//! more stops at the limit, whatever its header promised. Unpacking is work of the processor and happens on a thread
//! made for waiting.

use std::io::{self, Read};

use reqwest::Response;
use reqwest::header::{CONTENT_ENCODING, HeaderMap};

use crate::error::FetchError;

/// What we say we can unpack.
pub(crate) const ACCEPTED: &str = "gzip, deflate, br, zstd";
/// Most layers of packing; a second one is a server's mistake, a third one is none.
const MOST_LAYERS: usize = 2;
/// Room given to the unpacker at a time.
const PIECE: usize = 64 << 10;

/// Reads a whole body.
pub(crate) async fn read(
    mut response: Response,
    limit: usize,
    host: &str,
) -> Result<Vec<u8>, FetchError> {
    let too_large = || FetchError::TooLarge { host: host.to_owned(), limit };
    let announced = response.content_length().unwrap_or_default();
    if announced > limit as u64 {
        return Err(too_large());
    }
    let layers = layers(response.headers())
        .map_err(|why| FetchError::Encoding { host: host.to_owned(), why })?;
    let mut body = Vec::with_capacity(usize::try_from(announced).unwrap_or_default());
    while let Some(part) = response.chunk().await.map_err(|error| connection(host, &error))? {
        if body.len() + part.len() > limit {
            return Err(too_large());
        }
        body.extend_from_slice(&part);
    }
    // Servers answer HEAD and errors without a body and leave the header in.
    if layers.is_empty() || body.is_empty() {
        return Ok(body);
    }
    let unpacking = tokio::task::spawn_blocking(move || {
        layers.into_iter().rev().try_fold(body, |body, layer| unpack(&body, layer, limit))
    });
    match unpacking.await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(UnpackError::TooLarge)) => Err(too_large()),
        Ok(Err(UnpackError::Broken(why))) => {
            Err(FetchError::Encoding { host: host.to_owned(), why })
        }
        Err(error) => Err(FetchError::Encoding { host: host.to_owned(), why: error.to_string() }),
    }
}

pub(crate) fn connection(host: &str, error: &reqwest::Error) -> FetchError {
    // The outermost text only says that sending failed; what went wrong is at the bottom.
    let mut deepest: &dyn std::error::Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    FetchError::Connection { host: host.to_owned(), why: deepest.to_string() }
}

/// One way a body may be packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// RFC 1952, several members allowed.
    Gzip,
    /// RFC 1950, or without its frame, as many servers send it.
    Deflate,
    /// RFC 7932.
    Brotli,
    /// RFC 8878.
    Zstd,
}

/// Why a packed body is not handed on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnpackError {
    /// It unpacks to more than the limit; how much more was not looked at.
    #[error("it unpacks to more than is taken")]
    TooLarge,
    /// It is no such packing, or was cut off.
    #[error("{0}")]
    Broken(String),
}

fn layers(headers: &HeaderMap) -> Result<Vec<Packing>, String> {
    let mut layers = Vec::new();
    for value in headers.get_all(CONTENT_ENCODING) {
        let names =
            value.to_str().map_err(|_| "the header content-encoding is no text".to_owned())?;
        for name in names.split(',').map(|name| name.trim().to_ascii_lowercase()) {
            layers.push(match name.as_str() {
                "" | "identity" => continue,
                "gzip" | "x-gzip" => Packing::Gzip,
                "deflate" => Packing::Deflate,
                "br" => Packing::Brotli,
                "zstd" => Packing::Zstd,
                other => return Err(format!("unknown packing `{}`", other.escape_debug())),
            });
        }
    }
    if layers.len() > MOST_LAYERS {
        return Err(format!("packed {} times over", layers.len()));
    }
    Ok(layers)
}

/// Unpacks at most `limit` bytes.
///
/// # Errors
/// There would be more, or the bytes are not packed that way.
pub fn unpack(packed: &[u8], packing: Packing, limit: usize) -> Result<Vec<u8>, UnpackError> {
    let broken = |error: &dyn std::fmt::Display| UnpackError::Broken(error.to_string());
    match packing {
        Packing::Gzip => drain(flate2::read::MultiGzDecoder::new(packed), limit),
        Packing::Deflate => match drain(flate2::read::ZlibDecoder::new(packed), limit) {
            Err(UnpackError::Broken(_)) => drain(flate2::read::DeflateDecoder::new(packed), limit),
            other => other,
        },
        Packing::Brotli => drain(brotli_decompressor::Decompressor::new(packed, PIECE), limit),
        Packing::Zstd => {
            let decoder =
                ruzstd::decoding::StreamingDecoder::new(packed).map_err(|error| broken(&error))?;
            drain(decoder, limit)
        }
    }
}

fn drain(unpacker: impl Read, limit: usize) -> Result<Vec<u8>, UnpackError> {
    let mut body = Vec::new();
    let read: io::Result<usize> = unpacker.take(limit as u64 + 1).read_to_end(&mut body);
    if body.len() > limit {
        return Err(UnpackError::TooLarge);
    }
    read.map_err(|error| UnpackError::Broken(error.to_string()))?;
    Ok(body)
}

#[cfg(test)]
mod tests;
