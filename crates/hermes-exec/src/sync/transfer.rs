//! Bytes to and from a program that runs over there.

use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::Duration;

use hermes_process::{Child, Command, OutputMode, OutputPipe, Stdin};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use super::SyncError;

/// The words of a client that are kept.
const MOST_WORDS: u64 = 4 * 1024;

/// A file of the system's, gone when it is closed, with these bytes.
pub(super) fn spooled(bytes: &[u8]) -> Result<File, SyncError> {
    let failed = |source| SyncError::file("write", Path::new("a spool file"))(source);
    let mut file = tempfile::tempfile().map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    Ok(file)
}

/// Runs a command that reads a file.
pub(super) async fn send(command: Command, file: File, limit: Duration) -> Result<(), SyncError> {
    let mut child = command.stdin(Stdin::Piped).output(OutputMode::Merged).spawn()?;
    let (input, output) = (child.take_stdin(), child.take_stdout());
    let work = async {
        let feeding = async {
            if let Some(mut input) = input {
                let mut file = tokio::fs::File::from_std(file);
                // A reader that leaves early says why by its code.
                let _ = tokio::io::copy(&mut file, &mut input).await;
                let _ = input.shutdown().await;
            }
        };
        let ((), words) = tokio::join!(feeding, words_of(output));
        ended_well(&mut child, &words).await
    };
    timeout(limit, work).await.map_err(|_| SyncError::TimedOut(limit))?
}

/// Runs a command and keeps what it writes in a file, up to `most` bytes.
pub(super) async fn receive(
    command: Command,
    into: File,
    most: u64,
    limit: Duration,
) -> Result<(), SyncError> {
    let mut child = command.output(OutputMode::Separate).spawn()?;
    let (output, words) = (child.take_stdout(), child.take_stderr());
    let work = async {
        let keeping = async {
            let Some(output) = output else { return Ok(0) };
            let mut file = tokio::fs::File::from_std(into);
            let count = tokio::io::copy(&mut output.take(most + 1), &mut file).await?;
            file.flush().await?;
            Ok(count)
        };
        let (count, words) = tokio::join!(keeping, words_of(words));
        let count = count.map_err(SyncError::file("write", Path::new("a spool file")))?;
        if count > most {
            return Err(SyncError::TooLarge(most));
        }
        ended_well(&mut child, &words).await
    };
    timeout(limit, work).await.map_err(|_| SyncError::TimedOut(limit))?
}

async fn ended_well(child: &mut Child, words: &str) -> Result<(), SyncError> {
    let status = child.wait().await?;
    if status.success() {
        return Ok(());
    }
    let words = if words.is_empty() { format!("{status}") } else { words.to_owned() };
    Err(SyncError::Far(words))
}

async fn words_of(pipe: Option<OutputPipe>) -> String {
    let Some(mut pipe) = pipe else { return String::new() };
    let mut words = Vec::new();
    let _ = (&mut pipe).take(MOST_WORDS).read_to_end(&mut words).await;
    let _ = tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await;
    String::from_utf8_lossy(&words).trim().to_owned()
}
