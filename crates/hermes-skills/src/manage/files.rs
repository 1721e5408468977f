//! Files of a skill: which may be written, and how much.

use std::fs;
use std::path::{Component, Path, PathBuf};

use hermes_tool::thousands;

use crate::document::split::without_marks;
use crate::document::validate::{MAX_DOCUMENT_CHARS, validate};
use crate::layout::{SKILL_FILE, SUPPORT_FOLDERS};
use crate::lookup::LocatedSkill;
use crate::refusal::SkillRefusal;
use crate::support::SupportFiles;

use super::plan::Plan;
use super::{SkillChange, SkillEditor, needed};

/// Most bytes of a file a model writes.
pub(super) const MAX_FILE_BYTES: usize = 1024 * 1024;

/// What a path means inside a skill.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The document, with all its rules.
    Document,
    /// A file below one of the support folders.
    Support(PathBuf),
}

impl SkillEditor<'_> {
    pub(super) fn plan_write(&self, change: &SkillChange) -> Result<Plan, SkillRefusal> {
        let path = path_of(change)?;
        let Some(content) = change.file_content.as_deref() else {
            return Err(needed(
                "file_content_required",
                "write_file",
                "`file_content`: the full text of the file",
            ));
        };
        let skill = self.skill(&change.name)?;
        let (target, file) = located(&skill, &change.name, path)?;
        let text = match target {
            Target::Document => {
                let text = without_marks(content);
                validate(text, folder_name(&skill))?;
                text
            }
            Target::Support(_) => {
                check_size(content)?;
                content
            }
        };
        if file.is_dir() {
            return Err(is_directory(path));
        }
        let message = format!("Wrote {path} of the skill `{}`.", change.name);
        Ok(Plan::Write {
            skill,
            file,
            bytes: text.as_bytes().to_vec(),
            message,
            path: path.to_owned(),
        })
    }

    pub(super) fn plan_remove(&self, change: &SkillChange) -> Result<Plan, SkillRefusal> {
        let path = path_of(change)?;
        let skill = self.skill(&change.name)?;
        let (target, file) = located(&skill, &change.name, path)?;
        if target == Target::Document {
            return Err(not_allowed(path)
                .hint("A skill without its document is none: use `delete` for the whole skill."));
        }
        if file.is_dir() {
            return Err(is_directory(path));
        }
        if !file.is_file() {
            let files = SupportFiles::of(skill.root(), &skill.file);
            return Err(SkillRefusal::new(
                "file_not_found",
                format!("The skill has no file `{path}`."),
            )
            .with("available_files", files.to_value()));
        }
        Ok(Plan::Remove { skill, file, path: path.to_owned() })
    }
}

fn path_of(change: &SkillChange) -> Result<&str, SkillRefusal> {
    let path = change.file_path.as_deref().map(str::trim).filter(|path| !path.is_empty());
    path.ok_or_else(|| {
        needed(
            "file_path_required",
            &change.action,
            "`file_path`: a file of the skill, like references/api-guide.md",
        )
    })
}

/// The name a skill's document must have: that of its folder.
pub(super) fn folder_name(skill: &LocatedSkill) -> &str {
    skill.root().file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// What a path means, and the file it leads to, which is inside the skill.
pub(super) fn located(
    skill: &LocatedSkill,
    name: &str,
    path: &str,
) -> Result<(Target, PathBuf), SkillRefusal> {
    let target = target(path, &[name, folder_name(skill)])?;
    let file = match &target {
        Target::Document => skill.file.clone(),
        Target::Support(relative) => skill.root().join(relative),
    };
    if leads_out(skill.root(), &file) {
        return Err(SkillRefusal::new(
            "escapes",
            format!("`{path}` leaves the skills root through a link."),
        ));
    }
    Ok((target, file))
}

/// What a path means inside a skill that goes by these names.
fn target(path: &str, names: &[&str]) -> Result<Target, SkillRefusal> {
    let normal = path.replace('\\', "/");
    let relative = Path::new(&normal);
    if relative.components().any(|part| part == Component::ParentDir) {
        return Err(SkillRefusal::new(
            "traversal",
            format!("`{path}`: a path with `..` leads out of the skill."),
        ));
    }
    if relative.is_absolute() || path.chars().any(char::is_control) {
        return Err(SkillRefusal::new(
            "escapes",
            format!("`{path}` leaves the skills root: use a relative path."),
        ));
    }
    let parts: Vec<&str> = relative
        .components()
        .filter_map(|part| match part {
            Component::Normal(part) => part.to_str(),
            _ => None,
        })
        .collect();
    let names_document = |part: &str| part.eq_ignore_ascii_case(SKILL_FILE);
    match parts.as_slice() {
        [only] if *only == SKILL_FILE => Ok(Target::Document),
        [own, last]
            if *last == SKILL_FILE && names.contains(own) && !SUPPORT_FOLDERS.contains(own) =>
        {
            Ok(Target::Document)
        }
        [only] if SUPPORT_FOLDERS.contains(only) => {
            let error = format!("`{path}` is a folder: name a file in it, like {only}/notes.md.");
            Err(SkillRefusal::new("directory_only", error))
        }
        [first, .., last] if SUPPORT_FOLDERS.contains(first) && !names_document(last) => {
            Ok(Target::Support(parts.iter().collect()))
        }
        _ => Err(not_allowed(path)),
    }
}

fn not_allowed(path: &str) -> SkillRefusal {
    let folders = SUPPORT_FOLDERS.join(", ");
    let error =
        format!("`{path}` is not below one of the folders for files of a skill: {folders}.");
    SkillRefusal::new("not_allowed_dir", error)
}

fn is_directory(path: &str) -> SkillRefusal {
    SkillRefusal::new("is_directory", format!("`{path}` is a folder, not a file."))
}

/// Whether a link on the way to a file, which need not be there, leads out of a folder.
pub(super) fn leads_out(root: &Path, file: &Path) -> bool {
    let Ok(real_root) = root.canonicalize() else { return true };
    let existing = file.ancestors().find(|path| fs::symlink_metadata(path).is_ok());
    match existing.map(Path::canonicalize) {
        Some(Ok(real)) => !real.starts_with(&real_root),
        _ => true,
    }
}

pub(super) fn check_size(content: &str) -> Result<(), SkillRefusal> {
    if content.len() > MAX_FILE_BYTES {
        let error = format!(
            "The file has {} bytes, at most {} are allowed. Split it into several files.",
            thousands(content.len()),
            thousands(MAX_FILE_BYTES)
        );
        return Err(SkillRefusal::new("file_too_large", error));
    }
    let chars = content.chars().count();
    if chars > MAX_DOCUMENT_CHARS {
        let error = format!(
            "The file has {} characters, at most {} are allowed. Split it into several files.",
            thousands(chars),
            thousands(MAX_DOCUMENT_CHARS)
        );
        return Err(SkillRefusal::new("content_too_large", error));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kind(path: &str) -> &'static str {
        match target(path, &["own", "own"]) {
            Ok(Target::Document) => "document",
            Ok(Target::Support(_)) => "support",
            Err(problem) => problem.kind,
        }
    }

    #[test]
    fn paths_mean_the_document_a_support_file_or_nothing() {
        let cases = [
            ("SKILL.md", "document"),
            ("own/SKILL.md", "document"),
            ("./SKILL.md", "document"),
            ("x/SKILL.md", "not_allowed_dir"),
            ("references/SKILL.md", "not_allowed_dir"),
            ("references/x/skill.md", "not_allowed_dir"),
            ("references/a.md", "support"),
            ("references\\a.md", "support"),
            ("scripts/deep/run.py", "support"),
            ("references", "directory_only"),
            ("references/", "directory_only"),
            ("a.md", "not_allowed_dir"),
            ("other/a.md", "not_allowed_dir"),
            ("", "not_allowed_dir"),
            ("../x", "traversal"),
            ("references/../../x", "traversal"),
            ("references\\..\\x", "traversal"),
            ("/etc/passwd", "escapes"),
            ("references/a\u{0}b", "escapes"),
        ];
        for (path, expected) in cases {
            assert_eq!(kind(path), expected, "{path:?}");
        }
        let problem = target("x/y.md", &["own"]).unwrap_err().error;
        assert!(
            problem.contains("assets, references, scripts, templates")
                && problem.contains("x/y.md")
        );
    }

    #[test]
    fn sizes_are_bounded_in_bytes_and_characters() {
        check_size("").unwrap();
        let large = check_size(&"x".repeat(2_000_000)).unwrap_err();
        assert!(
            large.kind == "file_too_large"
                && large.error.contains("2,000,000")
                && large.error.contains("1,048,576")
        );
        assert_eq!(check_size(&"x".repeat(100_001)).unwrap_err().kind, "content_too_large");
    }

    proptest! {
        #[test]
        fn no_path_leads_out(path in "(references|\\.\\.|/|\\\\|own|SKILL.md|a| |\\.){0,8}") {
            if let Ok(Target::Support(relative)) = target(&path, &["own"]) {
                prop_assert!(relative.components().all(|part| matches!(part, Component::Normal(_))));
                prop_assert!(relative.components().count() >= 2);
            }
        }
    }
}
