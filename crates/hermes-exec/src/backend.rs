//! What a place must be able to do for commands to run in it.
//!
//! A backend is little: a *client*, which is a program on this machine that hands a script to a
//! shell over there and brings back its output (for the local backend, the shell itself), and the
//! work before the first and after the last. Everything else (state from one command to the next,
//! deadlines, limits, background processes, files) is built once on top of it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::time::Duration;

use futures_util::future::BoxFuture;
use hermes_approval::Place;
use hermes_process::Command;

use crate::error::ExecError;
use crate::session::CALL_TAG;

/// The kinds of places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BackendKind {
    /// This machine.
    Local,
    /// A container of docker or podman.
    Docker,
    /// Another machine.
    Ssh,
    /// An instance of apptainer or singularity.
    Singularity,
    /// A sandbox of Modal.
    Modal,
    /// A sandbox of Daytona.
    Daytona,
    /// A sandbox of Vercel.
    Vercel,
}

impl BackendKind {
    /// All of them with their names in settings and results.
    pub const ALL: [(&'static str, Self); 7] = [
        ("local", Self::Local),
        ("docker", Self::Docker),
        ("ssh", Self::Ssh),
        ("singularity", Self::Singularity),
        ("modal", Self::Modal),
        ("daytona", Self::Daytona),
        ("vercel_sandbox", Self::Vercel),
    ];

    /// The kind of this name; `apptainer` is the newer name of `singularity`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase();
        let name = if name == "apptainer" { "singularity" } else { &name };
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("local", |(name, _)| name)
    }
}

impl fmt::Display for BackendKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What kind of shell reads a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// One that reads no start-up files.
    Plain,
    /// One that reads the start-up files of a login.
    Login,
}

/// Which variables a shell starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variables<'a> {
    /// Those of its surroundings, as far as commands may see them.
    Surroundings,
    /// As few as possible: a snapshot will bring them.
    Snapshot,
    /// These and no others.
    Kept(&'a [(OsString, OsString)]),
}

/// A script to be run.
#[derive(Debug)]
pub struct ShellCall<'a> {
    /// The text.
    pub script: &'a str,
    /// Who reads it.
    pub shell: Shell,
    /// What it starts with.
    pub variables: Variables<'a>,
    /// Whether the client must hand on its own input.
    pub input: Input,
    /// What its processes are known by, in the variable `HERMES_EXEC_CALL`; not on this machine.
    pub tag: String,
}

impl ShellCall<'_> {
    /// The words a client passes on to be executed.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let mut words = vec!["env".to_owned(), format!("{CALL_TAG}={}", self.tag)];
        words.push("bash".to_owned());
        if self.shell == Shell::Login {
            words.push("-l".to_owned());
        }
        words.extend(["-c".to_owned(), self.script.to_owned()]);
        words
    }
}

/// Whether a client hands on its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// There is none.
    None,
    /// It does.
    Forwarded,
    /// It does, and the shell over there gets a terminal.
    Terminal,
}

/// Who can reach the files of a backend's shells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// We can: they are on this machine.
    Local,
    /// Only the shells can.
    Remote,
}

/// What a backend's client itself says went wrong, as opposed to the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientTrouble {
    /// The place is gone: the command did not start.
    Gone(String),
    /// The place is there and refuses to start the command.
    Refused(String),
    /// The place cannot be reached: whether the command started is unknown.
    Unreachable(String),
}

/// A place where commands run.
pub trait Backend: Send + Sync {
    /// Its kind.
    fn kind(&self) -> BackendKind;

    /// What it is to the gate.
    fn place(&self) -> Place;

    /// Who can reach the files of its shells.
    fn reach(&self) -> Reach {
        Reach::Remote
    }

    /// The program that runs a script in it.
    fn client(&self, call: &ShellCall<'_>) -> Command;

    /// A directory for the session's own files.
    fn temp_dir(&self) -> String {
        "/tmp".to_owned()
    }

    /// The directory commands begin in.
    fn first_cwd(&self) -> String;

    /// Start-up files read for the first snapshot, beyond those of a login.
    fn init_files(&self) -> Vec<String> {
        Vec::new()
    }

    /// Variables commands see only from the first snapshot on.
    fn forwarded(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// Makes sure the place is there, before each command: starts it, brings files up to date.
    fn before_execute(&self) -> BoxFuture<'_, Result<Ready, ExecError>> {
        Box::pin(async { Ok(Ready::AsBefore) })
    }

    /// Tells trouble of the client from a failure of the command. Only the client's own words and
    /// codes count, never what the command wrote.
    fn trouble(&self, _code: i32, _client_words: &str) -> Option<ClientTrouble> {
        None
    }

    /// How long that may take when we end.
    fn clean_up_limit(&self) -> Duration {
        Duration::from_secs(15)
    }

    /// Ends what was started, as far as it is not to be kept.
    fn clean_up(&self) -> BoxFuture<'_, ()>;
}

/// What came of looking after a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ready {
    /// It is the one it was.
    AsBefore,
    /// It is a new one: nothing of the old is there.
    Anew,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_whatever_their_case() {
        for (name, kind) in BackendKind::ALL {
            assert_eq!(BackendKind::named(name), Some(kind));
            assert_eq!(BackendKind::named(&name.to_uppercase()), Some(kind));
            assert_eq!(kind.to_string(), name);
        }
        assert_eq!(BackendKind::named(" Apptainer "), Some(BackendKind::Singularity));
        assert_eq!(BackendKind::named("kubernetes"), None);
    }
}
