//! How a script gets to an environment and its bytes back.

use std::time::Duration;

use hermes_process::{Child, Command, OutputMode, OutputPipe};
use tokio::io::AsyncReadExt as _;

use super::{RawRun, RunEnd, ScriptJob};
use crate::error::ExecError;

/// Bytes kept of what a client says on its own account.
const CLIENT_BYTES: u64 = 16 << 10;
/// Time to hear the rest of a client's words after it ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Runs the client of a job and keeps its output byte for byte. One that goes too far is killed.
pub(crate) async fn run_client(client: Command, job: &ScriptJob) -> Result<RawRun, ExecError> {
    let client = client.stdin_bytes(job.input.clone()).output(OutputMode::Separate);
    let mut child = client.spawn()?;
    let (output, words) = (child.take_stdout(), child.take_stderr());
    let words = tokio::spawn(words_of(words));
    let mut stdout = Vec::new();
    let end = tokio::select! {
        end = through(&mut child, output, &mut stdout, job.most_output) => end?,
        () = job.cancel.cancelled() => RunEnd::Cancelled,
        () = tokio::time::sleep(job.limit) => RunEnd::TimedOut,
    };
    match end {
        // A client may leave something to the ones after it, such as a shared connection.
        RunEnd::Exited(_) => child.release(),
        RunEnd::TooMuch | RunEnd::TimedOut | RunEnd::Cancelled => child.kill().await?,
    }
    let stderr = match tokio::time::timeout(LAST_WORDS, words).await {
        Ok(Ok(said)) => said,
        _ => String::new(),
    };
    Ok(RawRun { end, stdout, stderr })
}

async fn through(
    child: &mut Child,
    output: Option<OutputPipe>,
    kept: &mut Vec<u8>,
    most: usize,
) -> Result<RunEnd, ExecError> {
    if let Some(pipe) = output {
        let reading = pipe.take((most as u64).saturating_add(1)).read_to_end(kept).await;
        reading.map_err(|source| ExecError::File {
            act: "read",
            path: "the output of a client".to_owned(),
            source,
        })?;
        if kept.len() > most {
            return Ok(RunEnd::TooMuch);
        }
    }
    let status = child.wait().await?;
    Ok(RunEnd::Exited(status.code().unwrap_or(KILLED)))
}

/// Code of a client that was killed; no program ends with it by itself.
const KILLED: i32 = -1;

/// What a client says on its own account, as far as it is kept.
pub(crate) async fn words_of(pipe: Option<OutputPipe>) -> String {
    let mut said = Vec::new();
    if let Some(pipe) = pipe {
        let mut pipe = pipe.take(CLIENT_BYTES);
        let _ = pipe.read_to_end(&mut said).await;
        // Read on, so that a talkative client is not stopped by a full pipe.
        let mut rest = pipe.into_inner();
        let _ = tokio::io::copy(&mut rest, &mut tokio::io::sink()).await;
    }
    String::from_utf8_lossy(&said).into_owned()
}
