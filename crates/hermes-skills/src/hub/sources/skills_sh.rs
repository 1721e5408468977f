//! `skills-sh`: a registry of repositories; files come from GitHub.

use serde_json::{Value, json};

use super::{HubSource, SearchReach, SourceAnswer, parameter, text};
use crate::hub::HubContext;
use crate::hub::bundle::HubBundle;
use crate::hub::error::HubError;
use crate::hub::identifier::{RepoFolder, without_registry};
use crate::hub::record::HubRecord;
use crate::hub::state::cache::{ANSWER_KEPT, key_of};

const ID: &str = "skills-sh";
/// What the parts of the site map are called that list skills.
const MAP_OF_SKILLS: &str = "sitemap-skills-";
/// Most parts that are read.
const MAX_MAPS: usize = 20;

pub(super) struct SkillsShSource;

impl SkillsShSource {
    fn record(hub: &HubContext, item: &Value) -> Option<HubRecord> {
        let skill = Some(text(item, "skillId")).filter(|id| !id.is_empty());
        let id = text(item, "id");
        let repo = text(item, "source");
        let skill = skill.or_else(|| id.rsplit('/').next().map(str::to_owned))?;
        let place = if repo.is_empty() { id } else { format!("{repo}/{skill}") };
        let folder = RepoFolder::parse(&place).ok()?;
        let name = Some(text(item, "name")).filter(|name| !name.is_empty()).unwrap_or(skill);
        let trust = hub.github.trust(&folder);
        let mut record = HubRecord::new(ID, name, format!("{ID}/{place}"), trust);
        record.repo = Some(folder.full_name());
        record.path = Some(folder.path);
        if let Some(installs) = item["installs"].as_u64() {
            record.description =
                format!("{installs} installs, from {}", record.repo.as_deref().unwrap_or_default());
            record.extra.insert("installs".to_owned(), installs.into());
        }
        Some(record)
    }

    /// Everything there is: the site map lists the pages of skills, and each is called after its repository.
    async fn everything(
        hub: &HubContext,
        base: &str,
        limit: usize,
    ) -> Result<Vec<HubRecord>, HubError> {
        let map = hub.http.get(ID, &format!("{base}/sitemap.xml")).await?;
        let map = String::from_utf8_lossy(&map.body).into_owned();
        let parts = locations(&map).filter(|address| address.contains(MAP_OF_SKILLS));
        let mut records = Vec::new();
        for part in parts.take(MAX_MAPS) {
            // The map names its public address; what is asked is the address from the settings.
            let Some(file) = part.rsplit('/').next() else { continue };
            let pages = hub.http.get(ID, &format!("{base}/{file}")).await?;
            let pages = String::from_utf8_lossy(&pages.body).into_owned();
            for page in locations(&pages) {
                let Some((_, path)) =
                    page.split_once("://").and_then(|(_, rest)| rest.split_once('/'))
                else {
                    continue;
                };
                records.extend(Self::record(hub, &json!({"id": path.trim_end_matches('/')})));
                if records.len() >= limit {
                    return Ok(records);
                }
            }
        }
        Ok(records)
    }
}

/// The addresses a site map lists.
fn locations(map: &str) -> impl Iterator<Item = &str> {
    map.split("<loc>").skip(1).filter_map(|rest| Some(rest.split_once("</loc>")?.0.trim()))
}

impl HubSource for SkillsShSource {
    fn id(&self) -> &'static str {
        ID
    }

    fn reach(&self) -> SearchReach {
        SearchReach::Registry
    }

    fn claims(&self, identifier: &str) -> bool {
        without_registry(identifier).is_some()
    }

    fn search<'a>(
        &'a self,
        hub: &'a HubContext,
        query: &'a str,
        limit: usize,
    ) -> SourceAnswer<'a, Vec<HubRecord>> {
        Box::pin(async move {
            let base = hub.settings.skills_sh.trim_end_matches('/');
            if query.trim().is_empty() {
                return Self::everything(hub, base, limit).await;
            }
            let url = format!("{base}/api/search?q={}&limit={limit}", parameter(query));
            let answer = hub.http.catalogue(ID, &url, &key_of(&url), ANSWER_KEPT).await?;
            let items = answer["skills"].as_array().map(Vec::as_slice).unwrap_or_default();
            // Order and fit are the registry's own.
            Ok(items.iter().filter_map(|item| Self::record(hub, item)).take(limit).collect())
        })
    }

    fn fetch<'a>(
        &'a self,
        hub: &'a HubContext,
        identifier: &'a str,
    ) -> SourceAnswer<'a, HubBundle> {
        Box::pin(async move {
            let place = without_registry(identifier)
                .ok_or_else(|| HubError::NotFound(identifier.to_owned()))?;
            let folder = RepoFolder::parse(place)?;
            let mut bundle = hub.github.bundle(&folder, None).await?;
            bundle.source = ID;
            bundle.identifier = format!("{ID}/{}", folder.identifier());
            Ok(bundle)
        })
    }
}
