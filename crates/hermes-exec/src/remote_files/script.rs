//! Putting a script together.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::Duration;

use hermes_files::fs::FsError;
use tokio_util::sync::CancellationToken;

use super::answer::ScriptReply;
use super::{ACT_LIMIT, ScriptJob, ScriptRunner};
use crate::quote::always_quoted;

/// What every script begins with.
const PRELUDE: &str = include_str!("scripts/prelude.sh");

/// Most bytes an answer has besides content.
const ANSWER_BYTES: usize = 1 << 20;

/// A script in the making: values first, then what to do with them.
#[derive(Debug)]
pub(super) struct FileScript {
    text: String,
    input: Vec<u8>,
    most_output: usize,
    limit: Duration,
    cancel: CancellationToken,
}

impl FileScript {
    pub(super) fn new() -> Self {
        Self {
            text: PRELUDE.to_owned(),
            input: Vec::new(),
            most_output: ANSWER_BYTES,
            limit: ACT_LIMIT,
            cancel: CancellationToken::new(),
        }
    }

    /// A script about the file at `path`, which it calls `p`.
    pub(super) fn about(path: &Path) -> Result<Self, FsError> {
        Self::new().path("p", path)
    }

    /// Gives a variable a path.
    pub(super) fn path(self, name: &str, path: &Path) -> Result<Self, FsError> {
        let bytes = path.as_os_str().as_bytes();
        if bytes.contains(&0) {
            let problem = "the path contains a NUL byte; no file can be called that".to_owned();
            return Err(FsError::BadPath { problem });
        }
        Ok(self.bytes(name, bytes))
    }

    /// Gives a variable these bytes, none of which is zero.
    pub(super) fn bytes(mut self, name: &str, value: &[u8]) -> Self {
        let _ = writeln!(self.text, "{name}={}", word(value));
        self
    }

    /// Gives a variable a value that is plain.
    pub(super) fn value(self, name: &str, value: impl std::fmt::Display) -> Self {
        self.bytes(name, value.to_string().as_bytes())
    }

    /// What to do next.
    pub(super) fn then(mut self, part: &str) -> Self {
        self.text.push_str(part);
        self
    }

    /// What it reads.
    pub(super) fn reads(mut self, input: Vec<u8>) -> Self {
        self.input = input;
        self
    }

    /// How much content it may say.
    pub(super) fn says(mut self, most: u64) -> Self {
        self.most_output = usize::try_from(most).unwrap_or(usize::MAX).saturating_add(ANSWER_BYTES);
        self
    }

    /// How long it may take.
    pub(super) fn within(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// What stops it.
    pub(super) fn until(mut self, cancel: CancellationToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// The script itself.
    pub(super) fn job(self) -> ScriptJob {
        let Self { text: script, input, most_output, limit, cancel } = self;
        ScriptJob { script, input, most_output, limit, cancel }
    }

    /// Runs it as an act on a file.
    pub(super) async fn run(
        self,
        runner: &dyn ScriptRunner,
        act: &'static str,
        path: &Path,
    ) -> Result<ScriptReply, FsError> {
        let failed = |source| FsError::Io { act, path: path.to_owned(), source };
        let run =
            runner.run(self.job()).await.map_err(|error| failed(std::io::Error::other(error)))?;
        let mut answer = ScriptReply::of(run).map_err(failed)?;
        match answer.failure(path) {
            Some(failure) => Err(failure),
            None => Ok(answer),
        }
    }
}

/// Bytes as one word of bash.
pub(super) fn word(bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return always_quoted(text);
    }
    let mut out = String::from("$'");
    for byte in bytes {
        // Three digits, always: what follows cannot be taken for one of them.
        let _ = write!(out, "\\{byte:03o}");
    }
    out.push('\'');
    out
}
