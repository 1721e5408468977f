//! One file over HTTP, taken up where it stopped.

use std::fs::OpenOptions;
use std::path::Path;
use std::time::Duration;

use hermes_llm::http::{self, Proxies};
use reqwest::redirect::Policy;
use reqwest::{Response, StatusCode, header};

use super::{DownloadError, append, disk};

/// How long a connection may take, and how long a server may be silent.
const PATIENCE: Duration = Duration::from_secs(60);
/// Redirects that are followed: hubs hand out their files elsewhere.
const MAX_REDIRECTS: usize = 5;
/// Most bytes of a page of an index.
const MAX_PAGE: usize = 16 << 20;
/// How often a connection that breaks is made again, as long as something came in between.
const MAX_BREAKS: u32 = 5;

/// Fetches files. Holds no key: what it asks for is public.
pub(super) struct Fetcher {
    proxies: Proxies,
}

impl Fetcher {
    pub(super) fn new(proxies: Proxies) -> Self {
        Self { proxies }
    }

    fn client(&self, url: &str) -> Result<reqwest::Client, DownloadError> {
        http::builder(url, PATIENCE, &self.proxies)
            .and_then(|builder| {
                builder.redirect(Policy::limited(MAX_REDIRECTS)).read_timeout(PATIENCE).build()
            })
            .map_err(|error| network(url, &error))
    }

    /// A page, as text.
    pub(super) async fn page(&self, url: &str) -> Result<String, DownloadError> {
        let sent = self.client(url)?.get(url).send().await;
        let mut response = sent.map_err(|error| network(url, &error))?;
        succeeded(url, &response)?;
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| network(url, &error))? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > MAX_PAGE {
                return Err(failed(url, "the page is too long"));
            }
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// A file, whose beginning may be here already.
    pub(super) async fn fetch(
        &self,
        url: &str,
        part: &Path,
        tell: &mut dyn FnMut(u64, Option<u64>),
    ) -> Result<(), DownloadError> {
        let client = self.client(url)?;
        let mut breaks = 0;
        loop {
            let before = std::fs::metadata(part).map_or(0, |file| file.len());
            match self.try_fetch(&client, url, part, before, tell).await {
                Ok(()) => return Ok(()),
                Err(error @ DownloadError::Network { .. }) => {
                    let after = std::fs::metadata(part).map_or(0, |file| file.len());
                    breaks += 1;
                    if after <= before || breaks > MAX_BREAKS {
                        return Err(error);
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn try_fetch(
        &self,
        client: &reqwest::Client,
        url: &str,
        part: &Path,
        before: u64,
        tell: &mut dyn FnMut(u64, Option<u64>),
    ) -> Result<(), DownloadError> {
        let mut question = client.get(url);
        if before > 0 {
            question = question.header(header::RANGE, format!("bytes={before}-"));
        }
        let sent = question.send().await;
        let mut response = sent.map_err(|error| network(url, &error))?;
        let goes_on = match response.status() {
            StatusCode::PARTIAL_CONTENT => starts_at(&response) == Some(before),
            // Everything is here; the sum will tell.
            StatusCode::RANGE_NOT_SATISFIABLE if before > 0 => return Ok(()),
            _ => false,
        };
        succeeded(url, &response)?;
        let mut done = if goes_on { before } else { 0 };
        let mut file = OpenOptions::new()
            .create(true)
            .append(goes_on)
            .write(true)
            .truncate(!goes_on)
            .open(part)
            .map_err(disk("open", part))?;
        let total = response.content_length().map(|rest| rest + done);
        tell(done, total);
        while let Some(chunk) = response.chunk().await.map_err(|error| network(url, &error))? {
            append(&mut file, &chunk).map_err(disk("write", part))?;
            done += chunk.len() as u64;
            tell(done, total);
        }
        match total {
            Some(total) if done < total => Err(failed(url, "the connection broke")),
            _ => Ok(()),
        }
    }
}

/// Where the bytes of a partial answer begin.
fn starts_at(response: &Response) -> Option<u64> {
    let range = response.headers().get(header::CONTENT_RANGE)?.to_str().ok()?;
    range.strip_prefix("bytes ")?.split('-').next()?.parse().ok()
}

fn succeeded(url: &str, response: &Response) -> Result<(), DownloadError> {
    match response.status() {
        status if status.is_success() => Ok(()),
        status => Err(failed(url, &format!("the server answered {status}"))),
    }
}

fn failed(url: &str, problem: &str) -> DownloadError {
    DownloadError::Network { url: without_secrets(url), problem: problem.to_owned() }
}

fn network(url: &str, error: &reqwest::Error) -> DownloadError {
    let mut problem = String::from("cannot be reached");
    let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(inner) = cause {
        problem = inner.to_string();
        cause = inner.source();
    }
    failed(url, &problem)
}

/// The address without what an index may have been given to let us in.
fn without_secrets(url: &str) -> String {
    match url::Url::parse(url) {
        Ok(mut parsed) => {
            let _ = parsed.set_username("");
            let _ = parsed.set_password(None);
            parsed.set_query(None);
            parsed.to_string()
        }
        Err(_) => url.to_owned(),
    }
}
