//! The built-in engine: llama.cpp in a process of its own, spoken to like any other model server.
//!
//! [`serve`] is that process (`hermes local serve`): it loads one model, listens on loopback, tells its address and a
//! random key in one line of JSON on stdout ([`EngineAddress`]), and answers chat completions. A crash of the engine, or
//! the memory it takes, is then nobody else's, and the rest of the program knows one wire only.
//!
//! Whoever asks holds a [`SharedEngine`]: one process for a home and a model, started by the first request, ended with its
//! last holder, and started anew if it died.
//!
//! `chat` makes a prompt of a conversation by the model's own template, `llama` turns it into tokens and back, `server`
//! speaks HTTP. Without the feature `local` none of them is built, and [`serve`] says so.

mod child;
mod shared;

#[cfg(feature = "local")]
mod chat;
#[cfg(feature = "local")]
mod llama;
#[cfg(feature = "local")]
mod server;

use std::path::PathBuf;

pub use child::EngineChild;
use serde::{Deserialize, Serialize};
pub use shared::SharedEngine;

/// Whether this build can run models.
pub const IS_BUILT: bool = cfg!(feature = "local");

/// What [`serve`] tells in its first line.
#[derive(Clone, Deserialize, Serialize)]
pub struct EngineAddress {
    /// The base of its addresses.
    pub base_url: String,
    /// The key that every request must carry.
    pub key: String,
    /// The model's name.
    pub model: String,
    /// Tokens it looks at.
    pub window: u64,
}

/// What is served, and how.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// The model's file.
    pub file: PathBuf,
    /// What it is called.
    pub model: String,
    /// Tokens it looks at.
    pub window: u32,
    /// The port; zero for any.
    pub port: u16,
    /// Where prefixes that were read once are kept.
    pub states: PathBuf,
}

/// Why a model is not served.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The engine is not part of this build.
    #[error(
        "this build has no engine; build it with `cargo build --release --features local`, or serve the file with any \
         other program and run `hermes setup`"
    )]
    NotBuilt,
    /// The model cannot be loaded or run.
    #[error("{0}")]
    Model(String),
    /// The port cannot be used.
    #[error("listen on loopback: {0}")]
    Listen(#[from] std::io::Error),
}

/// Serves a model until the process ends; `tell` gets the address once it can be asked.
///
/// # Errors
/// If the model cannot be loaded or the port cannot be used.
#[cfg(feature = "local")]
pub async fn serve(
    options: EngineOptions,
    tell: impl FnOnce(&EngineAddress) + Send,
) -> Result<(), EngineError> {
    server::serve(options, tell).await
}

/// Says that there is no engine.
///
/// # Errors
/// Always, in a build without the feature.
#[cfg(not(feature = "local"))]
pub async fn serve(
    options: EngineOptions,
    tell: impl FnOnce(&EngineAddress) + Send,
) -> Result<(), EngineError> {
    let _ = (options, tell);
    std::future::ready(Err(EngineError::NotBuilt)).await
}
