//! Files that are easily saved wrongly, or should not be saved.

use super::{Scene, contents, put, run, user_git};
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

/// Saves, wrecks, restores, and expects all to be as it was.
async fn survives(scene: &Scene) {
    let before = contents(scene.dir());
    let hash = scene.take().await;
    for (path, ..) in &before {
        fs::remove_file(scene.dir().join(path)).unwrap();
    }
    scene.store.restore(scene.dir(), &hash, None).await.unwrap();
    assert_eq!(contents(scene.dir()), before);
}

#[test]
fn names_of_any_bytes_survive() {
    run(async {
        let scene = Scene::new();
        for name in [
            b"with space".as_slice(),
            b"new\nline",
            b"tab\t\"quote\" back\\slash",
            b"\xff\xfe not utf-8",
            "ümläut".as_bytes(),
            b"-rf",
            b":(exclude)x",
            b"*.[x]?",
            b"git~1",
            b"#hash!",
        ] {
            put(&scene.dir().join(OsStr::from_bytes(name)), name);
            put(&scene.dir().join("sub").join(OsStr::from_bytes(name)), name);
        }
        survives(&scene).await;
    });
}

#[test]
fn odd_names_can_be_restored_and_compared_one_by_one() {
    run(async {
        let scene = Scene::new();
        let odd = PathBuf::from(OsStr::from_bytes(b"d/\xff\n*"));
        put(&scene.dir().join(&odd), b"old");
        scene.put("d/x*", "old");
        let hash = scene.take().await;
        put(&scene.dir().join(&odd), b"new");
        scene.put("d/x*", "new");
        let report = scene.store.restore(scene.dir(), &hash, Some(&odd)).await.unwrap();
        assert_eq!(report.restored, std::slice::from_ref(&odd));
        assert_eq!(fs::read(scene.dir().join(&odd)).unwrap(), b"old");
        assert_eq!(scene.read("d/x*"), "new");
    });
}

#[test]
fn links_and_executables_survive() {
    run(async {
        let scene = Scene::new();
        scene.put("real/file", "x");
        scene.put("run.sh", "#!/bin/sh\n");
        fs::set_permissions(scene.at("run.sh"), Permissions::from_mode(0o755)).unwrap();
        symlink("real/file", scene.at("link")).unwrap();
        symlink("/nonexistent/target", scene.at("dangling")).unwrap();
        symlink("real", scene.at("dirlink")).unwrap();
        survives(&scene).await;
    });
}

#[test]
fn bytes_survive_whatever_the_attributes_of_the_project_ask_for() {
    run(async {
        let scene = Scene::new();
        scene.put(
            ".gitattributes",
            "* text=auto eol=crlf ident filter=lfs\n*.u text working-tree-encoding=UTF-16\n",
        );
        scene.put("crlf.txt", "a\r\nb\r\n");
        scene.put("mixed.txt", "a\r\nb\n$Id$\n");
        scene.put("wide.u", b"\xff\xfea\0\n\0");
        scene.put("binary", (0..=255).collect::<Vec<u8>>());
        scene.put("empty", "");
        survives(&scene).await;
    });
}

#[test]
fn leaves_out_what_is_ignored_built_secret_or_too_large() {
    run(async {
        let scene = Scene::with(|settings| settings.max_file_bytes = 1000);
        scene.put(".gitignore", "/ignored\n*.tmp\n");
        for path in ["ignored/x", "a.tmp", "node_modules/m/x.js", "target/x", ".env", "s/x.log"] {
            scene.put(path, "old");
        }
        scene.put("large", "x".repeat(1001));
        scene.put("kept", "old");
        let hash = scene.take().await;
        for path in ["ignored/x", "a.tmp", "node_modules/m/x.js", "target/x", ".env", "s/x.log"] {
            scene.put(path, "new");
        }
        scene.put("large", "y".repeat(1001));
        scene.put("ignored/created", "new");
        scene.put("kept", "new");
        let report = scene.store.restore(scene.dir(), &hash, None).await.unwrap();
        assert_eq!(report.restored, [PathBuf::from("kept")]);
        assert_eq!(report.removed, [] as [PathBuf; 0]);
        assert_eq!(scene.read(".env"), "new");
        assert_eq!(scene.read("ignored/created"), "new");
        assert_eq!(scene.read("large"), "y".repeat(1001));
    });
}

/// A file that grew too large is no longer saved, but going back must not lose what it holds.
#[test]
fn restoring_over_a_file_that_is_now_left_out_keeps_its_content() {
    run(async {
        let scene = Scene::with(|settings| settings.max_file_bytes = 1000);
        scene.put("grown", "small");
        scene.put("hidden", "seen");
        let hash = scene.take().await;
        scene.put("grown", "x".repeat(2000));
        scene.put("hidden", "unseen");
        scene.put(".gitignore", "hidden\n");
        scene.take().await;
        let report = scene.store.restore(scene.dir(), &hash, None).await.unwrap();
        assert_eq!(
            (scene.read("grown").as_str(), scene.read("hidden").as_str()),
            ("small", "seen")
        );
        scene.store.restore(scene.dir(), &report.pre_rollback, None).await.unwrap();
        assert_eq!(scene.read("grown"), "x".repeat(2000));
        assert_eq!(scene.read("hidden"), "unseen");
    });
}

#[test]
fn empty_directories_are_no_trouble_and_left_alone() {
    run(async {
        let scene = Scene::new();
        fs::create_dir_all(scene.at("empty/er")).unwrap();
        let first = scene.take().await;
        scene.put("x", "1");
        scene.take().await;
        scene.store.restore(scene.dir(), &first, None).await.unwrap();
        assert!(scene.at("empty/er").is_dir() && !scene.at("x").exists());
    });
}

#[test]
fn repositories_inside_are_left_to_themselves() {
    run(async {
        let scene = Scene::new();
        scene.put("x", "old");
        scene.put("bare of commits/y", "old");
        scene.put("clone/z", "old");
        user_git(&scene.at("bare of commits"), scene.dir(), &["init", "-q"]).await;
        user_git(&scene.at("clone"), scene.dir(), &["init", "-q"]).await;
        let commit = ["-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "m"];
        user_git(&scene.at("clone"), scene.dir(), &["add", "z"]).await;
        user_git(&scene.at("clone"), scene.dir(), &commit).await;
        let hash = scene.take().await;
        for path in ["x", "bare of commits/y", "clone/z", "clone/created"] {
            scene.put(path, "new");
        }
        let report = scene.store.restore(scene.dir(), &hash, None).await.unwrap();
        assert_eq!((report.restored, report.removed.len()), (vec![PathBuf::from("x")], 0));
        assert_eq!(scene.read("clone/z"), "new");
        assert_eq!(scene.read("bare of commits/y"), "new");
        // Each of them is a project of its own.
        assert_eq!(super::super::project_root(&scene.at("clone/z")), scene.at("clone"));
        let taken = scene.store.snapshot(&scene.at("clone"), "x").await.unwrap();
        assert!(matches!(taken, super::SnapshotOutcome::Taken(_)));
    });
}

#[test]
fn a_directory_that_becomes_a_repository_is_no_longer_saved() {
    run(async {
        let scene = Scene::new();
        scene.put("sub/x", "1");
        scene.put("y", "1");
        scene.take().await;
        user_git(&scene.at("sub"), scene.dir(), &["init", "-q"]).await;
        scene.put("y", "2");
        let hash = scene.take().await;
        scene.put("sub/x", "2");
        let diff = scene.store.diff(scene.dir(), &hash, None).await.unwrap();
        assert_eq!(diff, "");
    });
}

#[test]
fn a_path_may_change_its_kind() {
    run(async {
        let scene = Scene::new();
        scene.put("a", "file");
        scene.put("b/x", "in directory");
        scene.put("c/x", "behind a link later");
        symlink("a", scene.at("d")).unwrap();
        let before = contents(scene.dir());
        let hash = scene.take().await;
        for path in ["a", "d"] {
            fs::remove_file(scene.at(path)).unwrap();
        }
        for path in ["b", "c"] {
            fs::remove_dir_all(scene.at(path)).unwrap();
        }
        scene.put("a/inner", "now a directory");
        scene.put("b", "now a file");
        symlink(Path::new("a"), scene.at("c")).unwrap();
        scene.put("d/x", "was a link");
        let wrecked = contents(scene.dir());
        let report = scene.store.restore(scene.dir(), &hash, None).await.unwrap();
        assert_eq!(contents(scene.dir()), before);
        scene.store.restore(scene.dir(), &report.pre_rollback, None).await.unwrap();
        assert_eq!(contents(scene.dir()), wrecked);
    });
}
