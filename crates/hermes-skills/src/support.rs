//! The files beside a document.

use std::fs;
use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::refusal::SkillRefusal;

/// Most files listed.
pub const MAX_LISTED_FILES: usize = 200;

/// Most files looked at.
const MAX_SEEN: usize = 20_000;

/// The groups files are listed in, in this order.
const GROUPS: [&str; 5] = ["references", "templates", "assets", "scripts", "other"];

/// The files of a skill without its document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SupportFiles {
    /// Relative paths by group, sorted, groups with files only.
    pub groups: Vec<(&'static str, Vec<String>)>,
    /// Whether there are more than are listed.
    pub truncated: bool,
}

impl SupportFiles {
    /// Every regular file below a skill's folder but its document.
    #[must_use]
    pub fn of(root: &Path, document: &Path) -> Self {
        let mut files = Vec::new();
        collect(root, Path::new(""), &mut files);
        let mut groups: Vec<(&'static str, Vec<String>)> =
            GROUPS.map(|name| (name, Vec::new())).to_vec();
        for file in files.iter().filter(|file| root.join(file) != document) {
            let first = file.iter().next().and_then(|part| part.to_str()).unwrap_or_default();
            let is_folder = file.components().count() > 1;
            let group = GROUPS
                .iter()
                .position(|name| is_folder && *name == first)
                .unwrap_or(GROUPS.len() - 1);
            groups[group].1.push(slashed(file));
        }
        let mut left = MAX_LISTED_FILES;
        let mut truncated = false;
        for (_, paths) in &mut groups {
            paths.sort();
            truncated |= paths.len() > left;
            paths.truncate(left);
            left -= paths.len();
        }
        groups.retain(|(_, paths)| !paths.is_empty());
        Self { groups, truncated }
    }

    /// Every listed file, group after group.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().flat_map(|(_, paths)| paths.iter().map(String::as_str))
    }

    /// For an answer; null if there are none.
    #[must_use]
    pub fn to_value(&self) -> Value {
        if self.groups.is_empty() {
            return Value::Null;
        }
        let groups: Map<String, Value> =
            self.groups.iter().map(|(name, paths)| ((*name).to_owned(), json!(paths))).collect();
        Value::Object(groups)
    }
}

fn collect(root: &Path, relative: &Path, files: &mut Vec<PathBuf>) {
    let Ok(listing) = fs::read_dir(root.join(relative)) else { return };
    for entry in listing.flatten() {
        if files.len() >= MAX_SEEN {
            return;
        }
        let path = relative.join(entry.file_name());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && entry.file_name() != ".git" => collect(root, &path, files),
            Ok(kind) if kind.is_file() => files.push(path),
            // A link counts as the file it leads to, while that is one of the skill's own.
            Ok(kind)
                if kind.is_symlink()
                    && inside(root, &root.join(&path)).is_some_and(|file| file.is_file()) =>
            {
                files.push(path);
            }
            _ => {}
        }
    }
}

/// Where a path really leads, if that is inside of a folder.
pub(crate) fn inside(root: &Path, path: &Path) -> Option<PathBuf> {
    let (root, path) = (root.canonicalize().ok()?, path.canonicalize().ok()?);
    path.starts_with(&root).then_some(path)
}

pub(crate) fn slashed(path: &Path) -> String {
    path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// One of the files, for a model.
///
/// # Errors
/// When the path leads out of the skill, or to no file.
pub fn read_file(
    name: &str,
    root: &Path,
    document: &Path,
    path: &str,
) -> Result<Value, SkillRefusal> {
    let path = path.trim().replace('\\', "/");
    let relative = Path::new(&path);
    if relative.components().any(|part| part == Component::ParentDir) {
        return Err(SkillRefusal::new("traversal", "A path with `..` leads out of the skill."));
    }
    if relative.is_absolute() || path.contains('\0') {
        return Err(SkillRefusal::new(
            "escapes",
            "The path must be relative to the skill's folder.",
        ));
    }
    let file = root.join(relative);
    if fs::symlink_metadata(&file).is_err() {
        let files = SupportFiles::of(root, document);
        return Err(SkillRefusal::new("file_not_found", format!("`{name}` has no file `{path}`."))
            .with("available_files", files.to_value())
            .hint("Use one of the available files, by its relative path."));
    }
    let Some(real) = inside(root, &file) else {
        return Err(SkillRefusal::new(
            "escapes",
            format!("`{path}` leads out of the skill's folder."),
        ));
    };
    if real.is_dir() {
        let files: Vec<String> = SupportFiles::of(root, document)
            .paths()
            .filter(|known| Path::new(known).starts_with(relative))
            .map(str::to_owned)
            .collect();
        return Err(SkillRefusal::new(
            "is_directory",
            format!("`{path}` is a folder, not a file."),
        )
        .with("available_files", json!(files)));
    }
    let bytes = match fs::read(&real) {
        Ok(bytes) if real.is_file() => bytes,
        Ok(_) => {
            return Err(SkillRefusal::new(
                "not_a_file",
                format!("`{path}` is not a regular file."),
            ));
        }
        Err(problem) => {
            return Err(SkillRefusal::new(
                "unreadable",
                format!("`{path}` cannot be read: {problem}."),
            ));
        }
    };
    let kind = relative
        .extension()
        .map(|ending| format!(".{}", ending.to_string_lossy()))
        .unwrap_or_default();
    let mut answer =
        json!({"success": true, "name": name, "file": path, "content": "", "file_type": kind});
    match String::from_utf8(bytes) {
        Ok(text) => answer["content"] = Value::String(text),
        Err(problem) => {
            let size = problem.as_bytes().len();
            let own = relative.file_name().unwrap_or_default().to_string_lossy();
            answer["content"] = Value::String(format!("[Binary file: {own}, size: {size} bytes]"));
            answer["is_binary"] = Value::Bool(true);
        }
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{SkillBench, put};

    fn bench() -> SkillBench {
        let bench = SkillBench::new();
        bench.skill("a", "a", "d");
        bench.write("a/references/b.md", "text ${HERMES_SKILL_DIR} !`date`");
        bench.write("a/references/a.md", "x");
        bench.write("a/scripts/run.py", "x");
        bench.write("a/own/odd.txt", "x");
        bench.write("a/LICENSE", "x");
        put(bench.path("a/assets.bin"), [0, 159, 146, 150]);
        bench
    }

    fn files(bench: &SkillBench) -> SupportFiles {
        SupportFiles::of(&bench.path("a"), &bench.path("a/SKILL.md"))
    }

    fn read(bench: &SkillBench, path: &str) -> Result<Value, SkillRefusal> {
        read_file("a", &bench.path("a"), &bench.path("a/SKILL.md"), path)
    }

    #[test]
    fn every_file_is_listed_in_its_group() {
        assert_eq!(
            files(&bench()).to_value(),
            json!({"references": ["references/a.md", "references/b.md"], "scripts": ["scripts/run.py"],
                "other": ["LICENSE", "assets.bin", "own/odd.txt"]})
        );
        let bench = SkillBench::new();
        bench.skill("a", "a", "d");
        assert_eq!(files(&bench).to_value(), Value::Null);
    }

    #[test]
    fn a_long_list_is_cut_and_says_so() {
        let bench = SkillBench::new();
        bench.skill("a", "a", "d");
        for n in 0..250 {
            bench.write(&format!("a/assets/{n:03}.txt"), "x");
        }
        let files = files(&bench);
        assert_eq!((files.paths().count(), files.truncated), (200, true));
    }

    #[test]
    fn support_files_are_given_as_they_are() {
        let answer = read(&bench(), "references/b.md").unwrap();
        assert_eq!(
            answer,
            json!({"success": true, "name": "a", "file": "references/b.md",
                "content": "text ${HERMES_SKILL_DIR} !`date`", "file_type": ".md"})
        );
    }

    #[test]
    fn binary_files_and_directories_are_answers_not_exceptions() {
        let answer = read(&bench(), "assets.bin").unwrap();
        assert_eq!(answer["content"], "[Binary file: assets.bin, size: 4 bytes]");
        assert_eq!(answer["is_binary"], true);
        let problem = read(&bench(), "references").unwrap_err();
        assert_eq!(problem.kind, "is_directory");
        assert_eq!(problem.extra["available_files"], json!(["references/a.md", "references/b.md"]));
    }

    #[test]
    fn paths_stay_inside() {
        let bench = bench();
        assert_eq!(read(&bench, "../b/SKILL.md").unwrap_err().kind, "traversal");
        assert_eq!(read(&bench, "references/../../x").unwrap_err().kind, "traversal");
        assert_eq!(read(&bench, "/etc/passwd").unwrap_err().kind, "escapes");
        let missing = read(&bench, "references/none.md").unwrap_err();
        assert_eq!(missing.extra["available_files"]["scripts"], json!(["scripts/run.py"]));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/etc", bench.path("a/references/door")).unwrap();
            assert_eq!(read(&bench, "references/door/hostname").unwrap_err().kind, "escapes");
            assert_eq!(read(&bench, "references/door").unwrap_err().kind, "escapes");
        }
    }
}
