//! Where a chat is: the folder and, in a git repository, the branch. Read from files, without starting git.

use std::path::{Path, PathBuf};

/// More than this is no head.
const MAX_HEAD: usize = 4_096;
/// Characters of a commit that stand for it where there is no branch.
const SHORT: usize = 7;

/// The folder as people write it.
pub(crate) fn folder_name(folder: &Path, home: Option<&Path>) -> String {
    match home.and_then(|home| folder.strip_prefix(home).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => folder.display().to_string(),
    }
}

/// The branch that is checked out, or the beginning of the commit; nothing outside a repository.
pub(crate) fn branch(folder: &Path) -> Option<String> {
    let git = folder.ancestors().map(|parent| parent.join(".git")).find(|git| git.exists())?;
    let head = read_head(&git_folder(git)?.join("HEAD"))?;
    match head.strip_prefix("ref: ") {
        Some(name) => Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()),
        None => Some(head.chars().take(SHORT).collect()),
    }
}

/// In a worktree `.git` is a file that names the folder.
fn git_folder(git: PathBuf) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git);
    }
    let named = read_head(&git)?;
    Some(git.parent()?.join(named.strip_prefix("gitdir: ")?))
}

fn read_head(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).ok().filter(|text| text.len() <= MAX_HEAD)?;
    let line = text.lines().next()?.trim().to_owned();
    (!line.is_empty() && !line.contains(char::is_control)).then_some(line)
}

#[cfg(test)]
mod tests {
    use hermes_store::atomic::WriteOptions;

    use super::*;

    #[test]
    fn the_branch_is_found_from_within_and_in_worktrees() {
        let temp = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = temp.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            hermes_store::atomic::write(&path, text.as_bytes(), WriteOptions::KEEP).unwrap();
        };
        write("repo/.git/HEAD", "ref: refs/heads/feature/x\n");
        write("repo/src/a", "");
        assert_eq!(branch(&temp.path().join("repo/src")).as_deref(), Some("feature/x"));
        write("repo/.git/worktrees/w/HEAD", "0123456789abcdef\n");
        write("w/.git", "gitdir: ../repo/.git/worktrees/w\n");
        assert_eq!(branch(&temp.path().join("w")).as_deref(), Some("0123456"));
        assert_eq!(branch(&temp.path().join("elsewhere")), None);
    }

    #[test]
    fn a_folder_in_the_home_is_short() {
        let home = Some(Path::new("/home/me"));
        assert_eq!(folder_name(Path::new("/home/me/src/x"), home), "~/src/x");
        assert_eq!(folder_name(Path::new("/home/me"), home), "~");
        assert_eq!(folder_name(Path::new("/srv"), home), "/srv");
    }
}
