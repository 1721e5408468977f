//! Several processes on one store. Each store below stands for one: locks are between open files.

use super::super::{CheckpointStore, SnapshotOutcome};
use super::{Scene, put, run, settings};
use std::sync::Arc;

#[test]
fn many_checkpoints_of_one_directory_at_once_are_all_sound() {
    run(async {
        let scene = Scene::new();
        for n in 0..20 {
            scene.put(&format!("f{n}"), n.to_string());
        }
        let base = scene.base.path().join("checkpoints");
        let tasks: Vec<_> = (0..6)
            .map(|n| {
                let (dir, base) = (scene.dir().to_owned(), base.clone());
                tokio::spawn(async move {
                    let store = CheckpointStore::open(&base, settings());
                    put(&dir.join(format!("by {n}")), b"x");
                    store.snapshot(&dir, &format!("by {n}")).await.unwrap()
                })
            })
            .collect();
        let mut taken = 0;
        for task in tasks {
            taken += usize::from(matches!(task.await.unwrap(), SnapshotOutcome::Taken(_)));
        }
        let hashes = scene.hashes().await;
        assert!(taken >= 1 && hashes.len() == taken, "{taken} of {hashes:?}");
        // Whatever the order, the last one has seen everything.
        assert_eq!(scene.store.diff(scene.dir(), &hashes[0], None).await.unwrap(), "");
        let check = scene.store.git(scene.store.deadline()).call("fsck").args(["--strict"]);
        check.run().await.unwrap();
    });
}

#[test]
fn different_directories_share_a_store_from_its_first_moment() {
    run(async {
        let base = tempfile::tempdir().unwrap();
        let dirs: Vec<_> = (0..4).map(|_| tempfile::tempdir().unwrap()).collect();
        let tasks: Vec<_> = dirs
            .iter()
            .map(|dir| {
                let (dir, base) = (dir.path().to_owned(), base.path().join("c"));
                put(&dir.join("same"), b"same content");
                tokio::spawn(async move {
                    CheckpointStore::open(&base, settings()).snapshot(&dir, "x").await.unwrap()
                })
            })
            .collect();
        for task in tasks {
            assert!(matches!(task.await.unwrap(), SnapshotOutcome::Taken(_)));
        }
        let store = CheckpointStore::open(&base.path().join("c"), settings());
        assert_eq!(store.status().await.unwrap().projects.len(), 4);
    });
}

#[test]
fn a_second_caller_in_a_turn_waits_for_the_first() {
    run(async {
        let scene = Arc::new(Scene::new());
        scene.put("x", "1");
        let tasks: Vec<_> = (0..3)
            .map(|_| {
                let scene = Arc::clone(&scene);
                tokio::spawn(async move {
                    let outcome = scene.store.snapshot_once("t", scene.dir(), "x").await.unwrap();
                    (outcome, scene.hashes().await.len())
                })
            })
            .collect();
        let mut taken = 0;
        for task in tasks {
            let (outcome, there) = task.await.unwrap();
            assert_eq!(there, 1, "went on before the checkpoint was there");
            taken += usize::from(matches!(outcome, SnapshotOutcome::Taken(_)));
        }
        assert_eq!(taken, 1);
    });
}
