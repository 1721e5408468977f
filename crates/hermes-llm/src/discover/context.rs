//! How large a model's window is.

use serde_json::json;

use super::{Asker, ContextCache, models};
use crate::endpoint::Endpoint;
use crate::http::Proxies;
use crate::metadata;

/// A window, and who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowSize {
    /// Its size.
    pub tokens: u64,
    /// Who says so.
    pub source: WindowSource,
}

/// Who says how large a window is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowSource {
    /// The configuration.
    Config,
    /// The file of what was learned.
    Cache,
    /// The server.
    Server,
    /// The table of families.
    Family,
    /// Nobody: it is a guess.
    Guess,
}

/// The window as far as it is known without asking anybody.
#[must_use]
pub fn known_context(endpoint: &Endpoint, cache: &ContextCache) -> Option<WindowSize> {
    if let Some(tokens) = endpoint.context_length {
        return Some(WindowSize { tokens, source: WindowSource::Config });
    }
    cache.get(endpoint).map(|tokens| WindowSize { tokens, source: WindowSource::Cache })
}

/// The window of a model. Asks the server at most once, and only servers whose answer is worth it: one's
/// own, and aggregators. What is learned is kept.
pub async fn context_length(
    endpoint: &Endpoint,
    cache: &ContextCache,
    proxies: &Proxies,
) -> WindowSize {
    if let Some(known) = known_context(endpoint, cache) {
        return known;
    }
    if let Some(tokens) = ask(endpoint, proxies).await {
        if let Err(error) = cache.put(endpoint, tokens) {
            tracing::debug!(%error, "the window is not kept");
        }
        return WindowSize { tokens, source: WindowSource::Server };
    }
    match metadata::family(&endpoint.model) {
        Some(family) => WindowSize { tokens: family.context, source: WindowSource::Family },
        None => WindowSize { tokens: metadata::DEFAULT_CONTEXT, source: WindowSource::Guess },
    }
}

async fn ask(endpoint: &Endpoint, proxies: &Proxies) -> Option<u64> {
    if endpoint.is_at("openrouter.ai") {
        return ask_openrouter(endpoint, proxies).await;
    }
    if endpoint.is_ollama() {
        return ask_ollama(endpoint, proxies).await;
    }
    // The big vendors do not tell; the table knows their models.
    let vendor =
        super::super::provider::PROVIDERS.iter().any(|known| known.serves(&endpoint.base_url));
    if vendor {
        return None;
    }
    let models = models(endpoint, proxies).await;
    let only = (models.len() == 1).then(|| models.first()).flatten();
    let same = models.iter().find(|model| model.id == endpoint.model);
    same.or(only)?.context_length
}

/// Ollama tells the window among the facts about a model, under the name of its architecture; what the
/// model's own parameters say comes first, for that is what it will be run with.
async fn ask_ollama(endpoint: &Endpoint, proxies: &Proxies) -> Option<u64> {
    let base = endpoint.base_url.trim_end_matches('/');
    let url = format!("{}/api/show", base.strip_suffix("/v1").unwrap_or(base));
    let asker = Asker::new(endpoint, proxies)?;
    let shown = asker.post(&url, &json!({"model": endpoint.model})).await?;
    let parameters = shown["parameters"].as_str().unwrap_or_default();
    let set = parameters
        .lines()
        .find_map(|line| line.trim().strip_prefix("num_ctx")?.trim().parse().ok());
    let facts = shown["model_info"].as_object();
    let fact = facts.and_then(|facts| {
        facts
            .iter()
            .find(|(name, _)| name.ends_with(".context_length"))
            .and_then(|(_, n)| n.as_u64())
    });
    set.or(fact)
}

/// The catalogue is large; the page of one model is not.
async fn ask_openrouter(endpoint: &Endpoint, proxies: &Proxies) -> Option<u64> {
    let base = endpoint.base_url.trim_end_matches('/');
    let model = endpoint.model.split(':').next().unwrap_or_default();
    let asker = Asker::new(endpoint, proxies)?;
    let page = asker.get(&format!("{base}/models/{model}/endpoints")).await?;
    let servers = page["data"]["endpoints"].as_array()?;
    servers.iter().filter_map(|server| server["context_length"].as_u64()).max()
}
