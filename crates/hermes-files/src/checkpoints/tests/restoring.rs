//! Going back.

use super::super::{CheckpointError, Skip};
use super::{Scene, contents, run};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

fn paths<const N: usize>(paths: [&str; N]) -> Vec<PathBuf> {
    paths.map(PathBuf::from).to_vec()
}

#[test]
fn brings_back_what_was_and_removes_what_was_not() {
    run(async {
        let scene = Scene::new();
        scene.put("changed", "old");
        scene.put("deep/er/deleted", "old");
        scene.put("same", "same");
        let before = contents(scene.dir());
        let hash = scene.take().await;
        scene.put("changed", "new");
        fs::remove_dir_all(scene.at("deep")).unwrap();
        scene.put("created/in/here", "new");

        let plan = scene.store.restore_plan(scene.dir(), &hash[..8], None).await.unwrap();
        assert_eq!(plan.hash, hash);
        assert_eq!(plan.restored, paths(["changed", "deep/er/deleted"]));
        assert_eq!(plan.removed, paths(["created/in/here"]));
        assert_eq!(scene.read("changed"), "new", "a plan changes nothing");

        let report = scene.store.restore(scene.dir(), &hash, None).await.unwrap();
        assert_eq!((report.restored, report.removed), (plan.restored, plan.removed));
        assert_eq!(contents(scene.dir()), before);
        assert!(!scene.at("created").exists(), "empty directories go with their files");
    });
}

#[test]
fn can_be_undone() {
    run(async {
        let scene = Scene::new();
        scene.put("x", "old");
        let hash = scene.take().await;
        scene.put("x", "new");
        scene.put("y", "new");
        let wrecked = contents(scene.dir());
        let report = scene.store.restore(scene.dir(), &hash, None).await.unwrap();
        assert_eq!(scene.hashes().await, [report.pre_rollback.clone(), hash.clone()]);
        let list = scene.store.list(scene.dir()).await.unwrap();
        assert_eq!(list[0].reason, format!("before restoring {}", &hash[..8]));
        scene.store.restore(scene.dir(), &report.pre_rollback, None).await.unwrap();
        assert_eq!(contents(scene.dir()), wrecked);
    });
}

#[test]
fn one_file_or_folder_can_be_restored_alone() {
    run(async {
        let scene = Scene::new();
        for path in ["a", "d/x", "d/y", "dd"] {
            scene.put(path, "old");
        }
        let hash = scene.take().await;
        for path in ["a", "d/x", "d/z", "dd"] {
            scene.put(path, "new");
        }
        fs::remove_file(scene.at("d/y")).unwrap();
        let restore =
            async |path: &str| scene.store.restore(scene.dir(), &hash, Some(Path::new(path))).await;
        let report = restore("./d/").await.unwrap();
        assert_eq!(report.restored, paths(["d/x", "d/y"]));
        assert_eq!(report.removed, paths(["d/z"]));
        assert_eq!((scene.read("a"), scene.read("dd")), ("new".into(), "new".into()));
        assert_eq!(restore("a").await.unwrap().restored, paths(["a"]));
        assert_eq!((scene.read("a"), scene.read("dd")), ("old".into(), "new".into()));
        assert_eq!(restore("a").await.unwrap().restored, paths([]), "nothing left to do");
    });
}

#[test]
fn refuses_paths_outside_and_paths_nobody_knows() {
    run(async {
        let scene = Scene::new();
        scene.put("a", "a");
        let hash = scene.take().await;
        for bad in ["/etc/passwd", "../x", "a/../../x", ""] {
            let restored = scene.store.restore(scene.dir(), &hash, Some(Path::new(bad))).await;
            let error = restored.unwrap_err();
            assert!(matches!(error, CheckpointError::InvalidPath { .. }), "{bad}: {error}");
        }
        let misspelt = Some(Path::new("b"));
        for error in [
            scene.store.restore(scene.dir(), &hash, misspelt).await.unwrap_err(),
            scene.store.restore_plan(scene.dir(), &hash, misspelt).await.unwrap_err(),
        ] {
            assert!(matches!(error, CheckpointError::NotInCheckpoint { .. }), "{error}");
        }
    });
}

#[test]
fn a_directory_that_is_gone_comes_back() {
    run(async {
        let scene = Scene::new();
        let dir = scene.at("project");
        scene.put("project/src/x", "x");
        let taken = scene.store.snapshot(&dir, "before rm").await.unwrap();
        let super::SnapshotOutcome::Taken(hash) = taken else { panic!("{taken:?}") };
        fs::remove_dir_all(&dir).unwrap();
        scene.store.restore(&dir, &hash, None).await.unwrap();
        assert_eq!(scene.read("project/src/x"), "x");
    });
}

#[test]
fn the_oldest_checkpoint_is_not_dropped_by_restoring_it() {
    run(async {
        let scene = Scene::with(|settings| settings.max_snapshots = 2);
        scene.put("x", "1");
        let first = scene.take().await;
        scene.put("x", "2");
        scene.take().await;
        scene.put("x", "3");
        let report = scene.store.restore(scene.dir(), &first, None).await.unwrap();
        assert_eq!(scene.read("x"), "1");
        assert_eq!(scene.hashes().await, [report.pre_rollback, first]);
    });
}

#[test]
fn permissions_stay_and_the_executable_bit_comes_back() {
    run(async {
        let scene = Scene::new();
        let mode = |path: &str| fs::metadata(scene.at(path)).unwrap().permissions().mode() & 0o777;
        let chmod = |path: &str, mode| {
            fs::set_permissions(scene.at(path), Permissions::from_mode(mode)).unwrap();
        };
        for path in ["private", "script", "plain"] {
            scene.put(path, "old");
        }
        chmod("private", 0o600);
        chmod("script", 0o700);
        chmod("plain", 0o644);
        let hash = scene.take().await;
        for path in ["private", "script", "plain"] {
            scene.put(path, "new");
        }
        chmod("script", 0o640);
        chmod("plain", 0o755);
        scene.store.restore(scene.dir(), &hash, None).await.unwrap();
        assert_eq!((mode("private"), mode("script"), mode("plain")), (0o600, 0o750, 0o644));
    });
}

#[test]
fn works_though_checkpoints_are_off_and_refuses_what_cannot_be_saved_first() {
    run(async {
        let mut scene = Scene::new();
        scene.put("x", "old");
        let hash = scene.take().await;
        scene.put("x", "new");
        scene.store.settings.enabled = false;
        scene.store.restore(scene.dir(), &hash, None).await.unwrap();
        assert_eq!(scene.read("x"), "old");
        scene.put("x", "new");
        scene.put("y", "new");
        scene.store.max_entries = 1;
        let error = scene.store.restore(scene.dir(), &hash, None).await.unwrap_err();
        let too_many = Skip::TooManyEntries { limit: 1 };
        assert!(matches!(error, CheckpointError::Unprotected(skip) if skip == too_many), "{error}");
        assert_eq!(scene.read("x"), "new");
    });
}

#[test]
fn the_next_checkpoint_after_a_restore_sees_the_restored_state() {
    run(async {
        let scene = Scene::new();
        scene.put("x", "1");
        let first = scene.take().await;
        scene.put("x", "2");
        scene.store.restore(scene.dir(), &first, None).await.unwrap();
        let after = scene.take().await;
        assert_eq!(scene.hashes().await.len(), 3);
        scene.put("x", "3");
        scene.store.restore(scene.dir(), &after, None).await.unwrap();
        assert_eq!(scene.read("x"), "1");
    });
}
