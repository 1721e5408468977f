//! What the lock file remembers of each skill.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::hub::error::HubError;
use crate::hub::record::TrustLevel;
use crate::name;

/// The layout this program writes.
pub(super) const VERSION: u32 = 1;

/// The file as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HubLock {
    pub(super) version: u32,
    /// By name.
    pub installed: BTreeMap<String, InstalledSkill>,
}

impl Default for HubLock {
    fn default() -> Self {
        Self { version: VERSION, installed: BTreeMap::new() }
    }
}

/// What is remembered of a skill that came from the hub.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InstalledSkill {
    /// The source's id.
    pub source: String,
    /// What was installed, for `update`.
    pub identifier: String,
    /// How far the origin was believed.
    pub trust_level: TrustLevel,
    /// What the scanner said.
    #[serde(default)]
    pub scan_verdict: String,
    /// What it looked like.
    pub content_hash: String,
    /// Below the skills folder.
    pub install_path: String,
    /// Paths below its folder.
    #[serde(default)]
    pub files: Vec<String>,
    /// What the source said: address, revision.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    /// Who scanned it with which rules.
    #[serde(default)]
    pub scan_provenance: Value,
    /// First.
    #[serde(default)]
    pub installed_at: String,
    /// Last.
    #[serde(default)]
    pub updated_at: String,
    /// Fields of other versions, kept.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl InstalledSkill {
    /// The folder, if the recorded path is one a hub would have written: relative, plain, ending in the skill's name,
    /// strictly below the skills folder, and without a link on the way.
    ///
    /// # Errors
    /// The path could lead anywhere else.
    pub fn folder(&self, skill: &str, root: &Path) -> Result<PathBuf, HubError> {
        let refuse = |why: &str| {
            HubError::Usage(format!(
                "the recorded place of {skill} (`{}`) {why}; nothing was touched",
                self.install_path.escape_debug()
            ))
        };
        let parts: Vec<&str> = self.install_path.split('/').collect();
        if parts.last() != Some(&skill) {
            return Err(refuse("does not end in its name"));
        }
        let mut folder = root.to_owned();
        for part in parts {
            if name::check(part).is_err() {
                return Err(refuse("is no plain path below the skills folder"));
            }
            folder.push(part);
            if std::fs::symlink_metadata(&folder).is_ok_and(|found| found.is_symlink()) {
                return Err(refuse("leads over a link"));
            }
        }
        Ok(folder)
    }
}
