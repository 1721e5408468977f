//! Work in a git worktree of its own: the checkout a person has open stays as it is.
//!
//! ```text
//!   <repository>/.worktrees/<name>    a whole checkout, on the branch `hermes/<name>`
//! ```
//!
//! A worktree is an ordinary one of git's. So nothing is lost if the program is killed: the files, the commits and the
//! branch stay, `git worktree list` names them, and `--worktree=<name>` goes on there. At the end
//! what was done is merged, kept or dropped ([`Worktree::end`]); a worktree in which nothing was done is
//! taken away.
//!
//! What never happens here: work is thrown away that nobody asked to drop. A merge that does not go through is undone
//! and everything is kept.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use hermes_protocol::text::count;

use crate::git;

/// Where worktrees are, in the repository.
const FOLDER: &str = ".worktrees";
/// How the branches begin.
const BRANCH: &str = "hermes/";
/// Letters of a name, at most.
const MAX_NAME: usize = 64;

/// A worktree in which an agent works.
#[derive(Clone, Debug)]
pub struct Worktree {
    name: String,
    /// The checkout it was begun from.
    origin: PathBuf,
    root: PathBuf,
    /// Where the person stood, within it.
    folder: PathBuf,
    branch: String,
    /// What it was begun from.
    base: String,
}

/// What becomes of a worktree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorktreeEnd {
    /// What was done goes into the branch it was begun from.
    Merge,
    /// Everything stays where it is.
    Keep,
    /// Everything that was done in it is thrown away.
    Drop,
}

/// What was done in a worktree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorktreeChange {
    /// Commits since it was begun.
    pub commits: usize,
    /// Files that differ from the last commit, new ones included.
    pub files: usize,
}

impl Worktree {
    /// Makes a worktree of the repository that holds `folder`, or goes on in the one of this name.
    ///
    /// # Errors
    /// If that is no repository with a commit, or the name cannot be one.
    pub fn begin(folder: &Path, name: Option<&str>) -> anyhow::Result<Self> {
        let origin = run(folder, &["rev-parse", "--show-toplevel"])
            .context("--worktree needs a git repository: run it in one, or leave it out")?;
        let origin = PathBuf::from(origin);
        run(&origin, &["rev-parse", "--verify", "HEAD"])
            .context("--worktree needs a commit to begin from; this repository has none yet")?;
        let name = match name {
            Some(name) => valid(name)?.to_owned(),
            None => fresh_name(),
        };
        let (root, branch) = (origin.join(FOLDER).join(&name), format!("{BRANCH}{name}"));
        let within = std::path::absolute(folder).ok().and_then(|folder| {
            let folder = folder.canonicalize().ok()?;
            Some(folder.strip_prefix(origin.canonicalize().ok()?).ok()?.to_owned())
        });
        if !root.exists() {
            exclude(&origin)?;
            // What a worktree left behind whose folder somebody removed.
            let _ = run(&origin, &["worktree", "prune"]);
            let path = root.to_string_lossy().into_owned();
            let is_known = run(&origin, &["rev-parse", "--verify", "--quiet", &branch]).is_ok();
            let add = match is_known {
                true => run(&origin, &["worktree", "add", "-q", &path, &branch]),
                false => run(&origin, &["worktree", "add", "-q", "-b", &branch, &path, "HEAD"]),
            };
            add.context("cannot make the worktree")?;
        }
        let base = run(&origin, &["merge-base", "HEAD", &branch])
            .with_context(|| format!("{} is no worktree of ours", root.display()))?;
        let folder = within.map(|within| root.join(within)).filter(|folder| folder.is_dir());
        let folder = folder.unwrap_or_else(|| root.clone());
        Ok(Self { name, origin, root, folder, branch, base })
    }

    /// By which it is taken up again.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The branch that its commits are on.
    #[must_use]
    pub fn branch(&self) -> &str {
        &self.branch
    }

    /// Where the work takes place: the same folder of the project the person stood in.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What was done in it.
    ///
    /// # Errors
    /// If git cannot tell.
    pub fn change(&self) -> anyhow::Result<WorktreeChange> {
        let range = format!("{}..HEAD", self.base);
        let commits = run(&self.root, &["rev-list", "--count", &range])?.parse().unwrap_or(0);
        let files = run(&self.root, &["status", "--porcelain"])?.lines().count();
        Ok(WorktreeChange { commits, files })
    }

    /// Ends it; a line on what became of it.
    ///
    /// # Errors
    /// If git refuses. Then everything is still there, and the message says where.
    pub fn end(&self, end: WorktreeEnd) -> anyhow::Result<String> {
        let kept = || {
            let place = self.root.display();
            format!(
                "everything is kept in {place}; `hermes --worktree={}` goes on there",
                self.name
            )
        };
        match end {
            WorktreeEnd::Keep => {
                let Self { root, branch, name, .. } = self;
                Ok(format!(
                    "Kept in {} on branch {branch}.\n`hermes --worktree={name}` goes on there, `git merge {branch}` \
                     takes it over.",
                    root.display()
                ))
            }
            WorktreeEnd::Drop => {
                self.remove("-D").with_context(kept)?;
                Ok(format!("The worktree and branch {} are gone.", self.branch))
            }
            WorktreeEnd::Merge => {
                let merged = self.merge().with_context(kept)?;
                self.remove("-d").with_context(kept)?;
                Ok(merged)
            }
        }
    }

    /// Takes it away if nothing was done in it; else asks what becomes of it. `ask` gives what the person says to a
    /// question, in lower case, or nothing if nobody is there; then it is kept. A line on what became of it.
    ///
    /// # Errors
    /// If git refuses; everything is kept.
    pub fn conclude(
        &self,
        mut ask: impl FnMut(&str) -> Option<String>,
    ) -> anyhow::Result<Option<String>> {
        if self.remove_if_unused()? {
            return Ok(None);
        }
        let change = self.change()?;
        let question = format!(
            "\nThe worktree {} has {} and {} not committed.\n[m]erge it here, [k]eep it for later, [d]rop it? [m/K/d] ",
            self.name,
            count(change.commits, "commit"),
            count(change.files, "file")
        );
        let end = loop {
            match ask(&question).as_deref() {
                Some("m" | "merge") => break WorktreeEnd::Merge,
                Some("d" | "drop") => {
                    let sure = ask("This cannot be taken back. Drop it? [y/N] ");
                    if matches!(sure.as_deref(), Some("y" | "yes")) {
                        break WorktreeEnd::Drop;
                    }
                }
                Some("k" | "keep" | "") | None => break WorktreeEnd::Keep,
                Some(_) => {}
            }
        };
        self.end(end).map(Some)
    }

    /// Takes it away if nothing was done in it; whether that was so.
    ///
    /// # Errors
    /// If git cannot tell, or refuses.
    pub fn remove_if_unused(&self) -> anyhow::Result<bool> {
        let unused = self.change()? == WorktreeChange { commits: 0, files: 0 };
        if unused {
            self.remove("-d")?;
        }
        Ok(unused)
    }

    fn merge(&self) -> anyhow::Result<String> {
        if self.change()?.files > 0 {
            run(&self.root, &["add", "-A"])?;
            run(&self.root, &["commit", "-q", "-m", &format!("Work in {}", self.branch)])
                .context("what was changed cannot be committed")?;
        }
        let into = run(&self.origin, &["rev-parse", "--abbrev-ref", "HEAD"])?;
        if let Err(problem) = run(&self.origin, &["merge", "--no-edit", "-q", &self.branch]) {
            // A merge that stopped halfway is undone: the checkout is the person's.
            let _ = run(&self.origin, &["merge", "--abort"]);
            return Err(problem.context(format!("{} does not merge into {into}", self.branch)));
        }
        Ok(format!("Merged {} into {into}.", self.branch))
    }

    fn remove(&self, branch_flag: &str) -> anyhow::Result<()> {
        let path = self.root.to_string_lossy();
        run(&self.origin, &["worktree", "remove", "--force", &path])?;
        run(&self.origin, &["branch", "-q", branch_flag, &self.branch])?;
        // Goes only if it is empty.
        let _ = std::fs::remove_dir(self.origin.join(FOLDER));
        Ok(())
    }
}

/// A name that can be part of a path and of a branch.
fn valid(name: &str) -> anyhow::Result<&str> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let is_fine = !name.is_empty()
        && name.len() <= MAX_NAME
        && name.chars().all(fits)
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && !name.contains("..")
        && !name.ends_with('.')
        && !name.ends_with(".lock");
    anyhow::ensure!(
        is_fine,
        "`{name}` cannot name a worktree: letters, digits, `-`, `_` and `.`, {MAX_NAME} at most, \
         a letter or digit first"
    );
    Ok(name)
}

fn fresh_name() -> String {
    let id = hermes_sessions::new_session_id();
    format!("hermes-{}", id.replace('_', "-"))
}

/// Has git leave the folder of worktrees alone, here and not in the project's own list.
fn exclude(origin: &Path) -> anyhow::Result<()> {
    let common = run(origin, &["rev-parse", "--git-common-dir"])?;
    let file = origin.join(common).join("info/exclude");
    let row = format!("/{FOLDER}/");
    let before = std::fs::read_to_string(&file).unwrap_or_default();
    if before.lines().any(|line| line.trim() == row) {
        return Ok(());
    }
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("make the folder {}", folder.display()))?;
    }
    let mut open = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(&file)
        .with_context(|| format!("open {}", file.display()))?;
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    writeln!(open, "{gap}{row}").with_context(|| format!("write {}", file.display()))
}

fn run(folder: &Path, args: &[&str]) -> anyhow::Result<String> {
    let done = git::command(folder, args).run_blocking()?;
    Ok(git::said(&done)?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository() -> tempfile::TempDir {
        let temp = tempfile::tempdir().unwrap();
        let at = temp.path();
        run(at, &["init", "-q", "-b", "main"]).unwrap();
        run(at, &["config", "user.name", "Ada"]).unwrap();
        run(at, &["config", "user.email", "ada@example.org"]).unwrap();
        put(at, "sub/a.txt", "one\n");
        run(at, &["add", "-A"]).unwrap();
        run(at, &["commit", "-q", "-m", "begin"]).unwrap();
        temp
    }

    fn put(folder: &Path, name: &str, text: &str) {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let options = hermes_store::atomic::WriteOptions::KEEP;
        hermes_store::atomic::write(&path, text.as_bytes(), options).unwrap();
    }

    #[test]
    fn what_was_done_is_merged_and_the_worktree_goes() {
        let repository = repository();
        let at = repository.path();
        let tree = Worktree::begin(&at.join("sub"), None).unwrap();
        assert!(tree.folder().ends_with("sub"), "{}", tree.folder().display());
        assert_eq!(run(at, &["status", "--porcelain"]).unwrap(), "");
        put(tree.folder(), "a.txt", "two\n");
        put(tree.folder(), "new.txt", "x\n");
        assert_eq!(tree.change().unwrap(), WorktreeChange { commits: 0, files: 2 });
        let line = tree.end(WorktreeEnd::Merge).unwrap();
        assert!(line.contains("into main"), "{line}");
        assert_eq!(std::fs::read_to_string(at.join("sub/a.txt")).unwrap(), "two\n");
        assert!(at.join("sub/new.txt").exists());
        assert!(!at.join(FOLDER).exists());
        assert!(!run(at, &["branch"]).unwrap().contains("hermes/"));
    }

    #[test]
    fn a_merge_that_does_not_go_through_loses_nothing_on_either_side() {
        let repository = repository();
        let at = repository.path();
        let tree = Worktree::begin(at, Some("try-1")).unwrap();
        put(tree.folder(), "sub/a.txt", "theirs\n");
        put(at, "sub/a.txt", "mine\n");
        run(at, &["commit", "-q", "-a", "-m", "meanwhile"]).unwrap();
        let problem = format!("{:#}", tree.end(WorktreeEnd::Merge).unwrap_err());
        assert!(problem.contains("everything is kept in"), "{problem}");
        assert_eq!(std::fs::read_to_string(at.join("sub/a.txt")).unwrap(), "mine\n");
        assert_eq!(run(at, &["status", "--porcelain"]).unwrap(), "");
        // Whoever was killed, or comes back, goes on where it was.
        let again = Worktree::begin(at, Some("try-1")).unwrap();
        let text = std::fs::read_to_string(again.folder().join("sub/a.txt")).unwrap();
        assert_eq!(text, "theirs\n");
        assert_eq!(again.change().unwrap().commits, 1);
        again.end(WorktreeEnd::Drop).unwrap();
        assert!(!at.join(FOLDER).exists());
    }

    #[test]
    fn one_in_which_nothing_was_done_is_taken_away_and_one_with_work_is_not() {
        let repository = repository();
        let at = repository.path();
        assert!(Worktree::begin(at, None).unwrap().remove_if_unused().unwrap());
        assert!(!at.join(FOLDER).exists());
        let tree = Worktree::begin(at, None).unwrap();
        put(tree.folder(), "x", "x");
        assert!(!tree.remove_if_unused().unwrap());
        assert!(tree.folder().join("x").exists());
        assert_eq!(
            std::fs::read_to_string(at.join(".git/info/exclude")).unwrap().matches(FOLDER).count(),
            1
        );
    }

    #[test]
    fn nothing_is_dropped_without_a_second_yes() {
        let repository = repository();
        let tree = Worktree::begin(repository.path(), Some("t")).unwrap();
        put(tree.folder(), "x", "x");
        let mut answers = ["what?", "d", "n", "k"].into_iter();
        let line = tree.conclude(|_| answers.next().map(str::to_owned)).unwrap().unwrap();
        assert!(line.starts_with("Kept in") && tree.folder().join("x").exists(), "{line}");
        let mut answers = ["d", "yes"].into_iter();
        tree.conclude(|_| answers.next().map(str::to_owned)).unwrap();
        assert!(!tree.folder().exists());
    }

    #[test]
    fn names_that_would_lead_elsewhere_and_places_without_git_are_refused() {
        for bad in ["", "..", "../x", "a/b", "-f", ".hidden", "a..b", "x.lock", "a b", "x."] {
            assert!(valid(bad).is_err(), "{bad}");
        }
        assert!(valid("fix-12_b.2").is_ok());
        let empty = tempfile::tempdir().unwrap();
        let problem = format!("{:#}", Worktree::begin(empty.path(), None).unwrap_err());
        assert!(problem.contains("needs a git repository"), "{problem}");
        run(empty.path(), &["init", "-q"]).unwrap();
        let problem = format!("{:#}", Worktree::begin(empty.path(), None).unwrap_err());
        assert!(problem.contains("needs a commit"), "{problem}");
    }
}
