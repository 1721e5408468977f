//! Making a change.
//!
//! Files are replaced by a rename, new skills appear by a rename, deleted ones disappear by one. What a killed process
//! leaves behind has a name that nothing takes for a skill, and goes with the next change.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hermes_store::atomic::{self, WriteOptions, is_temp_name};
use hermes_store::home::ensure_private_dir;
use hermes_store::lock::{EDIT_WAIT, FileLock, Wait};
use serde_json::{Value, json};

use crate::folders::temp_folder;
use crate::layout::SKILL_FILE;
use crate::library::SkillStore;
use crate::refusal::SkillRefusal;
use crate::support::slashed;
use crate::usage::{self, UsageEvent};

use super::SkillEditor;
use super::origin::ChangeOrigin;
use super::plan::{Deletion, Plan, answer};

/// Permissions of a new file, before the process's mask.
const NEW_FILE: WriteOptions = WriteOptions::new_file_mode(0o644);

/// Keeps every other process of this home from changing skills.
pub(super) fn lock(store: &SkillStore<'_>) -> Result<FileLock, SkillRefusal> {
    let root = store.local_root();
    ensure_private_dir(&root).map_err(|problem| failed(&problem))?;
    let lock = FileLock::acquire(&store.home().write_lock(), Wait::AtMost(EDIT_WAIT));
    let lock = lock.map_err(|problem| SkillRefusal::new("busy", problem.to_string()))?;
    clean(&root);
    Ok(lock)
}

/// Removes what killed processes left. Nobody else is at work: the lock is held.
fn clean(root: &Path) {
    let folders = fs::read_dir(root).into_iter().flatten().flatten();
    for entry in folders {
        let path = entry.path();
        if is_temp_name(&entry.file_name()) {
            remove_temp(&path);
        } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            clean_folder(&path);
        }
    }
}

fn clean_folder(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| is_temp_name(&entry.file_name()))
        .for_each(|entry| remove_temp(&entry.path()));
}

fn remove_temp(path: &Path) {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    if let Err(problem) = removed {
        tracing::debug!(path = %path.display(), %problem, "left behind");
    }
}

fn failed(problem: &dyn std::fmt::Display) -> SkillRefusal {
    SkillRefusal::new("io_error", format!("The change could not be made: {problem}."))
}

impl SkillEditor<'_> {
    pub(super) fn perform(&self, plan: &Plan) -> Result<Value, SkillRefusal> {
        let done = match plan {
            Plan::Create { name, category, text } => self.create(name, category.as_deref(), text),
            Plan::Write { skill, file, bytes, message, path } => {
                self.write(skill.root(), file, bytes).map(|()| {
                    usage::count(self.store.home(), &skill.name(), UsageEvent::Patched);
                    answer(message, path)
                })
            }
            Plan::Remove { skill, file, path } => self.remove(skill.root(), file).map(|()| {
                usage::count(self.store.home(), &skill.name(), UsageEvent::Patched);
                json!({"message": format!("Removed {path} from the skill `{}`.", skill.name())})
            }),
            Plan::Delete(deletion) => self.delete(deletion),
        };
        self.store.library().touch();
        done
    }

    fn create(
        &self,
        name: &str,
        category: Option<&str>,
        text: &str,
    ) -> Result<Value, SkillRefusal> {
        let root = self.store.local_root();
        let parent = category.map_or_else(|| root.clone(), |category| root.join(category));
        let is_new_category = !parent.exists();
        ensure_private_dir(&parent).map_err(|problem| failed(&problem))?;
        let target = parent.join(name);
        let made = self.create_in(&parent, &target, text);
        if made.is_err() && is_new_category {
            // Empty again; anything else in there is not ours to remove.
            let _ = fs::remove_dir(&parent);
        }
        made?;
        if self.origin == ChangeOrigin::BackgroundReview {
            usage::update(self.store.home(), |records| {
                records.entry(name.to_owned()).or_default().created_by = Some("agent".to_owned());
            });
        }
        usage::update(self.store.home(), |records| {
            records.entry(name.to_owned()).or_default().created_at.get_or_insert_with(usage::now);
        });
        let relative = slashed(target.strip_prefix(&root).unwrap_or(&target));
        let mut answer = json!({
            "message": format!("The skill `{name}` was created."),
            "path": relative,
            "skill_md": target.join(SKILL_FILE),
            "hint": "Add references, templates, scripts or assets with `write_file`.",
        });
        if let Some(category) = category {
            answer["category"] = json!(category);
        }
        Ok(answer)
    }

    fn create_in(&self, parent: &Path, target: &Path, text: &str) -> Result<(), SkillRefusal> {
        let temp = temp_folder(parent, target).map_err(|problem| failed(&problem))?;
        atomic::write(&temp.path().join(SKILL_FILE), text.as_bytes(), NEW_FILE)
            .map_err(|problem| failed(&problem))?;
        self.scanned(temp.path())?;
        fs::rename(temp.path(), target).map_err(|problem| failed(&problem))?;
        // It is the skill now.
        let _ = temp.keep();
        Ok(())
    }

    fn write(&self, skill: &Path, file: &Path, bytes: &[u8]) -> Result<(), SkillRefusal> {
        let old = match fs::read(file) {
            Ok(old) => Some(old),
            Err(problem) if problem.kind() == io::ErrorKind::NotFound => None,
            Err(problem) => return Err(failed(&problem)),
        };
        let parent = file.parent().unwrap_or(skill);
        let new_folders: Vec<PathBuf> =
            parent.ancestors().take_while(|path| !path.exists()).map(Path::to_path_buf).collect();
        fs::create_dir_all(parent).map_err(|problem| failed(&problem))?;
        clean_folder(parent);
        let written = atomic::write(file, bytes, NEW_FILE)
            .map_err(|problem| failed(&problem))
            .and_then(|()| self.scanned(skill));
        if written.is_err() {
            let undone = match &old {
                Some(old) => {
                    atomic::write(file, old, NEW_FILE).map_err(|problem| problem.to_string())
                }
                None => fs::remove_file(file).map_err(|problem| problem.to_string()),
            };
            if let Err(problem) = undone {
                tracing::warn!(problem, "a change of a skill was not taken back");
            }
            for folder in &new_folders {
                let _ = fs::remove_dir(folder);
            }
        }
        written
    }

    /// Whether what was written may stay, where the settings have it looked at.
    fn scanned(&self, skill: &Path) -> Result<(), SkillRefusal> {
        if !self.store.settings().guard_agent_created {
            return Ok(());
        }
        let report = match self.scan {
            Some(scan) => scan.refusal(skill),
            None => Some("Nothing here can look at what was written.".to_owned()),
        };
        match report {
            Some(report) => Err(SkillRefusal::new("scan_blocked", report)),
            None => Ok(()),
        }
    }

    fn remove(&self, skill: &Path, file: &Path) -> Result<(), SkillRefusal> {
        fs::remove_file(file).map_err(|problem| failed(&problem))?;
        for folder in file.ancestors().skip(1).take_while(|folder| *folder != skill) {
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }

    fn delete(&self, deletion: &Deletion) -> Result<Value, SkillRefusal> {
        let name = deletion.skill.name();
        let message = match self.origin {
            ChangeOrigin::Foreground => {
                let parent = deletion.path.parent().unwrap_or(&deletion.root);
                let temp =
                    temp_folder(parent, &deletion.path).map_err(|problem| failed(&problem))?;
                fs::rename(&deletion.path, temp.path().join("skill"))
                    .map_err(|problem| failed(&problem))?;
                drop(temp);
                usage::update(self.store.home(), |records| {
                    records.remove(&name);
                });
                format!("The skill `{name}` was deleted.")
            }
            ChangeOrigin::BackgroundReview => {
                crate::archive::put_away(self.store.home(), &deletion.path, &name)
                    .map_err(|problem| failed(&problem))?;
                format!("The skill `{name}` was put into the archive.")
            }
        };
        if let Some(parent) = deletion.path.parent().filter(|parent| *parent != deletion.root) {
            // A category without skills; one with anything in it stays.
            let _ = fs::remove_dir(parent);
        }
        let mut answer = json!({"message": message});
        if let Some(other) = &deletion.absorbed_into {
            answer["absorbed_into"] = json!(other);
        }
        Ok(answer)
    }
}
