//! Changing skills: the six acts a model, or a person, can ask for.
//!
//! Every act is thought through first (`plan`): names, paths and documents are checked, and the bytes to be written
//! are made. Only then something is touched (`perform`), under a lock that all processes of a home respect, and in
//! steps that leave the old state or the new one whenever they are cut off. With `skills.write_approval` the act stops
//! between the two and waits for a person ([`staging`]).
//!
//! An agent that works by itself ([`ChangeOrigin::BackgroundReview`]) may do less than one a person is talking with
//! (`origin`).

mod delete;
mod files;
mod guard_scan;
mod origin;
mod patch;
mod perform;
mod plan;
pub mod staging;

#[cfg(test)]
mod tests;

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::library::SkillStore;
use crate::refusal::SkillRefusal;
use crate::viewed::ViewedSkills;

pub use guard_scan::GuardScan;
pub use origin::ChangeOrigin;

/// The words for the six acts.
pub const ACTIONS: [&str; 6] = ["create", "patch", "edit", "delete", "write_file", "remove_file"];

/// What is asked for. Serialised, it is what waits for a person's word.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SkillChange {
    /// A word from [`ACTIONS`]; anything else is refused.
    pub action: String,
    /// Which skill.
    pub name: String,
    /// The whole document, for `create` and `edit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Where a new skill goes; should be a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<Value>,
    /// What `patch` replaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_string: Option<String>,
    /// What `patch` puts there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_string: Option<String>,
    /// Whether `patch` changes every place that matches.
    pub replace_all: bool,
    /// Which file of the skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_path: Option<String>,
    /// What `write_file` puts there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_content: Option<String>,
    /// The skill that now holds what a deleted one said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absorbed_into: Option<String>,
}

/// Looks for attacks in a skill that was just written.
pub trait SkillWriteScan: Send + Sync {
    /// The report, if what the folder holds may not stay.
    fn refusal(&self, skill: &Path) -> Option<String>;
}

/// Who changes skills, and how.
pub struct SkillEditor<'a> {
    /// The skills.
    pub store: &'a SkillStore<'a>,
    /// Who asked for it.
    pub origin: ChangeOrigin,
    /// The turn, as [`ViewedSkills`] knows it.
    pub turn: &'a str,
    /// What was viewed in this turn.
    pub viewed: Option<&'a ViewedSkills>,
    /// Looks at what was written, where the settings ask for that.
    pub scan: Option<&'a dyn SkillWriteScan>,
}

/// What becomes of a change that can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeMode {
    /// It is made, or waits for a person where the settings say so.
    AsConfigured,
    /// It is made: a person agreed.
    Agreed,
}

impl SkillEditor<'_> {
    /// Makes a change, or puts it aside. The answer is for a model.
    #[must_use]
    pub fn apply(&self, change: &SkillChange, mode: ChangeMode) -> Value {
        match self.try_apply(change, mode) {
            Ok(answer) => answer,
            Err(refusal) => refusal.to_value(),
        }
    }

    /// The same, with the refusal as it is.
    ///
    /// # Errors
    /// When the change may not or cannot be made.
    pub fn try_apply(&self, change: &SkillChange, mode: ChangeMode) -> Result<Value, SkillRefusal> {
        if mode == ChangeMode::AsConfigured && self.store.settings().write_approval {
            let plan = self.plan(change)?;
            return staging::stage(self, change, &plan);
        }
        let _lock = perform::lock(self.store)?;
        let plan = self.plan(change)?;
        let mut answer = self.perform(&plan)?;
        answer["success"] = json!(true);
        Ok(answer)
    }
}

/// A refusal for want of an argument.
fn needed(kind: &'static str, action: &str, what: &str) -> SkillRefusal {
    SkillRefusal::new(kind, format!("`{action}` needs {what}."))
}
