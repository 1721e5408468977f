//! The client of a container engine, asked for one thing at a time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_process::{CaptureLimit, Command, End};
use hermes_tool::Vars;

use crate::backend::BackendKind;
use crate::error::ExecError;

/// Where clients are when they are not in `PATH`.
const KNOWN_PLACES: [&str; 3] = [
    "/usr/local/bin/docker",
    "/opt/homebrew/bin/docker",
    "/Applications/Docker.app/Contents/Resources/bin/docker",
];

/// Variables a client needs of ours.
const VARIABLES: [&str; 9] = [
    "PATH",
    "HOME",
    "DOCKER_HOST",
    "DOCKER_CONTEXT",
    "DOCKER_CONFIG",
    "DOCKER_TLS_VERIFY",
    "DOCKER_CERT_PATH",
    "XDG_RUNTIME_DIR",
    "CONTAINER_HOST",
];

/// The client of docker or podman.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    binary: PathBuf,
    variables: BTreeMap<String, String>,
}

/// What the client answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) succeeded: bool,
    pub(crate) output: String,
    /// The client's complaint.
    pub(crate) words: String,
}

impl Engine {
    /// Finds the client: the one chosen, docker, podman, or one in a known place.
    pub(crate) fn find(chosen: Option<&Path>, process: &Vars) -> Result<Self, ExecError> {
        let path = process.get("PATH").unwrap_or_default();
        let in_path = |name: &str| {
            std::env::split_paths(path).map(|dir| dir.join(name)).find(|file| file.is_file())
        };
        let known = || KNOWN_PLACES.iter().map(PathBuf::from).find(|file| file.is_file());
        let found = match chosen {
            Some(chosen) => Some(chosen.to_owned()),
            None => in_path("docker").or_else(|| in_path("podman")).or_else(known),
        };
        let variables = VARIABLES
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), process.get(name)?.to_owned())))
            .collect();
        match found {
            Some(binary) => Ok(Self { binary, variables }),
            None => Err(ExecError::Unavailable {
                backend: BackendKind::Docker,
                why: "neither docker nor podman was found in PATH; install one of them, or set \
                      HERMES_DOCKER_BINARY"
                    .into(),
            }),
        }
    }

    /// The client, to be given its words.
    pub(crate) fn command(&self) -> Command {
        Command::new(&self.binary).envs(&self.variables).cwd("/")
    }

    /// The words of a command line of the client, for others to run.
    pub(crate) fn words<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let binary = self.binary.to_string_lossy().into_owned();
        std::iter::once(binary).chain(words.into_iter().map(str::to_owned)).collect()
    }

    /// The variables the client runs with.
    pub(crate) fn variables(&self) -> &BTreeMap<String, String> {
        &self.variables
    }

    /// Asks for something and waits for the answer.
    pub(crate) async fn ask<W: AsRef<str>>(
        &self,
        words: impl IntoIterator<Item = W>,
        limit: Duration,
    ) -> Result<Answer, ExecError> {
        let words: Vec<String> = words.into_iter().map(|word| word.as_ref().to_owned()).collect();
        let what = words.first().cloned().unwrap_or_default();
        let done = self
            .command()
            .args(words)
            .capture(CaptureLimit::chars(200_000))
            .deadline(limit)
            .run()
            .await?;
        let mut complaint = done.stderr.text().trim().to_owned();
        if done.end == End::TimedOut {
            complaint = format!("`docker {what}` did not answer within {} s", limit.as_secs());
        }
        Ok(Answer {
            succeeded: done.success(),
            output: done.stdout.text().trim().to_owned(),
            words: complaint,
        })
    }
}
