//! What is installed, as a list that another home can install again.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::HubContext;
use super::error::HubError;
use super::install::{self, InstallChoices};
use super::state::taps::{self, HubTap};
use super::state::{audit_log, lock_file};

/// The list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct HubSnapshot {
    hermes_version: String,
    exported_at: String,
    skills: Vec<SnapshotSkill>,
    #[serde(default)]
    taps: Vec<HubTap>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SnapshotSkill {
    name: String,
    source: String,
    identifier: String,
    #[serde(default)]
    category: Option<String>,
    #[serde(default)]
    content_hash: String,
}

pub(crate) fn export(hub: &HubContext) -> Result<String, HubError> {
    let (lock, _) = lock_file::read(&hub.state)?;
    let skills = lock.installed.iter().map(|(name, entry)| SnapshotSkill {
        name: name.clone(),
        source: entry.source.clone(),
        identifier: entry.identifier.clone(),
        category: entry.install_path.rsplit_once('/').map(|(category, _)| category.to_owned()),
        content_hash: entry.content_hash.clone(),
    });
    let snapshot = HubSnapshot {
        hermes_version: env!("CARGO_PKG_VERSION").to_owned(),
        exported_at: audit_log::timestamp(),
        skills: skills.collect(),
        taps: taps::read(&hub.state)?,
    };
    // A list of texts always has a JSON form.
    Ok(serde_json::to_string_pretty(&snapshot).unwrap_or_default())
}

/// How one skill of a list went.
pub(crate) struct ImportedLine {
    pub(crate) name: String,
    pub(crate) result: Result<String, HubError>,
}

pub(crate) async fn import(
    hub: &HubContext,
    text: &str,
    force: bool,
    tell: &dyn Fn(&str),
) -> Result<Vec<ImportedLine>, HubError> {
    let no_snapshot =
        |why: String| HubError::Usage(format!("this is no snapshot of skills: {why}"));
    let value: Value =
        serde_json::from_str(text).map_err(|error| no_snapshot(error.to_string()))?;
    if !value.is_object() {
        return Err(no_snapshot("an object with the list `skills` is expected".to_owned()));
    }
    let snapshot: HubSnapshot =
        serde_json::from_value(value).map_err(|error| no_snapshot(error.to_string()))?;
    for tap in &snapshot.taps {
        taps::add(&hub.state, &tap.repo, Some(&tap.path))?;
    }
    let mut lines = Vec::new();
    for skill in snapshot.skills {
        tell(&format!("installing {}", skill.name));
        let (lock, _) = lock_file::read(&hub.state)?;
        let same = |hash: &str| hash == skill.content_hash;
        if lock.installed.get(&skill.name).is_some_and(|entry| same(&entry.content_hash)) {
            lines.push(ImportedLine {
                name: skill.name,
                result: Ok("is installed already".to_owned()),
            });
            continue;
        }
        let choices = InstallChoices {
            category: skill.category.clone().filter(|category| !category.contains('/')),
            name: Some(skill.name.clone()),
            force,
            accept_hash: None,
        };
        let fetched = install::fetch_from(hub, &skill.source, &skill.identifier).await;
        let result = async {
            let bundle = fetched?;
            let differs = !same(&bundle.files.content_hash());
            install::install(hub, bundle, &choices, |_| true).await?;
            Ok(if differs {
                "installed; the source has newer content than the list"
            } else {
                "installed"
            }
            .to_owned())
        }
        .await;
        lines.push(ImportedLine { name: skill.name, result });
    }
    Ok(lines)
}
