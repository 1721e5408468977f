//! Thinking a change through.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::document::split::without_marks;
use crate::document::validate::{name_rule, validate};
use crate::layout::SKILL_FILE;
use crate::lookup::LocatedSkill;
use crate::name::{self, MAX_NAME_CHARS, NameProblem};
use crate::refusal::SkillRefusal;

use super::{ACTIONS, SkillChange, SkillEditor, needed};

/// A change that can be made.
#[derive(Debug)]
pub(super) enum Plan {
    Create {
        name: String,
        category: Option<String>,
        text: String,
    },
    Write {
        skill: LocatedSkill,
        file: PathBuf,
        bytes: Vec<u8>,
        message: String,
        /// Relative to the skill, for the answer.
        path: String,
    },
    Remove {
        skill: LocatedSkill,
        file: PathBuf,
        path: String,
    },
    Delete(Deletion),
}

/// A skill that goes.
#[derive(Debug)]
pub(super) struct Deletion {
    pub(super) skill: LocatedSkill,
    /// What is removed: its folder, or the one file it is.
    pub(super) path: PathBuf,
    pub(super) root: PathBuf,
    pub(super) absorbed_into: Option<String>,
}

impl Plan {
    /// One line for a person who decides about it.
    pub(super) fn gist(&self) -> String {
        match self {
            Self::Create { name, category, .. } => match category {
                Some(category) => format!("create the skill {name} in {category}"),
                None => format!("create the skill {name}"),
            },
            Self::Write { skill, path, .. } => {
                format!("change {path} of the skill {}", skill.name())
            }
            Self::Remove { skill, path, .. } => {
                format!("remove {path} from the skill {}", skill.name())
            }
            Self::Delete(deletion) => format!("delete the skill {}", deletion.skill.name()),
        }
    }
}

impl SkillEditor<'_> {
    pub(super) fn plan(&self, change: &SkillChange) -> Result<Plan, SkillRefusal> {
        let action = change.action.trim();
        if !ACTIONS.contains(&action) {
            let error = format!("`{action}` is no action. Use one of: {}.", ACTIONS.join(", "));
            return Err(SkillRefusal::new("unknown_action", error));
        }
        check_name(change.name.as_str())?;
        let plan = match action {
            "create" => self.plan_create(change),
            "edit" => self.plan_edit(change),
            "patch" => self.plan_patch(change),
            "write_file" => self.plan_write(change),
            "remove_file" => self.plan_remove(change),
            _ => self.plan_delete(change),
        }?;
        self.origin_allows(&plan, change)?;
        Ok(plan)
    }

    fn plan_create(&self, change: &SkillChange) -> Result<Plan, SkillRefusal> {
        let category = check_category(change.category.as_ref())?;
        let Some(content) = change.content.as_deref() else {
            return Err(needed(
                "content_required",
                "create",
                "`content`: the full text of SKILL.md",
            ));
        };
        let text = without_marks(content);
        validate(text, &change.name)?;
        let root = self.store.local_root();
        let relative = match &category {
            Some(category) => Path::new(category).join(&change.name),
            None => PathBuf::from(&change.name),
        };
        let target = root.join(&relative);
        let table = self.store.table();
        let known =
            table.all.iter().find(|entry| entry.folder == change.name || entry.name == change.name);
        let existing = known
            .map(|entry| entry.root().to_path_buf())
            .or_else(|| fs::symlink_metadata(&target).is_ok().then(|| target.clone()));
        if let Some(existing) = existing {
            let error = format!(
                "`{}` exists already: {}. Patch or edit it.",
                change.name,
                existing.display()
            );
            return Err(SkillRefusal::new("exists", error));
        }
        if let Some(category) = &category
            && (root.join(category).join(SKILL_FILE).exists() || root.join(category).is_file())
        {
            let error = format!("`{category}` is a skill, not a category: {}.", category_rule());
            return Err(SkillRefusal::new("category_invalid", error));
        }
        Ok(Plan::Create { name: change.name.clone(), category, text: text.to_owned() })
    }

    fn plan_edit(&self, change: &SkillChange) -> Result<Plan, SkillRefusal> {
        let Some(content) = change.content.as_deref() else {
            return Err(needed(
                "content_required",
                "edit",
                "`content`: the full new text of SKILL.md",
            ));
        };
        let text = without_marks(content);
        // A name may be a skill's folder; the document is compared with that.
        let folder = change.name.rsplit('/').next().unwrap_or(&change.name);
        validate(text, folder)?;
        let skill = self.skill(&change.name)?;
        let file = skill.file.clone();
        let message = format!("The skill `{}` was rewritten.", change.name);
        Ok(Plan::Write {
            skill,
            file,
            bytes: text.as_bytes().to_vec(),
            message,
            path: SKILL_FILE.to_owned(),
        })
    }

    /// The skill of a name; if there is none, it is said who else has one.
    pub(super) fn skill(&self, name: &str) -> Result<LocatedSkill, SkillRefusal> {
        self.store.find(name).map_err(|problem| {
            if problem.kind != "not_found" {
                return problem;
            }
            let home = self.store.home().home();
            let others = other_profiles(home, name);
            let mut error =
                format!("There is no skill `{name}` in the profile `{}`.", profile_name(home));
            if !others.is_empty() {
                error += &format!(" These profiles have one: {}.", others.join(", "));
            }
            SkillRefusal { error, ..problem }
        })
    }
}

/// The profile of a home, for people.
fn profile_name(home: &hermes_store::home::Home) -> String {
    match home.of_default_profile() {
        Some(_) => home.root().file_name().unwrap_or_default().to_string_lossy().into_owned(),
        None => "default".to_owned(),
    }
}

fn other_profiles(home: &hermes_store::home::Home, name: &str) -> Vec<String> {
    let main = home.of_default_profile().unwrap_or_else(|| home.clone());
    let mut homes = vec![("default".to_owned(), main.clone())];
    let profiles = fs::read_dir(main.profiles()).into_iter().flatten().flatten();
    homes.extend(profiles.filter_map(|entry| {
        let profile = entry.file_name().to_str()?.to_owned();
        let home = main.profile(&profile).ok()?;
        Some((profile, home))
    }));
    homes.retain(|(_, other)| {
        other != home && {
            let library = crate::SkillLibrary::new(other);
            let vars = hermes_tool::Vars::default();
            let table = library.store(&Value::Null, &vars).table();
            table.all.iter().any(|entry| entry.folder == name || entry.name == name)
        }
    });
    homes.sort_by(|a, b| a.0.cmp(&b.0));
    homes.into_iter().map(|(profile, _)| profile).collect()
}

fn check_name(name: &str) -> Result<(), SkillRefusal> {
    // A skill in a category may be named with it; only the last part names the skill.
    let own = name.rsplit('/').next().unwrap_or(name);
    match name::check(own) {
        Ok(()) if name.split('/').all(|part| name::check(part).is_ok()) => Ok(()),
        Err(NameProblem::Missing) if name.is_empty() => {
            Err(SkillRefusal::new("name_required", "Say which skill: `name` is needed."))
        }
        Err(NameProblem::TooLong) => {
            let error = format!(
                "The name has {} characters, at most {MAX_NAME_CHARS} are allowed.",
                own.chars().count()
            );
            Err(SkillRefusal::new("name_too_long", error))
        }
        _ => Err(SkillRefusal::new(
            "name_invalid",
            format!("`{name}` cannot name a skill: {}.", name_rule()),
        )),
    }
}

fn category_rule() -> String {
    format!(
        "a category is one folder name of 1 to {MAX_NAME_CHARS} lower-case letters, digits, `.`, `_` and `-` that \
         starts with a letter or digit"
    )
}

fn check_category(category: Option<&Value>) -> Result<Option<String>, SkillRefusal> {
    let category = match category {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.trim(),
        Some(_) => return Err(SkillRefusal::new("category_type", "`category` must be a text.")),
    };
    match name::check(category) {
        Ok(()) => Ok(Some(category.to_owned())),
        Err(NameProblem::Missing) => Ok(None),
        Err(NameProblem::TooLong) => {
            let chars = category.chars().count();
            let error = format!(
                "The category has {chars} characters, at most {MAX_NAME_CHARS} are allowed."
            );
            Err(SkillRefusal::new("category_too_long", error))
        }
        Err(NameProblem::Invalid) => {
            let error = format!("`{category}` cannot be a category: {}.", category_rule());
            Err(SkillRefusal::new("category_invalid", error))
        }
    }
}

/// The answer to an act on a skill's file.
pub(super) fn answer(message: &str, path: &str) -> Value {
    json!({"success": true, "message": message, "path": path})
}
