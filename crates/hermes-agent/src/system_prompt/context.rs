//! What a project says about itself to agents.
//!
//! One kind of file speaks, the first of these that is there: `.hermes.md`, then `AGENTS.md`, each in the
//! working directory or, in a repository, the nearest directory above up to its root; then `CLAUDE.md`;
//! then the rules of Cursor; these two in the working directory only.

use std::path::{Path, PathBuf};

use super::{ProjectRules, PromptSources, file, workspace};

const OURS: &[&str] = &[".hermes.md", "HERMES.md"];
const AGENTS: &[&str] = &["AGENTS.md", "agents.md"];
const CLAUDE: &[&str] = &["CLAUDE.md", "claude.md"];
const CURSOR: &[&str] = &[".cursorrules"];
const CURSOR_RULES: &str = ".cursor/rules";
/// Most files of Cursor's rules.
const MAX_CURSOR_RULES: usize = 50;

/// The part for the prompt.
pub(super) fn project(sources: &PromptSources<'_>, warnings: &mut Vec<String>) -> Option<String> {
    if sources.rules == ProjectRules::Ignore {
        return None;
    }
    let files = speaking(sources.cwd, warnings);
    let mut cap = file::cap(sources.settings().context_file_max_chars, sources.window);
    let mut text = String::new();
    for (path, content) in files {
        let name = shown_name(&path, sources.cwd);
        let prepared = file::prepare(&name, &content, cap);
        cap = cap.saturating_sub(prepared.chars().count());
        text += &format!("\n\n## {name}\n\n{prepared}");
        if cap == 0 {
            break;
        }
    }
    (!text.is_empty()).then(|| {
        format!("# Project context\n\nWhat the project's own files say about working in it:{text}")
    })
}

/// The files that speak, with their texts; none of them blank.
fn speaking(cwd: &Path, warnings: &mut Vec<String>) -> Vec<(PathBuf, String)> {
    let up_to_root = up_to_root(cwd);
    let here = std::slice::from_ref(&up_to_root[0]);
    if let Some((path, text)) = first(&up_to_root, OURS, warnings) {
        let text = file::without_front_matter(&text).to_owned();
        return vec![(path, text)];
    }
    let found = first(&up_to_root, AGENTS, warnings).or_else(|| first(here, CLAUDE, warnings));
    if let Some(found) = found {
        return vec![found];
    }
    let mut rules: Vec<_> = first(here, CURSOR, warnings).into_iter().collect();
    rules.append(&mut cursor_rules(cwd, warnings));
    rules
}

/// The working directory and those above it up to the root of its repository.
fn up_to_root(cwd: &Path) -> Vec<PathBuf> {
    match workspace::repository_root(cwd) {
        Some(root) => {
            let above = |dir: &&Path| dir.starts_with(root);
            cwd.ancestors().take_while(above).map(Path::to_owned).collect()
        }
        None => vec![cwd.to_owned()],
    }
}

fn first(
    folders: &[PathBuf],
    names: &[&str],
    warnings: &mut Vec<String>,
) -> Option<(PathBuf, String)> {
    let paths = folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
    for path in paths {
        if let Some(text) = file::read(&path, warnings)
            && !text.trim().is_empty()
        {
            return Some((path, text));
        }
    }
    None
}

fn cursor_rules(cwd: &Path, warnings: &mut Vec<String>) -> Vec<(PathBuf, String)> {
    let Ok(listing) = std::fs::read_dir(cwd.join(CURSOR_RULES)) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = listing
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "mdc"))
        .collect();
    paths.sort();
    paths.truncate(MAX_CURSOR_RULES);
    paths
        .into_iter()
        .filter_map(|path| {
            let text = file::read(&path, warnings)?;
            let text = file::without_front_matter(&text).to_owned();
            (!text.trim().is_empty()).then_some((path, text))
        })
        .collect()
}

fn shown_name(path: &Path, cwd: &Path) -> String {
    let name = path.strip_prefix(cwd).unwrap_or(path);
    file::one_line(&name.to_string_lossy())
}
