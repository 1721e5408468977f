//! The settings of MCP servers: `mcp_servers.<name>` of the configuration.
//!
//! [`read_servers`] turns the configuration into one [`ServerEntry`] per server. What a person wrote a
//! little wrong gets a [`McpSettingProblem`] and the default; what makes a server impossible to start (no
//! command and no address, an address that is none) is a [`McpSettingsError`] that the table of servers
//! shows, so that the server is not silently absent.
//!
//! Nothing here touches the disk or the network.

mod read;
mod section;
#[cfg(test)]
mod tests;
mod values;

use std::sync::Arc;
use std::time::Duration;

use url::Url;

pub use super::elicitation::ElicitationSettings;
pub use super::sampling::SamplingSettings;
pub use read::{and_servers, discovery_timeout, read_servers, with_servers};
pub use values::{McpSettingProblem, interpolate};

/// One configured server, usable or not.
#[derive(Clone, Debug)]
pub struct ServerEntry {
    /// Its name, as written.
    pub name: Arc<str>,
    /// What it says, or why it cannot be used.
    pub settings: Result<Arc<ServerSettings>, McpSettingsError>,
    /// Keys that are wrong and not in force.
    pub problems: Vec<McpSettingProblem>,
}

/// Why a server cannot be started, found before any attempt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum McpSettingsError {
    /// The entry is no map.
    #[error("MCP server '{server}': its entry must be a map with `command` or `url`")]
    NoMap {
        /// The server.
        server: String,
    },
    /// Neither a command nor an address.
    #[error(
        "MCP server '{server}': neither `command` (a program) nor `url` (an address) is given; \
         set one of them"
    )]
    NoTransport {
        /// The server.
        server: String,
    },
    /// The address cannot be used.
    #[error(
        "MCP server '{server}': `url` is no usable address ({why}); \
         it must look like https://host/path"
    )]
    Url {
        /// The server.
        server: String,
        /// What is wrong with it.
        why: String,
    },
    /// Two ways to name the key of a client certificate.
    #[error(
        "MCP server '{server}': `client_cert` is a list and `client_key` is given too; \
         use [cert, key] or the two keys, not both"
    )]
    CertificateTwice {
        /// The server.
        server: String,
    },
    /// The certificate is neither a path nor a list of two or three.
    #[error(
        "MCP server '{server}': `client_cert` must be a path, [cert, key] or [cert, key, password]"
    )]
    CertificateShape {
        /// The server.
        server: String,
    },
}

/// How one server is started and used.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerSettings {
    /// Its name, as written.
    pub name: Arc<str>,
    /// Whether it is started at all.
    pub enabled: bool,
    /// How it is reached.
    pub transport: TransportSettings,
    /// How long one call may take without a sign of progress.
    pub timeout: Duration,
    /// How long the handshake and the first listing may take.
    pub connect_timeout: Duration,
    /// How long without traffic before the server is asked whether it lives.
    pub keepalive_interval: Duration,
    /// When an unused program is closed (it starts again with the next call).
    pub idle_timeout: Option<Duration>,
    /// When a program is closed because of its age.
    pub max_lifetime: Option<Duration>,
    /// Whether calls may run at the same time.
    pub calls: CallOrder,
    /// Which tools are offered.
    pub tools: ToolFilter,
    /// Whether the tools for resources are offered.
    pub resources: bool,
    /// Whether the tools for prompts are offered.
    pub prompts: bool,
    /// Whether the server may ask for the working directory.
    pub roots: bool,
    /// What the server may ask of a model.
    pub sampling: SamplingSettings,
    /// What the server may ask of a person.
    pub elicitation: ElicitationSettings,
}

/// Whether calls of one server may overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallOrder {
    /// One at a time.
    #[default]
    OneByOne,
    /// As many as the caller makes.
    Parallel,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq)]
pub enum TransportSettings {
    /// A program that speaks on its standard input and output.
    Stdio(StdioSettings),
    /// Streamable HTTP.
    Http(HttpSettings),
    /// The older HTTP transport with a stream of events and a second address.
    Sse(HttpSettings),
}

impl TransportSettings {
    /// The word shown in tables.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Stdio(_) => "stdio",
            Self::Http(_) => "http",
            Self::Sse(_) => "sse",
        }
    }
}

/// A program that is a server.
#[derive(Clone, PartialEq, Eq)]
pub struct StdioSettings {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables laid over the few it gets anyway.
    pub env: Vec<(String, String)>,
}

/// Names of variables only: values may be secrets.
impl std::fmt::Debug for StdioSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.env.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("StdioSettings")
            .field("command", &self.command)
            .field("args", &self.args.len())
            .field("env", &names)
            .finish()
    }
}

/// A server at an address.
#[derive(Clone, PartialEq)]
pub struct HttpSettings {
    /// The address.
    pub url: Url,
    /// Headers sent with every request.
    pub headers: Vec<(String, String)>,
    /// How the connection is secured.
    pub tls: TlsSettings,
    /// How we are authorised, if by OAuth.
    pub oauth: Option<OAuthSettings>,
    /// Whether a first look tells an MCP server from an ordinary page.
    pub preflight: bool,
}

/// Names of headers only: values may be secrets.
impl std::fmt::Debug for HttpSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("HttpSettings")
            .field("host", &self.url.host_str())
            .field("headers", &names)
            .field("oauth", &self.oauth.is_some())
            .finish_non_exhaustive()
    }
}

/// How a connection is secured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsSettings {
    /// Whose certificates are believed.
    pub verify: Verify,
    /// How we show who we are.
    pub client: Option<ClientCertificate>,
}

/// Whose certificates are believed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// Those of the well-known authorities.
    #[default]
    WellKnown,
    /// Those of the authorities in this file.
    Authority(String),
    /// Anybody's.
    Nothing,
}

/// A certificate of ours.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientCertificate {
    /// File of the certificate; also holds the key when `key` is none.
    pub cert: String,
    /// File of the key.
    pub key: Option<String>,
    /// What the key is locked with.
    pub password: Option<String>,
}

impl std::fmt::Debug for ClientCertificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientCertificate")
            .field("cert", &self.cert)
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

/// The keys of `oauth:`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct OAuthSettings {
    /// A client registered beforehand.
    pub client_id: Option<String>,
    /// What that client proves itself with, where it has one.
    pub client_secret: Option<String>,
    /// What is asked for.
    pub scope: Option<String>,
    /// Where the browser comes back to.
    pub redirect_port: Option<u16>,
    /// The whole address to come back to, for proxies.
    pub redirect_uri: Option<String>,
    /// The host in the address to come back to.
    pub redirect_host: Option<String>,
    /// What we are called when we register.
    pub client_name: Option<String>,
    /// How long a person may take.
    pub timeout: Option<Duration>,
    /// The address of a description of us, for servers that take it for a name.
    pub client_metadata_url: Option<String>,
    /// Who logs in: a person (`authorization_code`) or the program itself (`client_credentials`).
    pub grant: Option<String>,
    /// The program's key in PEM form, or the file it is in.
    pub private_key: Option<String>,
    /// What the key signs with: `ES256` or `RS256`.
    pub signing_algorithm: Option<String>,
    /// A company's identity provider that vouches for the person.
    pub identity: Option<IdentitySettings>,
}

/// The keys of `oauth.identity:`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct IdentitySettings {
    /// Where the provider gives tokens.
    pub token_endpoint: String,
    /// Our name there.
    pub client_id: String,
    /// The person's login there.
    pub id_token: String,
}

impl std::fmt::Debug for OAuthSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OAuthSettings")
            .field("client_id", &self.client_id)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

/// Which of a server's tools are offered, by the names the server uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolFilter {
    /// Every one.
    #[default]
    All,
    /// Only these.
    Include(Vec<String>),
    /// All but these.
    Exclude(Vec<String>),
}

impl ToolFilter {
    /// Whether a tool passes.
    #[must_use]
    pub fn allows(&self, raw_name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Include(names) => names.iter().any(|name| name == raw_name),
            Self::Exclude(names) => names.iter().all(|name| name != raw_name),
        }
    }
}
