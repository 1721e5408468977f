//! Posts on X, searched by xAI's own model.

use std::time::Duration;

use hermes_tool::Vars;
use hermes_tool::settings::{Seconds, Settings};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::service::{Service, ServiceError};

const BASE: &str = "https://api.x.ai/v1";
/// Most handles that are named at a time.
pub const MAX_HANDLES: usize = 10;
/// No search is given less time.
const LEAST_TIME: Seconds = Seconds::new(30.0);
/// Most characters of an answer.
const MAX_ANSWER_CHARS: usize = 50_000;
/// Most sources that are listed.
const MAX_CITATIONS: usize = 50;

/// The section `x_search`.
#[derive(Clone, Debug, Settings)]
#[settings(path = "x_search", about = "Searching posts on X", open)]
pub struct XSearchSettings {
    /// The model that searches.
    #[setting(default = "grok-4-fast".to_owned())]
    model: String,
    /// Another address than xAI's own.
    base_url: Option<String>,
    /// How long a search may take, in seconds.
    #[setting(default = Seconds::new(180.0), range = LEAST_TIME..)]
    timeout: Seconds,
    /// How often a search that failed at the service's end is tried again.
    #[setting(default = 2, range = 0..=5)]
    retries: u32,
}

/// What is searched for.
#[derive(Clone, Debug, Default)]
pub struct XQuery {
    /// In words.
    pub query: String,
    /// Only posts of these people.
    pub allowed: Vec<String>,
    /// No posts of these people.
    pub excluded: Vec<String>,
    /// From this day (YYYY-MM-DD).
    pub from_date: Option<String>,
    /// Up to this day.
    pub to_date: Option<String>,
    /// Whether pictures in posts are looked at.
    pub images: bool,
    /// Whether videos are.
    pub videos: bool,
}

/// Why nothing was searched for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum XSearchError {
    /// The question cannot be asked like that.
    #[error("{0}")]
    Query(String),
    /// There is no key.
    #[error("searching X needs a key: set XAI_API_KEY in the environment or in .env")]
    NoKey,
    /// The service failed.
    #[error(transparent)]
    Service(#[from] ServiceError),
}

impl XQuery {
    /// The tool that xAI's model is given.
    ///
    /// # Errors
    /// Too many handles, handles on both lists, or days that are none.
    fn tool(&self) -> Result<Value, XSearchError> {
        let wrong = |words: String| Err(XSearchError::Query(words));
        if self.query.trim().is_empty() {
            return wrong("query is empty; say what to look for".to_owned());
        }
        if !self.allowed.is_empty() && !self.excluded.is_empty() {
            return wrong("name handles to look at or handles to leave out, not both".to_owned());
        }
        let mut tool = json!({"type": "x_search"});
        for (field, handles) in
            [("allowed_x_handles", &self.allowed), ("excluded_x_handles", &self.excluded)]
        {
            if handles.len() > MAX_HANDLES {
                return wrong(format!("{field}: at most {MAX_HANDLES} handles"));
            }
            let handles: Vec<&str> = handles
                .iter()
                .map(|handle| handle.trim().trim_start_matches('@'))
                .filter(|handle| !handle.is_empty())
                .collect();
            if !handles.is_empty() {
                tool[field] = handles.into();
            }
        }
        for (field, day) in [("from_date", &self.from_date), ("to_date", &self.to_date)] {
            if let Some(day) = day.as_deref().map(str::trim).filter(|day| !day.is_empty()) {
                if day.len() != 10 || day.parse::<jiff::civil::Date>().is_err() {
                    return wrong(format!("{field} is no day; write it as YYYY-MM-DD"));
                }
                tool[field] = day.into();
            }
        }
        for (field, is_on) in [
            ("enable_image_understanding", self.images),
            ("enable_video_understanding", self.videos),
        ] {
            if is_on {
                tool[field] = true.into();
            }
        }
        Ok(tool)
    }
}

/// Searches.
///
/// # Errors
/// See [`XSearchError`].
pub async fn search(
    query: &XQuery,
    settings: &XSearchSettings,
    vars: &Vars,
    cancel: &CancellationToken,
) -> Result<Value, XSearchError> {
    let tool = query.tool()?;
    let key = vars.non_blank("XAI_API_KEY").ok_or(XSearchError::NoKey)?;
    let base = settings.base_url.as_deref().unwrap_or(BASE);
    let service = Service::new("xAI", base, vars);
    let words = query.query.trim();
    let body = json!({
        "model": settings.model,
        "input": [{"role": "user", "content": words}],
        "tools": [tool],
        "store": false,
    });
    let mut tries = 0;
    let reply = loop {
        let call = service.post("/responses")?.bearer(key).json(&body);
        match call.time(settings.timeout.duration()).send(cancel).await {
            Ok(reply) => break reply,
            Err(ServiceError::Status { status: 500.., .. }) if tries < settings.retries => {
                tries += 1;
                let pause = Duration::from_millis(500) * tries;
                tokio::select! {
                    () = cancel.cancelled() => {
                        return Err(ServiceError::Cancelled { service: "xAI".to_owned() }.into());
                    }
                    () = tokio::time::sleep(pause) => {}
                }
            }
            Err(error) => return Err(error.into()),
        }
    };
    let answer = reply.json()?;
    let (text, citations) = read(&answer);
    if text.is_empty() {
        return Err(reply.unreadable("an answer without words").into());
    }
    Ok(json!({
        "success": true,
        "query": words,
        "answer": text,
        "citations": citations,
        "model": settings.model,
    }))
}

/// The words of an answer and where they come from.
fn read(answer: &Value) -> (String, Vec<Value>) {
    let items = answer["output"].as_array().into_iter().flatten();
    let parts = items
        .filter(|item| item["type"] == "message")
        .flat_map(|item| item["content"].as_array().into_iter().flatten())
        .filter(|part| part["type"] == "output_text");
    let mut text = String::new();
    let mut citations: Vec<Value> = Vec::new();
    let mut add = |citation: Value| {
        let known = citations.iter().any(|other| other["url"] == citation["url"]);
        if !known && citation["url"].is_string() && citations.len() < MAX_CITATIONS {
            citations.push(citation);
        }
    };
    for part in parts {
        text.push_str(part["text"].as_str().unwrap_or_default());
        for mark in part["annotations"].as_array().into_iter().flatten() {
            add(json!({"url": mark["url"], "title": mark["title"]}));
        }
    }
    for url in answer["citations"].as_array().into_iter().flatten() {
        add(json!({"url": url, "title": null}));
    }
    let text = text.trim();
    let end = text.char_indices().nth(MAX_ANSWER_CHARS).map_or(text.len(), |(end, _)| end);
    (text[..end].to_owned(), citations)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use hermes_testkit::{WebReply, WebServer};

    use super::*;

    fn answer() -> Value {
        let part = json!({"type": "output_text", "text": "It rains.", "annotations":
            [{"type": "url_citation", "url": "https://x.com/a/1", "title": "A"}]});
        json!({"output": [{"type": "custom_tool_call"}, {"type": "message", "content": [part]}],
            "citations": ["https://x.com/a/1", "https://x.com/b/2"]})
    }

    async fn asked(query: XQuery, server: &WebServer) -> Result<Value, XSearchError> {
        let config = json!({"x_search": {"base_url": server.origin()}});
        let settings = XSearchSettings::read(&config, &Vars::default());
        let vars: Vars = [("XAI_API_KEY".to_owned(), "key-of-x".to_owned())].into_iter().collect();
        search(&query, &settings, &vars, &CancellationToken::new()).await
    }

    fn rain() -> XQuery {
        XQuery { query: "rain?".into(), ..XQuery::default() }
    }

    #[tokio::test]
    async fn the_question_and_its_limits_go_into_the_tool() {
        let server = WebServer::start(|_| WebReply::json(&answer()));
        let query = XQuery {
            allowed: vec!["@ada".into(), " ".into()],
            from_date: Some("2026-01-31".into()),
            images: true,
            ..rain()
        };
        let found = asked(query, &server).await.unwrap();
        assert_eq!(found["answer"], "It rains.");
        let citations = json!([{"url": "https://x.com/a/1", "title": "A"},
            {"url": "https://x.com/b/2", "title": null}]);
        assert_eq!(found["citations"], citations);
        let seen = &server.requests()[0];
        assert_eq!((seen.method.as_str(), seen.path.as_str()), ("POST", "/responses"));
        assert!(seen.carries("Bearer key-of-x"));
        let tool = json!({"type": "x_search", "allowed_x_handles": ["ada"],
            "from_date": "2026-01-31", "enable_image_understanding": true});
        assert_eq!(seen.body["tools"], json!([tool]));
        assert_eq!(seen.body["input"], json!([{"role": "user", "content": "rain?"}]));
    }

    #[tokio::test]
    async fn a_service_that_stumbles_is_asked_again_and_others_are_not() {
        let count = AtomicUsize::new(0);
        let server = WebServer::start(move |_| match count.fetch_add(1, Ordering::Relaxed) {
            0 => WebReply::status(503),
            _ => WebReply::json(&answer()),
        });
        assert!(asked(rain(), &server).await.is_ok());
        assert_eq!(server.requests().len(), 2);
        for (reply, kind) in [
            (WebReply::status(401), "authentication"),
            (WebReply::status(429), "rate_limit"),
            (WebReply::bytes("{broken"), "invalid_response"),
            (WebReply::json(&json!({"output": []})), "invalid_response"),
            (WebReply::bytes("{").cut(), "connection"),
        ] {
            let server = WebServer::start(move |_| reply.clone());
            let Err(XSearchError::Service(error)) = asked(rain(), &server).await else { panic!() };
            assert_eq!((error.kind(), server.requests().len()), (kind, 1));
        }
    }

    #[test]
    fn questions_that_cannot_be_asked_are_refused_beforehand() {
        let many = vec!["a".to_owned(); MAX_HANDLES + 1];
        for query in [
            XQuery::default(),
            XQuery { allowed: many, ..rain() },
            XQuery { allowed: vec!["a".into()], excluded: vec!["b".into()], ..rain() },
            XQuery { to_date: Some("31.1.2026".into()), ..rain() },
            XQuery { from_date: Some("2026-02-30".into()), ..rain() },
        ] {
            assert!(matches!(query.tool(), Err(XSearchError::Query(_))), "{query:?}");
        }
    }
}
