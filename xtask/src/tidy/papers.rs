//! What a repository has to have besides code.

use super::Findings;
use super::manifest::packages;
use super::tree::Tree;

const CHANGELOG: &str = "CHANGELOG.md";
const OPEN_SECTION: &str = "## Unreleased";
const LICENCES: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];

pub(super) fn changelog_is_open(tree: &Tree, findings: &mut Findings) {
    let is_open =
        |text: &str| text.lines().any(|line| line.trim_end().eq_ignore_ascii_case(OPEN_SECTION));
    match tree.get(CHANGELOG) {
        Some(file) if is_open(&file.text) => {}
        Some(_) => findings.breach(CHANGELOG, format!("add a section `{OPEN_SECTION}` at its top")),
        None => findings.breach(CHANGELOG, format!("write it, with a section `{OPEN_SECTION}`")),
    }
}

pub(super) fn licences_are_there(tree: &Tree, findings: &mut Findings) {
    for licence in LICENCES.into_iter().filter(|path| tree.get(path).is_none()) {
        findings.breach(licence, "is missing; the manifests promise it");
    }
}

/// The crates for authors of tools and for embedders, which are published.
const PUBLISHED: &[&str] = &["hermes-tool", "hermes-tool-macros", "hermes-runtime"];

pub(super) fn crates_say_what_they_are(tree: &Tree, findings: &mut Findings) {
    for package in packages(tree, findings) {
        for field in ["description", "license"] {
            if !package.has(field) {
                findings.breach(package.path, format!("add `{field}` to [package]"));
            }
        }
        if package.is_private() == PUBLISHED.contains(&package.name.as_str()) {
            let what = "`publish = false` belongs into every manifest but those of the crates for authors and embedders";
            findings.breach(package.path, what);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::breaches;
    use super::*;

    #[test]
    fn a_changelog_without_an_open_section_is_reported() {
        assert_eq!(breaches(changelog_is_open, &[]).len(), 1);
        assert_eq!(breaches(changelog_is_open, &[(CHANGELOG, "# Changes\n\n## 1.0\n")]).len(), 1);
        let open = "# Changes\n\n## Unreleased\n";
        assert_eq!(breaches(changelog_is_open, &[(CHANGELOG, open)]), Vec::<String>::new());
    }

    #[test]
    fn each_missing_licence_is_named() {
        let found = breaches(licences_are_there, &[("LICENSE-MIT", "text")]);
        assert_eq!(found, ["LICENSE-APACHE: is missing; the manifests promise it"]);
    }

    #[test]
    fn a_crate_without_a_description_is_named() {
        let manifest = "[package]\nname = 'a'\nlicense.workspace = true\npublish = false\n";
        let found = breaches(crates_say_what_they_are, &[("a/Cargo.toml", manifest)]);
        assert_eq!(found, ["a/Cargo.toml: add `description` to [package]"]);
    }

    #[test]
    fn only_the_crates_for_others_are_published() {
        for (name, publish, breach) in [
            ("a", "", true),
            ("a", "publish = false", false),
            ("hermes-tool", "", false),
            ("hermes-tool", "publish = false", true),
        ] {
            let text =
                format!("[package]\nname = '{name}'\nlicense = 'x'\ndescription = 'x'\n{publish}");
            let found = breaches(crates_say_what_they_are, &[("a/Cargo.toml", &text)]);
            assert_eq!(!found.is_empty(), breach, "{name} {publish}: {found:?}");
        }
    }
}
