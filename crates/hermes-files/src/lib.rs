//! The work behind the file tools: finding, reading, changing and searching files.
//!
//! The tools themselves (`read_file`, `write_file`, `patch`, `search_files`) are thin: they read
//! arguments, ask the guard, and shape an answer. What they do is here, in parts that know nothing of
//! models or tools and can be used and tested alone.
//!
//! | module | answers |
//! |---|---|
//! | [`fs`] | where are the files, and how is one replaced without ever being half written? |
//! | [`view`] | how does a file look to a model: numbered lines, a picture, a document's text? |
//! | [`edit`] | which place does a quotation mean, and what does the file look like afterwards? |
//! | [`v4a`] | what does a patch over several files come down to? |
//! | [`search`] | which lines or files match? |
//! | [`state`] | who read and wrote what, and what is being repeated? |
//! | [`checkpoints`] | how was it before? |
//!
//! Everything that touches a file goes through the trait [`fs::FileSystem`], so that with a container
//! or a remote host as terminal backend the same tools work there. [`edit`] and [`v4a`] are pure
//! functions on bytes. Whether a file still parses after a change is the question of `hermes-syntax`, whose
//! parsers weigh more than everything here.
//!
//! # What never happens here
//!
//! A file is never half written. Bytes outside the place that was asked for never change, not even
//! stray ones. No child process is started, except `git` for checkpoints. No file larger than its cap
//! is read into memory. Nothing but regular files is opened.

pub mod checkpoints;
pub mod edit;
pub mod fs;
pub mod search;
pub mod state;
pub mod v4a;
pub mod view;
