//! The user's own repository must not notice anything.

use super::{Scene, run, user_git};
use std::fs;
use std::path::{Path, PathBuf};

/// Everything in a repository that git keeps, byte for byte.
fn innards(git_dir: &Path) -> Vec<(PathBuf, u32, Vec<u8>)> {
    super::contents(git_dir)
}

/// A repository with a commit, a staged, an unstaged and an untracked change, and a stash; and a
/// user who signs commits with a program that does not work.
async fn repository(scene: &Scene, home: &Path) -> PathBuf {
    super::put(
        &home.join(".gitconfig"),
        b"[user]\nname = U\nemail = u@x\n[core]\nautocrlf = true\nexcludesFile = /etc/hosts\n",
    );
    let dir = scene.dir();
    user_git(dir, home, &["init", "-q", "-b", "main"]).await;
    for (path, content) in [("committed", "1\n"), ("staged", "1\n"), ("unstaged", "1\n")] {
        scene.put(path, content);
    }
    user_git(dir, home, &["add", "-A"]).await;
    user_git(dir, home, &["commit", "-q", "-m", "first"]).await;
    scene.put("committed", "stashed\n");
    user_git(dir, home, &["stash", "-q"]).await;
    scene.put("staged", "2\n");
    user_git(dir, home, &["add", "staged"]).await;
    scene.put("unstaged", "2\n");
    scene.put("untracked", "2\n");
    super::put(
        &home.join(".gitconfig"),
        b"[user]\nname = U\nemail = u@x\n[commit]\ngpgsign = true\n[gpg]\nprogram = /bin/false\n\
          [core]\nhooksPath = /nonexistent\nfsmonitor = /bin/false\nautocrlf = true\n",
    );
    dir.join(".git")
}

#[test]
fn nothing_of_it_changes_by_saving_comparing_and_restoring() {
    run(async {
        let (scene, home) = (Scene::new(), tempfile::tempdir().unwrap());
        let git_dir = repository(&scene, home.path()).await;
        let status = ["--no-optional-locks", "status", "--porcelain"];
        let (before, said) = (innards(&git_dir), user_git(scene.dir(), home.path(), &status).await);
        assert!(said.contains("?? untracked"), "{said}");

        let hash = scene.take().await;
        assert_eq!(innards(&git_dir), before);
        scene.put("committed", "changed\n");
        scene.put("created", "x\n");
        fs::remove_file(scene.at("untracked")).unwrap();
        scene.take().await;
        scene.store.diff(scene.dir(), &hash, None).await.unwrap();
        scene.store.list(scene.dir()).await.unwrap();
        scene.store.restore_plan(scene.dir(), &hash, None).await.unwrap();
        scene.store.restore(scene.dir(), &hash, None).await.unwrap();

        assert_eq!(innards(&git_dir), before);
        assert_eq!(user_git(scene.dir(), home.path(), &status).await, said);
        let stash = user_git(scene.dir(), home.path(), &["stash", "list"]).await;
        assert_eq!(stash.lines().count(), 1);
    });
}

#[test]
fn works_in_a_work_tree_of_another_repository() {
    run(async {
        let (scene, home) = (Scene::new(), tempfile::tempdir().unwrap());
        let git_dir = repository(&scene, home.path()).await;
        let tree = home.path().join("tree");
        let add = ["worktree", "add", "-q", tree.to_str().unwrap(), "HEAD"];
        user_git(scene.dir(), home.path(), &add).await;
        let (before, content) = (innards(&git_dir), fs::read(tree.join("committed")).unwrap());
        let taken = scene.store.snapshot(&tree, "x").await.unwrap();
        let super::SnapshotOutcome::Taken(hash) = taken else { panic!("{taken:?}") };
        super::put(&tree.join("committed"), b"changed");
        super::put(&tree.join("created"), b"x");
        scene.store.restore(&tree, &hash, None).await.unwrap();
        assert!(!tree.join("created").exists() && tree.join(".git").is_file());
        assert_eq!(fs::read(tree.join("committed")).unwrap(), content);
        assert_eq!(innards(&git_dir), before);
    });
}

#[test]
fn its_ignore_rules_apply_to_what_is_saved() {
    run(async {
        let (scene, home) = (Scene::new(), tempfile::tempdir().unwrap());
        repository(&scene, home.path()).await;
        scene.put(".gitignore", "untracked\n");
        let hash = scene.take().await;
        scene.put("untracked", "kept as it is\n");
        let plan = scene.store.restore_plan(scene.dir(), &hash, None).await.unwrap();
        assert_eq!((plan.restored.len(), plan.removed.len()), (0, 0));
    });
}
