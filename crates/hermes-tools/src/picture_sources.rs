//! Pictures that a model names, got by the rules for addresses and files.

use std::time::Duration;

use hermes_media::picture::{MAX_BYTES, Picture, PictureSource, download};
use hermes_media::vision::VisionSettings;
use hermes_tool::{ToolContext, ToolError};

use crate::file::whole_file::read_whole;
use crate::host_services;

/// How long is waited before a download that failed in passing is tried again.
const PAUSES: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(4)];

/// The picture at an address, in a file or in the text itself.
///
/// # Errors
/// A rule speaks against it, it cannot be got, or it is no picture.
pub(crate) async fn picture(named: &str, cx: &ToolContext) -> Result<Picture, ToolError> {
    let answer = |error: &dyn std::fmt::Display| ToolError::answer(error.to_string());
    let bytes = match PictureSource::parse(named).map_err(|error| answer(&error))? {
        PictureSource::Inline(bytes) => bytes,
        PictureSource::File(path) => read_whole(&path, MAX_BYTES, cx).await?,
        PictureSource::Web(address) => {
            let time = VisionSettings::of(cx).download_time();
            let door = host_services::http_door(cx);
            let got = download(&door, &address, time, &PAUSES, cx.cancellation()).await;
            got.map_err(|error| answer(&error))?
        }
    };
    Picture::recognise(bytes).map_err(|error| answer(&error))
}
