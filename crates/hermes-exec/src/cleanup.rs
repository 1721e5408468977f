//! The cleanup supervisor: somebody who cleans up after us when we cannot.
//!
//! What a daemon runs for us (a container, an instance) is not our child: it would outlive us when
//! we are killed. A cleanup supervisor is a small shell that outlives us instead. It makes the
//! thing itself, tells us how that went, waits for the end of its input, whose other end only we
//! hold, and then removes the thing.
//!
//! That it does both is the point. Were we to make the thing, a request of ours could be under way
//! when we are killed, and be carried out after somebody has looked for the thing and found none.

use std::collections::BTreeMap;
use std::time::Duration;

use hermes_process::{
    Child, Command, InputPipe, Lifetime, OutputMode, OutputPipe, ProcessError, Stdin,
};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::time::timeout;

use crate::programs::ProgramOutput;
use crate::quote::quoted;

/// The most bytes of an answer that are read.
const MOST_BYTES: u64 = 200_000;

/// A cleanup on duty. Dropped, it goes to work.
pub(crate) struct CleanupSupervisor {
    input: InputPipe,
    _child: Child,
}

/// Makes the thing, tells, and waits for a word or for the end of input; only the latter means that
/// we are gone. Whoever listened may be gone already when there is something to tell.
const DUTY: &str = r#"@MAKE@ </dev/null 2>&1
code=$?
trap '' PIPE
printf '\n%s%s\n' '@MADE@' "$code"
trap - PIPE
exec >/dev/null 2>&1
IFS= read -r word && [ "$word" = dismissed ] && exit 0
exec @REMOVE@"#;

/// What stands before the code. The end of the output would not tell: what was made may hold it
/// open.
const MADE: &str = "hermes-cleanup: ended with code ";

impl CleanupSupervisor {
    /// Posts one that makes something with the first words and removes it with the second. Without
    /// an answer in time the cleanup supervisor still removes it, as soon as it has been made.
    pub(crate) async fn make(
        make: &[String],
        remove: &[String],
        variables: &BTreeMap<String, String>,
        limit: Duration,
    ) -> Result<(Self, ProgramOutput), ProcessError> {
        let line = |words: &[String]| words.iter().map(|word| quoted(word)).collect::<Vec<_>>();
        let duty = DUTY
            .replace("@MADE@", MADE)
            .replace("@REMOVE@", &line(remove).join(" "))
            .replace("@MAKE@", &line(make).join(" "));
        let mut child = Command::new("/bin/sh")
            .args(["-c", &duty, "hermes-cleanup"])
            .envs(variables)
            .cwd("/")
            .stdin(Stdin::Piped)
            .output(OutputMode::Merged)
            .lifetime(Lifetime::Survives)
            .spawn()?;
        let (Some(input), Some(output)) = (child.take_stdin(), child.take_stdout()) else {
            return Err(ProcessError::SupervisorLost { pid: child.pid() });
        };
        let cleanup = Self { input, _child: child };
        let answer = timeout(limit, answer(output)).await.unwrap_or_else(|_| {
            let words = format!("it was not made within {} s", limit.as_secs());
            ProgramOutput { succeeded: false, output: String::new(), words }
        });
        Ok((cleanup, answer))
    }

    /// Sends it away: there is nothing left to clean up.
    pub(crate) async fn dismiss(mut self) {
        let _ = self.input.write_all(b"dismissed\n").await;
    }
}

async fn answer(output: OutputPipe) -> ProgramOutput {
    let mut lines = BufReader::new(output.take(MOST_BYTES)).split(b'\n');
    let mut words = String::new();
    let code = loop {
        let Ok(Some(line)) = lines.next_segment().await else { break None };
        let line = String::from_utf8_lossy(&line);
        if let Some(code) = line.strip_prefix(MADE) {
            break Some(code.to_owned());
        }
        words.push_str(&line);
        words.push('\n');
    };
    let words = match code {
        Some(_) => words.trim().to_owned(),
        None => "the cleanup supervisor was killed".to_owned(),
    };
    ProgramOutput { succeeded: code.as_deref() == Some("0"), output: String::new(), words }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    async fn appears(path: &Path) -> bool {
        for _ in 0..250 {
            if path.exists() {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        false
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    struct Fixture {
        folder: tempfile::TempDir,
        path: BTreeMap<String, String>,
    }

    impl Fixture {
        fn new() -> Self {
            let path = BTreeMap::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]);
            Self { folder: tempfile::tempdir().unwrap(), path }
        }

        fn file(&self, name: &str) -> String {
            self.folder.path().join(name).to_string_lossy().into_owned()
        }

        async fn post(
            &self,
            make: &[&str],
            removed: &str,
            limit: Duration,
        ) -> (CleanupSupervisor, ProgramOutput) {
            let remove = words(&["touch", &self.file(removed)]);
            CleanupSupervisor::make(&words(make), &remove, &self.path, limit).await.unwrap()
        }
    }

    const LONG: Duration = Duration::from_secs(20);

    #[tokio::test]
    async fn makes_and_works_when_it_is_dropped_and_not_when_it_is_dismissed() {
        let fixture = Fixture::new();
        // What is made may keep the output open.
        let make = ["sh", "-c", "sleep 60 & echo it is; echo 'made now' >&2"];
        let (cleanup, answer) = fixture.post(&make, "dismissed", LONG).await;
        assert_eq!((answer.succeeded, &*answer.words), (true, "it is\nmade now"));
        cleanup.dismiss().await;
        drop(fixture.post(&["true"], "dropped", LONG).await);
        assert!(appears(Path::new(&fixture.file("dropped"))).await);
        assert!(!Path::new(&fixture.file("dismissed")).exists());
    }

    #[tokio::test]
    async fn tells_that_nothing_was_made() {
        let fixture = Fixture::new();
        let (_cleanup, answer) =
            fixture.post(&["sh", "-c", "echo no >&2; exit 3"], "x", LONG).await;
        assert_eq!((answer.succeeded, &*answer.words), (false, "no"));
    }

    /// A container half made when we were killed was removed before it was there.
    #[tokio::test]
    async fn what_is_made_after_we_are_gone_is_removed_after_that() {
        let fixture = Fixture::new();
        let (started, made) = (fixture.file("started"), fixture.file("made"));
        let slow = format!("touch {started}; sleep 0.5; touch {made}");
        let make = ["sh", "-c", &slow];
        let (cleanup, answer) = fixture.post(&make, "removed", Duration::from_millis(20)).await;
        assert!(!answer.succeeded, "{}", answer.words);
        drop(cleanup);
        assert!(appears(Path::new(&fixture.file("removed"))).await);
        assert!(Path::new(&made).exists(), "removed before it was made");
    }
}
