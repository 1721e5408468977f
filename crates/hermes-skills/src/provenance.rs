//! Where a skill comes from, and so who looks after it.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::index::IndexedSkill;
use crate::layout::SkillsHome;
use crate::roots::RootKind;
use crate::usage::{self, UsageRecords};

/// Skills of ours that nothing automatic touches.
pub const PROTECTED: [&str; 1] = ["plan"];

/// Where a skill comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkillProvenance {
    /// One of the user's further folders.
    External,
    /// A plugin's folder.
    Plugin,
    /// Installed from elsewhere.
    Hub {
        /// The source it came from.
        source: String,
        /// How far that is trusted.
        trust: String,
    },
    /// Came with the program.
    Bundled,
    /// The agent made it by itself.
    Agent,
    /// The user wrote it, or asked for it.
    User,
}

impl SkillProvenance {
    /// One word for lists.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::External => "external",
            Self::Plugin => "plugin",
            Self::Hub { .. } => "hub",
            Self::Bundled => "builtin",
            Self::Agent => "agent",
            Self::User => "local",
        }
    }
}

/// What the home says about where its skills come from.
#[derive(Debug)]
pub struct Origins {
    installed: BTreeMap<String, (String, String)>,
    bundled: BTreeMap<String, String>,
    usage: UsageRecords,
}

impl Origins {
    /// Reads what the home keeps.
    #[must_use]
    pub fn read(home: &SkillsHome) -> Self {
        let lock: Value = std::fs::read(home.hub_lock())
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        let installed = lock["installed"].as_object().into_iter().flatten().map(|(name, entry)| {
            let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
            let path = entry["install_path"].as_str().unwrap_or(name).to_owned();
            (path, (text("source"), text("trust_level")))
        });
        Self {
            installed: installed.collect(),
            bundled: crate::bundled::manifest::read(home),
            usage: usage::read(home),
        }
    }

    /// What is known of the use of a skill.
    #[must_use]
    pub fn usage(&self) -> &UsageRecords {
        &self.usage
    }

    /// Where a skill comes from.
    #[must_use]
    pub fn of(&self, entry: &IndexedSkill) -> SkillProvenance {
        match entry.kind {
            RootKind::External => return SkillProvenance::External,
            RootKind::Plugin => return SkillProvenance::Plugin,
            RootKind::Local => {}
        }
        let path = crate::support::slashed(entry.relative.parent().unwrap_or(Path::new("")));
        if let Some((source, trust)) = self.installed.get(&path) {
            return SkillProvenance::Hub { source: source.clone(), trust: trust.clone() };
        }
        if self.bundled.contains_key(&entry.name) {
            return SkillProvenance::Bundled;
        }
        let by = self.usage.get(&entry.name).and_then(|record| record.created_by.as_deref());
        if by == Some("agent") { SkillProvenance::Agent } else { SkillProvenance::User }
    }

    /// Whether the user wants a skill kept as it is.
    #[must_use]
    pub fn is_pinned(&self, name: &str) -> bool {
        self.usage.get(name).is_some_and(|record| record.pinned)
    }
}
