//! What the rules read in a `Cargo.toml`.

use toml::{Table, Value};

use super::Findings;
use super::tree::Tree;

/// A package of this workspace.
#[derive(Debug)]
pub(super) struct Manifest<'a> {
    /// Where it is written.
    pub(super) path: &'a str,
    /// What it is called.
    pub(super) name: String,
    table: Table,
}

/// Every package of the workspace, by path. A folder that is a workspace of its own is another
/// house.
pub(super) fn packages<'a>(tree: &'a Tree, findings: &mut Findings) -> Vec<Manifest<'a>> {
    let mut packages = Vec::new();
    for (path, file) in tree.ending_in("/Cargo.toml") {
        let table: Table = match file.text.parse() {
            Ok(table) => table,
            Err(error) => {
                findings.breach(path, format!("is not TOML: {error}"));
                continue;
            }
        };
        let name = table.get("package").and_then(|package| package.get("name")?.as_str());
        if let Some(name) = name.filter(|_| !table.contains_key("workspace")) {
            packages.push(Manifest { path, name: name.to_owned(), table });
        }
    }
    packages
}

impl Manifest<'_> {
    /// Whether `[package]` has a field, of its own or of the workspace.
    pub(super) fn has(&self, field: &str) -> bool {
        match self.table.get("package").and_then(|package| package.get(field)) {
            Some(Value::String(text)) => !text.trim().is_empty(),
            Some(Value::Table(inherited)) => inherited.contains_key("workspace"),
            _ => false,
        }
    }

    /// Whether it says `publish = false`.
    pub(super) fn is_private(&self) -> bool {
        let package = self.table.get("package");
        package.and_then(|package| package.get("publish")?.as_bool()) == Some(false)
    }

    /// Names of the packages it depends on, in any way: to run, to build, to test, on some systems.
    pub(super) fn dependencies(&self) -> Vec<&str> {
        let systems = self.table.get("target").and_then(Value::as_table).into_iter().flatten();
        let places = systems.filter_map(|(_, section)| section.as_table()).chain([&self.table]);
        let kinds = ["dependencies", "build-dependencies", "dev-dependencies"];
        let mut names: Vec<&str> = places
            .flat_map(|place| kinds.iter().filter_map(|kind| place.get(*kind)?.as_table()))
            .flatten()
            .map(|(name, how)| how.get("package").and_then(Value::as_str).unwrap_or(name))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_of_every_kind_count_by_their_real_name() {
        let tree = Tree::of(&[(
            "a/Cargo.toml",
            "[package]\nname = 'a'\nlicense.workspace = true\ndescription = ' '\n\
             [dependencies]\nb = '1'\nalias = { package = 'c', path = '../c' }\n\
             [dev-dependencies]\nb.workspace = true\n\
             [target.'cfg(unix)'.build-dependencies]\nd = '1'\n",
        )]);
        let packages = packages(&tree, &mut Findings::default());
        assert_eq!(packages[0].name, "a");
        assert_eq!(packages[0].dependencies(), ["b", "c", "d"]);
        assert!(packages[0].has("license"));
        assert!(!packages[0].has("description") && !packages[0].has("readme"));
    }

    #[test]
    fn another_workspace_is_passed_over_and_a_broken_manifest_is_not() {
        let tree = Tree::of(&[
            ("fuzz/Cargo.toml", "[workspace]\n[package]\nname = 'fuzz'\n"),
            ("bad/Cargo.toml", "[package"),
        ]);
        let mut findings = Findings::default();
        assert!(packages(&tree, &mut findings).is_empty());
        assert_eq!(findings.breaches.len(), 1, "{findings:?}");
    }
}
