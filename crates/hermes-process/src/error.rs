//! Why a program could not be run.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::sandbox::ConfinementError;

/// Why a program could not be started, watched or stopped.
///
/// A program that ran and failed is not an error: see [`End`](crate::End).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// No file of that name in the directories searched, or not at the path given.
    #[error(
        "cannot start `{program}`: not found in {searched}; \
         check the spelling, install it, or give its full path"
    )]
    NotFound {
        /// The program as the caller named it.
        program: String,
        /// Where it was looked for.
        searched: String,
    },

    /// The file is there, but may not be executed.
    #[error(
        "cannot start `{}`: permission denied; \
         check that it is a regular file with the execute bit (`chmod +x`) on a file system \
         that allows execution", path.display()
    )]
    NotExecutable {
        /// The file that was found.
        path: PathBuf,
    },

    /// The file is there, but what is needed to run it is not.
    #[error(
        "cannot start `{}`: the file exists but its interpreter does not; \
         check the path on its `#!` line (or, for a binary, that it was built for this system)",
        path.display()
    )]
    InterpreterMissing {
        /// The file that was found.
        path: PathBuf,
    },

    /// The working directory does not exist, is no directory or may not be entered.
    #[error(
        "cannot start `{program}` in {}: {source}; \
         check that the working directory exists and may be entered", cwd.display()
    )]
    WorkingDirectory {
        /// The program that was to be started.
        program: String,
        /// The directory asked for.
        cwd: PathBuf,
        /// What the system said.
        source: io::Error,
    },

    /// A name or value that no program can be given.
    #[error("cannot start `{program}`: {problem}")]
    InvalidText {
        /// The program that was to be started.
        program: String,
        /// Which text, and what is wrong with it. Never contains a value.
        problem: String,
    },

    /// Arguments and environment together exceed what the kernel passes on.
    #[error(
        "cannot start `{program}`: its arguments and environment are too long for the system; \
         pass the data on stdin or in a file"
    )]
    TooLong {
        /// The program that was to be started.
        program: String,
    },

    /// Out of processes, memory or file descriptors.
    #[error(
        "cannot start `{program}`: the system has no room for it ({source}); \
         end other processes or raise the limits (`ulimit -u`, `ulimit -n`)"
    )]
    NoResources {
        /// The program that was to be started.
        program: String,
        /// What the system said.
        source: io::Error,
    },

    /// The fork server could not take over this one's descriptors. It was
    /// not started.
    #[error(
        "cannot start `{program}`: the fork server, which starts programs, may not open the file \
         descriptors that this takes ({source}); raise the limit (`ulimit -n`, 64 is plenty) and \
         start Hermes again, as it keeps the limit it was started with"
    )]
    ForkServerExhausted {
        /// The program that was to be started.
        program: String,
        /// What the system said.
        source: io::Error,
    },

    /// Fork servers dropped the request without a word, more than once. It was not started.
    #[error(
        "cannot start `{program}`: the fork server, which starts programs, does not answer; \
         something kills it (look for an out-of-memory kill in `dmesg`), or it has no file \
         descriptor left (raise `ulimit -n` and start Hermes again)"
    )]
    RequestDropped {
        /// The program that was to be started.
        program: String,
    },

    /// No supervisor took the request within the time given. It was withdrawn, so that the program
    /// is certainly not started any more.
    #[error(
        "cannot start `{program}`: the fork server, which starts programs, did not react within \
         {} s and is replaced; the program was not started, try again", limit.as_secs_f32()
    )]
    NotTakenUp {
        /// The program that was to be started.
        program: String,
        /// How long it was waited for.
        limit: Duration,
    },

    /// The request was taken up, but it was not heard within the time given whether the program
    /// runs. Should it come to run after all, it is killed at once.
    #[error(
        "gave up waiting for `{program}` to start after {} s; the file system that holds it or its \
         working directory may not answer, look for processes in state D with `ps`. It is killed \
         should it start after all; look for traces of it before trying again", limit.as_secs_f32()
    )]
    StartOverdue {
        /// The program that was to be started.
        program: String,
        /// How long it was waited for.
        limit: Duration,
    },

    /// The program was not started, because it could not have been confined as asked for.
    #[error("cannot start `{program}` confined: {source}")]
    Confinement {
        /// The program that was to be started.
        program: String,
        /// What is missing.
        source: ConfinementError,
    },

    /// Any other refusal by the system.
    #[error("cannot start `{program}`: {source}")]
    Spawn {
        /// The program that was to be started.
        program: String,
        /// What the system said.
        source: io::Error,
    },

    /// `spawn` was called where no Tokio runtime is running.
    #[error(
        "cannot start `{program}`: no Tokio runtime here; \
         call from async code or use `run_blocking`"
    )]
    NoRuntime {
        /// The program that was to be started.
        program: String,
    },

    /// The helper processes were killed while the program was being started. It is not known
    /// whether it ran.
    #[error(
        "cannot tell whether `{program}` was started: its helper process was killed; \
         look for an out-of-memory kill in `dmesg`, and for traces of it before trying again"
    )]
    StartInterrupted {
        /// The program that was to be started.
        program: String,
    },

    /// The process that watches over the program was killed; the program was killed with it.
    #[error(
        "process {pid} was killed because its supervisor died; \
         something killed the `hermes-superv` process, look for an out-of-memory kill in `dmesg`"
    )]
    SupervisorLost {
        /// The program's process id.
        pid: u32,
    },

    /// The program runs on by itself, as it was to survive, and nobody watches over it any more.
    #[error(
        "process {pid} was let go and runs on by itself; \
         find it by its number and start time"
    )]
    LetGo {
        /// The program's process id.
        pid: u32,
    },

    /// Killed, but part of the tree does not go away.
    #[error(
        "process {pid} or one of its descendants survives SIGKILL so far; \
         it runs as another user or hangs in the kernel, look at it with `ps -ef`"
    )]
    StillRunning {
        /// The program's process id.
        pid: u32,
    },
}
