//! Slurm: an array of jobs, each working on one part of a run. The coordinator only submits and looks; it may go away.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_process::Command;
use hermes_store::home::HOME_VARIABLE;
use tokio_util::sync::CancellationToken;

use crate::BatchError;

/// How often the array is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Parts of an array that every installation accepts.
const MOST_PARTS: usize = 1_000;
/// Longest time a client of Slurm may take.
const CLIENT_LIMIT: Duration = Duration::from_secs(60);
/// Variables that jobs get. Keys are not among them: Slurm keeps what a job is given.
const VARIABLES: &str = "HOME,PATH,USER,LOGNAME,SHELL,LANG,LC_ALL,TZ,TMPDIR,HERMES_HOME,DOCKER_HOST,HTTP_PROXY,HTTPS_PROXY,NO_PROXY";

/// Variables that its clients get.
const CLIENT_VARIABLES: [&str; 9] =
    ["HOME", "PATH", "USER", "LOGNAME", "LANG", "TZ", HOME_VARIABLE, "SLURM_CONF", "TMPDIR"];

/// What an array of jobs is made of.
#[derive(Clone, Debug)]
pub struct SlurmJob {
    /// The folder of the run, as the nodes see it.
    pub folder: PathBuf,
    /// The name of the run.
    pub name: String,
    /// The program on the nodes.
    pub program: PathBuf,
    /// How many parts.
    pub parts: usize,
    /// What each worker is told besides, without secrets.
    pub worker_args: Vec<String>,
    /// Processors of a part.
    pub cpus: u32,
    /// MB of memory of a part.
    pub memory_mb: u64,
    /// Longest time of a part, as Slurm writes it.
    pub time: String,
    /// Which machines.
    pub partition: Option<String>,
    /// Who pays.
    pub account: Option<String>,
    /// Whatever else the installation wants.
    pub args: Vec<String>,
}

impl SlurmJob {
    /// Into how many parts so many tasks are cut.
    #[must_use]
    pub fn parts(wanted: Option<u32>, tasks: usize, rows_per_part: usize) -> usize {
        let parts = wanted.map_or(tasks.div_ceil(rows_per_part.max(1)), |wanted| wanted as usize);
        parts.clamp(1, MOST_PARTS).min(tasks.max(1))
    }

    /// The script of each job. The shell makes way for the program, so that Slurm's warning before the time is up
    /// reaches it.
    #[must_use]
    pub fn script(&self) -> String {
        let mut text = "#!/bin/sh\n".to_owned();
        for line in self.directives() {
            text.push_str(&format!("#SBATCH {line}\n"));
        }
        let quoted = |path: &Path| hermes_exec::quoted(&path.display().to_string());
        let args: String =
            self.worker_args.iter().map(|arg| format!(" {}", hermes_exec::quoted(arg))).collect();
        text.push_str(&format!(
            "exec {} batch worker --name {} --shard \"$SLURM_ARRAY_TASK_ID/{}\" --quiet{args}\n",
            quoted(&self.program),
            quoted(&self.folder),
            self.parts
        ));
        text
    }

    fn directives(&self) -> Vec<String> {
        let logs = self.folder.join("logs/slurm-%A-%a.log");
        let mut lines = vec![
            format!("--job-name=hermes-{}", self.name),
            format!("--array=0-{}", self.parts - 1),
            "--requeue".to_owned(),
            "--open-mode=append".to_owned(),
            "--signal=B:TERM@120".to_owned(),
            format!("--cpus-per-task={}", self.cpus),
            format!("--mem={}M", self.memory_mb),
            format!("--time={}", self.time),
            format!("--output={}", logs.display()),
            format!("--export={VARIABLES}"),
        ];
        lines.extend(self.partition.iter().map(|name| format!("--partition={name}")));
        lines.extend(self.account.iter().map(|name| format!("--account={name}")));
        lines.extend(self.args.iter().cloned());
        lines
    }

    /// Writes the script into the folder of the run.
    ///
    /// # Errors
    /// If that fails.
    pub fn write(&self) -> Result<PathBuf, BatchError> {
        use hermes_store::atomic::{self, WriteOptions};
        let logs = self.folder.join("logs");
        std::fs::create_dir_all(&logs).map_err(BatchError::when("make", &logs))?;
        let path = self.folder.join("job.sh");
        atomic::write(&path, self.script().as_bytes(), WriteOptions::KEEP)?;
        Ok(path)
    }

    /// Hands the script to Slurm; the number of the array.
    ///
    /// # Errors
    /// If Slurm is not there or does not take it.
    pub async fn submit(&self) -> Result<String, BatchError> {
        let script = self.write()?;
        let said =
            client("sbatch", vec!["--parsable".to_owned(), script.display().to_string()]).await?;
        let number = said.trim().split(';').next().unwrap_or_default().to_owned();
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(BatchError::usage(format!("sbatch said no number of a job: {said}")));
        }
        Ok(number)
    }
}

/// Waits until an array has left the queue; false if it was told to stop looking. `told` hears how many parts are in
/// which state, whenever that changes.
///
/// # Errors
/// If Slurm does not answer for a while.
pub async fn follow(
    array: &str,
    stop: &CancellationToken,
    mut told: impl FnMut(&str),
) -> Result<bool, BatchError> {
    let (mut before, mut silent) = (String::new(), 0);
    loop {
        let words = ["--noheader", "--array", "--format=%T", "--jobs", array].map(str::to_owned);
        let said = match client("squeue", words.to_vec()).await {
            Ok(said) => said,
            // A job that is gone for a while is none that Slurm knows.
            Err(error) if error.to_string().contains("Invalid job id") => return Ok(true),
            Err(error) if silent >= 30 => return Err(error),
            Err(_) => {
                silent += 1;
                "?".to_owned()
            }
        };
        if said.trim().is_empty() {
            return Ok(true);
        }
        let mut states: std::collections::BTreeMap<&str, usize> = Default::default();
        said.lines().for_each(|line| *states.entry(line.trim()).or_default() += 1);
        let parts: Vec<String> = states
            .iter()
            .map(|(state, count)| format!("{} {count}", state.to_lowercase()))
            .collect();
        let now = parts.join(", ");
        if now != before && now != "? 1" {
            told(&now);
            silent = 0;
            before = now;
        }
        tokio::select! {
            () = stop.cancelled() => return Ok(false),
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}

async fn client(program: &str, args: Vec<String>) -> Result<String, BatchError> {
    let ran = Command::new(program)
        .args(args)
        .env_inherit(CLIENT_VARIABLES)
        .deadline(CLIENT_LIMIT)
        .run()
        .await
        .map_err(|error| {
            BatchError::usage(format!(
                "{program} cannot be run: {error}\n  is Slurm installed here?"
            ))
        })?;
    let (out, err) = (ran.stdout.text(), ran.stderr.text());
    if !ran.success() {
        return Err(BatchError::usage(format!("{program}: {}", err.trim())));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_as_many_as_wanted_or_as_the_rows_need() {
        assert_eq!(SlurmJob::parts(None, 1_000, 200), 5);
        assert_eq!(SlurmJob::parts(None, 1_001, 200), 6);
        assert_eq!(SlurmJob::parts(Some(20), 10, 200), 10, "no part without a task");
        assert_eq!(SlurmJob::parts(None, 10_000_000, 200), 1_000);
    }
}
