//! Servers on this machine.

use tokio::task::JoinSet;

use super::{Asker, ModelInfo, models};
use crate::endpoint::{Endpoint, WireApi};
use crate::http::Proxies;

/// What kind of server it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerKind {
    /// LM Studio.
    LmStudio,
    /// Ollama.
    Ollama,
    /// llama.cpp.
    LlamaCpp,
    /// vLLM.
    Vllm,
}

impl ServerKind {
    /// What people call it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::LmStudio => "LM Studio",
            Self::Ollama => "Ollama",
            Self::LlamaCpp => "llama.cpp",
            Self::Vllm => "vLLM",
        }
    }

    /// The provider's name that leads to such a server at its usual place.
    #[must_use]
    pub fn provider(self) -> &'static str {
        match self {
            Self::LmStudio => "lmstudio",
            Self::Ollama => "ollama",
            Self::LlamaCpp => "llamacpp",
            Self::Vllm => "vllm",
        }
    }
}

/// Where a server may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAddress {
    /// What usually is there.
    pub kind: ServerKind,
    /// Its address.
    pub base_url: String,
}

/// Where servers usually are: the port tells the kind.
pub const USUAL_PLACES: [(ServerKind, &str); 4] = [
    (ServerKind::Ollama, "http://127.0.0.1:11434/v1"),
    (ServerKind::LlamaCpp, "http://127.0.0.1:8080/v1"),
    (ServerKind::Vllm, "http://127.0.0.1:8000/v1"),
    (ServerKind::LmStudio, "http://127.0.0.1:1234/v1"),
];

impl ServerAddress {
    /// The usual places.
    #[must_use]
    pub fn usual() -> Vec<Self> {
        let place =
            |(kind, url): &(ServerKind, &str)| Self { kind: *kind, base_url: (*url).to_owned() };
        USUAL_PLACES.iter().map(place).collect()
    }
}

/// A server that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalServer {
    /// What it is, going by its port.
    pub kind: ServerKind,
    /// Its address.
    pub base_url: String,
    /// What it says it can load.
    pub models: Vec<ModelInfo>,
}

/// The servers that answer at these places, with their models. All are asked at the same time.
pub async fn local_servers(places: &[ServerAddress]) -> Vec<LocalServer> {
    let mut asked = JoinSet::new();
    for (order, place) in places.iter().cloned().enumerate() {
        asked.spawn(async move {
            let endpoint = Endpoint::new(WireApi::Chat, &place.base_url, "");
            let models = models(&endpoint, &Proxies::default()).await;
            (order, LocalServer { kind: place.kind, base_url: place.base_url, models })
        });
    }
    let mut found: Vec<(usize, LocalServer)> = Vec::new();
    while let Some(answered) = asked.join_next().await {
        // Without a model a server is of no use, or not a model's server at all.
        found.extend(answered.ok().filter(|(_, server)| !server.models.is_empty()));
    }
    found.sort_by_key(|(order, _)| *order);
    found.into_iter().map(|(_, server)| server).collect()
}

/// What kind of server answers at an address.
pub async fn server_kind(base_url: &str) -> Option<ServerKind> {
    let base_url = base_url.replace("//localhost", "//127.0.0.1");
    let root = base_url.trim_end_matches('/');
    let root = root.strip_suffix("/v1").unwrap_or(root);
    let endpoint = Endpoint::new(WireApi::Chat, root, "");
    let asker = Asker::new(&endpoint, &Proxies::default())?;
    let (at_root, at_v1) = (format!("{root}/props"), format!("{root}/v1/props"));
    let (studio, tags, version) =
        (format!("{root}/api/v1/models"), format!("{root}/api/tags"), format!("{root}/version"));
    let (studio, ollama, props, v1_props, vllm) = tokio::join!(
        asker.get(&studio),
        asker.get(&tags),
        asker.get(&at_root),
        asker.get(&at_v1),
        asker.get(&version),
    );
    let has = |body: &Option<serde_json::Value>, field: &str| {
        body.as_ref().is_some_and(|body| body.get(field).is_some())
    };
    match () {
        () if has(&studio, "models") || has(&studio, "data") => Some(ServerKind::LmStudio),
        () if has(&ollama, "models") => Some(ServerKind::Ollama),
        () if has(&props, "default_generation_settings")
            || has(&v1_props, "default_generation_settings") =>
        {
            Some(ServerKind::LlamaCpp)
        }
        () if has(&vllm, "version") => Some(ServerKind::Vllm),
        () => None,
    }
}
