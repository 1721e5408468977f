//! SearXNG: search, on a server of the user's choice.

use futures_util::future::BoxFuture;
use hermes_web::{FetchRequest, Url};
use serde_json::Value;

use super::api::{self, SEARCH_TIME};
use super::{Ability, Hit, Web, WebProvider};

const NAME: &str = "searxng";

pub(super) struct Searxng;

impl WebProvider for Searxng {
    fn name(&self) -> &'static str {
        NAME
    }

    fn abilities(&self) -> &'static [Ability] {
        &[Ability::Search]
    }

    fn missing(&self, web: &Web) -> Option<String> {
        web.settings.searxng_url.is_none().then(|| "searxng needs SEARXNG_URL".to_owned())
    }

    fn search<'a>(
        &'a self,
        web: &'a Web,
        query: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Hit>, String>> {
        Box::pin(async move {
            let base = web.settings.searxng_url.as_deref().unwrap_or_default();
            let fields = [("q", query), ("format", "json"), ("pageno", "1")];
            let url = Url::parse_with_params(&api::at(base, "/search"), fields)
                .map_err(|error| format!("SEARXNG_URL cannot be read: {error}"))?;
            let answer = api::call(web, NAME, FetchRequest::get(url.as_str()), SEARCH_TIME).await?;
            let score = |hit: &Value| hit.get("score").and_then(Value::as_f64).unwrap_or_default();
            let mut hits: Vec<&Value> = api::list(&answer, "results").iter().collect();
            hits.sort_by(|one, other| score(other).total_cmp(&score(one)));
            let hits = hits.into_iter().filter_map(|hit| api::hit(hit, api::text(hit, "content")));
            Ok(hits.take(limit).collect())
        })
    }
}
