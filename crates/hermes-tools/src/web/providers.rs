//! Services that search the web and read pages, each in a file of its own, behind one trait.
//!
//! Whoever is chosen: a page that a service fetched is judged by the address it came from as if we had fetched it, and
//! what a service says in an error is shortened to a line and goes through the redactor.

mod api;
mod brave;
mod ddg;
mod exa;
mod firecrawl;
mod native;
mod parallel;
mod searxng;
mod tavily;
mod xai;

use std::time::Duration;

use futures_util::future::BoxFuture;
use hermes_guard::redact::Redactor;
use hermes_store::home::Home;
use hermes_tool::settings::Settings as _;
use hermes_tool::{ToolContext, Vars};
use hermes_web::{Blocked, FetchError, HttpDoor, Url};
use serde::Serialize;
use serde_json::{Value, json};

use super::settings::WebSettings;
use crate::host_services;

pub(super) use native::{PageText, read_page};

/// What the providers work with.
pub(super) struct Web {
    pub(super) door: HttpDoor,
    pub(super) vars: Vars,
    pub(super) settings: WebSettings,
    pub(super) home: Option<Home>,
    pub(super) redactor: Redactor,
    /// What is left of the time of the whole call.
    pub(super) time_left: Option<Duration>,
}

impl Web {
    pub(super) fn of(cx: &ToolContext) -> Self {
        Self {
            door: host_services::http_door(cx),
            vars: cx.vars().clone(),
            settings: WebSettings::read(cx.config(), cx.vars()),
            home: host_services::home(cx),
            redactor: host_services::redactor(cx),
            time_left: cx.time_left(),
        }
    }

    /// How long one request may take: no longer than the call that it is for.
    fn patience(&self, usual: Duration) -> Duration {
        self.time_left.map_or(usual, |left| left.min(usual))
    }
}

/// One found page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) title: String,
    pub(super) url: String,
    pub(super) description: String,
}

/// What came of one page.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct PageResult {
    pub(super) url: String,
    pub(super) title: String,
    pub(super) content: String,
    pub(super) error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) blocked_by_policy: Option<Value>,
}

impl PageResult {
    pub(super) fn failed(url: impl Into<String>, error: impl Into<String>) -> Self {
        Self { url: url.into(), error: Some(error.into()), ..Self::default() }
    }

    /// A page that a rule or the network kept from us.
    pub(super) fn refused(url: impl Into<String>, error: &FetchError) -> Self {
        let rule = |blocked: &Blocked| json!({"host": blocked.host, "rule": blocked.rule, "source": blocked.source});
        Self {
            blocked_by_policy: error.blocked_site().map(rule),
            ..Self::failed(url, error.for_model())
        }
    }
}

/// What can be asked of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ability {
    Search,
    Extract,
    Crawl,
}

/// How a site is gone through.
#[derive(Clone, Debug)]
pub(super) struct CrawlOrder {
    pub(super) url: Url,
    pub(super) instructions: Option<String>,
    pub(super) thorough: bool,
}

/// A service. It implements what it can, and says what that is.
pub(super) trait WebProvider: Sync {
    /// The name in the settings.
    fn name(&self) -> &'static str;

    /// What it can do.
    fn abilities(&self) -> &'static [Ability];

    /// What it needs before it can be used; nothing if it is ready.
    fn missing(&self, web: &Web) -> Option<String>;

    /// Whether it is somebody else's service, which learns the addresses it is asked for.
    fn is_third_party(&self) -> bool {
        true
    }

    /// Finds pages.
    fn search<'a>(
        &'a self,
        _: &'a Web,
        _: &'a str,
        _: usize,
    ) -> BoxFuture<'a, Result<Vec<Hit>, String>> {
        Box::pin(async { Err(format!("{} does not search", self.name())) })
    }

    /// Reads pages; one result for each address, in order.
    fn extract<'a>(&'a self, _: &'a Web, urls: &'a [Url]) -> BoxFuture<'a, Vec<PageResult>> {
        Box::pin(async { each_failed(urls, &format!("{} does not read pages", self.name())) })
    }

    /// Goes through a site.
    fn crawl<'a>(
        &'a self,
        _: &'a Web,
        _: &'a CrawlOrder,
    ) -> BoxFuture<'a, Result<Vec<PageResult>, String>> {
        Box::pin(async { Err(format!("{} does not crawl", self.name())) })
    }
}

/// In the order in which a configured one is taken.
static SEARCH_ORDER: [&dyn WebProvider; 8] = [
    &tavily::Tavily,
    &exa::Exa,
    &parallel::Parallel,
    &firecrawl::Firecrawl,
    &searxng::Searxng,
    &brave::Brave,
    &xai::Xai,
    &ddg::DuckDuckGo,
];
static EXTRACT_ORDER: [&dyn WebProvider; 5] =
    [&firecrawl::Firecrawl, &parallel::Parallel, &tavily::Tavily, &exa::Exa, &native::Native];

fn named(name: &str) -> Option<&'static dyn WebProvider> {
    let name = name.trim().to_lowercase();
    let name = match name.as_str() {
        "brave" => "brave-free",
        "duckduckgo" => "ddg",
        other => other,
    };
    SEARCH_ORDER.into_iter().chain(EXTRACT_ORDER).find(|provider| provider.name() == name)
}

fn can(provider: &dyn WebProvider, ability: Ability) -> bool {
    provider.abilities().contains(&ability)
}

/// Who searches: the one the settings name if it can search, else the first that is ready.
pub(super) fn searcher(web: &Web) -> &'static dyn WebProvider {
    let wished = [&web.settings.search_backend, &web.settings.backend];
    let wished = wished.into_iter().flatten().filter_map(|name| named(name));
    let ready = || SEARCH_ORDER.into_iter().find(|provider| provider.missing(web).is_none());
    wished
        .into_iter()
        .find(|provider| can(*provider, Ability::Search))
        .or_else(ready)
        .unwrap_or(&ddg::DuckDuckGo)
}

/// Who reads pages.
///
/// # Errors
/// The settings name one for this that only searches.
pub(super) fn reader(web: &Web) -> Result<&'static dyn WebProvider, String> {
    if let Some(provider) = web.settings.extract_backend.as_deref().and_then(named) {
        if !can(provider, Ability::Extract) {
            let fit: Vec<&str> = EXTRACT_ORDER.iter().map(|provider| provider.name()).collect();
            return Err(format!(
                "web.extract_backend is {}, which only searches; pages are read by {}",
                provider.name(),
                fit.join(", ")
            ));
        }
        return Ok(provider);
    }
    let wished = web.settings.backend.as_deref().and_then(named);
    let ready = || EXTRACT_ORDER.into_iter().find(|provider| provider.missing(web).is_none());
    let wished = wished.filter(|provider| can(*provider, Ability::Extract));
    Ok(wished.or_else(ready).unwrap_or(&native::Native))
}

/// Who goes through sites: the reader if it can, else we ourselves.
pub(super) fn crawler(web: &Web) -> Option<&'static dyn WebProvider> {
    let reader = reader(web).ok()?;
    (can(reader, Ability::Crawl) && reader.missing(web).is_none()).then_some(reader)
}

/// One failure for each address.
pub(super) fn each_failed(urls: &[Url], error: &str) -> Vec<PageResult> {
    urls.iter().map(|url| PageResult::failed(url.as_str(), error)).collect()
}

/// One line, as long as a sentence.
fn shortened(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests;
