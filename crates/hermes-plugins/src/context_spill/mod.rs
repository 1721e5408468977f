//! Keeping what hooks add to a conversation short.
//!
//! A `pre_llm_call` hook may hand over a page of weather or a whole log file, and every character of
//! it would be sent to the model with the user's message. So each piece longer than a limit goes to
//! a file, and a notice with the file's path and a preview takes its place:
//!
//! ```text
//! [weather hook output truncated — 48,213 chars; full content saved to /home/…/9f3a….txt]
//! --- head ---
//! …
//! --- tail ---
//! …
//! ```
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! # let vars = hermes_tool::Vars::default();
//! # let config = serde_json::json!({});
//! # let home = hermes_store::home::Home::at("/home/ada/.hermes");
//! use hermes_plugins::context_spill::ContextSpill;
//!
//! let (spill, problems) = ContextSpill::read(&config, &home.hook_outputs(), &vars);
//! let piece = spill.fit("It rains.".to_owned(), "weather hook", "session-1").await;
//! assert_eq!(piece, "It rains.");
//! # assert!(problems.is_empty());
//! # });
//! ```
//!
//! Nothing here fails: where the file cannot be written, the notice says so and the preview is what
//! is left of the text. The writing happens on another thread, for [`WRITE_TIMEOUT`] at most. It
//! needs a Tokio runtime with time.

mod settings;

pub use settings::{ContextSpill, DEFAULT_MAX_CHARS, DEFAULT_PREVIEW_CHARS, OUTPUT_SPILL_KEY};

use std::fmt::Write as _;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hermes_store::atomic::{self, AtomicError, WriteOptions};
use hermes_store::home::ensure_private_dir;
use hermes_tool::thousands;
use tracing::warn;

/// How long writing a file may take before the text goes on without it.
pub const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// The folder for texts that belong to no session.
const NO_SESSION: &str = "no-session";

impl ContextSpill {
    /// The text itself if it is short enough, else the notice that stands for it.
    ///
    /// `source` says whose text it is, in the notice: "weather hook".
    pub async fn fit(&self, text: String, source: &str, session_id: &str) -> String {
        // The bytes are at least as many as the characters, and are known without counting.
        if !self.enabled || text.len() <= self.max_chars {
            return text;
        }
        let chars = text.chars().count();
        if chars <= self.max_chars {
            return text;
        }
        let file = self.directory.join(folder_name(session_id)).join(file_name());
        let text: Arc<str> = text.into();
        let saved = save(file, Arc::clone(&text)).await;
        self.notice(&text, chars, source, saved)
    }

    fn notice(
        &self,
        text: &str,
        chars: usize,
        source: &str,
        saved: Result<PathBuf, String>,
    ) -> String {
        let place = match saved {
            Ok(file) => format!("full content saved to {}", file.display()),
            Err(why) => {
                warn!(source, "long hook output not saved: {why}");
                format!("full content could not be saved: {why}")
            }
        };
        let mut notice =
            format!("[{source} output truncated — {} chars; {place}]", thousands(chars));
        let head = self.preview_head.min(chars);
        // The two previews do not overlap, or the notice could be longer than the text.
        let tail = self.preview_tail.min(chars - head);
        for (title, skip, count) in [("head", 0, head), ("tail", chars - tail, tail)] {
            if count > 0 {
                let preview = text.chars().skip(skip).take(count).collect::<String>();
                let _ = write!(notice, "\n--- {title} ---\n{preview}"); // a String takes it all
            }
        }
        notice
    }
}

/// Writes the text on a thread that may wait for the disk.
async fn save(file: PathBuf, text: Arc<str>) -> Result<PathBuf, String> {
    let writing = tokio::task::spawn_blocking(move || {
        write_file(&file, &text).map(|()| file).map_err(|error| error.to_string())
    });
    match tokio::time::timeout(WRITE_TIMEOUT, writing).await {
        Ok(Ok(saved)) => saved,
        Ok(Err(_)) => Err("the writer stopped early".to_owned()),
        Err(_) => Err(format!("the disk took longer than {WRITE_TIMEOUT:?}")),
    }
}

fn write_file(file: &Path, text: &str) -> Result<(), AtomicError> {
    if let Some(folder) = file.parent() {
        ensure_private_dir(folder)?;
    }
    let end = if text.ends_with('\n') { "" } else { "\n" };
    atomic::write(file, [text, end].concat().as_bytes(), WriteOptions::KEEP)
}

/// A session's folder: its id, unable to lead anywhere else.
fn folder_name(session_id: &str) -> String {
    match session_id.replace(['/', '\\'], "_").replace("..", "_") {
        id if id.trim().is_empty() => NO_SESSION.to_owned(),
        id if id == "." => "_".to_owned(),
        id => id,
    }
}

/// A name nobody has used: the standard library seeds every such hasher at random.
fn file_name() -> String {
    let random = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}.txt", random(), random())
}

#[cfg(test)]
mod tests;
