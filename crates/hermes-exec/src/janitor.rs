//! Somebody who cleans up after us when we cannot.
//!
//! What a daemon runs for us (a container, an instance) is not our child: it would outlive us when
//! we are killed. A janitor is a small shell that outlives us instead. It waits for the end of its
//! input, whose other end only we hold, and then runs one command.

use std::collections::BTreeMap;

use hermes_process::{Child, Command, InputPipe, Lifetime, Output, ProcessError, Stdin};
use tokio::io::AsyncWriteExt as _;

/// A janitor on duty. Dropped, it goes to work.
pub(crate) struct Janitor {
    input: InputPipe,
    _child: Child,
}

/// Waits for a word or for the end of input; only the latter means that we are gone.
const DUTY: &str = r#"IFS= read -r word && [ "$word" = dismissed ] && exit 0; exec "$@""#;

impl Janitor {
    /// Posts one that will run these words.
    pub(crate) fn post(
        words: &[String],
        variables: &BTreeMap<String, String>,
    ) -> Result<Self, ProcessError> {
        let mut child = Command::new("/bin/sh")
            .args(["-c", DUTY, "hermes-janitor"])
            .args(words.iter().cloned())
            .envs(variables)
            .cwd("/")
            .stdin(Stdin::Piped)
            .output(Output::Discard)
            .lifetime(Lifetime::Survives)
            .spawn()?;
        match child.take_stdin() {
            Some(input) => Ok(Self { input, _child: child }),
            None => Err(ProcessError::WardenLost { pid: child.pid() }),
        }
    }

    /// Sends it away: there is nothing left to clean up.
    pub(crate) async fn dismiss(mut self) {
        let _ = self.input.write_all(b"dismissed\n").await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    async fn appears(path: &std::path::Path) -> bool {
        for _ in 0..100 {
            if path.exists() {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        false
    }

    #[tokio::test]
    async fn works_when_it_is_dropped_and_not_when_it_is_dismissed() {
        let folder = tempfile::tempdir().unwrap();
        let path = BTreeMap::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]);
        let touch = |name: &str| {
            vec!["touch".to_owned(), folder.path().join(name).to_string_lossy().into_owned()]
        };
        Janitor::post(&touch("dismissed"), &path).unwrap().dismiss().await;
        drop(Janitor::post(&touch("dropped"), &path).unwrap());
        assert!(appears(&folder.path().join("dropped")).await);
        assert!(!folder.path().join("dismissed").exists());
    }
}
