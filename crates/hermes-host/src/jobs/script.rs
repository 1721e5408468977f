//! The program of a job, whose output an agent reads or a person gets.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use hermes_cron::Job;
use hermes_exec::child_env::{self, EnvRules};
use hermes_process::{CaptureLimit, Command, End};
use tokio_util::sync::CancellationToken;

use crate::Host;

/// Most characters kept of what a script says.
const OUTPUT_CHARS: usize = 100_000;
/// Most characters told of why it failed.
const COMPLAINT_CHARS: usize = 1_000;

/// Runs a script of the home's folder to its end; what it printed. It gets none of the keys of the home.
pub(super) async fn output(
    host: &Host,
    job: &Job,
    file: &Path,
    limit: Duration,
    stop: &CancellationToken,
) -> Result<String, String> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let cwd = job.workdir.clone().map_or_else(|| host.home().root().join("scripts"), Into::into);
    let (program, args) = interpreter(file);
    let command = Command::new(program)
        .args(args)
        .cwd(cwd)
        .envs(child_env::variables(host.process_vars(), &EnvRules::default()))
        .env("HERMES_CRON_JOB_ID", &job.id)
        .env("HERMES_CRON_JOB_NAME", &job.name)
        .capture(CaptureLimit::chars(OUTPUT_CHARS))
        .deadline(limit)
        .cancel(stop.clone());
    let done =
        command.run().await.map_err(|problem| format!("`{name}` did not start: {problem}"))?;
    let complaint = || {
        let text = done.stderr.text();
        let text = text.trim();
        let last: String = text.chars().rev().take(COMPLAINT_CHARS).collect();
        last.chars().rev().collect::<String>()
    };
    match done.end {
        End::Exited(0) => Ok(done.stdout.text()),
        End::Exited(code) => Err(format!("`{name}` failed with code {code}: {}", complaint())),
        End::Signalled(signal) => Err(format!("`{name}` was ended by signal {signal}")),
        End::TimedOut => {
            Err(format!("`{name}` took longer than {}s (cron.script_timeout)", limit.as_secs()))
        }
        End::Cancelled => Err(format!("`{name}` was stopped")),
    }
}

/// Who runs a script: what its ending says, else the script itself.
fn interpreter(file: &Path) -> (OsString, Vec<OsString>) {
    let script = file.as_os_str().to_owned();
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("py") => ("python3".into(), vec![script]),
        Some("sh" | "bash") => ("bash".into(), vec![script]),
        _ => (script, Vec::new()),
    }
}
