//! Where skills and what belongs to them lie in a home.
//!
//! ```text
//! skills/
//!   [CATEGORY/]NAME/SKILL.md                 a skill; its folder is the skill's root
//!   [CATEGORY/]NAME/references/ …            files loaded on request
//!   CATEGORY/DESCRIPTION.md                  one line about a category
//!   .bundled_manifest  .usage.json           what was seeded, what is used
//!   .curator_state  .curator_suppressed      upkeep
//!   .write.lock                              held by whoever changes skills
//!   .archive/NAME/                           put away, can be restored
//!   .hub/                                    what was installed from elsewhere
//! skill-bundles/*.yaml                       several skills behind one slash command
//! .no-bundled-skills                         marker: this home is never seeded
//! .skills_prompt_snapshot.json               what is known of the files without reading them
//! ```
//!
//! Like [`Home`], a [`SkillsHome`] is only a path: asking it for a name looks at nothing.

use std::path::{Path, PathBuf};

use hermes_store::home::Home;

/// The document every skill has.
pub const SKILL_FILE: &str = "SKILL.md";

/// Folders of a skill with files that are loaded on request, sorted.
pub const SUPPORT_FOLDERS: [&str; 4] = ["assets", "references", "scripts", "templates"];

/// Folders that never hold skills: state of ours, and what tools leave behind.
pub const PRUNED_FOLDERS: [&str; 14] = [
    ".git",
    ".github",
    ".hub",
    ".archive",
    ".venv",
    "venv",
    "node_modules",
    "site-packages",
    "__pycache__",
    ".tox",
    ".nox",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
];

/// The names below `skills/`, and those beside it that belong to skills.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SkillsHome {
    home: Home,
}

impl SkillsHome {
    /// The skills of a home. Touches nothing.
    #[must_use]
    pub fn new(home: &Home) -> Self {
        Self { home: home.clone() }
    }

    /// The home they belong to.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// The folder that holds them all.
    #[must_use]
    pub fn root(&self) -> PathBuf {
        self.home.skills()
    }

    /// Marker: this home is never seeded with the skills we ship.
    #[must_use]
    pub fn opt_out_marker(&self) -> PathBuf {
        self.home.root().join(".no-bundled-skills")
    }

    /// What is known of the documents, to be compared with their stamps.
    #[must_use]
    pub fn snapshot_file(&self) -> PathBuf {
        self.home.root().join(".skills_prompt_snapshot.json")
    }

    /// Slash commands that stand for several skills.
    #[must_use]
    pub fn slash_bundles(&self) -> PathBuf {
        self.home.root().join("skill-bundles")
    }
}

/// One accessor per name below `skills/`.
macro_rules! names {
    ($($(#[$doc:meta])* $method:ident => $name:literal;)*) => {
        impl SkillsHome {
            $($(#[$doc])* #[must_use] pub fn $method(&self) -> PathBuf { self.root().join($name) })*
        }

        #[cfg(test)]
        fn all_names(skills: &SkillsHome) -> Vec<PathBuf> {
            vec![$(skills.$method()),*]
        }
    };
}

names! {
    /// Which of the skills we ship were seeded, and what they looked like then.
    bundled_manifest => ".bundled_manifest";
    /// Held while skills are written, by every process of the home.
    write_lock => ".write.lock";
    /// Skills put away, flat.
    archive => ".archive";
    /// Copies of all skills, made before the curator changes something.
    backups => ".curator_backups";
    /// How often and when skills were used.
    usage_file => ".usage.json";
    /// Held while the counts are changed.
    usage_lock => ".usage.json.lock";
    /// When the curator last ran.
    curator_state => ".curator_state";
    /// Skills we ship that were put away, and are not to be seeded again.
    curator_suppressed => ".curator_suppressed";
    /// State of what was installed from elsewhere.
    hub => ".hub";
    /// What is installed, from where, and what it looked like.
    hub_lock => ".hub/lock.json";
    /// Further places to look for skills in.
    hub_taps => ".hub/taps.json";
    /// One line for every act of the hub.
    hub_audit_log => ".hub/audit.log";
    /// What is being looked at before it is let in.
    hub_quarantine => ".hub/quarantine";
    /// Answers of registries.
    hub_index_cache => ".hub/index-cache";
    /// What the scanner said of a content.
    hub_scan_cache => ".hub/scan-cache";
    /// Keeps search tools out of unvetted text.
    hub_ignore => ".hub/.ignore";
}

/// The category of a skill whose document lies at this path below a root: the first folder, if there are two or more
/// above the document.
#[must_use]
pub fn category_of(relative: &Path) -> Option<&str> {
    let mut parts = relative.iter();
    let first = parts.next()?.to_str()?;
    (parts.count() >= 2).then_some(first)
}

/// The folders above a skill, `a/b` for `a/b/skill/SKILL.md`: its category in the prompt.
#[must_use]
pub fn category_chain(relative: &Path) -> Option<String> {
    let above = relative.parent()?.parent()?;
    let chain: Vec<_> = above.iter().map(|part| part.to_string_lossy()).collect();
    (!chain.is_empty()).then(|| chain.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lie_below_the_skills_and_are_distinct() {
        let skills = SkillsHome::new(&Home::at("/h"));
        let mut names = all_names(&skills);
        assert!(names.iter().all(|name| name.starts_with("/h/skills")));
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
        assert_eq!(skills.hub_lock(), Path::new("/h/skills/.hub/lock.json"));
        assert_eq!(skills.opt_out_marker(), Path::new("/h/.no-bundled-skills"));
        assert_eq!(skills.slash_bundles(), Path::new("/h/skill-bundles"));
        assert_eq!(skills.snapshot_file(), Path::new("/h/.skills_prompt_snapshot.json"));
    }

    #[test]
    fn a_category_needs_a_folder_above_the_skill() {
        let category = |path| category_of(Path::new(path));
        assert_eq!(category("skill/SKILL.md"), None);
        assert_eq!(category("cat/skill/SKILL.md"), Some("cat"));
        assert_eq!(category("cat/sub/skill/SKILL.md"), Some("cat"));
        assert_eq!(category("SKILL.md"), None);
    }

    #[test]
    fn the_prompt_names_every_folder_above_a_skill() {
        let chain = |path| category_chain(Path::new(path));
        assert_eq!(chain("cat/sub/skill/SKILL.md").as_deref(), Some("cat/sub"));
        assert_eq!(chain("cat/skill/SKILL.md").as_deref(), Some("cat"));
        assert_eq!(chain("skill/SKILL.md"), None);
        assert_eq!(chain("SKILL.md"), None);
    }
}
