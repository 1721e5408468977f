//! The one place where Hermes starts child processes.
//!
//! Everything that runs a program (shell hooks, terminal backends, MCP servers over stdio) goes
//! through [`Command`], so that a few promises are kept once, here, and hold everywhere:
//!
//! * **Nothing outlives us by accident.** When the calling process ends, even by `kill -9`, every
//!   process it started dies, with all descendants, also those that moved to a session of their
//!   own or were orphaned on purpose. [`Lifetime::Survives`] is the only way out, and is spelt out.
//!   A program that takes over the terminal ([`Command::run_in_foreground`], for editors) has no
//!   supervisor; it is hung up with us, as it would be by a terminal that closes.
//! * **Nothing outlives its command by accident.** A deadline, a cancellation, or dropping the
//!   future or the [`Child`] ends the whole tree, not just the first process. Processes left
//!   behind by a program that has ended are killed too, unless [`Leftovers::Keep`] is asked for.
//! * **Nothing hangs.** A descendant that holds the output pipe open delays a call by a bounded
//!   time; input that nobody reads blocks nothing; every wait after a kill has a limit.
//! * **Nothing grows without limit.** Output is cut to its head and tail while it is read, see
//!   [`HeadTail`].
//! * **Nothing leaks in.** A child sees an empty environment plus the variables named by the
//!   caller, default signal handling, and no descriptor but its standard three. That our own
//!   environment and memory stay ours takes a word in `main`, see [`shield_own_environment`].
//! * **Nothing is left to reap.** A finished call leaves no zombie.
//! * **Nothing is signalled by mistake.** Orders go to a program's supervisor, not to a number. For
//!   processes of an earlier run of ours, [`signal_if_same`] compares start times first.
//! * **Nothing forgets where it came from.** A Hermes that one of these programs starts can tell, see
//!   [`descends_from_own_command`].
//! * **Nothing is confined halfway.** What a [`Confinement`] asks for is enforced by the kernel,
//!   or the program does not run.
//!
//! # Use
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use hermes_process::{Command, End};
//! use std::time::Duration;
//!
//! let done = Command::new("sh")
//!     .args(["-c", "cat; exit 3"])
//!     .stdin_bytes("hello")
//!     .deadline(Duration::from_secs(10))
//!     .run()
//!     .await?;
//! assert_eq!(done.stdout.text(), "hello");
//! assert_eq!(done.end, End::Exited(3));
//! # Ok::<(), hermes_process::ProcessError>(())
//! # }).unwrap();
//! ```
//!
//! [`Command::run`] is the everyday call, [`Command::run_blocking`] the same for code without a
//! runtime, and [`Command::spawn`] hands out the pipes for callers that stream.
//! [`Command::pty`] puts the program on a terminal instead, with a [`Pty`] for its user.
//!
//! A table of background programs gives each [`Child`] to a task that waits for it, and keeps a
//! [`ProcessHandle`] to look at the program and to end it: handles are shared, wait for nobody,
//! and keep nothing alive.
//!
//! A running call takes two processes and, in our own, one descriptor for its supervisor and one
//! for each pipe (a terminal counts as one). A thousand at a time are no trouble where the limits
//! allow for it; where they do not, a call says so with [`ProcessError::NoResources`] and leaves
//! nothing behind. There is no queue in here, because a program may be waiting for another that we
//! run for it: who starts many has a semaphore.
//!
//! # Fork server and supervisor
//!
//! A parent-death signal reaches only the direct child, and a group kill only those who stayed in
//! the group. So between us and each program stands a *supervisor*: a small process whose only job
//! is to own that program's tree. It is the subreaper of the tree, which means that an orphaned
//! descendant becomes the supervisor's child instead of init's: no one can leave. It watches a
//! socket whose other end only we hold: when that closes, for whatever reason, it kills everything
//! below itself and exits. The program, in turn, asks the kernel to be killed if its supervisor
//! dies.
//!
//! Supervisors are forked by the *fork server*, which is a copy of us made once, with the first
//! command. The larger a process, the slower its forks; the fork server stays as small as it was,
//! so that starting a program takes the same short time in an agent of any size. It also has a
//! supervisor ready for the next program, so that no fork at all is waited for: a call costs some
//! 0.2 ms more than the bare program does (`examples/spawn_cost.rs` measures it). [`prepare`] makes
//! it early. No helper program has to be found on disk, no thread has to be kept alive, and no
//! process-wide setting of the host program is touched.
//!
//! The modules `fork_server` and `supervisor` tell the details. In `ps` the two show as
//! `hermes-forksrv` and `hermes-superv`, and the supervisor that waits for work as
//! `hermes-standby`.
//!
//! # What never happens here
//!
//! No decision on *whether* something may run (that is the guard's), no shell parsing, no
//! redaction. No retry of a program that may have started. No signal to a process id that has
//! already been reaped. No rendering of what a terminal shows: its bytes are handed on.
//!
//! # Platform
//!
//! Linux keeps all of these promises, because of its subreapers, parent-death signals and sealed files. On macOS a
//! portable backend keeps most of them, and weaker ones where nothing else can be done; its essay (`system::portable`)
//! and docs/platform-support.md list them. Other systems are a clear refusal to compile.
#![allow(
    unsafe_code,
    reason = "fork, exec and a few system calls without a safe wrapper; each use has a SAFETY note"
)]

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
compile_error!("hermes-process can look at the processes of Linux and macOS only");

mod adopted;
mod capture;
mod child;
mod command;
mod environment;
mod error;
mod foreground;
mod fork_server;
mod forked;
mod handle;
mod launch;
mod lineage;
mod lookup;
mod native;
mod processes;
mod pty;
mod request;
mod run;
mod sandbox;
mod shield;
mod supervisor;
mod system;

pub use adopted::{process_exists, process_start_time, programs_of_tree, signal_if_same};
pub use capture::{CaptureLimit, CapturedOutput, HeadTail};
pub use child::{Child, InputPipe, OutputPipe};
pub use command::{Command, Leftovers, Lifetime, OutputMode, OutputTap, Stdin};
pub use error::ProcessError;
pub use fork_server::prepare;
pub use handle::{ProcessHandle, StopMode};
pub use lineage::descends_from_own_command;
pub use pty::{Pty, PtyEcho, PtyReader, PtySize, PtyWriter};
pub use run::{End, FinishedProcess};
pub use sandbox::{
    Confinement, ConfinementError, KernelSupport, Metadata, Network, kernel_support,
};
pub use shield::{HideError, hide_environment, shield_own_environment};
