//! Where a picture comes from, as a model writes it.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::GeneralPurposeConfig;
use hermes_web::{FetchError, FetchLimits, FetchRequest, HttpDoor, header};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::MAX_BYTES;

/// Reads base64 with or without the signs at its end.
const FORGIVING: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(base64::engine::DecodePaddingMode::Indifferent),
);

/// A picture that somebody named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PictureSource {
    /// At an address, to be fetched through the door.
    Web(String),
    /// A file; may begin with `~`.
    File(String),
    /// In the text itself.
    Inline(Vec<u8>),
}

/// Why a picture was not got.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PictureSourceError {
    /// Nothing is named.
    #[error("the image's address is empty")]
    Empty,
    /// A `data:` address in another form than base64.
    #[error("only base64 data: URLs hold an image here (data:image/png;base64,…)")]
    NotBase64,
    /// An address of another kind.
    #[error("{0}: images come from http(s) addresses, file:// addresses, paths and data: URLs")]
    Scheme(String),
    /// It is larger than is read.
    #[error("the image is larger than {} MiB", MAX_BYTES >> 20)]
    TooLarge,
    /// The server said no.
    #[error("the server answered with status {0}")]
    Status(u16),
    /// The door said no, or the network failed.
    #[error("{}", .0.for_model())]
    Fetch(#[from] FetchError),
    /// We were told to stop.
    #[error("the image was no longer waited for")]
    Cancelled,
}

impl PictureSourceError {
    /// Whether the next try may go better.
    fn is_transient(&self) -> bool {
        match self {
            Self::Status(status) => matches!(status, 429 | 500..),
            Self::Fetch(error) => {
                matches!(error, FetchError::Timeout { .. } | FetchError::Connection { .. })
            }
            _ => false,
        }
    }
}

impl PictureSource {
    /// Reads what a model wrote.
    ///
    /// # Errors
    /// It names no picture that could be got.
    pub fn parse(text: &str) -> Result<Self, PictureSourceError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(PictureSourceError::Empty);
        }
        let begins = |word: &str| {
            text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
        };
        if begins("data:") {
            return inline(&text["data:".len()..]).map(Self::Inline);
        }
        if begins("http://") || begins("https://") {
            return Ok(Self::Web(text.to_owned()));
        }
        if begins("file:") {
            let path = Url::parse(text).ok().and_then(|url| url.to_file_path().ok());
            let path =
                path.ok_or_else(|| PictureSourceError::Scheme("file: without a path".to_owned()))?;
            return Ok(Self::File(path.to_string_lossy().into_owned()));
        }
        match text.split_once("://") {
            Some((scheme, _)) if !scheme.contains('/') => {
                Err(PictureSourceError::Scheme(format!("{scheme}://")))
            }
            _ => Ok(Self::File(text.to_owned())),
        }
    }
}

fn inline(rest: &str) -> Result<Vec<u8>, PictureSourceError> {
    let (head, data) = rest.split_once(',').ok_or(PictureSourceError::NotBase64)?;
    let is_base64 = head
        .rsplit(';')
        .next()
        .is_some_and(|word| head.contains(';') && word.trim().eq_ignore_ascii_case("base64"));
    if !is_base64 {
        return Err(PictureSourceError::NotBase64);
    }
    if data.len() > super::scale::base64_length(MAX_BYTES) {
        return Err(PictureSourceError::TooLarge);
    }
    let data: Vec<u8> = data.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    FORGIVING.decode(data).map_err(|_| PictureSourceError::NotBase64)
}

/// Fetches a picture through the door, again after each of the pauses if something passing went wrong.
///
/// # Errors
/// A rule speaks against the address, or it did not come.
pub async fn download(
    door: &HttpDoor,
    address: &str,
    time: Duration,
    pauses: &[Duration],
    cancel: &CancellationToken,
) -> Result<Vec<u8>, PictureSourceError> {
    let mut pauses = pauses.iter();
    loop {
        let error = match fetch(door, address, time, cancel).await {
            Ok(bytes) => return Ok(bytes),
            Err(error) => error,
        };
        let pause = match pauses.next() {
            Some(pause) if error.is_transient() => *pause,
            _ => return Err(error),
        };
        tracing::debug!(%error, ?pause, "the image is asked for again");
        tokio::select! {
            () = cancel.cancelled() => return Err(PictureSourceError::Cancelled),
            () = tokio::time::sleep(pause) => {}
        }
    }
}

async fn fetch(
    door: &HttpDoor,
    address: &str,
    time: Duration,
    cancel: &CancellationToken,
) -> Result<Vec<u8>, PictureSourceError> {
    let accepted = header::HeaderValue::from_static("image/*,*/*;q=0.8");
    let request = FetchRequest::get(address).header(header::ACCEPT, accepted).limits(FetchLimits {
        bytes: MAX_BYTES,
        time,
        ..FetchLimits::default()
    });
    let fetched = tokio::select! {
        () = cancel.cancelled() => return Err(PictureSourceError::Cancelled),
        fetched = door.fetch(request) => fetched,
    };
    let fetched = match fetched {
        Err(FetchError::TooLarge { .. }) => return Err(PictureSourceError::TooLarge),
        other => other?,
    };
    if !fetched.status.is_success() {
        return Err(PictureSourceError::Status(fetched.status.as_u16()));
    }
    Ok(fetched.body)
}
