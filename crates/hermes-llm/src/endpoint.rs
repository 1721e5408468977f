//! Where a model is reached, and as whom.

use std::net::IpAddr;

use hermes_tool::settings::SettingWords;
use serde_json::{Map, Value};
use url::{Host, Url};

use crate::on_demand::EndpointServer;
use crate::secret::Secret;

/// The key that is sent where none is needed: some clients of local servers insist on one.
pub const NO_KEY: &str = "no-key-required";
/// The port that tells Ollama from other servers.
const OLLAMA_PORT: u16 = 11_434;

/// How a server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, SettingWords)]
#[serde(rename_all = "snake_case")]
pub enum WireApi {
    /// Chat completions, as OpenAI began them.
    #[setting(word = "chat_completions", also("chat", "openai", "openai_chat"))]
    Chat,
    /// Anthropic's messages.
    #[setting(word = "anthropic_messages", also("messages", "anthropic"))]
    Messages,
}

/// A model at a server, with everything needed to ask it.
#[derive(Clone, Debug, PartialEq)]
pub struct Endpoint {
    /// The provider's name, as in the table or in the configuration.
    pub provider: String,
    /// The base of the server's addresses.
    pub base_url: String,
    /// The key; `None` only before one was looked for.
    pub api_key: Option<Secret>,
    /// How it is spoken to.
    pub wire: WireApi,
    /// The model; empty if it is still to be found out from the server.
    pub model: String,
    /// Further headers of every request.
    pub headers: Vec<(String, String)>,
    /// Further fields of every request.
    pub extra_body: Map<String, Value>,
    /// The window, where the configuration gives it.
    pub context_length: Option<u64>,
    /// Whether the model sees pictures, where the configuration says so.
    pub sees_images: Option<bool>,
    /// The variable that would hold the key, for advice.
    pub key_var: Option<String>,
    /// The server, where it runs only while it is asked; then it says where.
    pub server: Option<EndpointServer>,
}

impl Endpoint {
    /// A model at a server that wants no key.
    #[must_use]
    pub fn new(wire: WireApi, base_url: &str, model: &str) -> Self {
        Self {
            provider: "custom".to_owned(),
            base_url: base_url.trim().trim_end_matches('/').to_owned(),
            api_key: Some(Secret::new(NO_KEY)),
            wire,
            model: model.to_owned(),
            headers: Vec::new(),
            extra_body: Map::new(),
            context_length: None,
            sees_images: None,
            key_var: None,
            server: None,
        }
    }

    /// The server's host, in lower case; empty if the address is none.
    #[must_use]
    pub fn host(&self) -> String {
        host_of(&self.base_url)
    }

    /// Whether the server is on this machine or in this network.
    #[must_use]
    pub fn is_local(&self) -> bool {
        is_local(&self.base_url)
    }

    /// Whether the server is on this very machine.
    #[must_use]
    pub fn is_on_this_machine(&self) -> bool {
        match Url::parse(&self.base_url).ok().as_ref().and_then(Url::host) {
            Some(Host::Ipv4(ip)) => ip.is_loopback() || ip.is_unspecified(),
            Some(Host::Ipv6(ip)) => ip.is_loopback() || ip.is_unspecified(),
            Some(Host::Domain(name)) => is_under(name, "localhost"),
            None => false,
        }
    }

    /// Whether the server is Ollama, going by its port.
    #[must_use]
    pub fn is_ollama(&self) -> bool {
        Url::parse(&self.base_url).is_ok_and(|url| url.port() == Some(OLLAMA_PORT))
    }

    /// Whether the server's host is this domain or below it.
    #[must_use]
    pub fn is_at(&self, domain: &str) -> bool {
        is_under(&self.host(), domain)
    }

    /// The address that questions go to.
    #[must_use]
    pub fn url(&self) -> String {
        let base = self.base_url.trim_end_matches('/');
        match self.wire {
            WireApi::Chat => format!("{base}/chat/completions"),
            WireApi::Messages => {
                format!("{}/v1/messages", base.strip_suffix("/v1").unwrap_or(base))
            }
        }
    }

    /// Whether both mean the same model at the same place.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.model == other.model
            && (self.provider == other.provider && self.provider != "custom"
                || self.base_url == other.base_url)
    }
}

/// The host of an address, in lower case; empty if there is none.
#[must_use]
pub fn host_of(url: &str) -> String {
    Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_lowercase)).unwrap_or_default()
}

/// Whether a host is this domain or below it.
#[must_use]
pub fn is_under(host: &str, domain: &str) -> bool {
    host == domain || host.strip_suffix(domain).is_some_and(|front| front.ends_with('.'))
}

/// Whether an address is on this machine or in this network.
#[must_use]
pub fn is_local(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    let private = |ip: IpAddr| match ip {
        IpAddr::V4(ip) => {
            ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified()
        }
        IpAddr::V6(ip) => ip.is_loopback() || ip.is_unique_local() || ip.is_unspecified(),
    };
    match url.host() {
        Some(Host::Ipv4(ip)) => private(ip.into()),
        Some(Host::Ipv6(ip)) => private(ip.into()),
        Some(Host::Domain(name)) => {
            let name = name.to_lowercase();
            name == "localhost"
                || !name.contains('.')
                || [".localhost", ".local", ".internal", ".lan"]
                    .iter()
                    .any(|end| name.ends_with(end))
        }
        None => false,
    }
}

/// Gives endpoints their servers, for whoever makes an endpoint and does not know what runs behind it.
pub struct OnDemandServers(Box<dyn Fn(&mut Endpoint) + Send + Sync>);

impl OnDemandServers {
    /// Gives servers as this function does; it leaves endpoints alone that need none.
    pub fn new(give: impl Fn(&mut Endpoint) + Send + Sync + 'static) -> Self {
        Self(Box::new(give))
    }

    /// Gives an endpoint its server, if it needs one.
    pub fn give(&self, endpoint: &mut Endpoint) {
        (self.0)(endpoint);
    }
}

impl std::fmt::Debug for OnDemandServers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OnDemandServers").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_addresses_are_known() {
        for local in [
            "http://localhost:11434/v1",
            "http://127.0.0.1:8080",
            "http://[::1]:8000/v1",
            "http://192.168.1.5/v1",
            "http://box.local/v1",
            "http://ollama:11434/v1",
        ] {
            assert!(is_local(local), "{local}");
        }
        for remote in ["https://api.openai.com/v1", "https://8.8.8.8", "nonsense", ""] {
            assert!(!is_local(remote), "{remote}");
        }
    }

    #[test]
    fn a_domain_is_matched_by_whole_labels() {
        assert!(is_under("api.openai.com", "openai.com") && is_under("openai.com", "openai.com"));
        assert!(!is_under("notopenai.com", "openai.com"));
        assert!(!is_under("openai.com.evil.example", "openai.com"));
    }

    #[test]
    fn addresses_of_both_wires() {
        let chat = Endpoint::new(WireApi::Chat, "http://h/v1/", "m");
        assert_eq!(chat.url(), "http://h/v1/chat/completions");
        for base in ["https://api.anthropic.com", "https://api.anthropic.com/v1"] {
            let endpoint = Endpoint::new(WireApi::Messages, base, "m");
            assert_eq!(endpoint.url(), "https://api.anthropic.com/v1/messages");
        }
        let third = Endpoint::new(WireApi::Messages, "https://api.minimax.io/anthropic", "m");
        assert_eq!(third.url(), "https://api.minimax.io/anthropic/v1/messages");
    }
}
