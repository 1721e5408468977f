//! Decisions about what is safe, without doing anything.
//!
//! The guard answers questions: what would this command do, may this path be read, may this URL be
//! visited, which parts of this text are secrets? It opens no file, starts no process and keeps no
//! state, so every answer can be tested and explained. Whoever asks brings the facts (a path with
//! every link on its way, the addresses of a name, the home folders, the settings) and acts on the
//! answer.
//!
//! # What is asked where
//!
//! About commands:
//!
//! * [`shell`] reads shell text into a tree, as bash would. The next two stand on it.
//! * [`command`] says what is dangerous about a command: every danger, each with its category.
//! * [`command_line`] is what a terminal needs besides: what does not belong in the foreground,
//!   what an exit code means, how `sudo` gets its password.
//!
//! About places:
//!
//! * [`paths`]: which files the file tools leave alone, and why.
//! * [`url`]: which web addresses may be visited, and to which machines a visit may lead.
//!
//! About text:
//!
//! * [`redact`]: secrets in text that goes to a model or a log.
//! * [`input`]: text typed to programs that already run.
//! * [`threats`]: text that tries to take over the agent that reads it.
//! * [`ansi`]: terminal codes, which are noise to a model and can lie to a person.
//!
//! ```
//! use hermes_guard::command::{Severity, CommandContext, analyse};
//!
//! let here = CommandContext::default();
//! assert!(!analyse("git commit -m 'rm -rf /'", &here).is_dangerous(), "a message is no command");
//!
//! let found = analyse("bash -c 'rm -rf /'", &here).findings;
//! assert!(found.iter().any(|finding| finding.severity == Severity::Floor));
//! ```
//!
//! # Who acts on the answers
//!
//! `hermes-approval` asks people about dangerous commands and refuses what nobody may do; the file
//! tools refuse paths; whoever prints or stores text redacts it first. That something is asked at
//! all is their business, not the guard's.
//!
//! # What the rules are, and are not
//!
//! They keep an agent from confusion and from being led astray: from deleting what it did not mean
//! to, from printing its own keys, from editing the system, from calling services of the machine.
//! They are not a sandbox. A program can do more than its command line shows; what it may do then
//! is decided by where it runs: in a container, on another machine, confined by the kernel.
//!
//! # What never happens here
//!
//! No I/O, no clock, no global state. No answer depends on anything but the question. No work that
//! grows faster than the text: patterns are matched in linear time, and what could grow has a
//! budget. No command and no URL passes because it could not be read.

pub mod ansi;
pub mod command;
pub mod command_line;
pub mod input;
pub mod paths;
pub mod redact;
pub mod shell;
pub mod skill_scan;
#[cfg(test)]
mod test_clock;
pub mod threats;
pub mod url;
