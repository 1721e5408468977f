//! How a server is doing, for tables.

use std::sync::Arc;

use super::sampling::SamplingCounters;

/// Where a server stands between being named and giving up on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerState {
    /// Not started yet.
    Configured,
    /// Switched off in the configuration.
    Disabled,
    /// A connection is being made.
    Connecting,
    /// In use, or closed for a while and restarted by the next call.
    Connected,
    /// Could not be started; the error says why.
    Failed,
    /// Was lost and could not be brought back; tried again now and then.
    Parked,
}

impl ServerState {
    /// The word for tables and JSON.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Configured => "configured",
            Self::Disabled => "disabled",
            Self::Connecting => "connecting",
            Self::Connected => "connected",
            Self::Failed => "failed",
            Self::Parked => "parked",
        }
    }
}

/// One row of the table of servers.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerStatus {
    /// The name, as configured.
    pub name: Arc<str>,
    /// `stdio`, `http` or `sse`; empty when the entry says neither.
    pub transport: &'static str,
    /// How it is doing.
    pub state: ServerState,
    /// How many of its tools are registered, utilities included.
    pub tools: usize,
    /// The last error, free of secrets.
    pub error: Option<String>,
    /// Findings in descriptions and odd keys of the entry, for people.
    pub warnings: Vec<String>,
    /// What sampling has cost.
    pub sampling: SamplingCounters,
    /// Name and version the server gave itself.
    pub server_info: Option<String>,
    /// What the server says about how to use it.
    pub instructions: Option<String>,
}
