//! Looking after skills that nobody uses: called stale first, then put away, never deleted.
//!
//! Only skills that the agent made by itself are looked after, and, unless the settings say otherwise, those that came
//! with the program. What a user wrote, installed or pinned, and what a scheduled job names, is left alone. The first
//! sight of a skill starts its clock; nothing is put away for a time in which nobody looked.

mod backups;
mod consolidate;

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::PathBuf;

use hermes_store::atomic::{self, WriteOptions};
use hermes_store::home::ensure_private_dir;
use hermes_store::lock::{EDIT_WAIT, FileLock, Wait};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::archive;
use crate::bundled::manifest;
use crate::index::IndexedSkill;
use crate::layout::SkillsHome;
use crate::library::SkillStore;
use crate::provenance::{Origins, PROTECTED, SkillProvenance};
use crate::settings::CuratorSettings;
use crate::usage::{self, UsageRecord, UsageState};

pub use backups::{back_up, backups, roll_back};
pub use consolidate::{ConsolidationReport, consolidate};

const SECONDS_OF_HOUR: f64 = 3600.0;
const SECONDS_OF_DAY: f64 = 24.0 * SECONDS_OF_HOUR;

/// What the curator remembers between runs: `.curator_state`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CuratorState {
    /// When it last ran.
    pub last_run_at: Option<String>,
    /// Whether a person told it to wait.
    pub paused: bool,
    /// What others keep here.
    #[serde(flatten)]
    pub other: serde_json::Map<String, serde_json::Value>,
}

/// How a skill stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CuratedSkill {
    /// By which it is pinned or restored.
    pub name: String,
    /// Where it comes from, in a word.
    pub source: &'static str,
    /// Whether the curator may put it away.
    pub looked_after: bool,
    /// Days since it was last used, as far as is known.
    pub idle_days: Option<f64>,
    /// What the records say.
    pub usage: UsageRecord,
}

/// What a run did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the words are those of the report")]
pub struct CuratorReport {
    pub first_seen: Vec<String>,
    pub stale: Vec<String>,
    pub archived: Vec<String>,
    pub reactivated: Vec<String>,
    pub problems: Vec<String>,
    /// A copy of the skills as they were.
    pub backup: Option<PathBuf>,
}

/// Whether a run changes anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CuratorMode {
    /// It does.
    Run,
    /// It only says what it would do.
    DryRun,
}

/// What the curator remembers; nothing if that cannot be read.
#[must_use]
pub fn state(home: &SkillsHome) -> CuratorState {
    let bytes = fs::read(home.curator_state()).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

fn save_state(home: &SkillsHome, state: &CuratorState) -> io::Result<()> {
    ensure_private_dir(&home.root()).map_err(io::Error::other)?;
    let bytes = serde_json::to_vec_pretty(state).map_err(io::Error::other)?;
    atomic::write(&home.curator_state(), &bytes, WriteOptions::KEEP).map_err(io::Error::other)
}

/// Tells the curator to wait, or to go on.
///
/// # Errors
/// When that cannot be written down.
pub fn set_paused(home: &SkillsHome, paused: bool) -> io::Result<()> {
    save_state(home, &CuratorState { paused, ..state(home) })
}

/// Pins a skill, or no longer does; whether it was otherwise before.
///
/// # Errors
/// When that cannot be written down.
pub fn set_pinned(home: &SkillsHome, name: &str, pinned: bool) -> io::Result<bool> {
    let mut changed = false;
    let done = usage::update(home, |records| {
        let record = records.entry(name.to_owned()).or_default();
        changed = record.pinned != pinned;
        record.pinned = pinned;
        record.created_at.get_or_insert_with(usage::now);
    });
    if done {
        Ok(changed)
    } else {
        Err(io::Error::other("the record of skills' use cannot be written"))
    }
}

/// How all skills stand, by name.
#[must_use]
pub fn status(
    store: &SkillStore<'_>,
    settings: &CuratorSettings,
    jobs: &HashSet<String>,
) -> Vec<CuratedSkill> {
    let origins = Origins::read(store.home());
    let now = Timestamp::now();
    let mut all: Vec<CuratedSkill> = store
        .table()
        .usable()
        .map(|entry| {
            let usage = origins.usage().get(&entry.name).cloned().unwrap_or_default();
            let provenance = origins.of(entry);
            CuratedSkill {
                name: entry.name.clone(),
                source: provenance.word(),
                looked_after: is_looked_after(entry, &provenance, &usage, settings, jobs),
                idle_days: idle_days(&usage, now),
                usage,
            }
        })
        .collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

fn is_looked_after(
    entry: &IndexedSkill,
    provenance: &SkillProvenance,
    usage: &UsageRecord,
    settings: &CuratorSettings,
    jobs: &HashSet<String>,
) -> bool {
    let ours = match provenance {
        SkillProvenance::Agent => true,
        SkillProvenance::Bundled => settings.prune_builtins,
        SkillProvenance::External
        | SkillProvenance::Plugin
        | SkillProvenance::Hub { .. }
        | SkillProvenance::User => false,
    };
    ours && !usage.pinned
        && !PROTECTED.contains(&entry.name.as_str())
        && !jobs.contains(&entry.name)
        && !jobs.contains(&entry.folder)
}

/// Days since anything was done with a skill; since it was first seen, if nothing was.
fn idle_days(usage: &UsageRecord, now: Timestamp) -> Option<f64> {
    let read = |time: &Option<String>| time.as_ref()?.parse::<Timestamp>().ok();
    let uses = [&usage.last_used_at, &usage.last_viewed_at, &usage.last_patched_at];
    let latest = uses.into_iter().filter_map(read).max().or_else(|| read(&usage.created_at))?;
    Some(now.duration_since(latest).as_secs_f64() / SECONDS_OF_DAY)
}

/// Whether a run is due by itself: enabled, not paused, long enough since the last, and nothing used of late.
#[must_use]
pub fn is_due(home: &SkillsHome, settings: &CuratorSettings) -> bool {
    let state = state(home);
    if !settings.enabled || state.paused {
        return false;
    }
    let now = Timestamp::now();
    let hours = |time: &str| {
        let time: Timestamp = time.parse().ok()?;
        Some(now.duration_since(time).as_secs_f64() / SECONDS_OF_HOUR)
    };
    let rested = state
        .last_run_at
        .as_deref()
        .and_then(hours)
        .is_none_or(|hours| hours >= settings.interval_hours);
    let used = usage::read(home);
    let idle = used
        .values()
        .filter_map(|record| hours(record.last_used_at.as_deref()?))
        .all(|hours| hours >= settings.min_idle_hours);
    rested && idle
}

/// Looks over all skills: calls them stale, puts them away, or says what it would do. `jobs` are skills that scheduled
/// jobs name.
pub fn run(
    store: &SkillStore<'_>,
    settings: &CuratorSettings,
    jobs: &HashSet<String>,
    mode: CuratorMode,
) -> CuratorReport {
    let home = store.home();
    let mut report = CuratorReport::default();
    let _lock = match lock(home) {
        Ok(lock) => lock,
        Err(problem) => {
            report.problems.push(problem.to_string());
            return report;
        }
    };
    let mut archive_now = Vec::new();
    let mut changes: Vec<(String, Option<UsageState>)> = Vec::new();
    let entries = store.table();
    for skill in status(store, settings, jobs).into_iter().filter(|skill| skill.looked_after) {
        match skill.idle_days {
            None => {
                report.first_seen.push(skill.name.clone());
                changes.push((skill.name, None));
            }
            Some(days) if days >= settings.archive_after_days => {
                report.archived.push(skill.name.clone());
                let entry = entries.usable().find(|entry| entry.name == skill.name);
                archive_now.extend(
                    entry.map(|entry| (skill.name, entry.root().to_path_buf(), skill.source)),
                );
            }
            Some(days)
                if days >= settings.stale_after_days && skill.usage.state == UsageState::Active =>
            {
                report.stale.push(skill.name.clone());
                changes.push((skill.name, Some(UsageState::Stale)));
            }
            Some(days)
                if days < settings.stale_after_days && skill.usage.state == UsageState::Stale =>
            {
                report.reactivated.push(skill.name.clone());
                changes.push((skill.name, Some(UsageState::Active)));
            }
            Some(_) => {}
        }
    }
    if mode == CuratorMode::DryRun {
        return report;
    }
    if !archive_now.is_empty() {
        match back_up(home) {
            Ok(file) => report.backup = Some(file),
            Err(problem) => {
                report
                    .problems
                    .push(format!("nothing was put away: no copy could be made first: {problem}"));
                report.archived.clear();
                archive_now.clear();
            }
        }
    }
    let now = usage::now();
    usage::update(home, |records| {
        for (name, state) in changes {
            let record = records.entry(name).or_default();
            record.created_at.get_or_insert_with(|| now.clone());
            record.state = state.unwrap_or(record.state);
        }
    });
    for (name, folder, source) in archive_now {
        let done = archive::put_away(home, &folder, &name).and_then(|_| match source {
            "builtin" => manifest::suppress(home, &name, true).map_err(io::Error::other),
            _ => Ok(()),
        });
        if let Err(problem) = done {
            report.problems.push(format!("{name}: {problem}"));
        }
        if let Some(category) = folder.parent().filter(|category| **category != home.root()) {
            let _ = fs::remove_dir(category);
        }
    }
    if let Err(problem) = save_state(home, &CuratorState { last_run_at: Some(now), ..state(home) })
    {
        report.problems.push(problem.to_string());
    }
    store.library().touch();
    report
}

/// Puts one skill away at a person's word.
///
/// # Errors
/// When there is none, or it cannot be moved.
pub fn archive_one(store: &SkillStore<'_>, name: &str) -> io::Result<PathBuf> {
    let home = store.home();
    let _lock = lock(home)?;
    let found = store.find(name).map_err(io::Error::other)?;
    let folder = found.root().to_path_buf();
    if found.entry.is_none() || !folder.starts_with(home.root()) || folder == home.root() {
        return Err(io::Error::other(format!("`{name}` is not a folder of this home and stays")));
    }
    let is_ours = manifest::read(home).contains_key(&found.name());
    let target = archive::put_away(home, &folder, &found.name())?;
    if is_ours {
        manifest::suppress(home, &found.name(), true).map_err(io::Error::other)?;
    }
    store.library().touch();
    Ok(target)
}

/// Brings a skill back from the archive.
///
/// # Errors
/// When there is none, or its place is taken.
pub fn restore(store: &SkillStore<'_>, name: &str) -> io::Result<PathBuf> {
    let _lock = lock(store.home())?;
    let target = archive::restore(store.home(), name)?;
    let own = target.file_name().unwrap_or_default().to_string_lossy();
    manifest::suppress(store.home(), &own, false).map_err(io::Error::other)?;
    store.library().touch();
    Ok(target)
}

fn lock(home: &SkillsHome) -> io::Result<FileLock> {
    ensure_private_dir(&home.root()).map_err(io::Error::other)?;
    FileLock::acquire(&home.write_lock(), Wait::AtMost(EDIT_WAIT)).map_err(io::Error::other)
}

#[cfg(test)]
mod tests;
