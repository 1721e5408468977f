//! How often and when skills are used: `.usage.json`.
//!
//! One record a skill. Counting never fails a call: what cannot be written is not counted.

use std::collections::BTreeMap;
use std::time::Duration;

use hermes_store::atomic::{self, WriteOptions};
use hermes_store::home::ensure_private_dir;
use hermes_store::lock::{FileLock, Wait};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::layout::SkillsHome;

/// How long a count waits for another process.
const PATIENCE: Duration = Duration::from_millis(500);

/// What is known of the use of one skill.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UsageRecord {
    /// `agent` for skills it made by itself.
    pub created_by: Option<String>,
    /// Times its text was asked for or activated.
    pub use_count: u64,
    /// Times it was viewed.
    pub view_count: u64,
    /// Times it was changed.
    pub patch_count: u64,
    /// When it was last used.
    pub last_used_at: Option<String>,
    /// When it was last viewed.
    pub last_viewed_at: Option<String>,
    /// When it was last changed.
    pub last_patched_at: Option<String>,
    /// When it was first heard of.
    pub created_at: Option<String>,
    /// How it stands with the curator.
    pub state: UsageState,
    /// Whether it is never put away and never deleted by a model.
    pub pinned: bool,
    /// When it was put away.
    pub archived_at: Option<String>,
    /// What other programs keep here.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// How a skill stands with the curator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the words say it")]
pub enum UsageState {
    #[default]
    Active,
    Stale,
    Archived,
}

/// All records, by the names of skills.
pub type UsageRecords = BTreeMap<String, UsageRecord>;

/// What happened to a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsageEvent {
    /// A model viewed it.
    Viewed,
    /// A person activated it.
    Activated,
    /// It was changed.
    Patched,
}

/// The records as they are; none if they cannot be read.
#[must_use]
pub fn read(home: &SkillsHome) -> UsageRecords {
    let bytes = std::fs::read(home.usage_file()).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_else(|problem| {
        if !bytes.is_empty() {
            tracing::warn!(%problem, "the record of skills' use cannot be read");
        }
        UsageRecords::new()
    })
}

/// Changes the records under their lock; whether that worked.
pub fn update(home: &SkillsHome, change: impl FnOnce(&mut UsageRecords)) -> bool {
    match try_update(home, change) {
        Ok(()) => true,
        Err(problem) => {
            tracing::debug!(problem, "the use of a skill was not counted");
            false
        }
    }
}

fn try_update(home: &SkillsHome, change: impl FnOnce(&mut UsageRecords)) -> Result<(), String> {
    let text = |problem: &dyn std::fmt::Display| problem.to_string();
    ensure_private_dir(&home.root()).map_err(|problem| text(&problem))?;
    let _lock = FileLock::acquire(&home.usage_lock(), Wait::AtMost(PATIENCE))
        .map_err(|problem| text(&problem))?;
    let bytes = std::fs::read(home.usage_file()).unwrap_or_default();
    let mut records: UsageRecords = match bytes.is_empty() {
        true => UsageRecords::new(),
        // A file that cannot be understood is not written over.
        false => serde_json::from_slice(&bytes).map_err(|problem| text(&problem))?,
    };
    let before = records.clone();
    change(&mut records);
    if records == before {
        return Ok(());
    }
    let bytes = serde_json::to_vec_pretty(&records).map_err(|problem| text(&problem))?;
    atomic::write(&home.usage_file(), &bytes, WriteOptions::KEEP).map_err(|problem| text(&problem))
}

/// Counts what happened to a skill. Use brings one back that was called stale.
pub fn count(home: &SkillsHome, name: &str, event: UsageEvent) {
    let now = now();
    update(home, |records| {
        let record = records.entry(name.to_owned()).or_default();
        record.created_at.get_or_insert_with(|| now.clone());
        match event {
            UsageEvent::Viewed => {
                record.view_count += 1;
                record.use_count += 1;
                record.last_viewed_at = Some(now.clone());
                record.last_used_at = Some(now);
            }
            UsageEvent::Activated => {
                record.use_count += 1;
                record.last_used_at = Some(now);
            }
            UsageEvent::Patched => {
                record.patch_count += 1;
                record.last_patched_at = Some(now);
            }
        }
        if record.state == UsageState::Stale {
            record.state = UsageState::Active;
        }
    });
}

/// This moment, as records keep it.
#[must_use]
pub fn now() -> String {
    stored_time(jiff::Timestamp::now())
}

/// A time as records keep it.
#[must_use]
pub fn stored_time(time: jiff::Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S+00:00").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{SkillBench, put};

    #[test]
    fn views_count_as_use_and_changes_as_patches() {
        let bench = SkillBench::new();
        let home = bench.library.home();
        count(home, "a", UsageEvent::Viewed);
        count(home, "a", UsageEvent::Activated);
        count(home, "a", UsageEvent::Patched);
        let record = &read(home)["a"];
        assert_eq!((record.view_count, record.use_count, record.patch_count), (1, 2, 1));
        assert!(
            record.last_used_at.is_some()
                && record.created_at.is_some()
                && record.last_patched_at.is_some()
        );
    }

    #[test]
    fn a_record_that_cannot_be_read_is_neither_used_nor_overwritten() {
        let bench = SkillBench::new();
        let home = bench.library.home();
        put(home.usage_file(), "{ not json");
        assert!(read(home).is_empty());
        count(home, "a", UsageEvent::Viewed);
        assert_eq!(std::fs::read_to_string(home.usage_file()).unwrap(), "{ not json");
    }

    #[test]
    fn what_others_keep_there_stays() {
        let bench = SkillBench::new();
        let home = bench.library.home();
        put(home.usage_file(), r#"{"a":{"use_count":3,"theirs":{"x":1},"state":"stale"}}"#);
        count(home, "a", UsageEvent::Viewed);
        let record = &read(home)["a"];
        assert_eq!((record.use_count, record.state), (4, UsageState::Active));
        assert_eq!(record.other["theirs"]["x"], 1);
    }

    #[test]
    fn counts_of_several_threads_add_up() {
        let bench = SkillBench::new();
        let home = bench.library.home();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..5 {
                        while !update(home, |records| {
                            records.entry("a".into()).or_default().use_count += 1;
                        }) {}
                    }
                });
            }
        });
        assert_eq!(read(home)["a"].use_count, 20);
    }
}
