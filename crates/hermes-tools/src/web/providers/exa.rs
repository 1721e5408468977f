//! Exa: search and reading.

use futures_util::future::BoxFuture;
use hermes_web::header::{HeaderName, HeaderValue};
use hermes_web::{FetchRequest, Url};
use serde_json::{Value, json};

use super::api::{self, OTHER_TIME, SEARCH_TIME};
use super::{Ability, Hit, PageResult, Web, WebProvider, each_failed};

const NAME: &str = "exa";

pub(super) struct Exa;

fn post(web: &Web, path: &str, body: &Value) -> Result<FetchRequest, String> {
    let key = web.vars.non_blank("EXA_API_KEY").unwrap_or_default().trim();
    let key = HeaderValue::from_str(key)
        .map_err(|_| "EXA_API_KEY holds characters no header can".to_owned())?;
    Ok(FetchRequest::post(api::at(&web.settings.exa_url, path))
        .secret_header(HeaderName::from_static("x-api-key"), key)
        .json(body))
}

impl WebProvider for Exa {
    fn name(&self) -> &'static str {
        NAME
    }

    fn abilities(&self) -> &'static [Ability] {
        &[Ability::Search, Ability::Extract]
    }

    fn missing(&self, web: &Web) -> Option<String> {
        web.vars.non_blank("EXA_API_KEY").is_none().then(|| "exa needs EXA_API_KEY".to_owned())
    }

    fn search<'a>(
        &'a self,
        web: &'a Web,
        query: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Hit>, String>> {
        Box::pin(async move {
            let body =
                json!({"query": query, "numResults": limit, "contents": {"highlights": true}});
            let answer = api::call(web, NAME, post(web, "/search", &body)?, SEARCH_TIME).await?;
            let hits = api::list(&answer, "results").iter();
            Ok(hits.filter_map(|hit| api::hit(hit, api::joined(hit, "highlights", " "))).collect())
        })
    }

    fn extract<'a>(&'a self, web: &'a Web, urls: &'a [Url]) -> BoxFuture<'a, Vec<PageResult>> {
        Box::pin(async move {
            let body = json!({"urls": api::texts(urls), "text": true});
            let answer = match post(web, "/contents", &body) {
                Ok(request) => api::call(web, NAME, request, OTHER_TIME).await,
                Err(error) => Err(error),
            };
            match answer {
                Ok(answer) => {
                    let pages = api::list(&answer, "results").iter().map(|page| PageResult {
                        url: api::text(page, "url"),
                        title: api::text(page, "title"),
                        content: api::text(page, "text"),
                        ..PageResult::default()
                    });
                    api::in_order(NAME, urls, pages.collect())
                }
                Err(error) => each_failed(urls, &error),
            }
        })
    }
}
