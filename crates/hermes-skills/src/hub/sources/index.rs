//! `hermes-index`: one list over all registries, put together elsewhere.
//!
//! It saves asking each registry. What it says about trust is not believed; files are fetched from where the skill
//! really is.

use serde_json::Value;

use super::{HubSource, SearchReach, SourceAnswer};
use crate::hub::HubContext;
use crate::hub::bundle::HubBundle;
use crate::hub::error::HubError;
use crate::hub::identifier::RepoFolder;
use crate::hub::record::{HubRecord, TrustLevel, ranked};
use crate::hub::state::cache::{INDEX_KEPT, INDEX_KEY};

/// Its id: what it says stands for all registries.
pub const ID: &str = "hermes-index";

pub(super) struct IndexSource;

impl IndexSource {
    async fn entries(hub: &HubContext) -> Result<Vec<Value>, HubError> {
        let mut list = hub.http.catalogue(ID, &hub.settings.index, INDEX_KEY, INDEX_KEPT).await?;
        match list.get_mut("skills").map(Value::take) {
            Some(Value::Array(skills)) => Ok(skills),
            _ => Err(HubError::Answer {
                service: ID.to_owned(),
                why: "there is no list `skills`".to_owned(),
            }),
        }
    }

    fn record(hub: &HubContext, mut entry: Value) -> Option<HubRecord> {
        // A word we do not know would make the whole entry unreadable, and is not believed anyway.
        entry.as_object_mut()?.remove("trust_level");
        let mut record: HubRecord = serde_json::from_value(entry).ok()?;
        record.trust_level = trust(hub, &record);
        if record.source.is_empty() {
            ID.clone_into(&mut record.source);
        }
        Some(record)
    }
}

/// What the place a skill is fetched from is worth.
fn trust(hub: &HubContext, record: &HubRecord) -> TrustLevel {
    let from_repository = matches!(
        record.source.as_str(),
        "github" | "skills-sh" | "claude-marketplace" | "skills.sh"
    );
    if !from_repository {
        return TrustLevel::Community;
    }
    let identifier =
        crate::hub::identifier::without_registry(&record.identifier).unwrap_or(&record.identifier);
    RepoFolder::parse(identifier).map_or(TrustLevel::Community, |folder| hub.github.trust(&folder))
}

impl HubSource for IndexSource {
    fn id(&self) -> &'static str {
        ID
    }

    fn reach(&self) -> SearchReach {
        SearchReach::Always
    }

    fn claims(&self, identifier: &str) -> bool {
        // Whatever names its source is fetched there; the list is large.
        !super::is_web(identifier)
            && !identifier.contains(':')
            && identifier.split('/').count() == 2
            && !super::NAMED.iter().any(|prefix| identifier.starts_with(prefix))
    }

    fn search<'a>(
        &'a self,
        hub: &'a HubContext,
        query: &'a str,
        limit: usize,
    ) -> SourceAnswer<'a, Vec<HubRecord>> {
        Box::pin(async move {
            let entries = Self::entries(hub).await?;
            let records = entries.into_iter().filter_map(|entry| Self::record(hub, entry));
            Ok(ranked(records, query, limit))
        })
    }

    fn fetch<'a>(
        &'a self,
        hub: &'a HubContext,
        identifier: &'a str,
    ) -> SourceAnswer<'a, HubBundle> {
        Box::pin(async move {
            let entries = Self::entries(hub).await?;
            let entry =
                entries.iter().find(|entry| entry["identifier"].as_str() == Some(identifier));
            let place = entry.and_then(|entry| entry["resolved_github_id"].as_str());
            let place = place.ok_or_else(|| HubError::NotFound(identifier.to_owned()))?;
            hub.github.bundle(&RepoFolder::parse(place)?, None).await
        })
    }
}
