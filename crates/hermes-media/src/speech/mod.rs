//! Speech from text: services, programs on this machine, and commands of the user's own.
//!
//! The user names who speaks (`tts.provider`). Where nobody is named it is Edge, which needs no key; if that cannot be
//! reached, a program on this machine speaks in its place and the result says so. Nobody is charged because a key
//! happens to be there.
//!
//! A [`SpeechProvider`] turns one text into the bytes of one sound. [`Speaker`] does the rest: it chooses the provider,
//! cuts a text that is too long for it, and has the sound converted where another form was wished for and `ffmpeg` is
//! installed.

mod command;
mod convert;
pub mod edge;
mod format;
mod limits;
mod local;
mod services;
mod settings;

use std::path::Path;

use futures_util::future::BoxFuture;
use hermes_process::ProcessError;
use hermes_tool::Vars;
use tokio_util::sync::CancellationToken;

use edge::EdgeSpeech;
pub use format::AudioFormat;
pub use settings::{CommandVoice, SpeechSettings, VoiceSettings};

use crate::service::ServiceError;

/// Most bytes of one sound.
pub(crate) const MAX_AUDIO_BYTES: usize = 100 << 20;
/// Who speaks where the user named nobody.
const USUAL: &str = "edge";

/// Something that speaks.
pub trait SpeechProvider: Send + Sync {
    /// Its name, as it stands in the settings.
    fn name(&self) -> &str;

    /// Most characters it speaks at a time.
    fn max_chars(&self) -> usize;

    /// The form in which the sound will come if this one is wished for.
    fn form_for(&self, wished: AudioFormat) -> AudioFormat;

    /// Speaks a text; the sound is in the form that [`SpeechProvider::form_for`] said.
    fn speak<'a>(
        &'a self,
        text: &'a str,
        wished: AudioFormat,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Vec<u8>, SpeechError>>;
}

/// Why nothing was said.
#[derive(Debug, thiserror::Error)]
pub enum SpeechError {
    /// There is nothing to say.
    #[error("the text is empty")]
    Empty,
    /// The settings name somebody unknown.
    #[error("`tts.provider` is {name}, which nobody is called; there are {known}")]
    UnknownProvider {
        /// The name in the settings.
        name: String,
        /// The names that would do.
        known: String,
    },
    /// A key is missing.
    #[error("{provider} needs a key: set {vars} in the environment or in .env")]
    NoKey {
        /// Who needs it.
        provider: String,
        /// The variables that may hold it.
        vars: &'static str,
    },
    /// Something in the settings is missing.
    #[error("{provider}: {what}")]
    Setting {
        /// Whose setting.
        provider: String,
        /// What is missing, and how to give it.
        what: String,
    },
    /// A program is not there.
    #[error("{program} is not installed; {advice}")]
    NotInstalled {
        /// Its name.
        program: String,
        /// How to get it.
        advice: String,
    },
    /// A program failed.
    #[error("{program} failed: {why}")]
    Program {
        /// Its name, or the provider's.
        program: String,
        /// What it said.
        why: String,
    },
    /// A program could not be run.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// A service failed.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// A file of ours could not be written or read.
    #[error("{0}")]
    File(#[from] std::io::Error),
    /// Everything went well and there is no sound.
    #[error("{0} sent no sound")]
    NoAudio(String),
}

impl SpeechError {
    /// The kind, as models are told it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Empty => "invalid_request",
            Self::UnknownProvider { .. } | Self::NoKey { .. } | Self::Setting { .. } => {
                "configuration"
            }
            Self::NotInstalled { .. } => "not_installed",
            Self::Program { .. } | Self::Process(_) | Self::File(_) => "program_error",
            Self::Service(error) => error.kind(),
            Self::NoAudio(_) => "invalid_response",
        }
    }
}

/// What was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoken {
    /// The sound.
    pub audio: Vec<u8>,
    /// The encoding that the bytes really have, which may differ from what was asked for.
    pub format: AudioFormat,
    /// Whether chat programs can show it as a voice message: by its form, or because the settings of a command say so.
    pub is_voice: bool,
    /// Who spoke.
    pub provider: String,
    /// What the listener should know, such as that the text was cut.
    pub notes: Vec<String>,
}

/// Chooses who speaks, and has it done.
#[derive(Clone, Debug)]
pub struct Speaker {
    settings: SpeechSettings,
    vars: Vars,
}

impl Speaker {
    /// By these settings, with the keys and programs of these variables.
    #[must_use]
    pub fn new(settings: SpeechSettings, vars: Vars) -> Self {
        Self { settings, vars }
    }

    /// Who will speak.
    #[must_use]
    pub fn provider_name(&self) -> &str {
        self.settings.provider().unwrap_or(USUAL)
    }

    /// Speaks a text, in this form if it can be had.
    ///
    /// # Errors
    /// Nobody can.
    pub async fn speak(
        &self,
        text: &str,
        wished: AudioFormat,
        cancel: &CancellationToken,
    ) -> Result<Spoken, SpeechError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(SpeechError::Empty);
        }
        let named = self.settings.provider();
        let first = self.provider(named.unwrap_or(USUAL))?;
        match self.spoken_by(first.as_ref(), text, wished, cancel).await {
            Err(SpeechError::Service(error)) if error.is_unreachable() && named.is_none() => {
                let Ok(local) = local::installed(&self.settings, &self.vars) else {
                    return Err(SpeechError::Service(error));
                };
                let mut spoken = self.spoken_by(local.as_ref(), text, wished, cancel).await?;
                spoken.notes.push(format!("{error}; {} spoke instead", local.name()));
                Ok(spoken)
            }
            other => other,
        }
    }

    async fn spoken_by(
        &self,
        provider: &dyn SpeechProvider,
        text: &str,
        wished: AudioFormat,
        cancel: &CancellationToken,
    ) -> Result<Spoken, SpeechError> {
        let most = self.settings.voice(provider.name()).max_text_length;
        let (text, note) = limits::cut(text, most.unwrap_or_else(|| provider.max_chars()));
        let mut notes: Vec<String> = note.into_iter().collect();
        let audio = provider.speak(text, wished, cancel).await?;
        if audio.is_empty() {
            return Err(SpeechError::NoAudio(provider.name().to_owned()));
        }
        let mut format = provider.form_for(wished);
        let mut audio = audio;
        if format != wished {
            match convert::converted(&audio, format, wished, &self.vars, cancel).await {
                Ok(converted) => (audio, format) = (converted, wished),
                Err(why) => notes.push(format!("the sound is {format}, not {wished}: {why}")),
            }
        }
        let told = self.settings.command(provider.name()).is_some_and(|one| one.voice_compatible);
        let is_voice = told || format.is_voice();
        Ok(Spoken { audio, format, is_voice, provider: provider.name().to_owned(), notes })
    }

    fn provider(&self, name: &str) -> Result<Box<dyn SpeechProvider>, SpeechError> {
        let (settings, vars) = (&self.settings, &self.vars);
        if let Some(command) = settings.command(name) {
            return Ok(Box::new(command::CommandSpeech::new(name, command, vars)?));
        }
        match name {
            "edge" => Ok(Box::new(EdgeSpeech::new(&settings.voice(name), vars))),
            "piper" | "espeak" | "espeak-ng" | "local" => local::named(name, settings, vars),
            _ => services::named(name, settings, vars),
        }
    }
}

/// The names that `tts.provider` may be.
fn known_names(settings: &SpeechSettings) -> String {
    let own = settings.command_names().map(str::to_owned);
    let built_in = ["edge", "local", "piper", "espeak"].into_iter().chain(services::NAMES);
    built_in.map(str::to_owned).chain(own).collect::<Vec<_>>().join(", ")
}

/// The file name of a sound made at this moment, without what comes after the dot.
#[must_use]
pub fn file_stem(now: &jiff::Zoned) -> String {
    now.strftime("tts_%Y%m%d_%H%M%S").to_string()
}

/// Whether a path that a model gave leads upwards.
#[must_use]
pub fn climbs(path: &str) -> bool {
    Path::new(path).components().any(|part| part == std::path::Component::ParentDir)
}

#[cfg(test)]
mod tests;
