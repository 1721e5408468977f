//! Bringing installed skills up to date, without force and without losing what the user changed.

use hermes_guard::skill_scan::SkillDecision;
use serde::Serialize;

use super::HubContext;
use super::bundle::{HubBundle, hash};
use super::error::HubError;
use super::install::{self, InstallOffer};
use super::scan::decide;
use super::state::installed::InstalledSkill;
use super::state::{audit_log, change, lock_file};

/// How an installed skill stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UpdateState {
    /// As the source has it.
    UpToDate,
    /// The source has something else.
    UpdateAvailable,
    /// It was replaced just now.
    Updated,
    /// The user changed it; the source has something else.
    LocallyModified,
    /// The source does not have it, or does not answer.
    Unavailable,
    /// The new content is not let in.
    Blocked,
}

impl UpdateState {
    /// The word in tables.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::UpToDate => "up_to_date",
            Self::UpdateAvailable => "update_available",
            Self::Updated => "updated",
            Self::LocallyModified => "locally_modified",
            Self::Unavailable => "unavailable",
            Self::Blocked => "blocked",
        }
    }
}

/// One line of an answer about updates.
#[derive(Clone, Debug, Serialize)]
pub struct UpdateLine {
    /// The skill.
    pub name: String,
    /// What was asked.
    pub identifier: String,
    /// How it stands.
    pub state: UpdateState,
    /// Why, where that is not plain.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// Whether somebody only wants to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateMode {
    /// Nothing is changed.
    Check,
    /// What can be replaced is.
    Apply,
    /// Also what the user changed, which goes to the archive first.
    ApplyOverEdits,
}

/// Looks at one skill, or all, and replaces what can be replaced.
///
/// # Errors
/// The skill is not installed, or the disk refuses. What a source does not have is no error but a line.
pub async fn update(
    hub: &HubContext,
    only: Option<&str>,
    mode: UpdateMode,
    tell: &dyn Fn(&str),
) -> Result<Vec<UpdateLine>, HubError> {
    let (lock, _) = lock_file::read(&hub.state)?;
    if let Some(name) = only.filter(|name| !lock.installed.contains_key(*name)) {
        return Err(HubError::Usage(format!(
            "{name} was not installed from the hub; `hermes skills list --source hub` lists what was"
        )));
    }
    let mut lines = Vec::new();
    for (name, entry) in
        lock.installed.iter().filter(|(name, _)| only.is_none_or(|only| only == *name))
    {
        tell(&format!("looking for {name} at {}", entry.identifier));
        let line = |state, why: String| UpdateLine {
            name: name.clone(),
            identifier: entry.identifier.clone(),
            state,
            why,
        };
        lines.push(match install::fetch_from(hub, &entry.source, &entry.identifier).await {
            Ok(bundle) => {
                let (state, why) = one(hub, name, entry, bundle, mode).await?;
                line(state, why)
            }
            Err(error) => line(UpdateState::Unavailable, error.to_string()),
        });
    }
    Ok(lines)
}

async fn one(
    hub: &HubContext,
    name: &str,
    entry: &InstalledSkill,
    bundle: HubBundle,
    mode: UpdateMode,
) -> Result<(UpdateState, String), HubError> {
    let bundle = install::without_ignored(bundle);
    let folder = entry.folder(name, &hub.state.skills().root())?;
    let on_disk = hash::of_folder(&folder).unwrap_or_default();
    let offered = bundle.files.content_hash();
    let edited = on_disk != entry.content_hash;
    if offered == on_disk || offered == entry.content_hash && !edited {
        return Ok((UpdateState::UpToDate, String::new()));
    }
    if offered == entry.content_hash {
        return Ok((
            UpdateState::LocallyModified,
            "you changed it; the source has nothing new".to_owned(),
        ));
    }
    if edited && mode != UpdateMode::ApplyOverEdits {
        return Ok((
            UpdateState::LocallyModified,
            "you changed it, so it was kept; --force moves your copy to skills/.archive and updates".to_owned(),
        ));
    }
    if mode == UpdateMode::Check {
        return Ok((UpdateState::UpdateAvailable, String::new()));
    }
    let offer: InstallOffer =
        install::offer(hub.examine(&bundle).await, &bundle, name, &entry.install_path)?;
    // Whoever agreed to the old content did not agree to this one: no flag lifts the policy here.
    if decide(bundle.trust, offer.report.verdict) != SkillDecision::Allow {
        let extras = [("identifier", bundle.identifier.as_str())];
        let verdict = offer.report.verdict.as_str();
        audit_log::record(
            &hub.state,
            "BLOCKED",
            name,
            bundle.source,
            bundle.trust,
            verdict,
            &extras,
        )?;
        let why = format!(
            "the new content is {verdict}; `hermes skills install {} --force` decides anew",
            entry.identifier
        );
        return Ok((UpdateState::Blocked, why));
    }
    let guard = hub.state.begin()?;
    let (lock, _) = lock_file::read(&hub.state)?;
    if lock.installed.get(name) != Some(entry) {
        return Ok((UpdateState::Unavailable, "another process changed it meanwhile".to_owned()));
    }
    let staged = change::stage(&hub.state, &guard, name, &bundle.files)?;
    let mut why = String::new();
    if edited && folder.exists() {
        let place = install::archive(&hub.state, &guard, name, &folder)?;
        why = format!("your copy is in {}", place.display());
    }
    let new = install::entry(&bundle, &offer, Some(entry));
    change::install(&hub.state, &guard, staged, name, "UPDATE", &new)?;
    Ok((UpdateState::Updated, why))
}
