//! The one place where Hermes starts child processes.
//!
//! Everything that runs a program (shell hooks, terminal backends, MCP servers over stdio) goes
//! through [`Command`], so that a few promises are kept once, here, and hold everywhere:
//!
//! * **Nothing outlives us by accident.** When the calling process ends, even by `kill -9`, every
//!   process it started dies, with all descendants, also those that moved to a session of their
//!   own or were orphaned on purpose. [`Lifetime::Survives`] is the only way out, and is spelt out.
//!   A program that takes over the terminal ([`Command::run_in_foreground`], for editors) has no
//!   warden; it is hung up with us, as it would be by a terminal that closes.
//! * **Nothing outlives its command by accident.** A deadline, a cancellation, or dropping the
//!   future or the [`Child`] ends the whole tree, not just the first process. Processes left
//!   behind by a program that has ended are killed too, unless [`Leftovers::Keep`] is asked for.
//! * **Nothing hangs.** A descendant that holds the output pipe open delays a call by a bounded
//!   time; input that nobody reads blocks nothing; every wait after a kill has a limit.
//! * **Nothing grows without limit.** Output is cut to its head and tail while it is read, see
//!   [`HeadTail`].
//! * **Nothing leaks in.** A child sees an empty environment plus the variables named by the
//!   caller, default signal handling, and no descriptor but its standard three.
//! * **Nothing is left to reap.** A finished call leaves no zombie.
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
//!
//! # Keeper and warden
//!
//! A parent-death signal reaches only the direct child, and a group kill only those who stayed in
//! the group. So between us and each program stands a *warden*: a small process whose only job is
//! to own that program's tree. It is the subreaper of the tree, which means that an orphaned
//! descendant becomes the warden's child instead of init's: no one can leave. It watches a socket
//! whose other end only we hold: when that closes, for whatever reason, it kills everything below
//! itself and exits. The program, in turn, asks the kernel to be killed if its warden dies.
//!
//! Wardens are forked by the *keeper*, which is a copy of us made once, with the first command.
//! The larger a process, the slower its forks; the keeper stays as small as it was, so that
//! starting a program takes the same short time in an agent of any size. [`prepare`] makes it
//! early. No helper program has to be found on disk, no thread has to be kept alive, and no
//! process-wide setting of the host program is touched.
//!
//! The modules `keeper` and `warden` tell the details. In `ps` the two show as `hermes-keeper` and
//! `hermes-warden`.
//!
//! # What never happens here
//!
//! No decision on *whether* something may run (that is the guard's), no shell parsing, no
//! redaction. No retry of a program that may have started. No signal to a process id that has
//! already been reaped.
//!
//! # Platform
//!
//! Linux, because of subreapers, parent-death signals and `/proc`. A clear refusal to compile is
//! better than promises kept halfway elsewhere.
#![allow(
    unsafe_code,
    reason = "fork, exec and a few system calls without a safe wrapper; each use has a SAFETY note"
)]

#[cfg(not(target_os = "linux"))]
compile_error!("hermes-process relies on Linux (child subreapers, parent-death signals, /proc)");

mod capture;
mod child;
mod command;
mod environment;
mod error;
mod foreground;
mod forked;
mod keeper;
mod launch;
mod lookup;
mod run;
mod warden;

pub use capture::{CaptureLimit, Captured, HeadTail};
pub use child::{Child, InputPipe, OutputPipe};
pub use command::{Command, Leftovers, Lifetime, Output, Stdin};
pub use error::ProcessError;
pub use keeper::prepare;
pub use run::{End, Finished};
