//! Words from speech: what was said in a voice message.
//!
//! The user names who listens (`stt.provider`). Without a word there it is Whisper on this machine, which costs nothing
//! and tells nobody; services are asked only if they are named.
//!
//! [`transcribe_file`] is the whole way from a sound file to its words; the parts are for callers that hold the sound
//! already or ask one listener several times.

mod local;
mod services;
mod settings;

use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;
use hermes_process::ProcessError;
use hermes_tool::Vars;
use hermes_tool::settings::Settings as _;
use serde_json::Value;
pub use settings::{ListenerSettings, TranscriptionSettings};
use tokio_util::sync::CancellationToken;

use crate::service::ServiceError;

/// Most bytes of sound; the least that the services agree on.
pub const MAX_SOUND_BYTES: usize = 25 << 20;
/// The forms of sound that are understood, by the endings of files.
pub const FORMS: [&str; 10] =
    ["mp3", "mp4", "mpeg", "mpga", "m4a", "wav", "webm", "ogg", "aac", "flac"];
/// Who listens where the user named nobody.
const USUAL: &str = "local";

/// Sound to be written down: its bytes and what its name says of the form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    bytes: Vec<u8>,
    form: &'static str,
}

impl Recording {
    /// A recording whose file has this name; the ending tells the form.
    ///
    /// # Errors
    /// The form is unknown, or there is too much or nothing.
    pub fn new(name: &Path, bytes: Vec<u8>) -> Result<Self, TranscriptionError> {
        let ending = name.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let ending = ending.to_ascii_lowercase();
        let ending = if matches!(ending.as_str(), "oga" | "opus") { "ogg" } else { &ending };
        let form = FORMS.into_iter().find(|form| *form == ending);
        let form = form.ok_or_else(|| TranscriptionError::Form(ending.to_owned()))?;
        match bytes.len() {
            0 => Err(TranscriptionError::Empty),
            1..=MAX_SOUND_BYTES => Ok(Self { bytes, form }),
            _ => Err(TranscriptionError::TooLarge),
        }
    }

    fn file_name(&self) -> String {
        format!("voice.{}", self.form)
    }
}

/// Something that listens.
pub trait Transcriber: Send + Sync {
    /// Its name, as it stands in the settings.
    fn name(&self) -> &'static str;

    /// Writes down what is said.
    fn transcribe<'a>(
        &'a self,
        recording: &'a Recording,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<String, TranscriptionError>>;
}

/// Why nothing was understood.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptionError {
    /// The file's ending is none of ours.
    #[error("sound of the form {0:?} is not understood; there are {forms}", forms = FORMS.join(", "))]
    Form(String),
    /// There is no sound.
    #[error("the recording is empty")]
    Empty,
    /// There is too much.
    #[error("the recording is larger than {} MiB", MAX_SOUND_BYTES >> 20)]
    TooLarge,
    /// The user switched it off.
    #[error("transcription is switched off (`stt.enabled`)")]
    Off,
    /// The settings name somebody unknown.
    #[error("`stt.provider` is {name}, which nobody is called; there are {known}")]
    Unknown {
        /// The name in the settings.
        name: String,
        /// The names that would do.
        known: String,
    },
    /// A key is missing.
    #[error("{provider} needs a key: set {var} in the environment or in .env")]
    NoKey {
        /// Who needs it.
        provider: &'static str,
        /// Where it belongs.
        var: &'static str,
    },
    /// No program here listens.
    #[error(
        "no Whisper is installed; `pip install openai-whisper`, or name a command in `stt.local.command`"
    )]
    NotInstalled,
    /// A program failed.
    #[error("{program} failed: {why}")]
    Program {
        /// Which.
        program: String,
        /// What it said.
        why: String,
    },
    /// The sound file cannot be read.
    #[error("{} cannot be read: {why}", .path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
    /// A program could not be run.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// A service failed.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// A file of ours could not be written.
    #[error("{0}")]
    File(#[from] std::io::Error),
}

/// The listener that the settings choose.
///
/// # Errors
/// It is switched off, unknown, not installed, or has no key.
pub fn transcriber(
    settings: &TranscriptionSettings,
    vars: &Vars,
) -> Result<Box<dyn Transcriber>, TranscriptionError> {
    if !settings.enabled {
        return Err(TranscriptionError::Off);
    }
    match settings.provider().unwrap_or(USUAL) {
        "local" => Ok(Box::new(local::Whisper::new(&settings.local, vars)?)),
        name => services::named(name, settings, vars),
    }
}

/// Writes down what is said in a sound file, by the user's settings (`stt.*` of `config`): who listens, in which
/// language, how long it may take. Keys and programs are looked up in `vars`. A recording in which nobody speaks gives
/// an empty text.
///
/// # Errors
/// Transcription is switched off, whoever listens is not there, the file is no sound or too much of it, or listening
/// failed.
pub async fn transcribe_file(
    config: &Value,
    vars: &Vars,
    path: &Path,
    cancel: &CancellationToken,
) -> Result<String, TranscriptionError> {
    let listener = transcriber(&TranscriptionSettings::read(config, vars), vars)?;
    let file = path.to_owned();
    let recording = tokio::task::spawn_blocking(move || recorded(&file)).await;
    let recording = recording.map_err(|error| TranscriptionError::Unreadable {
        path: path.to_owned(),
        why: error.to_string(),
    })??;
    listener.transcribe(&recording, cancel).await
}

/// The sound of a file, which is not read if it is too large.
fn recorded(path: &Path) -> Result<Recording, TranscriptionError> {
    let unreadable = |why: &dyn std::fmt::Display| TranscriptionError::Unreadable {
        path: path.to_owned(),
        why: why.to_string(),
    };
    let about = std::fs::metadata(path).map_err(|error| unreadable(&error))?;
    if !about.is_file() {
        // A pipe would be waited for without end.
        return Err(unreadable(&"it is no file"));
    }
    if about.len() > MAX_SOUND_BYTES as u64 {
        return Err(TranscriptionError::TooLarge);
    }
    Recording::new(path, std::fs::read(path).map_err(|error| unreadable(&error))?)
}

#[cfg(test)]
mod tests;
