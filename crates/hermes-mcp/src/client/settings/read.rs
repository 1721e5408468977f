//! From the configuration to [`ServerEntry`] values.

use std::sync::Arc;
use std::time::Duration;

use hermes_tool::Vars;
use hermes_tool::settings::{SettingOrigin, Settings};
use serde_json::{Map, Value};
use url::Url;

use super::section::{HttpTransport, McpKeys, OAuthSection, ServerSection, VerifySetting};
use super::values::interpolate;
use super::{
    CallOrder, ClientCertificate, ElicitationSettings, HttpSettings, IdentitySettings,
    McpSettingProblem, McpSettingsError, OAuthSettings, SamplingSettings, ServerEntry,
    ServerSettings, StdioSettings, TlsSettings, ToolFilter, TransportSettings, Verify,
};

/// How often at most a server is asked whether it lives.
const KEEPALIVE_FLOOR: Duration = Duration::from_secs(5);

/// Every entry of `mcp_servers`, in the order written.
#[must_use]
pub fn read_servers(config: &Value, vars: &Vars) -> Vec<ServerEntry> {
    let servers = McpKeys::read(config, &Vars::default()).mcp_servers.0;
    let servers = servers.as_object().into_iter().flatten();
    servers.map(|(name, entry)| read_server(name, &interpolate(entry, vars))).collect()
}

/// The configuration with only those servers that are wanted; none if none is.
#[must_use]
pub fn with_servers(config: &Value, is_wanted: impl Fn(&str) -> bool) -> Option<Value> {
    let servers = McpKeys::read(config, &Vars::default()).mcp_servers.0;
    let mut wanted = servers.as_object()?.clone();
    wanted.retain(|name, _| is_wanted(name));
    if wanted.is_empty() {
        return None;
    }
    let mut narrowed = config.as_object()?.clone();
    narrowed.insert("mcp_servers".to_owned(), wanted.into());
    Some(narrowed.into())
}

/// The configuration with further servers, which win over those of the same name.
#[must_use]
pub fn and_servers(config: &Value, more: &Map<String, Value>) -> Value {
    let known = McpKeys::read(config, &Vars::default()).mcp_servers.0;
    let mut servers = known.as_object().cloned().unwrap_or_default();
    servers.extend(more.clone());
    let mut whole = config.as_object().cloned().unwrap_or_default();
    whole.insert("mcp_servers".to_owned(), servers.into());
    whole.into()
}

/// How long the first list of tools waits for servers.
#[must_use]
pub fn discovery_timeout(config: &Value) -> Duration {
    McpKeys::read(config, &Vars::default()).mcp_discovery_timeout.duration()
}

fn read_server(name: &str, entry: &Value) -> ServerEntry {
    let mut wrong = Vec::new();
    let section = ServerSection::of(entry, &mut wrong);
    let mut problems: Vec<McpSettingProblem> = Vec::new();
    for found in wrong {
        let key = match found.origin {
            SettingOrigin::Key(key) | SettingOrigin::Variable(key) => key,
        };
        let text = format!("is {}, but must be {}; the default holds", found.given, found.expected);
        problems.push(McpSettingProblem { server: name.to_owned(), key, text });
    }
    let settings = match section {
        Some(section) => Reader { name, problems: &mut problems }.settings(section).map(Arc::new),
        None => Err(McpSettingsError::NoMap { server: name.to_owned() }),
    };
    ServerEntry { name: name.into(), settings, problems }
}

struct Reader<'a> {
    name: &'a str,
    problems: &'a mut Vec<McpSettingProblem>,
}

impl Reader<'_> {
    fn problem(&mut self, key: &str, text: &str) {
        let (server, key) = (self.name.to_owned(), key.to_owned());
        self.problems.push(McpSettingProblem { server, key, text: text.to_owned() });
    }

    fn settings(mut self, section: ServerSection) -> Result<ServerSettings, McpSettingsError> {
        let sampling = &section.sampling;
        let tools = &section.tools;
        Ok(ServerSettings {
            name: self.name.into(),
            enabled: section.enabled,
            timeout: section.timeout.duration(),
            connect_timeout: section.connect_timeout.duration(),
            keepalive_interval: section.keepalive_interval.duration().max(KEEPALIVE_FLOOR),
            idle_timeout: section.idle_timeout_seconds.unless_zero(),
            max_lifetime: section.max_lifetime_seconds.unless_zero(),
            calls: match section.supports_parallel_tool_calls {
                true => CallOrder::Parallel,
                false => CallOrder::OneByOne,
            },
            tools: match (&tools.include, &tools.exclude) {
                (names, _) if !names.is_empty() => ToolFilter::Include(names.clone()),
                (_, names) if !names.is_empty() => ToolFilter::Exclude(names.clone()),
                _ => ToolFilter::All,
            },
            resources: tools.resources,
            prompts: tools.prompts,
            roots: section.roots,
            sampling: SamplingSettings {
                is_enabled: sampling.enabled,
                model: sampling.model.clone(),
                max_tokens_cap: sampling.max_tokens_cap,
                timeout: sampling.timeout.duration(),
                max_rpm: sampling.max_rpm,
                allowed_models: sampling.allowed_models.clone(),
                max_tool_rounds: sampling.max_tool_rounds,
                log_level: sampling.log_level,
            },
            elicitation: ElicitationSettings {
                is_enabled: section.elicitation.enabled,
                timeout: section.elicitation.timeout.duration(),
            },
            transport: self.transport(section)?,
        })
    }

    fn transport(&mut self, section: ServerSection) -> Result<TransportSettings, McpSettingsError> {
        let Some(url) = &section.url else {
            let Some(command) = section.command else {
                return Err(McpSettingsError::NoTransport { server: self.name.to_owned() });
            };
            let env = section.env.into_iter().collect();
            let stdio = StdioSettings { command, args: section.args, env };
            return Ok(TransportSettings::Stdio(stdio));
        };
        if section.command.is_some() {
            self.problem("command", "`url` is given too, and wins");
        }
        let url = self.address(url)?;
        let transport = section.transport;
        let http = HttpSettings {
            url,
            tls: TlsSettings {
                verify: match section.ssl_verify {
                    VerifySetting::Switch(true) => Verify::WellKnown,
                    VerifySetting::Switch(false) => Verify::Nothing,
                    VerifySetting::Authority(file) => Verify::Authority(file),
                },
                client: self.certificate(section.client_cert, section.client_key)?,
            },
            headers: section.headers.into_iter().collect(),
            oauth: section.auth.map(|_| login(section.oauth)),
            preflight: !section.skip_preflight,
        };
        Ok(match transport {
            HttpTransport::Sse => TransportSettings::Sse(http),
            HttpTransport::Http => TransportSettings::Http(http),
        })
    }

    fn address(&self, url: &Value) -> Result<Url, McpSettingsError> {
        let wrong =
            |why: &str| McpSettingsError::Url { server: self.name.to_owned(), why: why.to_owned() };
        let text = url.as_str().ok_or_else(|| wrong("it is no text"))?.trim();
        let url = Url::parse(text).map_err(|error| wrong(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong("it must begin with http:// or https://"));
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(wrong("it names no host"));
        }
        Ok(url)
    }

    fn certificate(
        &mut self,
        cert: Option<Value>,
        key: Option<String>,
    ) -> Result<Option<ClientCertificate>, McpSettingsError> {
        let server = || self.name.to_owned();
        match (cert, key) {
            (None, Some(_)) => {
                self.problem("client_key", "means nothing without `client_cert`");
                Ok(None)
            }
            (None, None) => Ok(None),
            (Some(Value::String(cert)), key) => {
                Ok(Some(ClientCertificate { cert, key, password: None }))
            }
            (Some(Value::Array(_)), Some(_)) => {
                Err(McpSettingsError::CertificateTwice { server: server() })
            }
            (Some(Value::Array(items)), None) => {
                let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
                match texts.as_deref() {
                    Some([cert, key]) => Ok(Some(pair(cert, key, None))),
                    Some([cert, key, word]) => Ok(Some(pair(cert, key, Some(word)))),
                    _ => Err(McpSettingsError::CertificateShape { server: server() }),
                }
            }
            _ => Err(McpSettingsError::CertificateShape { server: server() }),
        }
    }
}

fn login(section: OAuthSection) -> OAuthSettings {
    let identity = section.identity;
    OAuthSettings {
        client_id: section.client_id,
        client_secret: section.client_secret,
        scope: section.scope,
        redirect_port: section.redirect_port,
        redirect_uri: section.redirect_uri,
        redirect_host: section.redirect_host,
        client_name: section.client_name,
        timeout: section.timeout.unless_zero(),
        client_metadata_url: section.client_metadata_url,
        grant: section.grant,
        private_key: section.private_key,
        signing_algorithm: section.signing_algorithm,
        identity: match (identity.token_endpoint, identity.client_id, identity.id_token) {
            (Some(token_endpoint), Some(client_id), Some(id_token)) => {
                Some(IdentitySettings { token_endpoint, client_id, id_token })
            }
            _ => None,
        },
    }
}

fn pair(cert: &str, key: &str, password: Option<&str>) -> ClientCertificate {
    ClientCertificate {
        cert: cert.to_owned(),
        key: Some(key.to_owned()),
        password: password.map(str::to_owned),
    }
}
