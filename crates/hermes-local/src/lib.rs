//! Models on this machine, without an account.
//!
//! | module | what it does |
//! |---|---|
//! | [`catalogue`] | the models we know: what they are, how large, where from, and the SHA-256 of the file |
//! | [`download`] | fetches one: resumable, verified, from a package index, a model hub or an address |
//! | [`engine`] | llama.cpp in a process of its own (feature `local`), and the way to start one |
//! | [`found`] | GGUF files that other programs have fetched already (Hugging Face, LM Studio, Ollama) |
//! | [`grammar`] | from the tools on offer to a grammar that only well-formed calls fit |
//! | [`library`] | the models this home has, by name |
//! | [`verbs`] | `hermes local list`, `get`, `use` and `rm`, as arguments |
//!
//! A network that reaches only a package index is common, and packages can carry a model: the file, or pieces of it,
//! lies in wheels that are never installed or run, only unpacked. Whatever the source, a file counts only when its
//! SHA-256 is the one that was pinned.
//!
//! What never happens here: a download nobody asked for, a file under its own name before it is whole and checked.

pub mod catalogue;
pub mod download;
pub mod engine;
pub mod found;
pub mod grammar;
pub mod library;
mod settings;
pub mod verbs;

pub use settings::ModelSourceSettings;

/// The provider's name in settings and flags.
pub const PROVIDER: &str = hermes_llm::provider::BUILT_IN;
