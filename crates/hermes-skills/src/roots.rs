//! The folders skills are looked for in.

use std::path::{Path, PathBuf};

use hermes_tool::Vars;

use crate::layout::SkillsHome;
use crate::settings::SkillsSettings;

/// A folder with skills.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SkillRoot {
    /// Absolute.
    pub path: PathBuf,
    /// Who may change what is in it.
    pub kind: RootKind,
}

/// Who may change the skills of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RootKind {
    /// The home's own: anybody, and every new skill goes there.
    Local,
    /// One of the user's further folders: only at the user's word.
    External,
    /// A plugin's own folder: nobody.
    Plugin,
}

/// The home's own folder, then the further ones that exist. The first to hold a skill of a name wins.
#[must_use]
pub fn roots(home: &SkillsHome, settings: &SkillsSettings, vars: &Vars) -> Vec<SkillRoot> {
    let local = home.root();
    let mut found = vec![SkillRoot { path: local.clone(), kind: RootKind::Local }];
    for written in &settings.external_dirs {
        let path = expand(written, home.home().root(), vars);
        let is_known = |root: &SkillRoot| root.path == path || same_folder(&root.path, &path);
        if path.is_dir() && !found.iter().any(is_known) {
            found.push(SkillRoot { path, kind: RootKind::External });
        }
    }
    found
}

/// A path as a user writes it: `~`, `${NAME}`, or relative to the home.
#[must_use]
pub fn expand(written: &str, base: &Path, vars: &Vars) -> PathBuf {
    let mut text = String::new();
    let mut rest = written.trim();
    if let Some(tail) = rest.strip_prefix('~')
        && (tail.is_empty() || tail.starts_with('/'))
        && let Some(home) = vars.non_blank("HOME")
    {
        text.push_str(home);
        rest = tail;
    }
    while let Some((before, after)) = rest.split_once("${") {
        text.push_str(before);
        match after.split_once('}') {
            Some((name, tail)) => {
                match vars.get(name) {
                    Some(value) => text.push_str(value),
                    None => text.push_str(&format!("${{{name}}}")),
                }
                rest = tail;
            }
            None => {
                text.push_str("${");
                rest = after;
            }
        }
    }
    text.push_str(rest);
    base.join(text)
}

fn same_folder(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use hermes_store::home::Home;

    use super::*;

    #[test]
    fn further_folders_are_expanded_and_missing_or_own_ones_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let home = SkillsHome::new(&Home::at(folder.path().join("h")));
        for dir in ["h/skills", "h/near", "user/far", "other"] {
            std::fs::create_dir_all(folder.path().join(dir)).unwrap();
        }
        let text = |path: &str| folder.path().join(path).to_str().unwrap().to_owned();
        let vars: Vars = [("HOME", text("user")), ("X", text("other"))]
            .map(|(name, value)| (name.to_owned(), value))
            .into_iter()
            .collect();
        let external_dirs =
            ["~/far", "${X}", "near", "missing", "skills", "${UNKNOWN}/x", &text("h/skills")]
                .map(str::to_owned);
        let mut settings = SkillsSettings::from_config(&serde_json::json!({}));
        settings.external_dirs = external_dirs.to_vec();
        let found: Vec<PathBuf> =
            roots(&home, &settings, &vars).into_iter().map(|root| root.path).collect();
        let expected: Vec<PathBuf> = ["h/skills", "user/far", "other", "h/near"]
            .iter()
            .map(|path| folder.path().join(path))
            .collect();
        assert_eq!(found, expected);
    }
}
