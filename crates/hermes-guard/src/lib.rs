//! Decisions about what is safe, without doing anything.
//!
//! The guard answers questions: may this path be read, may it be written, which parts of this text
//! are secrets? It opens no file, starts no process and keeps no state, so every answer can be
//! tested and explained. Whoever asks brings the facts (a path with every link on its way, the home
//! folders, the settings) and acts on the answer.
//!
//! * [`paths`]: which files the file tools leave alone, and why.
//! * [`redact`]: secrets in text that goes to a model or a log.
//!
//! The analysis of shell commands and of URLs will live here too.
//!
//! # What the rules about paths are, and are not
//!
//! They keep an agent from confusion: from printing its own keys, from editing the system, from
//! reading a device that never ends. They are not a sandbox. A terminal tool can do more, and is
//! guarded by approval instead.
//!
//! # What never happens here
//!
//! No I/O, no clock, no global state. No answer depends on anything but the question. No work that
//! grows faster than the text: every pattern is matched in linear time.

pub mod paths;
pub mod redact;
