//! `github`: a folder of a repository; searched are the taps.

use futures_util::StreamExt as _;
use serde_json::json;

use super::{HubSource, SearchReach, SourceAnswer, is_web};
use crate::document::SkillDocument;
use crate::hub::HubContext;
use crate::hub::bundle::HubBundle;
use crate::hub::error::HubError;
use crate::hub::github::{GITHUB, GitHub};
use crate::hub::identifier::{RepoFolder, without_registry};
use crate::hub::record::{HubRecord, ranked};
use crate::hub::state::cache::{self, ANSWER_KEPT, Freshness};
use crate::hub::state::taps::{self, HubTap};
use crate::layout::SKILL_FILE;

/// Documents read at a time.
const AT_ONCE: usize = 8;
/// Most skills listed of one tap.
const MOST_LISTED: usize = 400;

pub(super) struct GitHubSource;

impl GitHubSource {
    /// What a tap holds, read once an hour; what it held before, when it cannot be read.
    async fn list(hub: &HubContext, tap: &HubTap) -> Result<Vec<HubRecord>, HubError> {
        let key =
            cache::key_of(&format!("tap {} {} {}", hub.settings.github_api, tap.repo, tap.path));
        let copy = cache::get(&hub.state, &key, ANSWER_KEPT);
        let kept = copy.and_then(|(bytes, age)| Some((serde_json::from_slice(&bytes).ok()?, age)));
        if let Some((records, Freshness::Fresh)) = kept {
            return Ok(records);
        }
        match (Self::read(hub, tap).await, kept) {
            (Ok(records), _) => {
                cache::put(&hub.state, &key, json!(records).to_string().as_bytes());
                Ok(records)
            }
            (Err(error), Some((records, _))) if !error.is_block() => Ok(records),
            (Err(error), _) => Err(error),
        }
    }

    async fn read(hub: &HubContext, tap: &HubTap) -> Result<Vec<HubRecord>, HubError> {
        let repo = RepoFolder::parse(&tap.repo)?;
        let tree = hub.github.tree(&repo, None).await?;
        let prefix = tap.path.trim_matches('/');
        let below = |folder: &&str| {
            let rest = folder.strip_prefix(prefix);
            prefix.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
        };
        let folders: Vec<String> =
            tree.skill_folders().filter(below).take(MOST_LISTED).map(str::to_owned).collect();
        let read = futures_util::stream::iter(folders.into_iter().map(|folder| {
            let (repo, commit) = (repo.at(&folder), tree.commit.clone());
            async move { Self::record(hub, &repo, &commit).await }
        }));
        let records: Vec<HubRecord> =
            read.buffered(AT_ONCE).filter_map(|record| async { record }).collect().await;
        Ok(records)
    }

    async fn record(hub: &HubContext, folder: &RepoFolder, commit: &str) -> Option<HubRecord> {
        let path = if folder.path.is_empty() {
            SKILL_FILE.to_owned()
        } else {
            format!("{}/{SKILL_FILE}", folder.path)
        };
        let bytes = hub.github.file(folder, commit, &path).await.ok()?;
        let document = SkillDocument::read(&bytes);
        let name =
            folder.path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(&folder.repo);
        let trust = hub.github.trust(folder);
        let mut record = HubRecord::new(GITHUB, name, folder.identifier(), trust)
            .described(document.description());
        record.repo = Some(folder.full_name());
        record.path = Some(folder.path.clone());
        record.tags = document.frontmatter.tags();
        Some(record)
    }
}

impl HubSource for GitHubSource {
    fn id(&self) -> &'static str {
        GITHUB
    }

    fn reach(&self) -> SearchReach {
        SearchReach::Registry
    }

    fn claims(&self, identifier: &str) -> bool {
        !is_web(identifier)
            && without_registry(identifier).is_none()
            && !super::NAMED.iter().any(|prefix| identifier.starts_with(prefix))
            && RepoFolder::parse(identifier).is_ok()
    }

    fn search<'a>(
        &'a self,
        hub: &'a HubContext,
        query: &'a str,
        limit: usize,
    ) -> SourceAnswer<'a, Vec<HubRecord>> {
        Box::pin(async move {
            let mut places = taps::default_taps();
            places.extend(taps::read(&hub.state)?);
            let listing = places.into_iter().map(|tap| async move { Self::list(hub, &tap).await });
            let lists = futures_util::stream::iter(listing);
            let lists: Vec<_> = lists.buffered(AT_ONCE).collect().await;
            let mut records = Vec::new();
            let mut failure = None;
            for list in lists {
                match list {
                    Ok(list) => records.extend(list),
                    Err(error) => failure = Some(error),
                }
            }
            match failure {
                // Some repositories are better than none, but none is a failure.
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
            let folder = RepoFolder::parse(identifier)?;
            let mut bundle = hub.github.bundle(&folder, None).await?;
            bundle.category = category(&hub.github, &folder, &bundle).await;
            Ok(bundle)
        })
    }
}

/// What the repository's own list groups the skill under, as a folder may be called.
async fn category(github: &GitHub, folder: &RepoFolder, bundle: &HubBundle) -> Option<String> {
    let commit = bundle.said("source_revision")?;
    let list = github.file(folder, commit, "skills.sh.json").await.ok()?;
    let list: serde_json::Value = serde_json::from_slice(&list).ok()?;
    let group = list["groupings"].as_array()?.iter().find(|group| {
        super::texts(group, "skills")
            .iter()
            .any(|skill| skill.rsplit('/').next() == Some(&bundle.name))
    })?;
    let title = group["title"].as_str()?.to_lowercase();
    let slug: Vec<&str> =
        title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let slug = slug.join("-");
    crate::name::check(&slug).is_ok().then_some(slug)
}
