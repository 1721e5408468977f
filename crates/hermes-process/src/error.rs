//! Why a program could not be run.

use std::io;
use std::path::PathBuf;

use crate::confine::ConfinementError;

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
    KeeperLost {
        /// The program that was to be started.
        program: String,
    },

    /// The process that watches over the program was killed; the program was killed with it.
    #[error(
        "process {pid} was killed because its warden died; \
         something killed the `hermes-warden` process, look for an out-of-memory kill in `dmesg`"
    )]
    WardenLost {
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
