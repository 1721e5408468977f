//! DuckDuckGo without a key: the page for browsers without scripts, and its lighter sister.

use std::time::Duration;

use futures_util::future::BoxFuture;
use hermes_extract::{ListedLink, listed_links};
use hermes_web::header::{ACCEPT, ACCEPT_LANGUAGE, HeaderValue, REFERER, USER_AGENT};
use hermes_web::{FetchLimits, FetchRequest, Url};

use super::native::BROWSER;
use super::{Ability, Hit, Web, WebProvider};

/// How long one page may take, and both together.
const ONE_TRY: Duration = Duration::from_secs(10);
const ALL_TRIES: Duration = Duration::from_secs(20);
/// Longest page of results.
const MOST_BYTES: usize = 4 << 20;
const KEYED: &str = "a key for another service (TAVILY_API_KEY, EXA_API_KEY, PARALLEL_API_KEY, FIRECRAWL_API_KEY, BRAVE_SEARCH_API_KEY) or SEARXNG_URL makes search reliable";

pub(super) struct DuckDuckGo;

/// Why a page of results is of no use.
enum Useless {
    /// It takes us for a robot, as it may.
    Limited,
    Other(String),
}

async fn results(
    web: &Web,
    page: &str,
    classes: [&str; 2],
    query: &str,
) -> Result<Vec<Hit>, Useless> {
    let request = FetchRequest::post(page)
        .form(&[("q", query), ("b", ""), ("kl", "")])
        .header(USER_AGENT, HeaderValue::from_static(BROWSER))
        .header(ACCEPT, HeaderValue::from_static("text/html,application/xhtml+xml"))
        .header(ACCEPT_LANGUAGE, HeaderValue::from_static("en-US,en;q=0.9"))
        .header(REFERER, HeaderValue::from_static("https://html.duckduckgo.com/"))
        .limits(FetchLimits { bytes: MOST_BYTES, time: web.patience(ONE_TRY), redirects: 3 })
        .configured_by_user();
    let got = web.door.fetch(request).await.map_err(|error| Useless::Other(error.for_model()))?;
    match got.status.as_u16() {
        202 | 403 | 429 => return Err(Useless::Limited),
        200 => {}
        status => return Err(Useless::Other(format!("it answered HTTP {status}"))),
    }
    let text = got.text();
    let hits: Vec<Hit> =
        listed_links(&text, classes[0], classes[1]).iter().filter_map(hit).collect();
    if hits.is_empty() {
        let lower = text.to_lowercase();
        if lower.contains("anomaly") || lower.contains("captcha") {
            return Err(Useless::Limited);
        }
        if !lower.contains("no results") && !lower.contains("no-results") {
            return Err(Useless::Other("its page could not be understood".to_owned()));
        }
    }
    Ok(hits)
}

/// A result, unless it is an advertisement. The real address is a parameter of the one that counts clicks.
fn hit(link: &ListedLink) -> Option<Hit> {
    if link.around.contains("result--ad")
        || link.around.contains("result-sponsored")
        || link.href.contains("ad_domain=")
        || link.href.contains("/y.js")
    {
        return None;
    }
    let base = Url::parse("https://duckduckgo.com/").ok()?;
    let url = base.join(&link.href).ok()?;
    let counted =
        url.query_pairs().find(|(name, _)| name == "uddg").map(|(_, target)| target.into_owned());
    let url = counted.unwrap_or_else(|| url.to_string());
    let web = url.starts_with("http://") || url.starts_with("https://");
    (web && !link.title.is_empty()).then(|| Hit {
        title: link.title.clone(),
        url,
        description: link.text.clone(),
    })
}

impl WebProvider for DuckDuckGo {
    fn name(&self) -> &'static str {
        "ddg"
    }

    fn abilities(&self) -> &'static [Ability] {
        &[Ability::Search]
    }

    fn missing(&self, _: &Web) -> Option<String> {
        None
    }

    fn search<'a>(
        &'a self,
        web: &'a Web,
        query: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Hit>, String>> {
        Box::pin(async move {
            let pages = [
                (web.settings.duckduckgo_url.as_str(), ["result__a", "result__snippet"]),
                (web.settings.duckduckgo_lite_url.as_str(), ["result-link", "result-snippet"]),
            ];
            let tries = async {
                let mut last = Useless::Limited;
                for (page, classes) in pages {
                    match results(web, page, classes, query).await {
                        Ok(hits) => return Ok(hits),
                        Err(useless) => last = useless,
                    }
                }
                Err(last)
            };
            let hits = match tokio::time::timeout(ALL_TRIES, tries).await {
                Ok(Ok(hits)) => hits,
                Ok(Err(Useless::Limited)) => {
                    return Err(format!("DuckDuckGo is rate limited just now; {KEYED}"));
                }
                Ok(Err(Useless::Other(why))) => return Err(format!("DuckDuckGo: {why}; {KEYED}")),
                Err(_) => {
                    return Err(format!(
                        "DuckDuckGo did not answer within {} s; {KEYED}",
                        ALL_TRIES.as_secs()
                    ));
                }
            };
            Ok(hits.into_iter().take(limit).collect())
        })
    }
}
