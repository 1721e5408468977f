//! `web_crawl`: the pages of a site.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use hermes_extract::page_links;
use hermes_tool::{CallDisplay, ToolContext, ToolError, tool};
use hermes_web::{FetchLimits, FetchRequest, Url};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};

use super::budget::fitted;
use super::images::without_data;
use super::providers::{CrawlOrder, PageResult, PageText, Web, crawler, read_page};
use super::robots::Robots;

/// The most pages.
const MOST_PAGES: usize = 20;
/// Pages on their way at the same time.
const AT_ONCE: usize = 4;
/// The least time between two requests.
const PAUSE: Duration = Duration::from_millis(250);
/// Addresses that are remembered; a site may invent any number.
const MOST_KNOWN: usize = 5_000;

const KEEP_OUT: &str = "the site's robots.txt asks programs not to read this page";

#[derive(Deserialize, JsonSchema)]
struct WebCrawl {
    /// Where to begin; other pages of the same host are followed.
    url: String,
    /// What to look for: pages whose links speak of it come first.
    instructions: Option<String>,
    /// How far from the first page: two links (basic) or three (advanced).
    depth: Option<CrawlDepth>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum CrawlDepth {
    #[default]
    Basic,
    Advanced,
}

/// Read up to 20 pages of a site, beginning with one and following its links. Obeys the site's robots.txt. For single pages
/// use web_extract.
#[tool(
    toolset = "web",
    emoji = "🕸️",
    effects(network),
    max_result_chars = unlimited,
    output = untrusted,
    display = CallDisplay::verb("crawl").args(&["url"])
)]
async fn web_crawl(args: WebCrawl, cx: &ToolContext) -> Result<Value, ToolError> {
    let web = Web::of(cx);
    let address = args.url.trim();
    let address =
        if address.contains("://") { address.to_owned() } else { format!("https://{address}") };
    let provider = crawler(&web);
    let checked = if provider.is_some() {
        web.door.check_for_third_party(&address)
    } else {
        web.door.check(&address)
    };
    let url = match checked {
        Ok(url) => url,
        Err(error) if error.blocked_site().is_some() => {
            return Ok(json!({"results": [PageResult::refused(address, &error)]}));
        }
        Err(error) => return Err(ToolError::answer(error.for_model())),
    };
    let thorough = args.depth.unwrap_or_default() == CrawlDepth::Advanced;
    let order = CrawlOrder { url, instructions: args.instructions, thorough };
    let mut results = match provider {
        Some(provider) => {
            web.door
                .judge(order.url.as_str())
                .await
                .map_err(|error| ToolError::answer(error.for_model()))?;
            provider.crawl(&web, &order).await.map_err(ToolError::answer)?
        }
        None => crawl(&web, &order).await?,
    };
    let limit = web.settings.extract_char_limit;
    for page in &mut results {
        page.content = fitted(&without_data(&page.content), limit, &page.url, web.home.as_ref());
    }
    Ok(json!({"results": results}))
}

/// Pages of one host, those near the first one first. The host is the one where the first page turns out to be: many
/// sites lead from one name to another.
async fn crawl(web: &Web, order: &CrawlOrder) -> Result<Vec<PageResult>, ToolError> {
    let asked = without_fragment(&order.url);
    let mut robots = robots(web, &asked).await;
    if !robots.allows(&path_of(&asked)) {
        return Err(ToolError::answer(KEEP_OUT));
    }
    let first = read_page(&web.door, &asked).await;
    let home = first.url.as_ref().map_or_else(|| asked.clone(), without_fragment);
    if !is_same_site(&home, &asked) {
        robots = self::robots(web, &home).await;
        if !robots.allows(&path_of(&home)) {
            return Err(ToolError::answer(KEEP_OUT));
        }
    }
    let pause = robots.pause.max(PAUSE);
    let deepest = if order.thorough { 3 } else { 2 };
    let wanted = words_of(order.instructions.as_deref().unwrap_or_default());
    let mut known: HashSet<Url> = HashSet::from([asked, home.clone()]);
    // Two addresses may lead to one page.
    let mut arrived: HashSet<Url> = HashSet::from([home.clone()]);
    let mut waiting: VecDeque<(Url, usize)> = VecDeque::new();
    let mut running = FuturesUnordered::new();
    let mut results: Vec<(usize, PageResult)> = Vec::new();
    let (mut started, mut left_out, mut next_start) = (1, 0, Instant::now() + pause);
    let mut done = Some((0, 0, first));
    while let Some((number, depth, page)) = done {
        if depth < deepest {
            let mut links = followed(&page, &home, &known);
            links.sort_by_key(|(_, text)| !wanted.iter().any(|word| text.contains(word)));
            for (url, _) in links {
                if known.len() < MOST_KNOWN && known.insert(url.clone()) {
                    waiting.push_back((url, depth + 1));
                }
            }
        }
        let found = page.url.as_ref().map(without_fragment);
        let belongs = number == 0
            || found.is_none_or(|url| {
                is_same_site(&url, &home) && robots.allows(&path_of(&url)) && arrived.insert(url)
            });
        if belongs {
            results.push((number, page.result));
        } else {
            left_out += 1;
        }
        while running.len() < AT_ONCE
            && started < MOST_PAGES + left_out.min(MOST_PAGES)
            && let Some((url, depth)) = waiting.pop_front()
        {
            if !robots.allows(&path_of(&url)) {
                continue;
            }
            let (number, start) = (started, next_start.max(Instant::now()));
            next_start = start + pause;
            started += 1;
            running.push(async move {
                sleep_until(start).await;
                (number, depth, read_page(&web.door, &url).await)
            });
        }
        done = running.next().await;
    }
    results.sort_by_key(|(number, _)| *number);
    Ok(results.into_iter().map(|(_, page)| page).collect())
}

async fn robots(web: &Web, url: &Url) -> Robots {
    let Ok(address) = url.join("/robots.txt") else { return Robots::default() };
    let limits = FetchLimits { bytes: 1 << 20, time: Duration::from_secs(10), redirects: 5 };
    match web.door.fetch(FetchRequest::get(address.as_str()).limits(limits)).await {
        Ok(got) if got.status.is_success() => Robots::parse(&got.text()),
        // A server in trouble is left alone; one without rules has none.
        Ok(got) if got.status.is_server_error() => Robots::closed(),
        _ => Robots::default(),
    }
}

/// Links of a page to pages of the same host that are not known yet, with what they say.
fn followed(page: &PageText, home: &Url, known: &HashSet<Url>) -> Vec<(Url, String)> {
    let (Some(html), Some(url)) = (&page.html, &page.url) else { return Vec::new() };
    let links = page_links(html, url).into_iter();
    // What such a page leads to is another site's business.
    if !is_same_site(url, home) {
        return Vec::new();
    }
    links
        .filter(|link| is_same_site(&link.url, home) && !known.contains(&link.url))
        .filter(|link| !is_file(link.url.path()))
        .map(|link| {
            (
                without_fragment(&link.url),
                format!("{} {}", link.text, link.url.path()).to_lowercase(),
            )
        })
        .collect()
}

fn is_same_site(one: &Url, other: &Url) -> bool {
    one.host() == other.host() && one.port() == other.port()
}

/// Files that are no pages: reading them would use up the pages there may be.
fn is_file(path: &str) -> bool {
    const ENDINGS: &[&str] = &[
        ".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".ico", ".css", ".js", ".zip", ".gz",
        ".tar", ".mp4", ".mp3", ".woff", ".woff2", ".exe", ".dmg", ".iso",
    ];
    let path = path.to_ascii_lowercase();
    ENDINGS.iter().any(|ending| path.ends_with(ending))
}

fn words_of(instructions: &str) -> Vec<String> {
    let words = instructions.to_lowercase();
    words
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| word.chars().count() > 3)
        .map(str::to_owned)
        .collect()
}

fn path_of(url: &Url) -> String {
    match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    }
}

fn without_fragment(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    url
}
