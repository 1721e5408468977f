//! Programs of this machine that take commands elsewhere.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_process::{CaptureLimit, Command, End, Leftovers};
use hermes_tool::Vars;

use crate::error::ExecError;

/// Where programs are looked for when there is no `PATH`.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// The characters kept of an answer.
const MOST_CHARS: usize = 200_000;

/// A program and the variables it gets; it sees no others.
#[derive(Clone, Debug)]
pub(crate) struct ClientProgram {
    file: PathBuf,
    variables: BTreeMap<String, String>,
}

/// What a program answered.
#[derive(Debug)]
pub(crate) struct ProgramOutput {
    pub(crate) succeeded: bool,
    pub(crate) output: String,
    /// Its complaint.
    pub(crate) words: String,
}

impl ClientProgram {
    /// The first of these names that is in `PATH`.
    pub(crate) fn find(names: &[&str], variables: &[&str], process: &Vars) -> Option<Self> {
        let path = process.non_blank("PATH").unwrap_or(USUAL_PATH);
        let file = names.iter().find_map(|name| {
            std::env::split_paths(path)
                .filter(|folder| folder.is_absolute())
                .map(|folder| folder.join(name))
                .find(is_executable)
        })?;
        Some(Self::with_variables(file, variables, process))
    }

    /// The one in this file, if there is one.
    pub(crate) fn at(file: &Path, variables: &[&str], process: &Vars) -> Option<Self> {
        let file = file.to_owned();
        is_executable(&file).then(|| Self::with_variables(file, variables, process))
    }

    fn with_variables(file: PathBuf, variables: &[&str], process: &Vars) -> Self {
        let mut picked: BTreeMap<String, String> = variables
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), process.get(name)?.to_owned())))
            .collect();
        let path = process.non_blank("PATH").unwrap_or(USUAL_PATH);
        picked.insert("PATH".to_owned(), path.to_owned());
        Self { file, variables: picked }
    }

    /// Its name, for people.
    pub(crate) fn name(&self) -> String {
        let name = self.file.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// The variables it runs with.
    pub(crate) fn variables(&self) -> &BTreeMap<String, String> {
        &self.variables
    }

    /// The program, to be given its words.
    pub(crate) fn command(&self) -> Command {
        Command::new(&self.file).envs(&self.variables).cwd("/")
    }

    /// The words of a command line of it, for others to run.
    pub(crate) fn words<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let file = self.file.to_string_lossy().into_owned();
        std::iter::once(file).chain(words.into_iter().map(str::to_owned)).collect()
    }

    /// Asks for something and waits for the answer. What it leaves running is as it wants it: a
    /// container's main process, for one.
    pub(crate) async fn ask<W: AsRef<str>>(
        &self,
        words: impl IntoIterator<Item = W>,
        limit: Duration,
    ) -> Result<ProgramOutput, ExecError> {
        let words: Vec<String> = words.into_iter().map(|word| word.as_ref().to_owned()).collect();
        let what = words.first().cloned().unwrap_or_default();
        let done = self
            .command()
            .args(words)
            .capture(CaptureLimit::chars(MOST_CHARS))
            .deadline(limit)
            .leftovers(Leftovers::Keep)
            .run()
            .await?;
        let mut complaint = done.stderr.text().trim().to_owned();
        if done.end == End::TimedOut {
            let name = self.name();
            complaint = format!("`{name} {what}` did not answer within {} s", limit.as_secs());
        }
        Ok(ProgramOutput {
            succeeded: done.success(),
            output: done.stdout.text().trim().to_owned(),
            words: complaint,
        })
    }
}

fn is_executable(file: &PathBuf) -> bool {
    file.is_file() && nix::unistd::access(file, nix::unistd::AccessFlags::X_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vars(pairs: &[(&str, &str)]) -> Vars {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn the_preferred_name_wins_over_the_earlier_folder() {
        let process = vars(&[("PATH", "relative:/usr/bin:/bin")]);
        assert_eq!(ClientProgram::find(&["env", "sh"], &[], &process).unwrap().name(), "env");
        assert!(ClientProgram::find(&["no-such-program-anywhere"], &[], &process).is_none());
    }

    #[test]
    fn a_program_sees_named_variables_only_and_always_a_path() {
        let process = vars(&[("HOME", "/home/me"), ("SECRET", "x")]);
        let program = ClientProgram::find(&["sh"], &["HOME", "SSH_AUTH_SOCK"], &process).unwrap();
        let names: Vec<&str> = program.variables().keys().map(String::as_str).collect();
        assert_eq!(names, ["HOME", "PATH"]);
    }

    #[tokio::test]
    async fn an_answer_is_told_from_a_complaint_and_a_silence() {
        let program = ClientProgram::find(&["sh"], &[], &Vars::default()).unwrap();
        let answer = program.ask(["-c", "echo yes; echo no >&2; exit 1"], Duration::from_secs(10));
        let answer = answer.await.unwrap();
        assert_eq!((answer.succeeded, &*answer.output, &*answer.words), (false, "yes", "no"));
        let answer = program.ask(["-c", "sleep 9"], Duration::from_millis(50)).await.unwrap();
        assert!(!answer.succeeded && answer.words.contains("`sh -c` did not answer"));
    }
}
