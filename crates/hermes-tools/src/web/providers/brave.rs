//! Brave Search: search with a free key.

use futures_util::future::BoxFuture;
use hermes_web::header::{ACCEPT, HeaderName, HeaderValue};
use hermes_web::{FetchRequest, Url};
use serde_json::Value;

use super::api::{self, SEARCH_TIME};
use super::{Ability, Hit, Web, WebProvider};

const NAME: &str = "brave-free";
/// The most results it gives.
const MOST: usize = 20;

pub(super) struct Brave;

impl WebProvider for Brave {
    fn name(&self) -> &'static str {
        NAME
    }

    fn abilities(&self) -> &'static [Ability] {
        &[Ability::Search]
    }

    fn missing(&self, web: &Web) -> Option<String> {
        web.vars
            .non_blank("BRAVE_SEARCH_API_KEY")
            .is_none()
            .then(|| "brave-free needs BRAVE_SEARCH_API_KEY".to_owned())
    }

    fn search<'a>(
        &'a self,
        web: &'a Web,
        query: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Hit>, String>> {
        Box::pin(async move {
            let count = limit.min(MOST).to_string();
            let url = Url::parse_with_params(
                &api::at(&web.settings.brave_url, "/res/v1/web/search"),
                [("q", query), ("count", &count)],
            )
            .map_err(|error| format!("the address of {NAME} cannot be read: {error}"))?;
            let key = web.vars.non_blank("BRAVE_SEARCH_API_KEY").unwrap_or_default().trim();
            let key = HeaderValue::from_str(key)
                .map_err(|_| "BRAVE_SEARCH_API_KEY holds characters no header can".to_owned())?;
            let request = FetchRequest::get(url.as_str())
                .header(ACCEPT, HeaderValue::from_static("application/json"))
                .secret_header(HeaderName::from_static("x-subscription-token"), key);
            let answer = api::call(web, NAME, request, SEARCH_TIME).await?;
            let results =
                answer.get("web").map(|found| api::list(found, "results")).unwrap_or_default();
            let hits = results
                .iter()
                .filter_map(|hit: &Value| api::hit(hit, api::text(hit, "description")));
            Ok(hits.collect())
        })
    }
}
