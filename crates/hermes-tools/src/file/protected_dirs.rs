//! What the rules about changing a file need to know of the disk around it: which folders programs are
//! looked for in, and which ones git takes hooks and settings from.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use hermes_files::fs::{FilesLocation, spawn_blocking_io};
use hermes_guard::paths::PathRules;

use super::workspace::Workspace;

/// Most read of a settings file of git.
const MAX_SETTINGS_BYTES: u64 = 256 * 1024;

/// The rules for a change of this path. Elsewhere than on this machine nothing is looked up.
pub(super) async fn rules_for(workspace: &Workspace, path: &Path) -> PathRules {
    let rules = PathRules::clone(&workspace.rules);
    if workspace.files.location() != FilesLocation::Local {
        return rules;
    }
    let search = workspace.cx.vars().get("PATH").unwrap_or_default().to_owned();
    let (path, known) = (path.to_owned(), rules.clone());
    let looked = spawn_blocking_io(move || {
        let mut rules = known;
        rules.program_folders = program_folders(&search);
        rules.hook_folders = hook_folders(&path, rules.user_home.as_deref());
        rules
    });
    // A look that was broken off found nothing; what is known by name still holds.
    looked.await.unwrap_or(rules)
}

fn program_folders(search: &str) -> Vec<PathBuf> {
    std::env::split_paths(search)
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| [folder.canonicalize().ok(), Some(folder)])
        .flatten()
        .collect()
}

/// Folders of hooks and files of settings that the repositories around a path, and the user, use.
fn hook_folders(path: &Path, user_home: Option<&Path>) -> Vec<PathBuf> {
    let users: Vec<PathBuf> = user_home
        .map(|home| vec![home.join(".gitconfig"), home.join(".config/git/config")])
        .unwrap_or_default();
    let mut found = Vec::new();
    for above in path.ancestors().skip(1) {
        if is_repository(above) {
            found.extend(["hooks", "config", "config.worktree"].map(|name| above.join(name)));
        }
        let Some(repository) = repository_of(above) else { continue };
        let common = common_of(&repository);
        let settings = [common.join("config"), repository.join("config.worktree")];
        for file in users.iter().chain(&settings) {
            let Some(hooks) = hooks_path(file) else { continue };
            let hooks = match (hooks.strip_prefix("~/"), user_home) {
                (Some(below), Some(home)) => home.join(below),
                _ => above.join(hooks),
            };
            // husky's folder of hooks holds wrappers of the scripts above it.
            found.extend(hooks.parent().filter(|_| hooks.ends_with("_")).map(Path::to_owned));
            found.extend(hooks.canonicalize());
            found.push(hooks);
        }
    }
    found
}

/// Whether a folder is a repository, whatever it is called.
fn is_repository(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

/// The repository of a working tree: its `.git`, or where that points.
fn repository_of(tree: &Path) -> Option<PathBuf> {
    let git = tree.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let pointer = text_of(&git)?;
    Some(tree.join(pointer.trim().strip_prefix("gitdir:")?.trim()))
}

/// Where the settings of a linked working tree are kept.
fn common_of(repository: &Path) -> PathBuf {
    match text_of(&repository.join("commondir")) {
        Some(common) => repository.join(common.trim()),
        None => repository.to_owned(),
    }
}

fn text_of(file: &Path) -> Option<String> {
    let file = std::fs::File::open(file).ok().filter(|_| file.is_file())?;
    let mut text = String::new();
    file.take(MAX_SETTINGS_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The last `core.hooksPath` of a settings file.
fn hooks_path(file: &Path) -> Option<String> {
    let mut in_core = false;
    let mut found = None;
    for line in text_of(file)?.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            in_core = section.trim_start().to_ascii_lowercase().starts_with("core]");
        }
        let line = line.rsplit_once(']').filter(|_| line.starts_with('[')).map_or(line, |(_, l)| l);
        if let Some((name, value)) = line.split_once('=')
            && in_core
            && name.trim().eq_ignore_ascii_case("hookspath")
        {
            found = Some(value.trim().trim_matches('"').to_owned());
        }
    }
    found.filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(file: &Path, text: &str) {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::io::Write::write_all(&mut std::fs::File::create(file).unwrap(), text.as_bytes())
            .unwrap();
    }

    #[test]
    fn hooks_are_found_where_git_looks_for_them() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (main, linked) = (base.join("main"), base.join("linked"));
        write(
            &main.join(".git/config"),
            "[user]\n hooksPath = no\n[Core]\n\tHooksPath = .husky/_\n",
        );
        write(&main.join(".git/worktrees/linked/commondir"), "../..\n");
        let pointer = format!("gitdir: {}\n", main.join(".git/worktrees/linked").display());
        write(&linked.join(".git"), &pointer);
        for tree in [&main, &linked] {
            let found = hook_folders(&tree.join("src/a.rs"), None);
            assert!(found.contains(&tree.join(".husky/_")), "{found:?}");
            assert!(found.contains(&tree.join(".husky")), "{found:?}");
        }
        let home = base.join("home");
        write(&home.join(".gitconfig"), "[core] hooksPath = ~/hooks\n");
        let found = hook_folders(&main.join("a"), Some(&home));
        assert!(found.contains(&home.join("hooks")), "{found:?}");
    }

    #[test]
    fn a_repository_is_known_by_what_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let bare = base.join("store");
        write(&bare.join("HEAD"), "ref: refs/heads/main\n");
        for name in ["objects", "refs"] {
            std::fs::create_dir(bare.join(name)).unwrap();
        }
        let found = hook_folders(&bare.join("hooks/update"), None);
        assert!(found.contains(&bare.join("hooks")) && found.contains(&bare.join("config")));
        assert!(hook_folders(&base.join("plain/hooks/x"), None).is_empty());
    }
}
