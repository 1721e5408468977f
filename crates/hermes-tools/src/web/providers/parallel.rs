//! Parallel: search and reading.

use futures_util::future::BoxFuture;
use hermes_web::header::{HeaderName, HeaderValue};
use hermes_web::{FetchRequest, Url};
use serde_json::{Value, json};

use super::api::{self, OTHER_TIME, SEARCH_TIME};
use super::{Ability, Hit, PageResult, Web, WebProvider, each_failed};

const NAME: &str = "parallel";
/// The most results it gives.
const MOST: usize = 20;
/// The version of the interface that is spoken here.
const BETA: &str = "search-extract-2025-10-10";
const MODES: [&str; 3] = ["agentic", "fast", "one-shot"];

pub(super) struct Parallel;

fn post(web: &Web, path: &str, body: &Value) -> Result<FetchRequest, String> {
    let key = web.vars.non_blank("PARALLEL_API_KEY").unwrap_or_default().trim();
    let key = HeaderValue::from_str(key)
        .map_err(|_| "PARALLEL_API_KEY holds characters no header can".to_owned())?;
    Ok(FetchRequest::post(api::at(&web.settings.parallel_url, path))
        .secret_header(HeaderName::from_static("x-api-key"), key)
        .header(HeaderName::from_static("parallel-beta"), HeaderValue::from_static(BETA))
        .json(body))
}

fn mode(web: &Web) -> &'static str {
    let wished = web.settings.parallel_search_mode.trim();
    MODES.into_iter().find(|mode| *mode == wished).unwrap_or(MODES[0])
}

impl WebProvider for Parallel {
    fn name(&self) -> &'static str {
        NAME
    }

    fn abilities(&self) -> &'static [Ability] {
        &[Ability::Search, Ability::Extract]
    }

    fn missing(&self, web: &Web) -> Option<String> {
        web.vars
            .non_blank("PARALLEL_API_KEY")
            .is_none()
            .then(|| "parallel needs PARALLEL_API_KEY".to_owned())
    }

    fn search<'a>(
        &'a self,
        web: &'a Web,
        query: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Hit>, String>> {
        Box::pin(async move {
            let body = json!({"search_queries": [query], "objective": query, "mode": mode(web), "max_results": limit.min(MOST)});
            let answer =
                api::call(web, NAME, post(web, "/v1beta/search", &body)?, SEARCH_TIME).await?;
            let hits = api::list(&answer, "results").iter();
            Ok(hits.filter_map(|hit| api::hit(hit, api::joined(hit, "excerpts", " "))).collect())
        })
    }

    fn extract<'a>(&'a self, web: &'a Web, urls: &'a [Url]) -> BoxFuture<'a, Vec<PageResult>> {
        Box::pin(async move {
            let body = json!({"urls": api::texts(urls), "full_content": true});
            let answer = match post(web, "/v1beta/extract", &body) {
                Ok(request) => api::call(web, NAME, request, OTHER_TIME).await,
                Err(error) => Err(error),
            };
            match answer {
                Ok(answer) => {
                    let pages = api::list(&answer, "results").iter().map(|page| PageResult {
                        url: api::text(page, "url"),
                        title: api::text(page, "title"),
                        content: match api::text(page, "full_content") {
                            content if content.is_empty() => api::joined(page, "excerpts", "\n\n"),
                            content => content,
                        },
                        ..PageResult::default()
                    });
                    let failed = api::list(&answer, "errors").iter().map(|page| {
                        let said =
                            ["content", "error_type", "message"].map(|name| api::text(page, name));
                        let said = said.into_iter().find(|said| !said.is_empty());
                        PageResult::failed(
                            api::text(page, "url"),
                            said.unwrap_or_else(|| "parallel could not read it".to_owned()),
                        )
                    });
                    api::in_order(NAME, urls, pages.chain(failed).collect())
                }
                Err(error) => each_failed(urls, &error),
            }
        })
    }
}
