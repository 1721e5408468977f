//! `claude-marketplace`: repositories with a list of plugins, of which some bring skills.

use serde_json::Value;

use super::{HubSource, SearchReach, SourceAnswer, text, texts};
use crate::hub::HubContext;
use crate::hub::bundle::HubBundle;
use crate::hub::error::HubError;
use crate::hub::identifier::RepoFolder;
use crate::hub::record::{HubRecord, ranked};
use crate::hub::state::cache::{self, ANSWER_KEPT, Freshness};

const ID: &str = "claude-marketplace";
const LIST: &str = ".claude-plugin/marketplace.json";
/// The repositories that are looked in.
const MARKETPLACES: [&str; 2] = ["anthropics/skills", "aiskillstore/marketplace"];

pub(super) struct MarketplaceSource;

impl MarketplaceSource {
    async fn list(hub: &HubContext, repo: &RepoFolder) -> Result<Value, HubError> {
        let key =
            cache::key_of(&format!("marketplace {} {}", hub.settings.github_api, repo.full_name()));
        let copy = cache::get(&hub.state, &key, ANSWER_KEPT);
        if let Some((bytes, Freshness::Fresh)) = &copy
            && let Ok(list) = serde_json::from_slice(bytes)
        {
            return Ok(list);
        }
        // The host for single files understands this name for the usual branch; no request of the API is spent.
        match hub.github.file(repo, "HEAD", LIST).await {
            Ok(bytes) => {
                let list = crate::hub::http::parse(ID, &bytes)?;
                cache::put(&hub.state, &key, &bytes);
                Ok(list)
            }
            Err(error) => match copy {
                Some((bytes, _)) => crate::hub::http::parse(ID, &bytes),
                None => Err(error),
            },
        }
    }

    /// The skills of one plugin: those it lists, else itself.
    fn records(hub: &HubContext, repo: &RepoFolder, plugin: &Value) -> Vec<HubRecord> {
        let source = match &plugin["source"] {
            Value::String(source) => source.clone(),
            // `{"source": "github", "repo": "o/r"}`
            other => text(other, "repo"),
        };
        let root = match source.strip_prefix("./") {
            Some(path) => Some(repo.at(path)),
            None if source == "." || source.is_empty() => Some(repo.at("")),
            None => RepoFolder::parse(&source).ok(),
        };
        let Some(root) = root else { return Vec::new() };
        let listed = texts(plugin, "skills");
        let places: Vec<RepoFolder> = if listed.is_empty() {
            vec![root]
        } else {
            let join = |path: &String| {
                let path = path.trim_start_matches("./").trim_matches('/');
                let joined = if root.path.is_empty() {
                    path.to_owned()
                } else {
                    format!("{}/{path}", root.path)
                };
                root.at(&joined)
            };
            listed.iter().map(join).collect()
        };
        let usable =
            places.into_iter().filter(|place| RepoFolder::parse(&place.identifier()).is_ok());
        usable
            .map(|place| {
                let name = place
                    .path
                    .rsplit('/')
                    .next()
                    .filter(|name| !name.is_empty() && !listed.is_empty());
                let name = name.map_or_else(|| text(plugin, "name"), str::to_owned);
                let trust = hub.github.trust(&place);
                let mut record = HubRecord::new(ID, name, place.identifier(), trust)
                    .described(text(plugin, "description"));
                record.repo = Some(place.full_name());
                record.path = Some(place.path);
                record
            })
            .filter(|record| !record.name.is_empty())
            .collect()
    }
}

impl HubSource for MarketplaceSource {
    fn id(&self) -> &'static str {
        ID
    }

    fn reach(&self) -> SearchReach {
        SearchReach::Registry
    }

    fn claims(&self, _identifier: &str) -> bool {
        // Its identifiers are GitHub's, which fetches them the same way.
        false
    }

    fn search<'a>(
        &'a self,
        hub: &'a HubContext,
        query: &'a str,
        limit: usize,
    ) -> SourceAnswer<'a, Vec<HubRecord>> {
        Box::pin(async move {
            let mut records = Vec::new();
            let mut failure = None;
            for name in MARKETPLACES {
                let repo = RepoFolder::parse(name)?;
                match Self::list(hub, &repo).await {
                    Ok(list) => {
                        let plugins =
                            list["plugins"].as_array().map(Vec::as_slice).unwrap_or_default();
                        records.extend(
                            plugins.iter().flat_map(|plugin| Self::records(hub, &repo, plugin)),
                        );
                    }
                    Err(error) => failure = Some(error),
                }
            }
            match failure {
                Some(error) if records.is_empty() => Err(error),
                _ => Ok(ranked(records, query, limit)),
            }
        })
    }

    fn fetch<'a>(
        &'a self,
        hub: &'a HubContext,
        identifier: &'a str,
    ) -> SourceAnswer<'a, HubBundle> {
        Box::pin(async move {
            let mut bundle = hub.github.bundle(&RepoFolder::parse(identifier)?, None).await?;
            bundle.source = ID;
            Ok(bundle)
        })
    }
}
