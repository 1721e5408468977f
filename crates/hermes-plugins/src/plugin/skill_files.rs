//! What a plugin means by a skill it registers.
//!
//! It names a folder or a document. What it names counts if it is a Markdown file and, for a plugin with a folder of
//! its own, inside that folder: a skill is read to a model, and a slip of a path must not read it something else.

use std::path::{Path, PathBuf};

use crate::discover::FoundPlugin;

/// The document of a skill, in its folder.
const SKILL_FILE: &str = "SKILL.md";

/// A skill's name without its plugin's.
pub(crate) fn short_name(name: &str) -> Option<&str> {
    let name = name.rsplit(':').next().unwrap_or(name).trim();
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    (!name.is_empty() && name.chars().all(fits)).then_some(name)
}

/// The document a plugin means by a path.
pub(crate) fn document(found: &FoundPlugin, path: &str) -> Option<PathBuf> {
    let named = found.folder.join(path);
    let file = if named.is_dir() { named.join(SKILL_FILE) } else { named };
    let file = file.canonicalize().ok().filter(|file| file.is_file() && is_markdown(file))?;
    if found.folder.as_os_str().is_empty() {
        return file.is_absolute().then_some(file);
    }
    let folder = found.folder.canonicalize().ok()?;
    file.starts_with(folder).then_some(file)
}

fn is_markdown(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discover::{PluginSource, Runs};
    use crate::manifest::Manifest;
    use crate::put;

    #[test]
    fn a_document_is_markdown_inside_the_plugins_folder() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("p");
        std::fs::create_dir_all(root.join("skills/packing")).unwrap();
        put(&root.join("skills/packing/SKILL.md"), "x");
        put(&root.join("key.pem"), "x");
        put(&folder.path().join("outside.md"), "x");
        std::os::unix::fs::symlink(folder.path().join("outside.md"), root.join("link.md")).unwrap();
        let found = FoundPlugin {
            key: "p".into(),
            source: PluginSource::User,
            folder: root.clone(),
            manifest: Manifest::default(),
            runs: Runs::Python,
        };
        let packing = root.join("skills/packing/SKILL.md").canonicalize().unwrap();
        let absolute = packing.to_str().unwrap();
        for path in ["skills/packing", "skills/packing/SKILL.md", absolute] {
            assert_eq!(document(&found, path).as_deref(), Some(packing.as_path()), "{path}");
        }
        let outside = folder.path().join("outside.md");
        for path in [
            "",
            "skills",
            "key.pem",
            "nowhere",
            "link.md",
            "../outside.md",
            outside.to_str().unwrap(),
        ] {
            assert_eq!(document(&found, path), None, "{path}");
        }
    }

    #[test]
    fn names_lose_their_plugin_and_odd_ones_are_left_out() {
        assert_eq!(short_name("desk:packing"), Some("packing"));
        assert_eq!(short_name("packing"), Some("packing"));
        for odd in ["", "desk:", "a b", "../x", "a/b"] {
            assert_eq!(short_name(odd), None, "{odd}");
        }
    }
}
