//! xAI: a model that searches the web and names its sources.

use futures_util::future::BoxFuture;
use hermes_web::FetchRequest;
use hermes_web::header::{AUTHORIZATION, HeaderValue};
use serde_json::{Value, json};

use super::api::{self, OTHER_TIME};
use super::{Ability, Hit, Web, WebProvider, shortened};

const NAME: &str = "xai";
const MODEL: &str = "grok-4-fast";
/// Letters of the text around a source.
const AROUND: usize = 300;

pub(super) struct Xai;

/// The sources of the answer, each once; what the model wrote before a source is what it is about.
fn sources(answer: &Value) -> Vec<Hit> {
    let mut hits: Vec<Hit> = Vec::new();
    for output in api::list(answer, "output") {
        for part in api::list(output, "content") {
            let text = api::text(part, "text");
            for note in api::list(part, "annotations") {
                let url = api::text(note, "url");
                if url.is_empty() || hits.iter().any(|hit| hit.url == url) {
                    continue;
                }
                let at = note
                    .get("start_index")
                    .and_then(Value::as_u64)
                    .and_then(|at| usize::try_from(at).ok());
                let before: String = text.chars().take(at.unwrap_or(AROUND)).collect();
                let sentence = before.rsplit('\n').next().unwrap_or_default();
                let title = match api::text(note, "title") {
                    title if title.is_empty() || title.parse::<u32>().is_ok() => url.clone(),
                    title => title,
                };
                hits.push(Hit { title, url, description: shortened(sentence, AROUND) });
            }
        }
    }
    hits
}

impl WebProvider for Xai {
    fn name(&self) -> &'static str {
        NAME
    }

    fn abilities(&self) -> &'static [Ability] {
        &[Ability::Search]
    }

    fn missing(&self, web: &Web) -> Option<String> {
        // Only by its name in the settings: it costs more than a search, and many have the key for the model.
        let wished = [&web.settings.search_backend, &web.settings.backend]
            .into_iter()
            .flatten()
            .any(|name| name == NAME);
        let key = web.vars.non_blank("XAI_API_KEY").is_some();
        (!wished || !key).then(|| "xai needs XAI_API_KEY and web.search_backend: xai".to_owned())
    }

    fn search<'a>(
        &'a self,
        web: &'a Web,
        query: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Hit>, String>> {
        Box::pin(async move {
            let key = web.vars.non_blank("XAI_API_KEY").unwrap_or_default().trim();
            let value = HeaderValue::from_str(&format!("Bearer {key}"))
                .map_err(|_| "XAI_API_KEY holds characters no header can".to_owned())?;
            let asked = format!(
                "Search the web and list the {limit} most useful pages with a sentence about each: {query}"
            );
            let body = json!({"model": MODEL, "input": [{"role": "user", "content": asked}], "tools": [{"type": "web_search"}]});
            let request = FetchRequest::post(api::at(&web.settings.xai_url, "/responses"))
                .secret_header(AUTHORIZATION, value)
                .json(&body);
            let answer = api::call(web, NAME, request, OTHER_TIME).await?;
            let mut hits = sources(&answer);
            hits.truncate(limit);
            Ok(hits)
        })
    }
}
