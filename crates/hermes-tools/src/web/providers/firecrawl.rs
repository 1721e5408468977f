//! Firecrawl: search, reading, crawling; its own service or a server of the user's.

use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use hermes_web::header::{AUTHORIZATION, HeaderValue};
use hermes_web::{FetchRequest, Url};
use serde_json::{Value, json};

use super::api::{self, OTHER_TIME, SEARCH_TIME};
use super::{Ability, CrawlOrder, Hit, PageResult, Web, WebProvider};

const NAME: &str = "firecrawl";
const HOSTED: &str = "https://api.firecrawl.dev";
/// Pages of a crawl.
const MOST_PAGES: usize = 20;
/// How often a crawl is asked whether it is done, and how long at most.
const POLL: Duration = Duration::from_secs(2);
const POLL_FOR: Duration = Duration::from_secs(300);

pub(super) struct Firecrawl;

fn with_key(web: &Web, request: FetchRequest) -> Result<FetchRequest, String> {
    let Some(key) = web.vars.non_blank("FIRECRAWL_API_KEY") else { return Ok(request) };
    let value = HeaderValue::from_str(&format!("Bearer {}", key.trim()))
        .map_err(|_| "FIRECRAWL_API_KEY holds characters no header can".to_owned())?;
    Ok(request.secret_header(AUTHORIZATION, value))
}

fn address(web: &Web, path: &str) -> String {
    api::at(web.settings.firecrawl_url.as_deref().unwrap_or(HOSTED), path)
}

async fn post(web: &Web, path: &str, body: &Value, time: Duration) -> Result<Value, String> {
    let request = with_key(web, FetchRequest::post(address(web, path)).json(body))?;
    api::call(web, NAME, request, time).await
}

/// Newer and older servers put the list into different places.
fn hits(answer: &Value) -> &[Value] {
    let data = answer.get("data");
    let places =
        [data.and_then(|data| data.get("web")), data, answer.get("web"), answer.get("results")];
    places.into_iter().flatten().find_map(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// One page. The service followed redirects, so that where it ended up is judged as well.
async fn page(web: &Web, asked: &str, data: &Value) -> PageResult {
    let meta = data.get("metadata").cloned().unwrap_or_default();
    let source = match api::text(&meta, "sourceURL") {
        source if source.is_empty() => asked.to_owned(),
        source => source,
    };
    if source != asked
        && let Err(error) = web.door.judge(&source).await
    {
        return PageResult::refused(asked, &error);
    }
    PageResult {
        url: source,
        title: api::joined(&meta, "title", " "),
        content: api::text(data, "markdown"),
        ..PageResult::default()
    }
}

async fn scrape(web: &Web, url: &Url) -> PageResult {
    let body = json!({"url": url.as_str(), "formats": ["markdown"]});
    match post(web, "/v2/scrape", &body, OTHER_TIME).await {
        Ok(answer) => page(web, url.as_str(), answer.get("data").unwrap_or(&answer)).await,
        Err(error) => PageResult::failed(url.as_str(), error),
    }
}

impl WebProvider for Firecrawl {
    fn name(&self) -> &'static str {
        NAME
    }

    fn abilities(&self) -> &'static [Ability] {
        &[Ability::Search, Ability::Extract, Ability::Crawl]
    }

    fn missing(&self, web: &Web) -> Option<String> {
        let ready = web.vars.non_blank("FIRECRAWL_API_KEY").is_some()
            || web.settings.firecrawl_url.is_some();
        (!ready).then(|| {
            "firecrawl needs FIRECRAWL_API_KEY, or FIRECRAWL_API_URL for a server of your own"
                .to_owned()
        })
    }

    fn search<'a>(
        &'a self,
        web: &'a Web,
        query: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Hit>, String>> {
        Box::pin(async move {
            let answer =
                post(web, "/v2/search", &json!({"query": query, "limit": limit}), SEARCH_TIME)
                    .await?;
            let description = |hit: &Value| match api::text(hit, "description") {
                text if text.is_empty() => api::text(hit, "snippet"),
                text => text,
            };
            Ok(hits(&answer).iter().filter_map(|hit| api::hit(hit, description(hit))).collect())
        })
    }

    fn extract<'a>(&'a self, web: &'a Web, urls: &'a [Url]) -> BoxFuture<'a, Vec<PageResult>> {
        Box::pin(join_all(urls.iter().map(move |url| scrape(web, url))))
    }

    fn crawl<'a>(
        &'a self,
        web: &'a Web,
        order: &'a CrawlOrder,
    ) -> BoxFuture<'a, Result<Vec<PageResult>, String>> {
        Box::pin(async move {
            let body = json!({"url": order.url.as_str(), "limit": MOST_PAGES, "scrapeOptions": {"formats": ["markdown"]}});
            let started = post(web, "/v2/crawl", &body, OTHER_TIME).await?;
            let id = api::text(&started, "id");
            if id.is_empty()
                || !id.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
            {
                return Err("firecrawl began a crawl without saying which".to_owned());
            }
            let until = tokio::time::Instant::now() + POLL_FOR;
            let done = loop {
                let request =
                    with_key(web, FetchRequest::get(address(web, &format!("/v2/crawl/{id}"))))?;
                let answer = api::call(web, NAME, request, OTHER_TIME).await?;
                match api::text(&answer, "status").as_str() {
                    "completed" => break answer,
                    "failed" | "cancelled" => return Err("firecrawl gave the crawl up".to_owned()),
                    _ if tokio::time::Instant::now() > until => {
                        return Err("firecrawl did not finish the crawl in 5 minutes".to_owned());
                    }
                    _ => tokio::time::sleep(POLL).await,
                }
            };
            Ok(join_all(
                api::list(&done, "data").iter().map(|data| page(web, order.url.as_str(), data)),
            )
            .await)
        })
    }
}
