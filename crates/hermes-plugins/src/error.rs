//! Why a plugin did not do what was asked of it.

use std::path::PathBuf;

use hermes_process::ProcessError;
use hermes_store::atomic::AtomicError;
use hermes_tool::ToolError;
use thiserror::Error;

use crate::link::LinkError;
use crate::protocol::VERSION;

/// Why a plugin did not do what was asked of it.
#[derive(Debug, Error)]
pub enum PluginError {
    /// Its process cannot be started.
    #[error("plugin '{plugin}' cannot be started: {source}")]
    Start {
        /// The plugin.
        plugin: String,
        /// Why.
        source: ProcessError,
    },
    /// The files of the Python host cannot be written.
    #[error("plugin '{plugin}' cannot be started: {source}")]
    Host {
        /// The plugin.
        plugin: String,
        /// Why.
        source: AtomicError,
    },
    /// There is nothing to run.
    #[error(
        "plugin '{plugin}' has nothing to run: give its folder an __init__.py, or its plugin.yaml a \
         `command`"
    )]
    Nothing {
        /// The plugin.
        plugin: String,
    },
    /// It speaks another version of the protocol.
    #[error(
        "plugin '{plugin}' speaks version {theirs} of the plugin protocol, Hermes speaks {VERSION}; \
         install a version of the plugin for this Hermes"
    )]
    Version {
        /// The plugin.
        plugin: String,
        /// What it speaks.
        theirs: String,
    },
    /// It failed while it was loaded.
    #[error("plugin '{plugin}' failed to load: {why}\n  its log: {}", log.display())]
    Load {
        /// The plugin.
        plugin: String,
        /// What it said, or how it ended.
        why: String,
        /// Where more is to be read.
        log: PathBuf,
    },
    /// It failed too often in a row.
    #[error(
        "plugin '{plugin}' failed {failures} times in a row and is left alone; the last time {why}\n  \
         its log: {}\n  `hermes plugins test {plugin}` tries it, `hermes plugins disable {plugin}` \
         turns it off",
        log.display()
    )]
    GivenUp {
        /// The plugin.
        plugin: String,
        /// How often.
        failures: u32,
        /// What happened.
        why: String,
        /// Where more is to be read.
        log: PathBuf,
    },
    /// It did not answer, or with an error.
    #[error("plugin '{plugin}': {why}")]
    Call {
        /// The plugin.
        plugin: String,
        /// The name it gives this sort of error.
        kind: Option<String>,
        /// What went wrong.
        why: String,
    },
    /// Plugins are no longer running.
    #[error("plugins have been closed")]
    Closed,
}

impl PluginError {
    pub(crate) fn call(plugin: &str, error: LinkError) -> Self {
        let plugin = plugin.to_owned();
        match error {
            LinkError::Failed(failure) => {
                Self::Call { plugin, kind: failure.kind, why: failure.message }
            }
            other => Self::Call { plugin, kind: None, why: other.to_string() },
        }
    }
}

impl From<PluginError> for ToolError {
    fn from(error: PluginError) -> Self {
        match error {
            // An error of the plugin's own code reads like that of a built-in tool.
            PluginError::Call { kind: Some(kind), why, .. } => Self::failure(kind, why),
            other => Self::failure("PluginError", other.to_string()),
        }
    }
}
