//! `browse-sh`: skills for single web sites.

use serde_json::{Map, Value};

use super::{HubSource, SearchReach, SourceAnswer, text, texts};
use crate::hub::HubContext;
use crate::hub::bundle::{BundleFiles, HubBundle};
use crate::hub::error::HubError;
use crate::hub::identifier;
use crate::hub::record::{HubRecord, TrustLevel, ranked};
use crate::hub::state::cache::{ANSWER_KEPT, key_of};
use crate::layout::SKILL_FILE;

const ID: &str = "browse-sh";
const PREFIX: &str = "browse-sh/";

pub(super) struct BrowseShSource;

impl BrowseShSource {
    fn base(hub: &HubContext) -> &str {
        hub.settings.browse_sh.trim_end_matches('/')
    }

    fn record(item: &Value) -> Option<HubRecord> {
        let slug = Some(text(item, "slug")).filter(|slug| !slug.is_empty())?;
        let host = text(item, "hostname");
        let last = slug.rsplit('/').next()?.to_owned();
        let place = if host.is_empty() || slug.contains('/') {
            slug.clone()
        } else {
            format!("{host}/{slug}")
        };
        identifier::parts(&place).ok()?;
        let name = Some(text(item, "name")).filter(|name| !name.is_empty()).unwrap_or(last);
        let mut record =
            HubRecord::new(ID, name, format!("{PREFIX}{place}"), TrustLevel::Community).described(
                Some(text(item, "description"))
                    .filter(|text| !text.is_empty())
                    .unwrap_or_else(|| text(item, "title")),
            );
        record.tags = texts(item, "tags");
        if let Some(installs) = item["installCount"].as_u64() {
            record.extra.insert("installs".to_owned(), installs.into());
        }
        Some(record)
    }
}

impl HubSource for BrowseShSource {
    fn id(&self) -> &'static str {
        ID
    }

    fn reach(&self) -> SearchReach {
        SearchReach::Registry
    }

    fn claims(&self, identifier: &str) -> bool {
        identifier.starts_with(PREFIX)
    }

    fn search<'a>(
        &'a self,
        hub: &'a HubContext,
        query: &'a str,
        limit: usize,
    ) -> SourceAnswer<'a, Vec<HubRecord>> {
        Box::pin(async move {
            let url = format!("{}/api/skills", Self::base(hub));
            let list = hub.http.catalogue(ID, &url, &key_of(&url), ANSWER_KEPT).await?;
            let skills = list["skills"].as_array().map(Vec::as_slice).unwrap_or_default();
            Ok(ranked(skills.iter().filter_map(Self::record), query, limit))
        })
    }

    fn fetch<'a>(
        &'a self,
        hub: &'a HubContext,
        identifier: &'a str,
    ) -> SourceAnswer<'a, HubBundle> {
        Box::pin(async move {
            let parts = identifier::parts(identifier)?;
            let [_, .., slug] = parts.as_slice() else {
                return Err(HubError::NotFound(identifier.to_owned()));
            };
            let base = Self::base(hub);
            // Some entries are known by their whole path, some by its last part.
            let whole = parts[1..].join("/");
            let about = match hub
                .http
                .json(ID, &format!("{base}/api/skills/{}", super::super::github::escaped(&whole)))
                .await
            {
                Err(error) if error.is_absent() && whole != *slug => {
                    hub.http
                        .json(ID, &format!("{base}/api/skills/{}", super::parameter(slug)))
                        .await?
                }
                other => other?,
            };
            let address = Some(text(&about, "skillMdUrl"))
                .filter(|url| !url.is_empty())
                .unwrap_or_else(|| text(&about["skill"], "skillMdUrl"));
            if address.is_empty() {
                let why = format!("{slug} names no document");
                return Err(HubError::Answer { service: ID.to_owned(), why });
            }
            let address = match hermes_web::Url::parse(base).and_then(|base| base.join(&address)) {
                Ok(url) => url.to_string(),
                Err(_) => address,
            };
            let mut files = BundleFiles::default();
            files.add_plain(SKILL_FILE, hub.http.get(ID, &address).await?.body)?;
            let mut metadata = Map::new();
            metadata.insert("source_url".to_owned(), address.into());
            Ok(HubBundle {
                name: slug.to_lowercase(),
                category: None,
                files,
                source: ID,
                identifier: identifier.to_owned(),
                trust: TrustLevel::Community,
                metadata,
                warnings: Vec::new(),
            })
        })
    }
}
