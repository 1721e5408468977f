//! Speech on this machine: Piper where a voice is configured, else eSpeak NG.

use std::path::PathBuf;
use std::time::Duration;

use futures_util::future::BoxFuture;
use hermes_tool::Vars;
use tokio_util::sync::CancellationToken;

use super::settings::{SpeechSettings, VoiceSettings};
use super::{AudioFormat, MAX_AUDIO_BYTES, SpeechError, SpeechProvider};
use crate::programs::{self, Scratch};

/// How long a program may speak.
const TIME: Duration = Duration::from_secs(300);
/// The file a program speaks into.
const OUTPUT: &str = "speech.wav";
/// Words a minute of eSpeak at its usual speed.
const WORDS_A_MINUTE: f64 = 175.0;

/// Which program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Engine {
    Piper,
    Espeak,
}

impl Engine {
    fn name(self) -> &'static str {
        match self {
            Self::Piper => "piper",
            Self::Espeak => "espeak",
        }
    }
}

struct LocalSpeech {
    engine: Engine,
    program: PathBuf,
    voice: VoiceSettings,
    vars: Vars,
}

/// The program of this name; `local` is whichever is there.
pub(super) fn named(
    name: &str,
    settings: &SpeechSettings,
    vars: &Vars,
) -> Result<Box<dyn SpeechProvider>, SpeechError> {
    match name {
        "piper" => Ok(Box::new(piper(settings, vars)?)),
        "local" => installed(settings, vars),
        _ => Ok(Box::new(espeak(settings, vars)?)),
    }
}

/// Whoever can speak on this machine.
pub(super) fn installed(
    settings: &SpeechSettings,
    vars: &Vars,
) -> Result<Box<dyn SpeechProvider>, SpeechError> {
    match piper(settings, vars) {
        Ok(piper) => Ok(Box::new(piper)),
        Err(_) => Ok(Box::new(espeak(settings, vars)?)),
    }
}

fn piper(settings: &SpeechSettings, vars: &Vars) -> Result<LocalSpeech, SpeechError> {
    let voice = settings.voice("piper");
    let name = voice.command.as_deref().unwrap_or("piper");
    let program = programs::find(name, vars).ok_or_else(|| SpeechError::NotInstalled {
        program: name.to_owned(),
        advice: "`pip install piper-tts`, or set `tts.provider: espeak`".to_owned(),
    })?;
    if voice.model.is_none() {
        let what = "`tts.piper.model` names no voice (an .onnx file)".to_owned();
        return Err(SpeechError::Setting { provider: "piper".to_owned(), what });
    }
    Ok(LocalSpeech { engine: Engine::Piper, program, voice, vars: vars.clone() })
}

fn espeak(settings: &SpeechSettings, vars: &Vars) -> Result<LocalSpeech, SpeechError> {
    let voice = settings.voice("espeak");
    let names = voice.command.as_deref().map_or(vec!["espeak-ng", "espeak"], |name| vec![name]);
    let found = names.iter().find_map(|name| programs::find(name, vars));
    let program = found.ok_or_else(|| SpeechError::NotInstalled {
        program: names[0].to_owned(),
        advice: "install it with the system's package manager (package espeak-ng)".to_owned(),
    })?;
    Ok(LocalSpeech { engine: Engine::Espeak, program, voice, vars: vars.clone() })
}

impl LocalSpeech {
    fn arguments(&self, output: &str) -> Vec<String> {
        let text = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let voice = &self.voice;
        match self.engine {
            Engine::Piper => {
                let mut args = text(&["--output_file", output]);
                if let Some(model) = &voice.model {
                    args.extend(text(&["--model", model]));
                }
                if let Some(speed) = voice.speed {
                    args.extend(["--length_scale".to_owned(), format!("{:.3}", 1.0 / speed)]);
                }
                args
            }
            Engine::Espeak => {
                let mut args = text(&["--stdin", "-w", output]);
                if let Some(name) = &voice.voice {
                    args.extend(text(&["-v", name]));
                }
                if let Some(speed) = voice.speed {
                    args.extend(["-s".to_owned(), format!("{:.0}", WORDS_A_MINUTE * speed)]);
                }
                args
            }
        }
    }
}

impl SpeechProvider for LocalSpeech {
    fn name(&self) -> &str {
        self.engine.name()
    }

    fn max_chars(&self) -> usize {
        5_000
    }

    fn form_for(&self, _wished: AudioFormat) -> AudioFormat {
        AudioFormat::Wav
    }

    fn speak<'a>(
        &'a self,
        text: &'a str,
        _wished: AudioFormat,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Vec<u8>, SpeechError>> {
        Box::pin(async move {
            let scratch = Scratch::new()?;
            let output = scratch.path(OUTPUT);
            // Piper takes a line for a text of its own.
            let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let finished = programs::command(self.program.clone(), &self.vars)
                .args(self.arguments(&output.to_string_lossy()))
                .stdin_bytes(format!("{line}\n"))
                .cwd(scratch.folder())
                .deadline(TIME)
                .cancel(cancel.clone())
                .run()
                .await?;
            let program = self.name().to_owned();
            if !finished.success() {
                let why = programs::last_words(&finished);
                return Err(SpeechError::Program { program, why });
            }
            scratch.output(OUTPUT, MAX_AUDIO_BYTES).ok_or(SpeechError::NoAudio(program))
        })
    }
}
