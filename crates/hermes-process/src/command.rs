//! What to run and how: the [`Command`] builder and its choices.
//!
//! Every choice is an enum or a named method, and every default is the careful one: no
//! environment, no input, output captured within a limit, and nothing left running. Building a
//! command touches nothing but our own environment ([`Command::env_inherit`]); what can be wrong
//! with it is found, and told, when it is started.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::capture::CaptureLimit;
use crate::environment::ChildEnvironment;
use crate::pty::PtySize;
use crate::sandbox::Confinement;

/// What a program reads from its standard input.
#[derive(Debug, Default)]
pub enum Stdin {
    /// Nothing: `/dev/null`.
    #[default]
    Null,
    /// These bytes, then the end. A program that does not read them all is no error.
    Bytes(Vec<u8>),
    /// A pipe the caller writes to, see [`Child::take_stdin`](crate::Child::take_stdin).
    /// [`Command::run`] has nothing to write and closes it at once.
    Piped,
}

/// Where a program's standard output and standard error go.
#[derive(Debug, Default)]
pub enum OutputMode {
    /// Each into a capture of its own.
    #[default]
    Separate,
    /// Both into one capture (`stdout`), in the order they were written.
    Merged,
    /// Both to `/dev/null`.
    Discard,
    /// Both into this file. The choice for [`Lifetime::Survives`], as pipes end with us.
    ToFile(File),
    /// Standard output into a capture, standard error into this file. The choice for programs that
    /// speak a protocol on their output and write a log beside it.
    ErrorsToFile(File),
}

/// What happens to a program when the calling process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lifetime {
    /// It is killed with all its descendants, however we end.
    #[default]
    DiesWithParent,
    /// It runs on. Dropping its [`Child`](crate::Child) leaves it alone, too.
    Survives,
}

/// What happens to descendants that are still running when the program itself has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Leftovers {
    /// They are killed: a finished call means that nothing of it runs any more.
    #[default]
    Kill,
    /// They run on until the calling process ends (or longer, with [`Lifetime::Survives`]).
    /// The choice for commands typed by a user, which may start a server in the background.
    Keep,
}

/// Is shown output as it arrives, see [`Command::on_output`].
pub type OutputTap = Arc<dyn Fn(&[u8]) + Send + Sync>;

/// A program to run, with everything that decides how.
///
/// A bare program name is looked up in the `PATH` given to the child or, if it is given none, in
/// our own. A relative path with a slash starts at the child's working directory. An executable
/// text file without a `#!` line is run by `/bin/sh`.
pub struct Command {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) environment: ChildEnvironment,
    pub(crate) stdin: Stdin,
    pub(crate) output: OutputMode,
    pub(crate) pty: Option<PtySize>,
    pub(crate) tap: Option<OutputTap>,
    pub(crate) confinement: Option<Confinement>,
    pub(crate) capture: CaptureLimit,
    pub(crate) deadline: Option<Duration>,
    pub(crate) grace: Duration,
    pub(crate) cancel: CancellationToken,
    pub(crate) lifetime: Lifetime,
    pub(crate) leftovers: Leftovers,
}

impl Command {
    /// Time between SIGTERM and SIGKILL when a command is stopped, unless [`Command::grace`] says
    /// otherwise.
    pub const DEFAULT_GRACE: Duration = Duration::from_secs(1);

    /// A command without arguments, environment, input or deadline, whose output is captured.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            cwd: None,
            environment: ChildEnvironment::default(),
            stdin: Stdin::default(),
            output: OutputMode::default(),
            pty: None,
            tap: None,
            confinement: None,
            capture: CaptureLimit::default(),
            deadline: None,
            grace: Self::DEFAULT_GRACE,
            cancel: CancellationToken::new(),
            lifetime: Lifetime::default(),
            leftovers: Leftovers::default(),
        }
    }

    /// Adds one argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets the working directory (otherwise ours).
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Gives the child one variable. Without this and its siblings its environment is empty.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.set(name.into(), value.into());
        self
    }

    /// Gives the child these variables.
    #[must_use]
    pub fn envs<N, V>(mut self, variables: impl IntoIterator<Item = (N, V)>) -> Self
    where
        N: Into<OsString>,
        V: Into<OsString>,
    {
        for (name, value) in variables {
            self.environment.set(name.into(), value.into());
        }
        self
    }

    /// Hands on those of the named variables that are set in our own environment right now.
    #[must_use]
    pub fn env_inherit<N: AsRef<OsStr>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        for name in names {
            self.environment.inherit(name.as_ref());
        }
        self
    }

    /// Chooses the standard input.
    #[must_use]
    pub fn stdin(mut self, stdin: Stdin) -> Self {
        self.stdin = stdin;
        self
    }

    /// Short for [`Stdin::Bytes`].
    #[must_use]
    pub fn stdin_bytes(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin(Stdin::Bytes(bytes.into()))
    }

    /// Chooses where the output goes.
    #[must_use]
    pub fn output(mut self, output: OutputMode) -> Self {
        self.output = output;
        self
    }

    /// Gives the program a terminal of this size in place of its three standard streams, and as
    /// its controlling terminal. The choices of input and output do not matter then: what the
    /// program prints is read from its [`Pty`](crate::Pty), and what is written there is typed.
    ///
    /// [`Command::run`] types the bytes of [`Stdin::Bytes`], if any, and the end of the input, and
    /// captures the screen as `stdout`.
    ///
    /// What kind of terminal it is should be said in the variable `TERM`.
    #[must_use]
    pub fn pty(mut self, size: PtySize) -> Self {
        self.pty = Some(size);
        self
    }

    /// Shows each piece of output to `tap` as [`Command::run`] reads it, both streams merged, cut
    /// anywhere, before any limit. Called where the call is polled: it must be quick.
    #[must_use]
    pub fn on_output(mut self, tap: OutputTap) -> Self {
        self.tap = Some(tap);
        self
    }

    /// Takes rights away from the program and all its descendants. If the kernel cannot do what is
    /// asked for, the program is not started.
    #[must_use]
    pub fn confine(mut self, confinement: Confinement) -> Self {
        self.confinement = Some(confinement);
        self
    }

    /// Limits what [`Command::run`] keeps of each captured stream.
    #[must_use]
    pub fn capture(mut self, limit: CaptureLimit) -> Self {
        self.capture = limit;
        self
    }

    /// Stops the tree in [`Command::run`] when it has run this long.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Time between SIGTERM and SIGKILL when [`Command::run`] stops the tree.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Stops the tree in [`Command::run`] when the token is cancelled.
    #[must_use]
    pub fn cancel(mut self, token: CancellationToken) -> Self {
        self.cancel = token;
        self
    }

    /// Chooses what happens when the calling process ends.
    #[must_use]
    pub fn lifetime(mut self, lifetime: Lifetime) -> Self {
        self.lifetime = lifetime;
        self
    }

    /// Chooses what [`Command::run`] does with descendants left by a program that has ended.
    #[must_use]
    pub fn leftovers(mut self, leftovers: Leftovers) -> Self {
        self.leftovers = leftovers;
        self
    }
}

/// Without values of variables and without input: both may hold secrets.
impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command")
            .field("program", &self.program)
            .field("args", &self.args)
            .field("cwd", &self.cwd)
            .field("environment", &self.environment)
            .field("pty", &self.pty)
            .field("confinement", &self.confinement)
            .field("deadline", &self.deadline)
            .field("lifetime", &self.lifetime)
            .field("leftovers", &self.leftovers)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_no_value_and_no_input() {
        let command = Command::new("x").env("TOKEN", "s3cret").stdin_bytes("s3cret");
        let shown = format!("{command:?}");
        assert!(shown.contains("TOKEN"), "{shown}");
        assert!(!shown.contains("s3cret"), "{shown}");
    }
}
