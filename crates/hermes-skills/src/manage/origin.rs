//! Who asks for a change, and what an agent that works by itself may not do.

use crate::index::IndexedSkill;
use crate::provenance::{Origins, PROTECTED, SkillProvenance};
use crate::refusal::SkillRefusal;

use super::plan::Plan;
use super::{SkillChange, SkillEditor};

/// Who asks for a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChangeOrigin {
    /// An agent that a person talks with, or that person.
    #[default]
    Foreground,
    /// An agent that looks over past work by itself.
    BackgroundReview,
}

impl ChangeOrigin {
    /// As records keep it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Foreground => "foreground",
            Self::BackgroundReview => "background_review",
        }
    }
}

impl SkillEditor<'_> {
    /// Whether whoever asks may have this done.
    pub(super) fn origin_allows(
        &self,
        plan: &Plan,
        change: &SkillChange,
    ) -> Result<(), SkillRefusal> {
        if self.origin == ChangeOrigin::Foreground {
            return Ok(());
        }
        let (skill, file) = match plan {
            Plan::Create { .. } => return Ok(()),
            Plan::Write { skill, file, .. } | Plan::Remove { skill, file, .. } => (skill, file),
            Plan::Delete(deletion) => {
                if deletion.absorbed_into.is_none() {
                    let error = "Without a person, a skill is only deleted when another took over what it said: name \
                                 it in `absorbed_into`.";
                    return Err(SkillRefusal::new("absorbed_required", error));
                }
                (&deletion.skill, &deletion.skill.file)
            }
        };
        if let Some(entry) = &skill.entry {
            self.may_touch(entry)?;
        }
        let was_viewed = self.viewed.is_some_and(|viewed| viewed.holds(self.turn, file));
        if file.exists() && !was_viewed {
            let error = format!(
                "View this very file of `{}` in this turn before changing it.",
                change.name
            );
            return Err(SkillRefusal::new("not_viewed", error));
        }
        Ok(())
    }

    fn may_touch(&self, entry: &IndexedSkill) -> Result<(), SkillRefusal> {
        let origins = Origins::read(self.store.home());
        let whose = match origins.of(entry) {
            _ if origins.is_pinned(&entry.name) => "pinned",
            _ if PROTECTED.contains(&entry.name.as_str()) => "protected",
            SkillProvenance::External => "in a folder of the user's",
            SkillProvenance::Plugin => "a plugin's",
            SkillProvenance::Hub { .. } => "installed from elsewhere",
            SkillProvenance::Bundled => "one that came with the program",
            SkillProvenance::User => "the user's own",
            SkillProvenance::Agent => return Ok(()),
        };
        let error = format!("`{}` is {whose}: it is not changed without a person.", entry.name);
        Err(SkillRefusal::new("not_yours", error))
    }
}
