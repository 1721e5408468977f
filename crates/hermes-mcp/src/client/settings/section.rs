//! What can be written about a server, key by key.

use std::collections::BTreeMap;

use hermes_tool::settings::scalar::as_bool;
use hermes_tool::settings::{
    Kind, RawSetting, Seconds, SettingProblem, SettingValue, SettingWords, Settings,
};
use serde_json::Value;

use crate::client::sampling::settings::AuditLevel;

/// No wait is shorter.
const SHORTEST: Seconds = Seconds::new(0.001);
/// How long the first list of tools may be waited for.
const LONGEST_DISCOVERY: Seconds = Seconds::new(3_600.0);

/// The keys of MCP at the top of the file.
#[derive(Settings)]
pub(super) struct McpKeys {
    /// MCP servers by name.
    pub(super) mcp_servers: RawSetting<BTreeMap<String, ServerSection>>,
    /// How long the first list of tools waits for MCP servers, in seconds.
    #[setting(default = Seconds::new(1.5), range = Seconds::new(0.0)..=LONGEST_DISCOVERY)]
    pub(super) mcp_discovery_timeout: Seconds,
}

/// One server.
#[derive(Settings)]
#[settings(manual, open, about = "One MCP server")]
pub(super) struct ServerSection {
    /// The program that is the server.
    pub(super) command: Option<String>,
    /// Its arguments.
    pub(super) args: Vec<String>,
    /// Variables it gets besides the few it gets anyway.
    pub(super) env: BTreeMap<String, String>,
    /// The address of the server, instead of a program.
    pub(super) url: Option<Value>,
    /// How an address is spoken to: http (streamable), or the older sse.
    #[setting(default = HttpTransport::Http)]
    pub(super) transport: HttpTransport,
    /// Headers sent with every request.
    pub(super) headers: BTreeMap<String, String>,
    /// Whose certificates are believed: true for the well-known authorities, false for anybody, or a file.
    #[setting(default = VerifySetting::Switch(true))]
    pub(super) ssl_verify: VerifySetting,
    /// A certificate of ours: a file, or a list of certificate, key and perhaps password.
    pub(super) client_cert: Option<Value>,
    /// The file of its key.
    pub(super) client_key: Option<String>,
    /// Do not look first whether there is an MCP server at the address.
    pub(super) skip_preflight: bool,
    /// How we log in: oauth.
    pub(super) auth: Option<AuthKind>,
    /// The login.
    pub(super) oauth: OAuthSection,
    /// Whether it is started at all.
    #[setting(default = true)]
    pub(super) enabled: bool,
    /// How long one call may take without a sign of progress, in seconds.
    #[setting(default = Seconds::new(300.0), range = SHORTEST..)]
    pub(super) timeout: Seconds,
    /// How long the handshake and the first listing may take, in seconds.
    #[setting(default = Seconds::new(60.0), range = SHORTEST..)]
    pub(super) connect_timeout: Seconds,
    /// How long without traffic before it is asked whether it lives, in seconds; at least 5.
    #[setting(default = Seconds::new(180.0), range = SHORTEST..)]
    pub(super) keepalive_interval: Seconds,
    /// When an unused program is closed until the next call, in seconds; 0 for never.
    #[setting(older = "lifecycle.idle_timeout_seconds")]
    pub(super) idle_timeout_seconds: Seconds,
    /// When a program is closed because of its age, in seconds; 0 for never.
    #[setting(older = "lifecycle.max_lifetime_seconds")]
    pub(super) max_lifetime_seconds: Seconds,
    /// Whether calls may run at the same time.
    pub(super) supports_parallel_tool_calls: bool,
    /// Which of its tools are offered.
    pub(super) tools: ToolsSection,
    /// Whether it may ask for the working directory.
    pub(super) roots: bool,
    /// What it may ask of our models.
    pub(super) sampling: SamplingSection,
    /// What it may ask of you.
    pub(super) elicitation: ElicitationSection,
}

/// Which tools are offered.
#[derive(Settings)]
#[settings(manual)]
pub(super) struct ToolsSection {
    /// Only these, by the names the server uses.
    pub(super) include: Vec<String>,
    /// All but these.
    pub(super) exclude: Vec<String>,
    /// Whether there are tools for its resources.
    #[setting(default = true)]
    pub(super) resources: bool,
    /// Whether there are tools for its prompts.
    #[setting(default = true)]
    pub(super) prompts: bool,
}

/// What a server may ask of our models.
#[derive(Settings)]
#[settings(manual)]
pub(super) struct SamplingSection {
    /// Whether it is answered at all.
    #[setting(default = true)]
    pub(super) enabled: bool,
    /// The model to use, whatever the server would like.
    pub(super) model: Option<String>,
    /// The most tokens of an answer.
    #[setting(default = 4096)]
    pub(super) max_tokens_cap: u32,
    /// How long a model may take, in seconds.
    #[setting(default = Seconds::new(30.0), range = SHORTEST..)]
    pub(super) timeout: Seconds,
    /// The most requests in any minute.
    #[setting(default = 10)]
    pub(super) max_rpm: u32,
    /// The only models that may be asked; any if empty.
    pub(super) allowed_models: Vec<String>,
    /// How often in a row a model may ask for the server's tools.
    #[setting(default = 5)]
    pub(super) max_tool_rounds: u32,
    /// How loudly each answer is logged.
    pub(super) log_level: AuditLevel,
}

/// What a server may ask of a person.
#[derive(Settings)]
#[settings(manual)]
pub(super) struct ElicitationSection {
    /// Whether its questions are put to you.
    #[setting(default = true)]
    pub(super) enabled: bool,
    /// How long you have for an answer, in seconds.
    #[setting(default = Seconds::new(300.0), range = SHORTEST..)]
    pub(super) timeout: Seconds,
}

/// How we log in.
#[derive(Settings)]
#[settings(manual)]
pub(super) struct OAuthSection {
    /// A client registered beforehand.
    pub(super) client_id: Option<String>,
    /// What that client proves itself with.
    pub(super) client_secret: Option<String>,
    /// What is asked for.
    pub(super) scope: Option<String>,
    /// The port the browser comes back to.
    #[setting(range = 1..)]
    pub(super) redirect_port: Option<u16>,
    /// The whole address to come back to, for proxies.
    pub(super) redirect_uri: Option<String>,
    /// The host in the address to come back to.
    pub(super) redirect_host: Option<String>,
    /// What we are called when we register.
    pub(super) client_name: Option<String>,
    /// How long you may take, in seconds.
    pub(super) timeout: Seconds,
    /// The address of a description of us, for servers that take it for a name.
    pub(super) client_metadata_url: Option<String>,
    /// Who logs in: you (authorization_code) or the program itself (client_credentials).
    pub(super) grant: Option<String>,
    /// The program's key in PEM form, or the file it is in.
    pub(super) private_key: Option<String>,
    /// What the key signs with: ES256 or RS256.
    pub(super) signing_algorithm: Option<String>,
    /// A company's identity provider that vouches for you.
    pub(super) identity: IdentitySection,
}

/// A company's identity provider.
#[derive(Settings)]
#[settings(manual)]
pub(super) struct IdentitySection {
    /// Where the provider gives tokens.
    pub(super) token_endpoint: Option<String>,
    /// Our name there.
    pub(super) client_id: Option<String>,
    /// Your login there.
    pub(super) id_token: Option<String>,
}

/// How an address is spoken to.
#[derive(Clone, Copy, PartialEq, Eq, SettingWords)]
pub(super) enum HttpTransport {
    #[setting(also("streamable_http", "streamable-http", "streamablehttp"))]
    Http,
    Sse,
}

/// The only way to log in that is known.
#[derive(Clone, Copy, PartialEq, Eq, SettingWords)]
pub(super) enum AuthKind {
    #[setting(word = "oauth")]
    OAuth,
}

/// A switch, or the file of an authority.
pub(super) enum VerifySetting {
    Switch(bool),
    Authority(String),
}

impl SettingValue for VerifySetting {
    const KIND: Kind = Kind::BoolOr(&Kind::Text);

    fn from_config(value: &Value) -> Option<Self> {
        match as_bool(value) {
            Some(on) => Some(Self::Switch(on)),
            None => value.as_str().map(|file| Self::Authority(file.to_owned())),
        }
    }

    fn to_config(&self) -> String {
        match self {
            Self::Switch(on) => on.to_string(),
            Self::Authority(file) => file.clone(),
        }
    }
}

impl ServerSection {
    /// Reads an entry. What cannot be used has its default and is told with its key.
    pub(super) fn of(entry: &Value, problems: &mut Vec<SettingProblem>) -> Option<Self> {
        Self::from_written(entry, problems)
    }
}
