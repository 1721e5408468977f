//! Deleting a skill.

use std::fs;
use std::path::Path;

use crate::lookup::LocatedSkill;
use crate::refusal::SkillRefusal;
use crate::usage;

use super::plan::{Deletion, Plan};
use super::{SkillChange, SkillEditor};

impl SkillEditor<'_> {
    pub(super) fn plan_delete(&self, change: &SkillChange) -> Result<Plan, SkillRefusal> {
        let skill = self.skill(&change.name)?;
        let name = skill.name();
        let records = usage::read(self.store.home());
        if records.get(&name).is_some_and(|record| record.pinned) {
            let error = format!(
                "`{name}` is pinned and is not deleted; edits stay allowed. The user can unpin it with `hermes curator \
                 unpin {name}`."
            );
            return Err(SkillRefusal::new("pinned", error));
        }
        let absorbed_into = self.absorber(change, &skill)?;
        let path = match skill.entry {
            Some(_) => skill.root().to_path_buf(),
            None => skill.file.clone(),
        };
        let root = self.store.roots().iter().find(|root| path.starts_with(&root.path));
        let Some(root) = root.map(|root| root.path.clone()).filter(|root| *root != path) else {
            let error = format!("`{name}` does not lie inside the skills root and is not deleted.");
            return Err(SkillRefusal::new("escapes", error));
        };
        if has_link(&root, &path) {
            let error = format!(
                "`{name}` is reached through a link, which leaves the skills root; it is not deleted."
            );
            return Err(SkillRefusal::new("refuse_symlink", error));
        }
        Ok(Plan::Delete(Deletion { skill, path, root, absorbed_into }))
    }

    /// The skill that takes over, if one is named: another, and one that exists.
    fn absorber(
        &self,
        change: &SkillChange,
        skill: &LocatedSkill,
    ) -> Result<Option<String>, SkillRefusal> {
        let named = change.absorbed_into.as_deref().map(str::trim).filter(|name| !name.is_empty());
        let Some(named) = named else { return Ok(None) };
        match self.store.find(named) {
            Ok(other) if other.file == skill.file => {
                let error = format!("`absorbed_into: {named}` is the skill itself; name another.");
                Err(SkillRefusal::new("absorbed_self", error))
            }
            Ok(other) => Ok(Some(other.name())),
            Err(_) if named == change.name => {
                let error = format!("`absorbed_into: {named}` is the skill itself; name another.");
                Err(SkillRefusal::new("absorbed_self", error))
            }
            Err(_) => {
                let error = format!(
                    "`absorbed_into: {named}` names no skill. Make the umbrella skill first, then retry the delete."
                );
                Err(SkillRefusal::new("absorbed_missing", error))
            }
        }
    }
}

/// Whether any part of a path below a root is a link.
pub(super) fn has_link(root: &Path, path: &Path) -> bool {
    path.ancestors().take_while(|part| *part != root).any(|part| {
        fs::symlink_metadata(part).map_or(true, |metadata| metadata.file_type().is_symlink())
    })
}
