//! Tavily: search, reading, crawling.

use futures_util::future::BoxFuture;
use hermes_web::{FetchRequest, Url};
use serde_json::{Value, json};

use super::api::{self, OTHER_TIME, SEARCH_TIME};
use super::{Ability, CrawlOrder, Hit, PageResult, Web, WebProvider, each_failed};

const NAME: &str = "tavily";
/// The most results it gives.
const MOST: usize = 20;

pub(super) struct Tavily;

fn key(web: &Web) -> String {
    web.vars.non_blank("TAVILY_API_KEY").unwrap_or_default().trim().to_owned()
}

fn post(web: &Web, path: &str, body: &Value) -> FetchRequest {
    FetchRequest::post(api::at(&web.settings.tavily_url, path)).json(body)
}

fn pages(answer: &Value) -> Vec<PageResult> {
    let read = api::list(answer, "results").iter().map(|page| PageResult {
        url: api::text(page, "url"),
        title: api::text(page, "title"),
        content: api::text(page, "raw_content"),
        ..PageResult::default()
    });
    let failed = api::list(answer, "failed_results").iter();
    let failed =
        failed.map(|page| PageResult::failed(api::text(page, "url"), api::text(page, "error")));
    read.chain(failed).collect()
}

impl WebProvider for Tavily {
    fn name(&self) -> &'static str {
        NAME
    }

    fn abilities(&self) -> &'static [Ability] {
        &[Ability::Search, Ability::Extract, Ability::Crawl]
    }

    fn missing(&self, web: &Web) -> Option<String> {
        key(web).is_empty().then(|| "tavily needs TAVILY_API_KEY".to_owned())
    }

    fn search<'a>(
        &'a self,
        web: &'a Web,
        query: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Hit>, String>> {
        Box::pin(async move {
            let body = json!({"api_key": key(web), "query": query, "max_results": limit.min(MOST), "include_raw_content": false, "include_images": false});
            let answer = api::call(web, NAME, post(web, "/search", &body), SEARCH_TIME).await?;
            Ok(api::list(&answer, "results")
                .iter()
                .filter_map(|hit| api::hit(hit, api::text(hit, "content")))
                .collect())
        })
    }

    fn extract<'a>(&'a self, web: &'a Web, urls: &'a [Url]) -> BoxFuture<'a, Vec<PageResult>> {
        Box::pin(async move {
            let body =
                json!({"api_key": key(web), "urls": api::texts(urls), "include_images": false});
            match api::call(web, NAME, post(web, "/extract", &body), OTHER_TIME).await {
                Ok(answer) => api::in_order(NAME, urls, pages(&answer)),
                Err(error) => each_failed(urls, &error),
            }
        })
    }

    fn crawl<'a>(
        &'a self,
        web: &'a Web,
        order: &'a CrawlOrder,
    ) -> BoxFuture<'a, Result<Vec<PageResult>, String>> {
        Box::pin(async move {
            let depth = if order.thorough { "advanced" } else { "basic" };
            let mut body = json!({"api_key": key(web), "url": order.url.as_str(), "limit": MOST, "extract_depth": depth});
            if let Some(instructions) = &order.instructions {
                body["instructions"] = json!(instructions);
            }
            let answer = api::call(web, NAME, post(web, "/crawl", &body), OTHER_TIME).await?;
            Ok(pages(&answer))
        })
    }
}
