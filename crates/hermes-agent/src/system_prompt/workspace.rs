//! What can be said about the code in the working directory without starting a process.

use std::path::{Path, PathBuf};

use super::settings::CodingContext;
use super::{PromptSources, file};

/// Files by which a kind of project is known.
const KINDS: &[(&str, &str)] = &[
    ("Cargo.toml", "Rust"),
    ("package.json", "JavaScript"),
    ("pyproject.toml", "Python"),
    ("setup.py", "Python"),
    ("requirements.txt", "Python"),
    ("go.mod", "Go"),
    ("pom.xml", "Java"),
    ("build.gradle", "Java"),
    ("build.gradle.kts", "Kotlin"),
    ("Gemfile", "Ruby"),
    ("composer.json", "PHP"),
    ("mix.exs", "Elixir"),
    ("Package.swift", "Swift"),
    ("CMakeLists.txt", "C or C++"),
    ("flake.nix", "Nix"),
    ("Makefile", "make"),
    ("justfile", "just"),
];

/// What a repository is in the middle of, by the file that says so.
const UNDER_WAY: &[(&str, &str)] = &[
    ("MERGE_HEAD", "a merge"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("BISECT_LOG", "a bisection"),
];

/// The part for the prompt; nothing where there is no code, or it lies on another machine.
pub(super) fn describe(sources: &PromptSources<'_>) -> Option<String> {
    if sources.settings().coding_context == CodingContext::Off || !sources.is_local() {
        return None;
    }
    let root = repository_root(sources.cwd);
    let kinds = kinds(sources.cwd, root);
    let mut facts = Vec::new();
    if let Some(root) = root {
        let shown = file::one_line(&root.to_string_lossy());
        facts.push(format!("Git repository {shown}{}.", state(root)));
    }
    if !kinds.is_empty() {
        facts.push(format!("Project files: {}.", kinds.join(", ")));
    }
    if facts.is_empty() {
        return None;
    }
    facts.push(
        "Follow the style of the code around a change, run the project's own checks after it, and \
         commit or push only when asked."
            .to_owned(),
    );
    Some(facts.join(" "))
}

/// The root of the repository a directory is in.
pub(super) fn repository_root(cwd: &Path) -> Option<&Path> {
    cwd.ancestors().find(|folder| folder.join(".git").exists())
}

fn kinds(cwd: &Path, root: Option<&Path>) -> Vec<String> {
    let is_there =
        |name: &str| cwd.join(name).is_file() || root.is_some_and(|root| root.join(name).is_file());
    KINDS
        .iter()
        .filter(|(name, _)| is_there(name))
        .map(|(name, kind)| format!("{name} ({kind})"))
        .collect()
}

/// Branch and what is under way, as far as the files say.
fn state(root: &Path) -> String {
    let Some(git) = git_folder(root) else { return String::new() };
    let head = std::fs::read_to_string(git.join("HEAD")).unwrap_or_default();
    let head = head.trim();
    let mut state = match head.strip_prefix("ref: refs/heads/") {
        Some(branch) => format!(", branch {}", file::one_line(branch)),
        None if !head.is_empty() && head.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            format!(", detached at {}", head.get(..8).unwrap_or(head))
        }
        None => String::new(),
    };
    if let Some((_, what)) = UNDER_WAY.iter().find(|(name, _)| git.join(name).exists()) {
        state += &format!(", in the middle of {what}");
    }
    state
}

/// The repository's own folder, which a worktree or submodule has elsewhere.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = std::fs::read_to_string(&git).ok()?;
    Some(root.join(text.strip_prefix("gitdir:")?.trim()))
}
