//! Sound in another form, by `ffmpeg` where it is installed.

use std::time::Duration;

use hermes_tool::Vars;
use tokio_util::sync::CancellationToken;

use super::{AudioFormat, MAX_AUDIO_BYTES};
use crate::programs::{self, Scratch};

/// How long a conversion may take.
const TIME: Duration = Duration::from_secs(120);

/// The sound in the wished form; an error is a short reason.
pub(super) async fn converted(
    audio: &[u8],
    from: AudioFormat,
    wished: AudioFormat,
    vars: &Vars,
    cancel: &CancellationToken,
) -> Result<Vec<u8>, String> {
    let program = programs::find("ffmpeg", vars).ok_or("ffmpeg is not installed")?;
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let input = scratch.input(&format!("in.{from}"), audio).map_err(|error| error.to_string())?;
    let name = format!("out.{wished}");
    let voice: &[&str] = match wished {
        AudioFormat::Ogg => &["-c:a", "libopus", "-ac", "1", "-b:a", "64k"],
        _ => &[],
    };
    let finished = programs::command(program, vars)
        .args(["-nostdin", "-loglevel", "error", "-y", "-i"])
        .arg(&input)
        .args(voice.iter().copied())
        .arg(scratch.path(&name))
        .deadline(TIME)
        .cancel(cancel.clone())
        .run()
        .await
        .map_err(|error| error.to_string())?;
    if !finished.success() {
        return Err(format!("ffmpeg failed: {}", programs::last_words(&finished)));
    }
    scratch.output(&name, MAX_AUDIO_BYTES).ok_or_else(|| "ffmpeg made nothing".to_owned())
}
