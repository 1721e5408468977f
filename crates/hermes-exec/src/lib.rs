//! Where the commands of an agent run.
//!
//! [`Environment`] is one such location with a memory: a command finds the directory, variables,
//! functions and aliases that the one before it left. What kind of backend it is (this machine, a
//! container, another host) is a [`Backend`]'s matter, and a backend is little more than the name
//! of the program that takes a script there.
//!
//! # The way of a command
//!
//! A command comes as [`Approved<ShellLine>`](hermes_approval::Approved), which only the approval
//! crate can make, and only for the kind of backend it was asked about. It is wrapped into a script
//! ([`session`](self)) that reads the snapshot, enters the directory, runs the command and writes
//! the next snapshot; the backend's client carries that to a shell; the output comes back through
//! a collector that keeps its head and its tail.
//!
//! # What never happens here
//!
//! A command is run that was not approved for this environment. A command is run twice: it is tried
//! again only when the client itself said that it never started. An environment that cannot be
//! started is replaced by another. A process is left behind when we are gone, wherever it runs: on
//! this machine its supervisor ends it, elsewhere the session's guard.

mod apptainer;
mod backend;
pub mod background;
pub mod child_env;
mod cleanup;
mod cloud;
pub mod code;
mod docker;
mod environment;
mod error;
mod granted;
mod guard;
mod kind;
mod lease;
mod local;
pub mod manager;
mod mark;
mod own_folder;
mod programs;
mod quote;
mod remote_files;
mod session;
pub mod settings;
mod ssh;
mod sync;

pub use apptainer::{Apptainer, ApptainerOptions};
pub use backend::{
    Backend, BackendKind, BackendState, ClientInput, ClientTrouble, FileReach, ShellCall,
    ShellKind, Variables,
};
pub use cloud::{Cloud, CloudOptions, sandbox_helper};
pub use docker::{Docker, DockerOptions};
pub use environment::{
    Environment, ExecEnd, ExecOptions, ExecResult, LiveOutput, ShellMemory, SpawnOptions,
    SpawnedProcess, SudoPassword,
};
pub use error::ExecError;
pub use local::{Local, LocalOptions};
pub use mark::SandboxMark;
pub use quote::quoted;
pub use remote_files::RemoteFiles;
pub use ssh::{Ssh, SshOptions};
pub use sync::{SyncScope, SyncSources, SyncedKind, SyncedPath};
