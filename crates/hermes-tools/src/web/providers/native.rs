//! Pages fetched and read by ourselves.

use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use hermes_extract::{ExtractError, document};
use hermes_web::header::{ACCEPT, ACCEPT_LANGUAGE, HeaderName, HeaderValue, USER_AGENT};
use hermes_web::{FetchError, FetchLimits, FetchRequest, Fetched, HttpDoor, Url};

use super::{Ability, PageResult, Web, WebProvider};

/// What we call ourselves: many servers send other browsers than the common ones away.
pub(super) const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
const KINDS: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,text/markdown;q=0.9,application/pdf;q=0.8,*/*;q=0.5";
const LIMITS: FetchLimits =
    FetchLimits { bytes: 10 << 20, time: Duration::from_secs(30), redirects: 10 };
/// How long is waited before each further try.
const RETRIES: [Duration; 2] = [Duration::from_millis(300), Duration::from_millis(1_200)];

pub(super) struct Native;

/// A page that was read, and what it came from.
pub(in crate::web) struct PageText {
    pub(in crate::web) result: PageResult,
    /// The page itself, if it was HTML: for its links.
    pub(in crate::web) html: Option<String>,
    /// Where it came from after redirects.
    pub(in crate::web) url: Option<Url>,
}

/// Fetches a page and reads it. Never fails: the result says what went wrong.
pub(in crate::web) async fn read_page(door: &HttpDoor, url: &Url) -> PageText {
    let failed = |result: PageResult| PageText { result, html: None, url: None };
    let got = match fetch(door, url).await {
        Ok(got) => got,
        Err(error) => return failed(PageResult::refused(url.as_str(), &error)),
    };
    if !got.status.is_success() {
        let reason = got.status.canonical_reason().unwrap_or("no reason given");
        let error = format!("the server answered HTTP {} ({reason})", got.status.as_u16());
        return failed(PageResult::failed(url.as_str(), error));
    }
    let asked = url.clone();
    match tokio::task::spawn_blocking(move || read(&asked, &got)).await {
        Ok(page) => page,
        Err(_) => failed(PageResult::failed(url.as_str(), "the page could not be read")),
    }
}

async fn fetch(door: &HttpDoor, url: &Url) -> Result<Fetched, FetchError> {
    let request = || {
        FetchRequest::get(url.as_str())
            .header(USER_AGENT, HeaderValue::from_static(BROWSER))
            .header(ACCEPT, HeaderValue::from_static(KINDS))
            .header(ACCEPT_LANGUAGE, HeaderValue::from_static("en-US,en;q=0.9"))
            .header(
                HeaderName::from_static("upgrade-insecure-requests"),
                HeaderValue::from_static("1"),
            )
            .limits(LIMITS)
    };
    for wait in RETRIES {
        match door.fetch(request()).await {
            Ok(got) if got.status.is_server_error() => {}
            Err(FetchError::Connection { .. }) => {}
            done => return done,
        }
        tokio::time::sleep(wait).await;
    }
    door.fetch(request()).await
}

fn read(asked: &Url, got: &Fetched) -> PageText {
    let kind = got.media_type();
    let result = match document(&got.body, &kind, &got.url, || got.text()) {
        Ok(extract) => PageResult {
            url: asked.to_string(),
            title: extract.title,
            content: extract.markdown,
            ..PageResult::default()
        },
        Err(error) => PageResult::failed(asked.as_str(), advice(&error, &kind)),
    };
    let is_page = matches!(kind.as_str(), "text/html" | "application/xhtml+xml");
    PageText { result, html: is_page.then(|| got.text()), url: Some(got.url.clone()) }
}

fn advice(error: &ExtractError, kind: &str) -> String {
    match error {
        ExtractError::NeedsBrowser(_) => format!("{error}; open it with browser_navigate"),
        ExtractError::Image(_) => format!("{error}; look at it with vision_analyze"),
        ExtractError::ScannedPdf { .. } => format!("{error}; its pages are pictures of text"),
        _ if kind.is_empty() => format!("{error}; the server did not say what it is"),
        _ => error.to_string(),
    }
}

impl WebProvider for Native {
    fn name(&self) -> &'static str {
        "native"
    }

    fn abilities(&self) -> &'static [Ability] {
        &[Ability::Extract]
    }

    fn missing(&self, _: &Web) -> Option<String> {
        None
    }

    fn is_third_party(&self) -> bool {
        false
    }

    fn extract<'a>(&'a self, web: &'a Web, urls: &'a [Url]) -> BoxFuture<'a, Vec<PageResult>> {
        Box::pin(async move {
            let pages = join_all(urls.iter().map(|url| read_page(&web.door, url))).await;
            pages.into_iter().map(|page| page.result).collect()
        })
    }
}
