//! The keeper: forked once, it forks all others for us (but for editors in our foreground).
//!
//! ```text
//! we ──fork──▶ keeper ──fork──▶ warden ──vfork──▶ program ──▶ descendants …
//!  ├── requests ────────────────────┤
//!  └── one control socket each ─────┘
//! ```
//!
//! Forking copies the page tables of the whole process, which takes tens of milliseconds once an
//! agent has grown to some hundred megabytes, and leaves both sides copying each page they write
//! to. So we do it once, at the first command (or at [`prepare`], when we are still small), and
//! the copy, which never grows, makes all further forks cheap.
//!
//! It has a second advantage. A process forked from us holds copies of all our descriptors until
//! it calls `exec`, and so may keep a pipe from ending or a file just written from being executed.
//! The keeper closed all of that when it began, and a program gets exactly the descriptors that
//! were sent along with the request.
//!
//! A request is one message: six or seven descriptors ([`Handed`]), one of them a file in memory
//! with arguments and environment ([`image`]). It is received by a warden that the keeper has
//! forked in advance, so that not even a cheap fork delays the program; the keeper forks the next
//! one while the program starts. All further talk is between us and the warden, see the `warden`
//! module.
//!
//! Keeper and spare warden end when they cannot hear us any more. Should someone kill them,
//! running programs are not affected, since their wardens listen to us directly: a killed spare is
//! replaced at once, a killed keeper when nobody is left to take a request.
//!
//! What is inherited from us is inherited as of the keeper's start: limits, priority, user,
//! file-creation mask, control group. The working directory is not; it is sent along.

mod client;
mod handover;
pub(crate) mod image;
mod server;

pub use client::prepare;
pub(crate) use client::{request, retire};
pub(crate) use handover::{Handed, Request};
