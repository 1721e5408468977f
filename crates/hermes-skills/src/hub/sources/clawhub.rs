//! `clawhub`: a registry with versions, each a ZIP archive.

use std::time::{Duration, Instant};

use hermes_web::FetchRequest;
use serde_json::{Map, Value};

use super::{HubSource, SearchReach, SourceAnswer, is_web, parameter, text, texts};
use crate::hub::HubContext;
use crate::hub::bundle::{HubBundle, archive};
use crate::hub::error::HubError;
use crate::hub::http::{RateLimitWait, file_limits, parse};
use crate::hub::record::{HubRecord, TrustLevel, ranked};
use crate::hub::state::cache::{ANSWER_KEPT, key_of};

const ID: &str = "clawhub";
const PREFIX: &str = "clawhub/";
/// How long a walk over the whole catalogue may take while somebody waits.
const WALK: Duration = Duration::from_secs(12);

pub(super) struct ClawHubSource;

impl ClawHubSource {
    fn base(hub: &HubContext) -> &str {
        hub.settings.clawhub.trim_end_matches('/')
    }

    fn record(item: &Value) -> Option<HubRecord> {
        let slug = Some(text(item, "slug")).filter(|slug| is_slug(slug))?;
        let mut record = HubRecord::new(ID, slug.clone(), slug, TrustLevel::Community)
            .described(text(item, "summary"));
        record.tags = match &item["tags"] {
            Value::Object(tags) => tags.keys().cloned().collect(),
            _ => texts(item, "tags"),
        };
        record.extra.insert("display_name".to_owned(), item["displayName"].clone());
        Some(record)
    }

    async fn page(hub: &HubContext, url: &str) -> Result<Value, HubError> {
        hub.http.catalogue(ID, url, &key_of(url), ANSWER_KEPT).await
    }

    async fn walk(hub: &HubContext, limit: usize) -> Result<Vec<HubRecord>, HubError> {
        let started = Instant::now();
        let mut found: Vec<HubRecord> = Vec::new();
        let mut cursor = String::new();
        loop {
            let mut url = format!("{}/skills?limit=200", Self::base(hub));
            if !cursor.is_empty() {
                url.push_str(&format!("&cursor={}", parameter(&cursor)));
            }
            let page = Self::page(hub, &url).await?;
            let items = page["items"].as_array().map(Vec::as_slice).unwrap_or_default();
            found.extend(items.iter().filter_map(Self::record));
            let next = text(&page, "nextCursor");
            if next.is_empty()
                || next == cursor
                || items.is_empty()
                || found.len() >= limit
                || started.elapsed() > WALK
            {
                return Ok(found);
            }
            cursor = next;
        }
    }

    async fn version(hub: &HubContext, slug: &str) -> Result<String, HubError> {
        let about = hub.http.json(ID, &format!("{}/skills/{slug}", Self::base(hub))).await?;
        let tagged =
            || about["skill"]["tags"]["latest"].as_str().or(about["tags"]["latest"].as_str());
        let version = about["latestVersion"]["version"].as_str().or_else(tagged).map(str::to_owned);
        if let Some(version) = version {
            return Ok(version);
        }
        let list =
            hub.http.json(ID, &format!("{}/skills/{slug}/versions", Self::base(hub))).await?;
        let versions = list["items"].as_array().or(list["versions"].as_array()).or(list.as_array());
        let first =
            versions.and_then(|list| list.first()).and_then(|item| item["version"].as_str());
        first.map(str::to_owned).ok_or_else(|| HubError::Answer {
            service: ID.to_owned(),
            why: format!("{slug} has no version"),
        })
    }
}

fn is_slug(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !text.is_empty() && text.chars().all(fits) && !text.chars().all(|c| c == '.')
}

impl HubSource for ClawHubSource {
    fn id(&self) -> &'static str {
        ID
    }

    fn reach(&self) -> SearchReach {
        SearchReach::Registry
    }

    fn claims(&self, identifier: &str) -> bool {
        !is_web(identifier) && is_slug(identifier.strip_prefix(PREFIX).unwrap_or(identifier))
    }

    fn search<'a>(
        &'a self,
        hub: &'a HubContext,
        query: &'a str,
        limit: usize,
    ) -> SourceAnswer<'a, Vec<HubRecord>> {
        Box::pin(async move {
            if query.trim().is_empty() {
                return Ok(ranked(Self::walk(hub, limit).await?, "", limit));
            }
            let url =
                format!("{}/skills?search={}&limit={limit}", Self::base(hub), parameter(query));
            let page = Self::page(hub, &url).await?;
            let items = page["items"].as_array().map(Vec::as_slice).unwrap_or_default();
            Ok(items.iter().filter_map(Self::record).take(limit).collect())
        })
    }

    fn fetch<'a>(
        &'a self,
        hub: &'a HubContext,
        identifier: &'a str,
    ) -> SourceAnswer<'a, HubBundle> {
        Box::pin(async move {
            let slug = identifier.strip_prefix(PREFIX).unwrap_or(identifier);
            if !is_slug(slug) {
                return Err(HubError::NotFound(identifier.to_owned()));
            }
            let version = Self::version(hub, slug).await?;
            let url =
                format!("{}/download?slug={slug}&version={}", Self::base(hub), parameter(&version));
            let request = FetchRequest::get(&url).limits(file_limits());
            let answer = hub.http.send(ID, request, RateLimitWait::USUAL).await?;
            if answer.header("content-type").is_some_and(|kind| kind.contains("json")) {
                let why = text(&parse(ID, &answer.body)?, "error");
                return Err(HubError::Answer { service: ID.to_owned(), why });
            }
            let files = archive::unpack(&answer.body)?.rooted_at_skill()?;
            let mut metadata = Map::new();
            metadata.insert("source_url".to_owned(), url.into());
            metadata.insert("source_revision".to_owned(), version.into());
            Ok(HubBundle {
                name: slug.to_lowercase(),
                category: None,
                files,
                source: ID,
                identifier: slug.to_owned(),
                trust: TrustLevel::Community,
                metadata,
                warnings: Vec::new(),
            })
        })
    }
}
