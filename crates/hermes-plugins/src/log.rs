//! A plugin's log: what it writes to its standard error, prints by mistake, or wants noted.
//!
//! One file a plugin below `logs/plugins` in the state folder. It is begun anew when it has grown to
//! [`MAX_BYTES`]; the one before is kept beside it. What cannot be written is lost, and nobody is
//! held up by it.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use hermes_store::home::ensure_private_dir;

/// Size at which a log is begun anew.
pub(crate) const MAX_BYTES: u64 = 2 * 1024 * 1024;
/// Longest line; the rest of it is left out.
const MAX_LINE_BYTES: usize = 8 * 1024;

/// Whether the log is shown as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogEcho {
    /// It is only written.
    Off,
    /// Every line goes to the program's own log too, for whoever looks for a fault.
    On,
}

/// The log of one plugin.
#[derive(Debug)]
pub(crate) struct Log {
    plugin: String,
    path: PathBuf,
    echo: LogEcho,
    open: Mutex<Option<(File, u64)>>,
}

impl Log {
    /// A log in this folder. Nothing is made before there is something to write.
    #[must_use]
    pub(crate) fn new(plugin: &str, folder: &Path, echo: LogEcho) -> Self {
        let path = folder.join(format!("{}.log", file_name(plugin)));
        Self { plugin: plugin.to_owned(), path, echo, open: Mutex::default() }
    }

    /// The file.
    #[must_use]
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a line. `what` says where it comes from.
    pub(crate) fn line(&self, what: &str, text: &str) {
        let mut end = text.len().min(MAX_LINE_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = text[..end].trim_end();
        if self.echo == LogEcho::On {
            tracing::warn!("plugin {}: {what}: {text}", self.plugin);
        }
        let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ");
        let line = format!("{now} {what}: {text}\n");
        if let Err(problem) = self.write(line.as_bytes()) {
            tracing::debug!(%problem, path = %self.path.display(), "write a plugin's log");
        }
    }

    fn write(&self, line: &[u8]) -> std::io::Result<()> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = open.as_ref().is_some_and(|(_, size)| *size >= MAX_BYTES);
        if is_full || open.is_none() {
            *open = Some(self.begin()?);
        }
        if let Some((file, size)) = open.as_mut() {
            file.write_all(line)?;
            *size += line.len() as u64;
        }
        Ok(())
    }

    fn begin(&self) -> std::io::Result<(File, u64)> {
        if let Some(folder) = self.path.parent() {
            ensure_private_dir(folder).map_err(std::io::Error::other)?;
        }
        let size = std::fs::metadata(&self.path).map_or(0, |found| found.len());
        if size >= MAX_BYTES {
            std::fs::rename(&self.path, self.path.with_extension("log.1"))?;
        }
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(&self.path)?;
        let size = file.metadata()?.len();
        Ok((file, size))
    }
}

/// A key as the name of a file.
pub(crate) fn file_name(key: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = key.chars().map(safe).take(100).collect();
    name.trim_start_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_begun_anew_when_it_is_full() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::new("web/x", folder.path(), LogEcho::Off);
        assert!(log.path().ends_with("web_x.log"));
        assert!(!log.path().exists());
        let long = "y".repeat(2 * MAX_LINE_BYTES);
        for _ in 0..=MAX_BYTES / MAX_LINE_BYTES as u64 {
            log.line("stderr", &long);
        }
        let size = std::fs::metadata(log.path()).unwrap().len();
        assert!(size < MAX_BYTES / 2, "{size}");
        assert!(folder.path().join("web_x.log.1").exists());
    }
}
