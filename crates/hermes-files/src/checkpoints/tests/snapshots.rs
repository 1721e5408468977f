//! Taking, listing and comparing.

use super::super::{CheckpointError, CheckpointStore, MAX_DIFF_CHARS, Skip, SnapshotOutcome};
use super::{Scene, run, settings};
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

#[test]
fn takes_one_for_each_new_state_only() {
    run(async {
        let scene = Scene::new();
        scene.put("a.txt", "one\n");
        let first = scene.take().await;
        let again = scene.store.snapshot(scene.dir(), "x").await.unwrap();
        assert_eq!(again, SnapshotOutcome::Unchanged(first.clone()));
        scene.put("a.txt", "two\n");
        let second = scene.take().await;
        assert_eq!(scene.hashes().await, [second, first]);
    });
}

#[test]
fn an_unchanged_directory_is_known_by_its_looks_without_git() {
    run(async {
        let scene = Scene::new();
        scene.put("a.txt", "one");
        tokio::time::sleep(Duration::from_millis(110)).await;
        let first = scene.take().await;
        let mut without_git = settings();
        without_git.search_path = Some("/nonexistent".to_owned());
        let store = CheckpointStore::open(&scene.base.path().join("checkpoints"), without_git);
        let looked = store.snapshot(scene.dir(), "x").await.unwrap();
        assert_eq!(looked, SnapshotOutcome::Unchanged(first));
        scene.put("a.txt", "two");
        let looked = store.snapshot(scene.dir(), "x").await.unwrap();
        assert_eq!(looked, SnapshotOutcome::Skipped(Skip::GitMissing));
    });
}

/// Same size, same second: only content or a fine clock can tell.
#[test]
fn sees_changes_that_follow_at_once() {
    run(async {
        let scene = Scene::new();
        for content in ["aaa", "bbb", "ccc", "ddd"] {
            scene.put("a.txt", content);
            scene.take().await;
        }
        assert_eq!(scene.hashes().await.len(), 4);
    });
}

#[test]
fn going_back_and_forth_within_a_second_gives_different_hashes() {
    run(async {
        let scene = Scene::new();
        for content in ["a", "b", "a", "b"] {
            scene.put("x", content);
            scene.take().await;
        }
        let mut hashes = scene.hashes().await;
        hashes.sort();
        hashes.dedup();
        assert_eq!(hashes.len(), 4);
    });
}

#[test]
fn lists_reason_time_and_size_of_each_change() {
    run(async {
        let scene = Scene::new();
        scene.put("a.txt", "1\n2\n3\n");
        scene.put("b.txt", "1\n");
        scene.store.snapshot(scene.dir(), "before write_file").await.unwrap();
        scene.put("a.txt", "1\n2\nx\ny\n");
        fs::remove_file(scene.at("b.txt")).unwrap();
        scene.store.snapshot(scene.dir(), "before \u{7}patch\nö").await.unwrap();
        let list = scene.store.list(scene.dir()).await.unwrap();
        let [new, old] = &list[..] else { panic!("{list:?}") };
        assert_eq!((new.files_changed, new.insertions, new.deletions), (2, 2, 2));
        assert_eq!((old.files_changed, old.insertions, old.deletions), (0, 0, 0));
        assert_eq!(new.reason, "before patch ö");
        assert_eq!(old.reason, "before write_file");
        assert!(new.hash.starts_with(&new.short) && new.short.len() == 8);
        let age = SystemTime::now().duration_since(new.time).unwrap();
        assert!(age < Duration::from_secs(60));
    });
}

#[test]
fn a_directory_without_checkpoints_has_an_empty_list() {
    run(async {
        let scene = Scene::new();
        assert_eq!(scene.store.list(scene.dir()).await.unwrap(), []);
        assert!(!scene.base.path().join("checkpoints").exists(), "listing made a store");
    });
}

#[test]
fn keeps_the_newest_and_their_hashes_stay() {
    run(async {
        let scene = Scene::with(|settings| settings.max_snapshots = 3);
        let mut taken = Vec::new();
        for n in 0..5 {
            scene.put("x", n.to_string());
            taken.insert(0, scene.take().await);
            let kept = taken.len().min(3);
            assert_eq!(scene.hashes().await, taken[..kept]);
        }
    });
}

#[test]
fn skips_what_must_not_be_saved() {
    run(async {
        let scene = Scene::new();
        scene.put("x", "x");
        let skip = |store: CheckpointStore, dir: &Path| {
            let dir = dir.to_owned();
            async move { store.snapshot(&dir, "x").await.unwrap() }
        };
        let open = |change: &dyn Fn(&mut super::CheckpointSettings)| {
            let mut settings = settings();
            change(&mut settings);
            CheckpointStore::open(&scene.base.path().join("checkpoints"), settings)
        };
        let off = open(&|settings| settings.enabled = false);
        assert_eq!(skip(off, scene.dir()).await, SnapshotOutcome::Skipped(Skip::Disabled));
        let root = open(&|_| {});
        assert_eq!(
            skip(root, Path::new("/")).await,
            SnapshotOutcome::Skipped(Skip::FileSystemRoot)
        );
        for home in [scene.dir().to_owned(), scene.at("below")] {
            fs::create_dir_all(&home).unwrap();
            let store = open(&|settings| settings.home = Some(home.clone()));
            assert_eq!(
                skip(store, scene.dir()).await,
                SnapshotOutcome::Skipped(Skip::HomeDirectory)
            );
        }
        let gone = open(&|_| {});
        assert_eq!(skip(gone, &scene.at("no")).await, SnapshotOutcome::Skipped(Skip::NoDirectory));
        let no_git = open(&|settings| settings.search_path = Some("/nonexistent".to_owned()));
        assert_eq!(skip(no_git, scene.dir()).await, SnapshotOutcome::Skipped(Skip::GitMissing));
        let mut small = open(&|_| {});
        small.max_entries = 1;
        let too_many = Skip::TooManyEntries { limit: 1 };
        assert_eq!(skip(small, scene.dir()).await, SnapshotOutcome::Skipped(too_many));
    });
}

#[test]
fn does_not_save_itself() {
    run(async {
        let scene = Scene::new();
        let store = CheckpointStore::open(&scene.at(".hermes/checkpoints"), settings());
        scene.put(".hermes/config.yaml", "a: 1");
        for n in 0..3 {
            scene.put("x", n.to_string());
            store.snapshot(scene.dir(), "x").await.unwrap();
        }
        let list = store.list(scene.dir()).await.unwrap();
        assert_eq!(list.iter().map(|c| c.files_changed).collect::<Vec<_>>(), [1, 1, 0]);
        let inside = store.snapshot(&scene.at(".hermes/checkpoints/store"), "x").await.unwrap();
        assert_eq!(inside, SnapshotOutcome::Skipped(Skip::InsideStore));
    });
}

#[test]
fn diffs_the_present_against_a_checkpoint() {
    run(async {
        let scene = Scene::new();
        scene.put("a.txt", "old\n");
        scene.put("b.txt", "same\n");
        let hash = scene.take().await;
        assert_eq!(scene.store.diff(scene.dir(), &hash, None).await.unwrap(), "");
        scene.put("a.txt", "new\n");
        scene.put("sub/c.txt", "fresh\n");
        let diff = scene.store.diff(scene.dir(), &hash[..6], None).await.unwrap();
        assert!(diff.contains("-old\n+new\n") && diff.contains("+fresh\n"), "{diff}");
        let sub = Some(Path::new("sub"));
        let diff = scene.store.diff(scene.dir(), &hash.to_uppercase(), sub).await.unwrap();
        assert!(!diff.contains("+new") && diff.contains("+fresh\n"), "{diff}");
        assert_eq!(scene.hashes().await, [hash], "a diff is no checkpoint");
    });
}

#[test]
fn a_large_diff_is_cut() {
    run(async {
        let scene = Scene::new();
        scene.put("a.txt", "");
        let hash = scene.take().await;
        scene.put("a.txt", "0123456789\n".repeat(MAX_DIFF_CHARS / 10));
        let diff = scene.store.diff(scene.dir(), &hash, None).await.unwrap();
        assert_eq!(diff.chars().count(), MAX_DIFF_CHARS);
    });
}

#[test]
fn refuses_hashes_that_are_none_unknown_or_of_another_directory() {
    run(async {
        let scene = Scene::new();
        let other = tempfile::tempdir().unwrap();
        scene.put("a", "a");
        let hash = scene.take().await;
        let long = "a".repeat(65);
        for bad in ["", "abc", "HEAD", "--help", "abcg", long.as_str()] {
            let error = scene.store.restore(scene.dir(), bad, None).await.unwrap_err();
            assert!(matches!(error, CheckpointError::InvalidHash { .. }), "{bad}: {error}");
        }
        for (dir, hash) in [(scene.dir(), "0000"), (other.path(), hash.as_str())] {
            let error = scene.store.diff(dir, hash, None).await.unwrap_err();
            assert!(matches!(error, CheckpointError::UnknownCheckpoint { .. }), "{error}");
        }
    });
}

#[test]
fn once_per_directory_and_turn() {
    run(async {
        let scene = Scene::new();
        let other = tempfile::tempdir().unwrap();
        let already = SnapshotOutcome::Skipped(Skip::AlreadyThisTurn);
        scene.put("x", "1");
        let once =
            async |turn: &str, dir: &Path| scene.store.snapshot_once(turn, dir, "x").await.unwrap();
        assert!(matches!(once("t1", scene.dir()).await, SnapshotOutcome::Taken(_)));
        scene.put("x", "2");
        assert_eq!(once("t1", &scene.at(".")).await, already);
        assert!(matches!(once("t1", other.path()).await, SnapshotOutcome::Taken(_)));
        assert!(matches!(once("t2", scene.dir()).await, SnapshotOutcome::Taken(_)));
        assert_eq!(once("t1", scene.dir()).await, already);
    });
}

#[test]
fn a_broken_index_is_made_anew() {
    run(async {
        let scene = Scene::new();
        scene.put("x", "1");
        scene.take().await;
        let index = fs::read_dir(scene.base.path().join("checkpoints/store/indexes"));
        super::put(&index.unwrap().next().unwrap().unwrap().path(), b"nonsense");
        scene.put("x", "2");
        scene.take().await;
        assert_eq!(scene.store.list(scene.dir()).await.unwrap()[0].files_changed, 1);
    });
}
