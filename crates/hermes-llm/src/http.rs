//! The HTTP client, and how long things may take.

use std::sync::Once;
use std::time::Duration;

use hermes_tool::Vars;
use hermes_tool::settings::{Seconds, Settings};
use reqwest::redirect::Policy;
use serde_json::Value;

use crate::endpoint::{Endpoint, WireApi, is_local};

/// Reads a variable; the caller decides where variables come from.
pub type Lookup<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// How long an idle connection is kept for the next call.
const IDLE: Duration = Duration::from_secs(90);

/// No wait is shorter.
const SHORTEST: Seconds = Seconds::new(0.001);

/// How long the parts of a call may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// A whole call.
    pub call: Duration,
    /// Until there is a connection; by default 30 s, 10 s for Anthropic.
    pub connect: Option<Duration>,
    /// Between bytes; by default 120 s, 1800 s for local servers.
    pub read: Option<Duration>,
    /// Between useful parts of a stream; by default more for larger requests.
    pub stale: Option<Duration>,
    /// The same for local servers.
    pub local_stale: Duration,
    /// Silent second tries of a stream that breaks before anything was shown.
    pub stream_retries: u32,
    /// After this many stale streams in a row the server is given up.
    pub stale_giveup: u32,
}

/// What can be set, as it is written.
#[derive(Settings)]
#[settings(path = "agent", open)]
struct TimeoutKeys {
    /// How long a whole call may take.
    #[setting(variable_only = "HERMES_API_TIMEOUT", default = Seconds::new(1800.0), range = SHORTEST..)]
    call: Seconds,
    /// How long between bytes.
    #[setting(variable_only = "HERMES_STREAM_READ_TIMEOUT", range = SHORTEST..)]
    read: Option<Seconds>,
    /// How long between useful parts of a stream.
    #[setting(variable_only = "HERMES_STREAM_STALE_TIMEOUT", range = SHORTEST..)]
    stale: Option<Seconds>,
    /// When a silent local server counts as stuck, in seconds.
    #[setting(variable = "HERMES_LOCAL_STREAM_STALE_TIMEOUT", default = Seconds::new(900.0), range = SHORTEST..)]
    local_stream_stale_timeout: Seconds,
    /// Silent second tries of a stream that breaks before anything was shown.
    #[setting(variable_only = "HERMES_STREAM_RETRIES", default = 2)]
    stream_retries: u32,
    /// After this many stale streams in a row the server is given up.
    #[setting(variable_only = "HERMES_STREAM_STALE_GIVEUP", default = 5)]
    stale_giveup: u32,
}

/// The variables above: callers hand over a function, which cannot be asked what there is.
const TIMEOUT_VARIABLES: [&str; 6] = [
    "HERMES_API_TIMEOUT",
    "HERMES_STREAM_READ_TIMEOUT",
    "HERMES_STREAM_STALE_TIMEOUT",
    "HERMES_LOCAL_STREAM_STALE_TIMEOUT",
    "HERMES_STREAM_RETRIES",
    "HERMES_STREAM_STALE_GIVEUP",
];

impl Default for Timeouts {
    fn default() -> Self {
        Self::read(&Value::Null, &|_| None)
    }
}

impl Timeouts {
    /// The defaults, changed by what the configuration says under `agent`, and that by `HERMES_…`
    /// variables that hold a positive number.
    #[must_use]
    pub fn read(config: &Value, lookup: &Lookup<'_>) -> Self {
        let vars = TIMEOUT_VARIABLES.iter();
        let vars: Vars =
            vars.filter_map(|name| Some(((*name).to_owned(), lookup(name)?))).collect();
        let keys = TimeoutKeys::read(config, &vars);
        Self {
            call: keys.call.duration(),
            connect: None,
            read: keys.read.map(Seconds::duration),
            stale: keys.stale.map(Seconds::duration),
            local_stale: keys.local_stream_stale_timeout.duration(),
            stream_retries: keys.stream_retries,
            stale_giveup: keys.stale_giveup,
        }
    }

    /// Until there is a connection to this server.
    #[must_use]
    pub fn connect_to(&self, endpoint: &Endpoint) -> Duration {
        let usual = if endpoint.wire == WireApi::Messages { 10 } else { 30 };
        self.connect.unwrap_or(Duration::from_secs(usual))
    }

    /// Between bytes of this server.
    #[must_use]
    pub fn read_from(&self, endpoint: &Endpoint) -> Duration {
        let usual = if endpoint.is_local() { 1800 } else { 120 };
        self.read.unwrap_or(Duration::from_secs(usual))
    }

    /// Between useful parts of an answer to a request of this many tokens.
    #[must_use]
    pub fn stale_for(&self, endpoint: &Endpoint, tokens: u64) -> Duration {
        if endpoint.is_local() {
            return self.local_stale;
        }
        let usual = match tokens {
            100_001.. => 300,
            50_001.. => 240,
            _ => 180,
        };
        self.stale.unwrap_or(Duration::from_secs(usual))
    }
}

/// Where requests go instead of straight to the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proxies {
    http: Option<String>,
    https: Option<String>,
    except: Option<String>,
}

impl Proxies {
    /// The usual variables: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, in either case.
    #[must_use]
    pub fn from_vars(lookup: &Lookup<'_>) -> Self {
        let either = |name: &str| {
            let value = lookup(&name.to_lowercase()).or_else(|| lookup(name))?;
            (!value.trim().is_empty()).then(|| value.trim().to_owned())
        };
        let all = either("ALL_PROXY");
        Self {
            http: either("HTTP_PROXY").or_else(|| all.clone()),
            https: either("HTTPS_PROXY").or(all),
            except: either("NO_PROXY"),
        }
    }
}

/// Makes the client for the servers below an address. Costly by our measure, so it is made once and kept.
///
/// # Errors
///
/// A proxy's address is none, or the system's certificates cannot be read.
pub fn client(
    base_url: &str,
    connect: Duration,
    proxies: &Proxies,
) -> Result<reqwest::Client, reqwest::Error> {
    builder(base_url, connect, proxies)?.build()
}

/// The same before it is made, for whoever needs something else of it besides.
///
/// # Errors
///
/// A proxy's address is none.
pub fn builder(
    base_url: &str,
    connect: Duration,
    proxies: &Proxies,
) -> Result<reqwest::ClientBuilder, reqwest::Error> {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // An error means that there is one already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let mut builder = reqwest::Client::builder()
        .connect_timeout(connect)
        .pool_idle_timeout(IDLE)
        .tcp_nodelay(true)
        .user_agent(concat!("hermes/", env!("CARGO_PKG_VERSION")))
        // Keys must not follow a server's hint to another host.
        .redirect(Policy::none())
        .no_proxy();
    if base_url.starts_with("http://") {
        // Reading the system's certificates takes longer than a whole call to a local server.
        builder = builder.tls_certs_only([]);
    }
    if !is_local(base_url) {
        let except = || proxies.except.as_deref().and_then(reqwest::NoProxy::from_string);
        if let Some(proxy) = &proxies.http {
            builder = builder.proxy(reqwest::Proxy::http(proxy)?.no_proxy(except()));
        }
        if let Some(proxy) = &proxies.https {
            builder = builder.proxy(reqwest::Proxy::https(proxy)?.no_proxy(except()));
        }
    }
    Ok(builder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_change_the_defaults_and_nonsense_does_not() {
        let vars = |name: &str| match name {
            "HERMES_API_TIMEOUT" => Some("60".to_owned()),
            "HERMES_STREAM_READ_TIMEOUT" => Some("1.5".to_owned()),
            "HERMES_STREAM_STALE_TIMEOUT" => Some("-1".to_owned()),
            "HERMES_STREAM_RETRIES" => Some("0".to_owned()),
            "HERMES_STREAM_STALE_GIVEUP" => Some("many".to_owned()),
            _ => None,
        };
        let timeouts = Timeouts::read(&Value::Null, &vars);
        let expected = Timeouts {
            call: Duration::from_secs(60),
            read: Some(Duration::from_millis(1500)),
            stream_retries: 0,
            ..Timeouts::default()
        };
        assert_eq!(timeouts, expected);
    }

    #[test]
    fn a_variable_comes_before_the_configuration() {
        let config = serde_json::json!({"agent": {"local_stream_stale_timeout": 7.5}});
        let local = |config, vars: &Lookup<'_>| Timeouts::read(config, vars).local_stale;
        assert_eq!(local(&config, &|_| None), Duration::from_millis(7500));
        let set =
            |name: &str| (name == "HERMES_LOCAL_STREAM_STALE_TIMEOUT").then(|| "3".to_owned());
        assert_eq!(local(&config, &set), Duration::from_secs(3));
        let nonsense = serde_json::json!({"agent": {"local_stream_stale_timeout": -1}});
        assert_eq!(local(&nonsense, &|_| None), Timeouts::default().local_stale);
    }

    #[test]
    fn local_servers_and_long_requests_get_more_time() {
        let timeouts = Timeouts::default();
        let local = Endpoint::new(WireApi::Chat, "http://localhost/v1", "m");
        let cloud = Endpoint::new(WireApi::Messages, "https://api.anthropic.com", "m");
        let seconds = |time: Duration| time.as_secs();
        assert_eq!(seconds(timeouts.connect_to(&local)), 30);
        assert_eq!(seconds(timeouts.connect_to(&cloud)), 10);
        assert_eq!(seconds(timeouts.read_from(&local)), 1800);
        assert_eq!(seconds(timeouts.read_from(&cloud)), 120);
        let stale = |tokens| seconds(timeouts.stale_for(&cloud, tokens));
        assert_eq!([stale(50_000), stale(50_001), stale(100_001)], [180, 240, 300]);
        assert_eq!(seconds(timeouts.stale_for(&local, 1)), 900);
    }

    #[test]
    fn proxies_come_from_the_usual_variables() {
        let vars = |name: &str| match name {
            "https_proxy" => Some("http://p:1".to_owned()),
            "HTTPS_PROXY" => Some("http://q:1".to_owned()),
            "ALL_PROXY" => Some("socks5://s:1".to_owned()),
            _ => None,
        };
        let proxies = Proxies::from_vars(&vars);
        assert_eq!(proxies.https.as_deref(), Some("http://p:1"));
        assert_eq!(proxies.http.as_deref(), Some("socks5://s:1"));
        assert!(client("https://api.example.com", Duration::from_secs(1), &proxies).is_ok());
    }
}
