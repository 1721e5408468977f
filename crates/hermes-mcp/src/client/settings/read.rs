//! From the configuration to [`ServerEntry`] values.

use std::sync::Arc;
use std::time::Duration;

use hermes_tool::Vars;
use serde_json::{Map, Value};
use url::Url;

use super::values::{Problems, interpolate};
use super::{
    CallOrder, ClientCertificate, ElicitationSettings, HttpSettings, IdentitySettings,
    McpSettingsError, OAuthSettings, SamplingSettings, ServerEntry, ServerSettings, StdioSettings,
    TlsSettings, ToolFilter, TransportSettings, Verify,
};
use crate::client::sampling::settings::AuditLevel;

/// How long one call may take without a sign of progress.
const CALL_TIMEOUT: Duration = Duration::from_secs(300);
/// How long the handshake and the first listing may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(60);
/// How long without traffic before the server is asked whether it lives, and the least of it.
const KEEPALIVE: Duration = Duration::from_secs(180);
const KEEPALIVE_FLOOR: Duration = Duration::from_secs(5);
/// How long the first list of tools waits for servers.
const DISCOVERY_TIMEOUT: Duration = Duration::from_millis(1500);

static NOTHING: Value = Value::Null;

/// Every entry of `mcp_servers`, in the order written.
#[must_use]
pub fn read_servers(config: &Value, vars: &Vars) -> Vec<ServerEntry> {
    let Some(servers) = config.get("mcp_servers").and_then(Value::as_object) else {
        return Vec::new();
    };
    servers.iter().map(|(name, entry)| read_server(name, &interpolate(entry, vars))).collect()
}

/// How long the first list of tools waits for servers.
#[must_use]
pub fn discovery_timeout(config: &Value) -> Duration {
    let value = config.get("mcp_discovery_timeout").unwrap_or(&NOTHING);
    let mut problems = Problems::of("*");
    match problems.number("mcp_discovery_timeout", value) {
        Some(seconds) if seconds >= 0.0 => Duration::from_secs_f64(seconds.min(3600.0)),
        _ => DISCOVERY_TIMEOUT,
    }
}

fn read_server(name: &str, entry: &Value) -> ServerEntry {
    let mut problems = Problems::of(name);
    let settings = match entry.as_object() {
        Some(map) => Reader { name, map, problems: &mut problems }.settings().map(Arc::new),
        None => Err(McpSettingsError::NoMap { server: name.to_owned() }),
    };
    ServerEntry { name: name.into(), settings, problems: problems.into_found() }
}

struct Reader<'a, 'p> {
    name: &'a str,
    map: &'a Map<String, Value>,
    problems: &'p mut Problems<'a>,
}

impl<'a> Reader<'a, '_> {
    fn get(&self, key: &str) -> &'a Value {
        self.map.get(key).unwrap_or(&NOTHING)
    }

    fn below(&self, outer: &str, key: &str) -> &'a Value {
        self.get(outer).get(key).unwrap_or(&NOTHING)
    }

    fn settings(mut self) -> Result<ServerSettings, McpSettingsError> {
        let transport = self.transport()?;
        let parallel = "supports_parallel_tool_calls";
        let keepalive =
            self.problems.seconds("keepalive_interval", self.get("keepalive_interval"), KEEPALIVE);
        Ok(ServerSettings {
            name: self.name.into(),
            enabled: self.problems.switch("enabled", self.get("enabled"), true),
            transport,
            timeout: self.problems.seconds("timeout", self.get("timeout"), CALL_TIMEOUT),
            connect_timeout: self.problems.seconds(
                "connect_timeout",
                self.get("connect_timeout"),
                CONNECT_TIMEOUT,
            ),
            keepalive_interval: keepalive.max(KEEPALIVE_FLOOR),
            idle_timeout: self.lifecycle("idle_timeout_seconds"),
            max_lifetime: self.lifecycle("max_lifetime_seconds"),
            calls: match self.problems.switch(parallel, self.get(parallel), false) {
                true => CallOrder::Parallel,
                false => CallOrder::OneByOne,
            },
            tools: self.tools(),
            resources: self.problems.switch(
                "tools.resources",
                self.below("tools", "resources"),
                true,
            ),
            prompts: self.problems.switch("tools.prompts", self.below("tools", "prompts"), true),
            roots: self.problems.switch("roots", self.get("roots"), false),
            sampling: self.sampling(),
            elicitation: ElicitationSettings {
                is_enabled: self.problems.switch(
                    "elicitation.enabled",
                    self.below("elicitation", "enabled"),
                    true,
                ),
                timeout: self.problems.seconds(
                    "elicitation.timeout",
                    self.below("elicitation", "timeout"),
                    CALL_TIMEOUT,
                ),
            },
        })
    }

    /// A limit that may stand on the top level or under `lifecycle`.
    fn lifecycle(&mut self, key: &str) -> Option<Duration> {
        let top = self.get(key);
        let value = if top.is_null() { self.below("lifecycle", key) } else { top };
        self.problems.limit(key, value)
    }

    fn tools(&mut self) -> ToolFilter {
        let include = self.problems.texts("tools.include", self.below("tools", "include"));
        let exclude = self.problems.texts("tools.exclude", self.below("tools", "exclude"));
        match (include, exclude) {
            (Some(names), _) if !names.is_empty() => ToolFilter::Include(names),
            (_, Some(names)) if !names.is_empty() => ToolFilter::Exclude(names),
            _ => ToolFilter::All,
        }
    }

    fn sampling(&mut self) -> SamplingSettings {
        let inner = self.get("sampling");
        let get = |key: &str| inner.get(key).unwrap_or(&NOTHING);
        let p = &mut *self.problems;
        let usual = SamplingSettings::default();
        let mut count = |key: &str, usual: u32| {
            let count = p.count(&format!("sampling.{key}"), get(key), u64::from(usual));
            u32::try_from(count).unwrap_or(u32::MAX)
        };
        let max_tokens_cap = count("max_tokens_cap", usual.max_tokens_cap);
        let max_rpm = count("max_rpm", usual.max_rpm);
        let max_tool_rounds = count("max_tool_rounds", usual.max_tool_rounds);
        let level = p.text("sampling.log_level", get("log_level"));
        let log_level = level.map_or(Some(usual.log_level), |word| AuditLevel::parse(&word));
        if log_level.is_none() {
            p.add("sampling.log_level", "is none of debug, info and warning; info holds");
        }
        SamplingSettings {
            is_enabled: p.switch("sampling.enabled", get("enabled"), usual.is_enabled),
            model: p.text("sampling.model", get("model")).filter(|model| !model.is_empty()),
            max_tokens_cap,
            timeout: p.seconds("sampling.timeout", get("timeout"), usual.timeout),
            max_rpm,
            allowed_models: p
                .texts("sampling.allowed_models", get("allowed_models"))
                .unwrap_or_default(),
            max_tool_rounds,
            log_level: log_level.unwrap_or_default(),
        }
    }

    fn transport(&mut self) -> Result<TransportSettings, McpSettingsError> {
        let url = self.get("url");
        let command = self.problems.text("command", self.get("command"));
        let command = command.filter(|command| !command.trim().is_empty());
        if url.is_null() {
            let Some(command) = command else {
                return Err(McpSettingsError::NoTransport { server: self.name.to_owned() });
            };
            let args = self.problems.texts("args", self.get("args")).unwrap_or_default();
            let env = self.problems.pairs("env", self.get("env"));
            return Ok(TransportSettings::Stdio(StdioSettings { command, args, env }));
        }
        if command.is_some() {
            self.problems.add("command", "`url` is given too, and wins");
        }
        let http = self.http(url)?;
        let kind = self.problems.text("transport", self.get("transport")).unwrap_or_default();
        Ok(match kind.trim().to_ascii_lowercase().as_str() {
            "sse" => TransportSettings::Sse(http),
            "" | "http" | "streamable_http" | "streamable-http" | "streamablehttp" => {
                TransportSettings::Http(http)
            }
            other => {
                let text = format!("{other:?} is neither `sse` nor `http`; streamable HTTP holds");
                self.problems.add("transport", text);
                TransportSettings::Http(http)
            }
        })
    }

    fn http(&mut self, url: &Value) -> Result<HttpSettings, McpSettingsError> {
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
        Ok(HttpSettings {
            url,
            headers: self.problems.pairs("headers", self.get("headers")),
            tls: TlsSettings { verify: self.verify(), client: self.certificate()? },
            oauth: self.oauth(),
            preflight: !self.problems.switch("skip_preflight", self.get("skip_preflight"), false),
        })
    }

    fn verify(&mut self) -> Verify {
        match self.get("ssl_verify") {
            Value::String(text) if !is_switch_word(text) => Verify::Authority(text.clone()),
            value => match self.problems.switch("ssl_verify", value, true) {
                true => Verify::WellKnown,
                false => Verify::Nothing,
            },
        }
    }

    fn certificate(&mut self) -> Result<Option<ClientCertificate>, McpSettingsError> {
        let server = || self.name.to_owned();
        let key = self.problems.text("client_key", self.get("client_key"));
        match self.get("client_cert") {
            Value::Null => {
                if key.is_some() {
                    self.problems.add("client_key", "means nothing without `client_cert`");
                }
                Ok(None)
            }
            Value::String(cert) => {
                Ok(Some(ClientCertificate { cert: cert.clone(), key, password: None }))
            }
            Value::Array(_) if key.is_some() => {
                Err(McpSettingsError::CertificateTwice { server: server() })
            }
            Value::Array(items) => {
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

    fn oauth(&mut self) -> Option<OAuthSettings> {
        let auth = self.problems.text("auth", self.get("auth"))?;
        if !auth.trim().eq_ignore_ascii_case("oauth") {
            self.problems.add("auth", "only `oauth` is known; it is left out");
            return None;
        }
        let inner = self.get("oauth");
        let get = |key: &str| inner.get(key).unwrap_or(&NOTHING);
        let p = &mut *self.problems;
        let mut text = |key: &str| p.text(&format!("oauth.{key}"), get(key));
        let (client_id, client_secret) = (text("client_id"), text("client_secret"));
        let (scope, client_name) = (text("scope"), text("client_name"));
        let (redirect_uri, redirect_host) = (text("redirect_uri"), text("redirect_host"));
        let (grant, private_key) = (text("grant"), text("private_key"));
        let (client_metadata_url, signing_algorithm) =
            (text("client_metadata_url"), text("signing_algorithm"));
        let mut identity = |key: &str| {
            p.text(&format!("oauth.identity.{key}"), get("identity").get(key).unwrap_or(&NOTHING))
        };
        let identity =
            match (identity("token_endpoint"), identity("client_id"), identity("id_token")) {
                (Some(token_endpoint), Some(client_id), Some(id_token)) => {
                    Some(IdentitySettings { token_endpoint, client_id, id_token })
                }
                _ => None,
            };
        let port = p.count("oauth.redirect_port", get("redirect_port"), 0);
        let timeout = p.limit("oauth.timeout", get("timeout"));
        Some(OAuthSettings {
            client_id,
            client_secret,
            scope,
            redirect_port: u16::try_from(port).ok().filter(|port| *port != 0),
            redirect_uri,
            redirect_host,
            client_name,
            timeout,
            client_metadata_url,
            grant,
            private_key,
            signing_algorithm,
            identity,
        })
    }
}

fn pair(cert: &str, key: &str, password: Option<&str>) -> ClientCertificate {
    ClientCertificate {
        cert: cert.to_owned(),
        key: Some(key.to_owned()),
        password: password.map(str::to_owned),
    }
}

fn is_switch_word(text: &str) -> bool {
    let word = text.trim().to_ascii_lowercase();
    ["true", "1", "yes", "on", "false", "0", "no", "off"].contains(&word.as_str())
}
