//! Whisper on this machine, or a command that takes its place.

use std::path::PathBuf;

use futures_util::future::BoxFuture;
use hermes_tool::Vars;
use tokio_util::sync::CancellationToken;

use super::{ListenerSettings, Recording, Transcriber, TranscriptionError};
use crate::programs::{self, Scratch, fill};

const MODEL: &str = "base";
/// Most bytes of a text.
const MAX_TEXT: usize = 4 << 20;

pub(super) struct Whisper {
    settings: ListenerSettings,
    /// The program, where no command line is given.
    program: Option<PathBuf>,
    vars: Vars,
}

impl Whisper {
    pub(super) fn new(
        settings: &ListenerSettings,
        vars: &Vars,
    ) -> Result<Self, TranscriptionError> {
        let program = programs::find("whisper", vars);
        if settings.command.is_none() && program.is_none() {
            return Err(TranscriptionError::NotInstalled);
        }
        Ok(Self { settings: settings.clone(), program, vars: vars.clone() })
    }

    fn command(
        &self,
        scratch: &Scratch,
        input: &str,
    ) -> Result<hermes_process::Command, TranscriptionError> {
        let model = self.settings.model.as_deref().unwrap_or(MODEL);
        let language = self.settings.language.as_deref().unwrap_or_default();
        let folder = scratch.folder().to_string_lossy().into_owned();
        match (&self.settings.command, &self.program) {
            (Some(line), _) => {
                let values = [
                    ("{input_path}", input),
                    ("{output_dir}", &folder),
                    ("{language}", language),
                    ("{model}", model),
                ];
                let filled = fill(line, &values).ok_or_else(|| TranscriptionError::Program {
                    program: "stt.local.command".to_owned(),
                    why: "a value holds a NUL character".to_owned(),
                })?;
                Ok(programs::command("/bin/sh", &self.vars).args(["-c", &filled]))
            }
            (None, Some(program)) => {
                let mut command = programs::command(program.clone(), &self.vars)
                    .args([
                        input,
                        "--model",
                        model,
                        "--output_format",
                        "txt",
                        "--output_dir",
                        &folder,
                    ])
                    .args(["--fp16", "False"]);
                if !language.is_empty() {
                    command = command.args(["--language", language]);
                }
                Ok(command)
            }
            (None, None) => Err(TranscriptionError::NotInstalled),
        }
    }
}

impl Transcriber for Whisper {
    fn name(&self) -> &'static str {
        "local"
    }

    fn transcribe<'a>(
        &'a self,
        recording: &'a Recording,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<String, TranscriptionError>> {
        Box::pin(async move {
            let scratch = Scratch::new()?;
            let input = scratch.input(&recording.file_name(), &recording.bytes)?;
            let finished = self
                .command(&scratch, &input.to_string_lossy())?
                .capture(hermes_process::CaptureLimit::chars(MAX_TEXT))
                .cwd(scratch.folder())
                .deadline(self.settings.timeout.duration())
                .cancel(cancel.clone())
                .run()
                .await?;
            if !finished.success() {
                let why = programs::last_words(&finished);
                return Err(TranscriptionError::Program { program: "whisper".to_owned(), why });
            }
            let written = scratch.output("voice.txt", MAX_TEXT);
            let written = written.map(|text| String::from_utf8_lossy(&text).into_owned());
            let text = written.unwrap_or_else(|| finished.stdout.text());
            Ok(text.trim().to_owned())
        })
    }
}
