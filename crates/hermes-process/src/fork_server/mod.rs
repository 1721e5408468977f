//! The fork server: forked once, it forks all others for us (but for editors in our foreground).
//!
//! ```text
//! we ──fork──▶ fork server ──fork──▶ supervisor ──vfork──▶ program ──▶ descendants …
//!  ├── requests ───────────────────────────┤
//!  └── one control socket each ────────────┘
//! ```
//!
//! Forking copies the page tables of the whole process, which takes tens of milliseconds once an
//! agent has grown to some hundred megabytes, and leaves both sides copying each page they write
//! to. So we do it once, at the first command (or at [`prepare`], when we are still small), and
//! the copy, which never grows, makes all further forks cheap.
//!
//! It has a second advantage. A process forked from us holds copies of all our descriptors until it
//! calls `exec`, and so may keep a pipe from ending or a file just written from being executed. The
//! fork server closed all of that when it began, and a program gets exactly the descriptors that
//! were sent along with the request.
//!
//! A request is one message: six or seven descriptors (`SpawnFds`), one of them a file in memory
//! with arguments and environment (see the `request` module). It is received by a supervisor that
//! the fork server has forked in advance, so that not even a cheap fork delays the program; the
//! fork server forks the next one while the program starts. All further talk is between us and the
//! supervisor, see the `supervisor` module.
//!
//! Fork server and standby supervisor end when they cannot hear us any more. Should someone kill
//! them, running programs are not affected, since their supervisors listen to us directly: a killed
//! standby is replaced at once, a killed fork server when nobody is left to take a request.
//!
//! Nobody waits for them for ever. A request whose descriptors cannot all be received is answered
//! with an error; one that is not answered in time is withdrawn, and the fork server that has not
//! answered is replaced.
//!
//! What is inherited from us is inherited as of the fork server's start: limits, priority, user,
//! file-creation mask, control group. The working directory is not; it is sent along.

mod client;
mod server;

pub use client::prepare;
pub(crate) use client::{ForkServerId, replace, request, retire};
