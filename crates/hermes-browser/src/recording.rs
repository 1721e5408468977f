//! A session as a series of pictures, one for each thing that was done.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use hermes_store::atomic::{self, WriteOptions};
use hermes_store::home::ensure_private_dir;

use crate::browser::Browser;

/// Most pictures of one session.
const MOST: u32 = 2000;

/// Where the pictures of a session go.
pub struct SessionRecording {
    folder: PathBuf,
    taken: u32,
}

impl SessionRecording {
    /// A new folder; none if it cannot be made, which is no reason not to browse.
    pub(crate) fn begin(below: &Path, name: &str) -> Option<Self> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let folder = below.join(format!("{name}-{}", since.as_secs()));
        match ensure_private_dir(&folder) {
            Ok(()) => Some(Self { folder, taken: 0 }),
            Err(error) => {
                tracing::warn!(%error, "the session is not recorded");
                None
            }
        }
    }

    /// Keeps a picture of the page as it is now, named after what was done.
    pub async fn keep(&mut self, browser: &Browser, what: &str) {
        if self.taken >= MOST {
            return;
        }
        let picture = match browser.thumbnail().await {
            Ok(picture) => picture,
            Err(error) => {
                tracing::debug!(%error, "a picture of the recording is missing");
                return;
            }
        };
        self.taken += 1;
        let file = self.folder.join(format!("{:04}-{what}.jpg", self.taken));
        if let Err(error) = atomic::write(&file, &picture, WriteOptions::default()) {
            tracing::warn!(%error, "a picture of the recording is missing");
        }
    }
}
