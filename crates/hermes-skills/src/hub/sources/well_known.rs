//! `well-known`: skills a web site lists under a fixed address.
//!
//! Version 0.2 names a file and its digest for each skill; a digest that does not fit refuses it. Version 0.1 names the
//! files of each skill, which lie beside the list.

use hermes_web::Url;
use serde_json::{Map, Value};

use super::{HubSource, SearchReach, SourceAnswer, is_web, text, texts};
use crate::hub::HubContext;
use crate::hub::bundle::{BundleFiles, HubBundle, archive, hash};
use crate::hub::error::HubError;
use crate::hub::http::parse;
use crate::hub::record::{HubRecord, TrustLevel};
use crate::layout::SKILL_FILE;

const ID: &str = "well-known";
const PREFIX: &str = "well-known:";
/// The newer list first.
const LISTS: [&str; 2] = ["/.well-known/agent-skills/index.json", "/.well-known/skills/index.json"];

pub(super) struct WellKnownSource;

/// A list that was found, and which of its skills is meant.
struct SiteList {
    address: Url,
    skills: Vec<Value>,
    wanted: Option<String>,
}

impl SiteList {
    async fn find(hub: &HubContext, identifier: &str) -> Result<Self, HubError> {
        let wrong = |why: &str| HubError::Identifier {
            identifier: identifier.to_owned(),
            why: why.to_owned(),
        };
        let address = identifier.strip_prefix(PREFIX).unwrap_or(identifier);
        let mut url = Url::parse(address).map_err(|error| wrong(&error.to_string()))?;
        let mut wanted = url.fragment().filter(|name| !name.is_empty()).map(str::to_owned);
        url.set_fragment(None);
        url.set_query(None);
        let candidates = if url.path().ends_with("/index.json") {
            vec![url]
        } else {
            // `…/.well-known/skills/NAME` and what is below it mean that skill.
            let path = url.path().to_owned();
            let named = LISTS
                .iter()
                .find_map(|list| path.strip_prefix(list.trim_end_matches("index.json")));
            if let Some(name) =
                named.and_then(|rest| rest.split('/').next()).filter(|name| !name.is_empty())
            {
                wanted.get_or_insert_with(|| name.to_owned());
            }
            LISTS.iter().filter_map(|list| url.join(list).ok()).collect()
        };
        let mut failure = None;
        for address in candidates {
            let list = match hub.http.get(ID, address.as_str()).await {
                Ok(answer) => parse(ID, &answer.body).map(|list| (answer.url, list)),
                Err(error) => Err(error),
            };
            match list {
                Ok((address, mut list)) => {
                    let skills = match list["skills"].take() {
                        Value::Array(skills) => skills,
                        _ => Vec::new(),
                    };
                    return Ok(Self { address, skills, wanted });
                }
                Err(error) if error.is_block() => return Err(error),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        Err(failure.unwrap_or_else(|| HubError::NotFound(identifier.to_owned())))
    }

    fn identifier(&self, name: &str) -> String {
        format!("{PREFIX}{}#{name}", self.address)
    }

    fn records(&self) -> Vec<HubRecord> {
        self.skills
            .iter()
            .map(|skill| {
                let name = text(skill, "name");
                HubRecord::new(ID, name.clone(), self.identifier(&name), TrustLevel::Community)
                    .described(text(skill, "description"))
            })
            .filter(|record| !record.name.is_empty())
            .collect()
    }

    fn chosen(&self, identifier: &str) -> Result<&Value, HubError> {
        match (&self.wanted, self.skills.as_slice()) {
            (Some(name), skills) => skills
                .iter()
                .find(|skill| skill["name"].as_str() == Some(name))
                .ok_or_else(|| HubError::NotFound(format!("{name} at {}", self.address))),
            (None, [only]) => Ok(only),
            (None, _) => {
                Err(HubError::Ambiguous { name: identifier.to_owned(), matches: self.records() })
            }
        }
    }

    async fn files(&self, hub: &HubContext, skill: &Value) -> Result<(BundleFiles, Url), HubError> {
        let join = |base: &Url, path: &str| {
            base.join(path).map_err(|error| HubError::Answer {
                service: ID.to_owned(),
                why: error.to_string(),
            })
        };
        let mut files = BundleFiles::default();
        if let Some(address) = skill["url"].as_str() {
            let address = join(&self.address, address)?;
            let bytes = hub.http.get(ID, address.as_str()).await?.body;
            check_digest(skill, &bytes)?;
            if text(skill, "type") == "archive" {
                files = archive::unpack(&bytes)?.rooted_at_skill()?;
            } else {
                files.add_plain(SKILL_FILE, bytes)?;
            }
            return Ok((files, address));
        }
        let name = text(skill, "name");
        crate::name::check(&name).map_err(|_| HubError::Answer {
            service: ID.to_owned(),
            why: format!("`{}` is no name of a skill", name.escape_debug()),
        })?;
        let folder = join(&self.address, &format!("{name}/"))?;
        let mut paths = texts(skill, "files");
        if !paths.iter().any(|path| path == SKILL_FILE) {
            paths.push(SKILL_FILE.to_owned());
        }
        for path in paths {
            // Checked before it becomes part of an address.
            let path = crate::hub::bundle::path::check(&path).map_err(HubError::Bundle)?;
            let address = join(&folder, &crate::hub::github::escaped(&path))?;
            files.add_plain(&path, hub.http.get(ID, address.as_str()).await?.body)?;
        }
        Ok((files, folder))
    }
}

/// The bytes must be the ones the list speaks of.
fn check_digest(skill: &Value, bytes: &[u8]) -> Result<(), HubError> {
    let wanted = text(skill, "digest");
    let wanted = wanted.to_ascii_lowercase();
    if wanted.is_empty() {
        return Err(HubError::Bundle("the list names no digest for it".to_owned()));
    }
    let found = hash::of_bytes(bytes);
    if found == wanted {
        return Ok(());
    }
    Err(HubError::Bundle(format!("its digest is {found}, the list says {wanted}")))
}

impl HubSource for WellKnownSource {
    fn id(&self) -> &'static str {
        ID
    }

    fn reach(&self) -> SearchReach {
        SearchReach::Never
    }

    fn claims(&self, identifier: &str) -> bool {
        let path = identifier.split(['#', '?']).next().unwrap_or_default();
        identifier.starts_with(PREFIX)
            || is_web(identifier) && !path.to_ascii_lowercase().ends_with(".md")
    }

    fn search<'a>(
        &'a self,
        hub: &'a HubContext,
        query: &'a str,
        limit: usize,
    ) -> SourceAnswer<'a, Vec<HubRecord>> {
        Box::pin(async move {
            if !self.claims(query) {
                return Ok(Vec::new());
            }
            let mut records = SiteList::find(hub, query).await?.records();
            records.truncate(limit);
            Ok(records)
        })
    }

    fn fetch<'a>(
        &'a self,
        hub: &'a HubContext,
        identifier: &'a str,
    ) -> SourceAnswer<'a, HubBundle> {
        Box::pin(async move {
            let list = SiteList::find(hub, identifier).await?;
            let skill = list.chosen(identifier)?;
            let (files, address) = list.files(hub, skill).await?;
            let name = text(skill, "name");
            let mut metadata = Map::new();
            metadata.insert("source_url".to_owned(), address.to_string().into());
            Ok(HubBundle {
                identifier: list.identifier(&name),
                name,
                category: None,
                files,
                source: ID,
                trust: TrustLevel::Community,
                metadata,
                warnings: Vec::new(),
            })
        })
    }
}
