//! Keeping the store small.

use super::super::{CheckpointStore, Upkeep, UpkeepReport, UpkeepTrigger};
use super::{Scene, put, run};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

impl Scene {
    fn in_store(&self, path: &str) -> PathBuf {
        self.base.path().join("checkpoints").join(path)
    }

    async fn upkeep(&self) -> UpkeepReport {
        match self.store.upkeep(UpkeepTrigger::Now).await.unwrap() {
            Upkeep::Done(report) => report,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn removes_projects_whose_directory_is_gone() {
    run(async {
        let mut scene = Scene::with(|settings| settings.delete_orphans = false);
        scene.put("kept/x", "x");
        scene.put("gone/x", "y");
        for dir in ["kept", "gone"] {
            scene.store.snapshot(&scene.at(dir), "x").await.unwrap();
        }
        fs::remove_dir_all(scene.at("gone")).unwrap();
        assert_eq!(scene.upkeep().await, UpkeepReport::default());
        assert!(scene.store.status().await.unwrap().projects.iter().any(|p| !p.exists));
        scene.store.settings.delete_orphans = true;
        assert_eq!(scene.upkeep().await.orphans, 1);
        let status = scene.store.status().await.unwrap();
        assert_eq!(status.snapshots, 1);
        assert!(status.projects.len() == 1 && status.projects[0].exists);
    });
}

#[test]
fn removes_projects_not_used_for_too_long() {
    run(async {
        let mut scene = Scene::new();
        scene.put("x", "x");
        scene.take().await;
        assert_eq!(scene.upkeep().await.expired, 0);
        scene.store.settings.retention = Duration::ZERO;
        assert_eq!(scene.upkeep().await.expired, 1);
        assert_eq!(scene.hashes().await, [] as [String; 0]);
        // It can begin anew.
        scene.take().await;
    });
}

#[test]
fn is_done_once_per_interval_and_can_be_switched_off() {
    run(async {
        let mut scene = Scene::new();
        assert_eq!(
            scene.store.upkeep(UpkeepTrigger::Due).await.unwrap(),
            Upkeep::NotDue,
            "no store yet"
        );
        scene.put("x", "x");
        scene.take().await;
        scene.store.settings.auto_prune = false;
        assert_eq!(scene.store.upkeep(UpkeepTrigger::Due).await.unwrap(), Upkeep::NotDue);
        scene.store.settings.auto_prune = true;
        assert!(matches!(scene.store.upkeep(UpkeepTrigger::Due).await.unwrap(), Upkeep::Done(_)));
        assert!(scene.in_store(".last_prune").is_file());
        assert_eq!(scene.store.upkeep(UpkeepTrigger::Due).await.unwrap(), Upkeep::NotDue);
        put(&scene.in_store(".last_prune"), b"1000");
        let held = scene.store.locks.try_take("upkeep").unwrap();
        assert_eq!(scene.store.upkeep(UpkeepTrigger::Due).await.unwrap(), Upkeep::Busy);
        drop(held);
        assert!(matches!(scene.store.upkeep(UpkeepTrigger::Due).await.unwrap(), Upkeep::Done(_)));
    });
}

#[test]
fn drops_the_oldest_until_the_store_fits_and_keeps_one() {
    run(async {
        let mut scene = Scene::new();
        // Bytes that do not compress.
        let noise = |seed: u64| {
            let next = move |x: &u64| Some(x.wrapping_mul(6_364_136_223_846_793_005) ^ seed);
            std::iter::successors(Some(seed), next).take(20_000).flat_map(u64::to_be_bytes)
        };
        let mut hashes = Vec::new();
        for n in 1..=5 {
            scene.put("x", noise(2 * n + 1).collect::<Vec<u8>>());
            hashes.insert(0, scene.take().await);
        }
        assert_eq!(scene.store.trim().await.unwrap(), 0, "far below the limit");
        scene.store.settings.max_total_bytes = 400_000;
        assert_eq!(scene.store.trim().await.unwrap(), 3);
        assert_eq!(scene.hashes().await, hashes[..2], "the others keep their hashes");
        scene.store.settings.max_total_bytes = 1;
        assert_eq!(scene.upkeep().await.trimmed, 1);
        assert_eq!(scene.hashes().await, hashes[..1]);
        let first = noise(3).collect::<Vec<u8>>();
        scene.put("x", &first);
        scene.store.restore(scene.dir(), &hashes[0], None).await.unwrap();
        assert_ne!(fs::read(scene.at("x")).unwrap(), first);
    });
}

#[test]
fn collecting_garbage_leaves_checkpoints_whole() {
    run(async {
        let scene = Scene::with(|settings| settings.max_snapshots = 2);
        for n in 0..4 {
            scene.put("x", format!("{n}"));
            scene.put("sub/y", format!("{n}"));
            scene.take().await;
            scene.upkeep().await;
        }
        let oldest = scene.hashes().await.pop().unwrap();
        scene.store.restore(scene.dir(), &oldest, None).await.unwrap();
        assert_eq!((scene.read("x"), scene.read("sub/y")), ("2".into(), "2".into()));
    });
}

/// After a restore the index may speak of a checkpoint that is dropped later.
#[test]
fn an_index_that_speaks_of_collected_objects_is_made_anew() {
    run(async {
        let mut scene = Scene::new();
        scene.put("x", "first");
        let first = scene.take().await;
        scene.put("x", "second");
        scene.take().await;
        scene.store.restore(scene.dir(), &first, None).await.unwrap();
        scene.store.settings.max_total_bytes = 1;
        scene.store.trim().await.unwrap();
        let git = scene.store.git(scene.store.deadline());
        git.call("prune").args(["--expire=now"]).run().await.unwrap();
        scene.put("y", "more");
        let hash = scene.take().await;
        scene.put("x", "third");
        scene.store.restore(scene.dir(), &hash, None).await.unwrap();
        assert_eq!(scene.read("x"), "first");
    });
}

#[test]
fn repositories_of_the_older_layout_are_archived_and_expire() {
    run(async {
        let mut scene = Scene::new();
        put(&scene.in_store("0123456789abcdef/HEAD"), b"ref: refs/heads/main");
        scene.put("x", "x");
        scene.take().await;
        assert!(!scene.in_store("0123456789abcdef").exists());
        let status = scene.store.status().await.unwrap();
        assert!(status.legacy_archives == 1 && status.legacy_bytes > 0);
        assert_eq!(scene.upkeep().await.legacy, 0);
        scene.store.settings.retention = Duration::ZERO;
        assert_eq!(scene.upkeep().await.legacy, 1);
        fs::create_dir(scene.in_store("legacy-1")).unwrap();
        assert_eq!(scene.store.clear_legacy().unwrap(), 1);
    });
}

#[test]
fn a_store_of_the_older_layout_is_archived_as_a_whole() {
    run(async {
        let scene = Scene::new();
        put(&scene.in_store("store/HEAD"), b"ref: refs/heads/main");
        put(&scene.in_store("store/refs/hermes/0123456789abcdef"), b"");
        scene.put("x", "x");
        let hash = scene.take().await;
        assert_eq!(scene.hashes().await, [hash]);
        assert_eq!(scene.store.status().await.unwrap().legacy_archives, 1);
        let again =
            CheckpointStore::open(&scene.base.path().join("checkpoints"), super::settings());
        scene.put("x", "y");
        again.snapshot(scene.dir(), "x").await.unwrap();
        assert_eq!(again.status().await.unwrap().legacy_archives, 1, "archived once");
    });
}

#[test]
fn leftovers_of_killed_processes_do_no_harm_and_go() {
    run(async {
        let scene = Scene::new();
        scene.put("x", "1");
        let hash = scene.take().await;
        let id = scene.store.status().await.unwrap().projects.remove(0).id;
        let lock = scene.in_store(&format!("store/indexes/{id}.lock"));
        let stray = scene.in_store(&format!("store/indexes/{id}.abc.tmp"));
        put(&lock, b"");
        scene.put("x", "2");
        scene.store.restore(scene.dir(), &hash, None).await.unwrap();
        assert_eq!(scene.read("x"), "1");
        put(&lock, b"");
        put(&stray, b"");
        fs::File::open(&stray).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
        scene.upkeep().await;
        assert!(lock.exists() && !stray.exists(), "only what is old goes");
    });
}

#[test]
fn tells_what_there_is_and_clears_it() {
    run(async {
        let scene = Scene::new();
        let status = scene.store.status().await.unwrap();
        assert_eq!((status.bytes, status.snapshots, status.projects.len()), (0, 0, 0));
        scene.store.clear_all().await.unwrap();
        scene.put("x", "1");
        scene.take().await;
        scene.put("x", "2");
        scene.take().await;
        let status = scene.store.status().await.unwrap();
        assert!(status.bytes > 0 && status.snapshots == 2);
        assert_eq!(status.projects[0].workdir, scene.dir().canonicalize().unwrap());
        assert_eq!(status.projects[0].snapshots, 2);
        scene.store.clear_all().await.unwrap();
        assert_eq!(scene.store.status().await.unwrap().bytes, 0);
        assert_eq!(scene.hashes().await, [] as [String; 0]);
        scene.take().await;
    });
}

#[test]
fn background_upkeep_does_the_round_that_is_due() {
    run(async {
        let scene = Scene::new();
        scene.put("x", "x");
        scene.take().await;
        let base = scene.base.path().join("checkpoints");
        let store = Arc::new(CheckpointStore::open(&base, super::settings()));
        store.upkeep_in_background().await.unwrap();
        assert!(scene.in_store(".last_prune").is_file());
    });
}
