//! Why there is no connection to a server.

use super::settings::McpSettingsError;

/// Why there is no connection to a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// The entry cannot be used.
    #[error(transparent)]
    Settings(#[from] McpSettingsError),
    /// The command looks like an attack.
    #[error(
        "MCP server '{server}' is not started: {why}; if it is meant, put the script into a file \
         and start that"
    )]
    Suspicious {
        /// The server.
        server: String,
        /// What stands out.
        why: String,
    },
    /// The package is reported as malicious.
    #[error("MCP server '{server}' is not started: {why}; remove it from the configuration")]
    Malicious {
        /// The server.
        server: String,
        /// The reports.
        why: String,
    },
    /// There is no such program, or it cannot be run.
    #[error("MCP server '{server}' cannot be started: {why}")]
    Program {
        /// The server.
        server: String,
        /// What is wrong, and what to do.
        why: String,
    },
    /// A file of the TLS settings cannot be used.
    #[error("MCP server '{server}': `{key}` names {path}, which cannot be used: {why}")]
    TlsFile {
        /// The server.
        server: String,
        /// The key of the entry.
        key: &'static str,
        /// The file.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// A key with a password.
    #[error(
        "MCP server '{server}': the key of `client_cert` is locked with a password, which is not \
         supported; unlock it with `openssl pkey` into a file only you can read"
    )]
    LockedKey {
        /// The server.
        server: String,
    },
    /// A header that cannot be sent.
    #[error("MCP server '{server}': the header {name:?} has a name or value that cannot be sent")]
    Header {
        /// The server.
        server: String,
        /// The header.
        name: String,
    },
    /// The HTTP client could not be made.
    #[error("MCP server '{server}': no HTTP client can be made: {why}")]
    Client {
        /// The server.
        server: String,
        /// What is wrong.
        why: String,
    },
    /// The address is not one of an MCP server.
    #[error(
        "MCP server '{server}': the address answers with {kind}, so it is no MCP server; the path \
         may be wrong (many servers listen at /mcp)"
    )]
    NoMcp {
        /// The server.
        server: String,
        /// The content type that came.
        kind: String,
    },
    /// Somebody has to log in.
    #[error("MCP server '{server}' asks for a login: {why}; run `hermes mcp login {server}`")]
    Login {
        /// The server.
        server: String,
        /// What the authorizer says.
        why: String,
    },
    /// The server speaks a version we do not.
    #[error("MCP server '{server}' speaks protocol version {theirs}; we speak {ours}")]
    Version {
        /// The server.
        server: String,
        /// Its version.
        theirs: String,
        /// Ours.
        ours: String,
    },
    /// It took too long.
    #[error("MCP server '{server}' did not answer within {seconds} s (`connect_timeout`)")]
    TimedOut {
        /// The server.
        server: String,
        /// The limit.
        seconds: u64,
    },
    /// Anything else on the way.
    #[error("MCP server '{server}': {why}")]
    Failed {
        /// The server.
        server: String,
        /// What happened.
        why: String,
    },
}

impl ConnectError {
    /// Whether another attempt would end the same way.
    #[must_use]
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::TimedOut { .. } | Self::Failed { .. })
    }
}
