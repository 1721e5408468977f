//! Windows that were learned, kept in a file.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::endpoint::Endpoint;

/// The most bytes of the file that are read.
const MAX_BYTES: u64 = 1 << 20;

/// The file of learned windows: `context_lengths:` with `model@base_url: tokens` below it.
#[derive(Clone, Debug)]
pub struct ContextCache {
    path: PathBuf,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct File {
    context_lengths: BTreeMap<String, u64>,
}

impl ContextCache {
    /// The file at this path, which need not exist.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The window that was learned for a model, if one was.
    #[must_use]
    pub fn get(&self, endpoint: &Endpoint) -> Option<u64> {
        self.read().context_lengths.get(&name(endpoint)).copied().filter(|window| *window > 0)
    }

    /// Keeps a window.
    ///
    /// # Errors
    ///
    /// The file cannot be written. That costs a question next time and nothing else.
    pub fn put(&self, endpoint: &Endpoint, window: u64) -> io::Result<()> {
        let mut file = self.read();
        if file.context_lengths.insert(name(endpoint), window) == Some(window) {
            return Ok(());
        }
        let mut text = "context_lengths:\n".to_owned();
        for (name, window) in &file.context_lengths {
            // A JSON string is a YAML string, whatever is in it.
            text.push_str(&format!("  {}: {window}\n", serde_json::Value::from(name.as_str())));
        }
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let mut written = tempfile::NamedTempFile::new_in(folder)?;
        written.write_all(text.as_bytes())?;
        written.as_file().sync_all()?;
        written.persist(&self.path).map_err(|failed| failed.error)?;
        Ok(())
    }

    /// A file that cannot be read is as good as none: it can all be learned again.
    fn read(&self) -> File {
        let small = std::fs::metadata(&self.path).is_ok_and(|file| file.len() <= MAX_BYTES);
        let text = small.then(|| std::fs::read_to_string(&self.path).ok()).flatten();
        text.and_then(|text| serde_saphyr::from_str(&text).ok()).unwrap_or_default()
    }
}

fn name(endpoint: &Endpoint) -> String {
    format!("{}@{}", endpoint.model, endpoint.base_url)
}
