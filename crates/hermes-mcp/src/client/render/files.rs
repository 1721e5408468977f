//! Bytes of servers, kept as files.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use hermes_store::atomic::{WriteOptions, write};
use hermes_store::home::ensure_private_dir;
use sha2::{Digest as _, Sha256};

/// Largest block that is decoded.
pub(super) const LARGEST: usize = 50 * 1024 * 1024;
/// Longest file name taken from a server, and longest ending in it.
const LONGEST_NAME: usize = 150;
const LONGEST_ENDING: usize = 12;

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Where bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Folder {
    Images,
    Audio,
    Documents,
}

impl Folder {
    fn name(self) -> &'static str {
        match self {
            Self::Images => "images",
            Self::Audio => "audio",
            Self::Documents => "documents",
        }
    }

    /// What it holds, for a message.
    pub(super) fn thing(self) -> &'static str {
        match self {
            Self::Images => "an image",
            Self::Audio => "a sound",
            Self::Documents => "a file",
        }
    }
}

/// A stored file.
#[derive(Debug)]
pub(super) struct StoredFile {
    pub(super) path: PathBuf,
    pub(super) size: usize,
}

/// Why bytes were not stored.
#[derive(Debug, thiserror::Error)]
pub(super) enum StoreError {
    #[error("it is larger than {} MiB", LARGEST / (1024 * 1024))]
    TooLarge,
    #[error("its data is no valid base64")]
    NoBase64,
    #[error("it cannot be stored: {0}")]
    Disk(#[from] hermes_store::atomic::AtomicError),
}

/// Decodes and stores. The name depends on the content, so the same bytes are stored once.
pub(super) fn store(
    cache: &Path,
    folder: Folder,
    data: &str,
    kind: &str,
    uri: &str,
) -> Result<StoredFile, StoreError> {
    // Four characters are three bytes: known before any of them is decoded.
    if data.len() / 4 * 3 > LARGEST + 3 {
        return Err(StoreError::TooLarge);
    }
    let bytes = decode(data)?;
    if bytes.len() > LARGEST {
        return Err(StoreError::TooLarge);
    }
    let digits: String =
        Sha256::digest(&bytes).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    let name = match folder {
        Folder::Images => format!("img_{digits}.{}", image_ending(kind)),
        Folder::Audio => format!("audio_{digits}.{}", audio_ending(kind)),
        Folder::Documents => format!("doc_{digits}_{}", file_name(uri, kind)),
    };
    let dir = cache.join(folder.name());
    let path = dir.join(name);
    if !path.exists() {
        ensure_private_dir(&dir)?;
        write(&path, &bytes, WriteOptions::KEEP)?;
    }
    Ok(StoredFile { path, size: bytes.len() })
}

fn decode(data: &str) -> Result<Vec<u8>, StoreError> {
    BASE64.decode(data).or_else(|_| {
        // Some servers break lines.
        let packed: String = data.split_ascii_whitespace().collect();
        BASE64.decode(packed).map_err(|_| StoreError::NoBase64)
    })
}

fn plain_kind(kind: &str) -> String {
    kind.split(';').next().unwrap_or(kind).trim().to_ascii_lowercase()
}

fn image_ending(kind: &str) -> &'static str {
    match plain_kind(kind).as_str() {
        "image/jpeg" | "image/jpg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "image/bmp" => "bmp",
        "image/svg+xml" => "svg",
        _ => "png",
    }
}

fn audio_ending(kind: &str) -> &'static str {
    match plain_kind(kind).as_str() {
        "audio/wav" | "audio/x-wav" | "audio/wave" | "audio/vnd.wave" => "wav",
        "audio/mpeg" | "audio/mp3" => "mp3",
        "audio/flac" | "audio/x-flac" => "flac",
        "audio/mp4" | "audio/m4a" | "audio/x-m4a" => "m4a",
        "audio/webm" => "webm",
        _ => "ogg",
    }
}

fn document_ending(kind: &str) -> &'static str {
    match plain_kind(kind).as_str() {
        "application/pdf" => "pdf",
        "application/json" => "json",
        "application/zip" => "zip",
        "application/gzip" => "gz",
        "text/plain" => "txt",
        "text/html" => "html",
        "text/csv" => "csv",
        "text/markdown" => "md",
        "image/png" => "png",
        "image/jpeg" => "jpg",
        _ => "bin",
    }
}

/// A safe file name from the last part of an address.
pub(super) fn file_name(uri: &str, kind: &str) -> String {
    let path = uri.split(['?', '#']).next().unwrap_or(uri);
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let decoded = percent_decoded(last);
    let clean: String =
        decoded.chars().filter(|c| !c.is_control() && !matches!(c, '/' | '\\' | '\0')).collect();
    let clean = clean.trim();
    if clean.is_empty() || clean == "." || clean == ".." {
        return format!("resource.{}", document_ending(kind));
    }
    shortened(clean)
}

fn shortened(name: &str) -> String {
    if name.chars().count() <= LONGEST_NAME {
        return name.to_owned();
    }
    let ending = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && ending.chars().count() < LONGEST_ENDING => {
            format!(".{ending}")
        }
        _ => String::new(),
    };
    let room = LONGEST_NAME - ending.chars().count();
    name.chars().take(room).collect::<String>() + &ending
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let pair = (*first == b'%').then(|| after.get(..2)).flatten();
        let digits = pair.and_then(|pair| std::str::from_utf8(pair).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
