//! What a backend must be able to do for commands to run in it.
//!
//! A backend is little: a *client*, which is a program on this machine that hands a script to a
//! shell over there and brings back its output (for the local backend, the shell itself), and the
//! work before the first and after the last. Everything else (state from one command to the next,
//! deadlines, limits, background processes, files) is built once on top of it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::Duration;

use futures_util::future::BoxFuture;
use hermes_approval::ExecutionTarget;
use hermes_process::Command;

use crate::error::ExecError;
pub use crate::kind::BackendKind;

/// The variable by which the guard of a session finds the processes of a call.
pub(crate) const CALL_TAG: &str = "HERMES_EXEC_CALL";

/// What kind of shell reads a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellKind {
    /// One that reads no start-up files.
    Plain,
    /// One that reads the start-up files of a login.
    Login,
}

/// Which variables a shell starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variables<'a> {
    /// Those of its surroundings, as far as commands may see them.
    Inherited,
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
    pub shell: ShellKind,
    /// What it starts with.
    pub variables: Variables<'a>,
    /// Further variables, secrets among them: in the client's environment, never among its words. A client without a
    /// way to hand them on leaves them out.
    pub granted: &'a [(String, String)],
    /// Whether the client must hand on its own input.
    pub input: ClientInput,
    /// What its processes are known by, in the variable `HERMES_EXEC_CALL`; not on this machine.
    pub tag: String,
}

impl ShellCall<'_> {
    /// The words a client passes on to be executed.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let mut words = vec!["env".to_owned(), format!("{CALL_TAG}={}", self.tag)];
        words.push("bash".to_owned());
        if self.shell == ShellKind::Login {
            words.push("-l".to_owned());
        }
        words.extend(["-c".to_owned(), self.script.to_owned()]);
        words
    }
}

/// Whether a client hands on its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientInput {
    /// There is none.
    None,
    /// It does.
    Forwarded,
    /// It does, and the shell over there gets a terminal.
    Terminal,
}

/// Who can reach the files of a backend's shells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileReach {
    /// We can: they are on this machine.
    Local,
    /// Only the shells can.
    Remote,
}

/// What a backend's client itself says went wrong, as opposed to the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientTrouble {
    /// The environment is gone: the command did not start.
    Gone(String),
    /// The environment is there and refuses to start the command.
    Refused(String),
    /// The environment cannot be reached: whether the command started is unknown.
    Unreachable(String),
}

/// What takes commands to where they run, and looks after it.
pub trait Backend: Send + Sync {
    /// Its kind.
    fn kind(&self) -> BackendKind;

    /// What it is to the gate.
    fn target(&self) -> ExecutionTarget;

    /// Who can reach the files of its shells.
    fn reach(&self) -> FileReach {
        FileReach::Remote
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

    /// Where the caller's shell looks for programs, if commands run where that means something.
    fn caller_path(&self) -> Option<String> {
        None
    }

    /// Variables commands see only from the first snapshot on.
    fn forwarded(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// Makes sure the environment is there, before each command: starts it, brings files up to
    /// date.
    fn before_execute(&self) -> BoxFuture<'_, Result<BackendState, ExecError>> {
        Box::pin(async { Ok(BackendState::AsBefore) })
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

/// Whether a backend, looked after before a command, is the one it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackendState {
    /// It is the one it was.
    AsBefore,
    /// It is a new one: nothing of the old is there.
    Anew,
}
