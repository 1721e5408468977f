//! Commands of the user's own that speak.
//!
//! The command line is the user's, from his settings; what a model says reaches it only as a file to read. What is
//! filled in is quoted for the shell, so that no voice's name becomes a second command.

use std::path::Path;

use futures_util::future::BoxFuture;
use hermes_tool::Vars;
use tokio_util::sync::CancellationToken;

use super::settings::CommandVoice;
use super::{AudioFormat, MAX_AUDIO_BYTES, SpeechError, SpeechProvider};
use crate::programs::{self, Scratch, fill};

pub(super) struct CommandSpeech {
    name: String,
    line: String,
    voice: CommandVoice,
    format: AudioFormat,
    vars: Vars,
}

impl CommandSpeech {
    pub(super) fn new(name: &str, voice: &CommandVoice, vars: &Vars) -> Result<Self, SpeechError> {
        let wrong = |what: String| SpeechError::Setting { provider: name.to_owned(), what };
        let line = voice.command.clone();
        let line =
            line.ok_or_else(|| wrong(format!("`tts.providers.{name}.command` holds no command")))?;
        let format = AudioFormat::parse(&voice.output_format).ok_or_else(|| {
            wrong(format!("`tts.providers.{name}.output_format` is none of mp3, ogg, wav, flac"))
        })?;
        let (name, voice, vars) = (name.to_owned(), voice.clone(), vars.clone());
        Ok(Self { name, line, voice, format, vars })
    }

    fn filled(&self, input: &Path, output: &Path) -> Result<String, SpeechError> {
        let speed = self.voice.speed.unwrap_or(1.0).to_string();
        let values: [(&str, &str); 6] = [
            ("{input_path}", &input.to_string_lossy()),
            ("{output_path}", &output.to_string_lossy()),
            ("{format}", self.format.extension()),
            ("{voice}", self.voice.voice.as_deref().unwrap_or_default()),
            ("{model}", self.voice.model.as_deref().unwrap_or_default()),
            ("{speed}", &speed),
        ];
        fill(&self.line, &values).ok_or_else(|| SpeechError::Setting {
            provider: self.name.clone(),
            what: "a value for the command holds a NUL character".to_owned(),
        })
    }
}

impl SpeechProvider for CommandSpeech {
    fn name(&self) -> &str {
        &self.name
    }

    fn max_chars(&self) -> usize {
        4_000
    }

    fn form_for(&self, _wished: AudioFormat) -> AudioFormat {
        self.format
    }

    fn speak<'a>(
        &'a self,
        text: &'a str,
        _wished: AudioFormat,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Vec<u8>, SpeechError>> {
        Box::pin(async move {
            let scratch = Scratch::new()?;
            let input = scratch.input("text.txt", text.as_bytes())?;
            let name = format!("speech.{}", self.format);
            let finished = programs::command("/bin/sh", &self.vars)
                .args(["-c", &self.filled(&input, &scratch.path(&name))?])
                .cwd(scratch.folder())
                .deadline(self.voice.timeout.duration())
                .cancel(cancel.clone())
                .run()
                .await?;
            let program = self.name.clone();
            if !finished.success() {
                let why = programs::last_words(&finished);
                return Err(SpeechError::Program { program, why });
            }
            scratch.output(&name, MAX_AUDIO_BYTES).ok_or(SpeechError::NoAudio(program))
        })
    }
}
