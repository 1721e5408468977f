use std::os::unix::fs::PermissionsExt;

use hermes_files::fs::{FsError, Resolved, TEMP_PREFIX};

use super::*;

/// An error with its kind, without the numbers that differ between two trees.
fn told<T: std::fmt::Debug>(result: Result<T, FsError>) -> String {
    match result {
        Ok(value) => format!("{value:?}"),
        Err(error) => format!("{}: {error}", error.kind()),
    }
}

const ODD: &str = "folder/./../plain/../folder//inner";

#[tokio::test]
async fn paths_are_resolved_alike_in_one_round_trip() {
    let twins = Twins::new(one_of_everything);
    for path in CANONICAL.into_iter().chain(LINKED).chain(["", "..", "./folder/..", ODD]) {
        twins.shell.runs();
        twins
            .agree(path, async |files, base| {
                let resolved = files.resolve(base.join(path)).await.map(|mut resolved| {
                    if let Some(stat) = &mut resolved.stat {
                        // Times and numbers are those of the file itself.
                        let real = resolved.canonical.symlink_metadata().unwrap();
                        let ns = i128::from(real.mtime()) * 1_000_000_000;
                        assert_eq!(stat.stamp.modified_ns, ns + i128::from(real.mtime_nsec()));
                        assert_eq!((stat.stamp.inode, stat.stamp.size), (real.ino(), real.size()));
                        (stat.stamp.modified_ns, stat.stamp.inode) = (0, 0);
                        if real.is_dir() {
                            stat.stamp.size = 0;
                        }
                    }
                    resolved
                });
                told(resolved)
            })
            .await;
        assert_eq!(twins.shell.runs(), 1, "{path}");
    }
}

#[tokio::test]
async fn names_that_are_no_text_are_names() {
    let twins = Twins::new(one_of_everything);
    let name = std::ffi::OsStr::from_bytes(b"latin-\xe4\xff");
    let said = twins
        .agree("latin", async |files, base| {
            let resolved = files.resolve(base.join(name)).await.unwrap();
            assert_eq!(resolved.canonical, base.join(name));
            told(files.read(resolved.canonical, 100).await.map(|(content, _)| content))
        })
        .await;
    assert!(said.contains("108"), "{said}");
    twins
        .agree("write", async |files, base| {
            told(files.write(base.join(name), b"x".into()).await.map(|w| w.bytes))
        })
        .await;
    let zero = Path::new("/tmp/a\0b");
    twins
        .agree("zero", async |files, _| told(files.resolve(zero.to_owned()).await.map(drop)))
        .await;
}

#[tokio::test]
async fn a_long_row_of_links_is_followed_and_a_longer_one_is_a_circle() {
    let twins = Twins::new(|base| {
        put(base.join("0"), "end");
        for link in 1..=41 {
            symlink((link - 1).to_string(), base.join(link.to_string())).unwrap();
        }
    });
    for (last, expected) in [("40", "Resolved"), ("41", "link_loop")] {
        let said = twins
            .agree(last, async |files, base| {
                told(files.resolve(base.join(last)).await.map(|r| Resolved { stat: None, ..r }))
            })
            .await;
        assert!(said.starts_with(expected), "{said}");
    }
}

#[tokio::test]
async fn files_are_written_alike_in_one_round_trip() {
    let twins = Twins::new(one_of_everything);
    let binary: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    for path in CANONICAL.into_iter().chain(LINKED) {
        twins.shell.runs();
        twins
            .agree(path, async |files, base| {
                let path = base.join(path);
                told(files.write(path.clone(), binary.clone()).await.map(|written| {
                    let real = path.metadata().unwrap();
                    assert_eq!(written.stamp.inode, real.ino());
                    let ns =
                        i128::from(real.mtime()) * 1_000_000_000 + i128::from(real.mtime_nsec());
                    assert_eq!(written.stamp.modified_ns, ns);
                    (written.bytes, written.made_directories, written.stamp.size)
                }))
            })
            .await;
        assert_eq!(twins.shell.runs(), 1, "{path}");
    }
}

#[tokio::test]
async fn a_write_keeps_the_mode_and_the_attributes() {
    let twins = Twins::new(|base| {
        for (name, mode) in [("tool", 0o755), ("secret", 0o600), ("group", 0o2664)] {
            put(base.join(name), "old");
            std::fs::set_permissions(base.join(name), PermissionsExt::from_mode(mode)).unwrap();
        }
    });
    for name in ["tool", "secret", "group", "fresh"] {
        twins
            .agree(name, async |files, base| {
                told(files.write(base.join(name), b"new".into()).await.map(|written| written.bytes))
            })
            .await;
    }
}

#[tokio::test]
async fn content_that_does_not_arrive_whole_changes_nothing() {
    struct Cut(Arc<LocalShell>);
    impl ScriptRunner for Cut {
        fn run(&self, mut job: ScriptJob) -> BoxFuture<Result<RawRun, ExecError>> {
            job.input.truncate(5);
            self.0.run(job)
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    put(&path, "old");
    let files = RemoteFiles::new(Arc::new(Cut(LocalShell::here())), FilesLocation::Remote);
    let error = files.write(path.clone(), b"new content".into()).await.unwrap_err();
    assert!(error.to_string().contains("did not arrive whole"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
}

#[tokio::test]
async fn a_full_disk_is_told_and_leaves_the_file_alone() {
    // A write to this device fails like one to a full disk, and the message is the tool's own.
    struct Full(Arc<LocalShell>);
    impl ScriptRunner for Full {
        fn run(&self, mut job: ScriptJob) -> BoxFuture<Result<RawRun, ExecError>> {
            job.script = job.script.replace("cat >>\"$temp\"", "cat >/dev/full");
            self.0.run(job)
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    put(&path, "old");
    let files = RemoteFiles::new(Arc::new(Full(LocalShell::here())), FilesLocation::Remote);
    let error = files.write(path.clone(), vec![b'x'; 10_000]).await.unwrap_err();
    assert!(matches!(error, FsError::NoSpace(_)), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn old_leftovers_are_cleared_and_the_files_of_others_at_work_stay() {
    let folder = tempfile::tempdir().unwrap();
    let leftover = folder.path().join(format!("{TEMP_PREFIX}there-1.1.1"));
    put(&leftover, "x");
    LocalShell::here().files().write(folder.path().join("a"), b"x".into()).await.unwrap();
    assert!(leftover.exists(), "it may belong to somebody at work");
    struct Tomorrow(Arc<LocalShell>);
    impl ScriptRunner for Tomorrow {
        fn run(&self, mut job: ScriptJob) -> BoxFuture<Result<RawRun, ExecError>> {
            job.script = job.script.replace("$(date +%s)", "($(date +%s) + 90000)");
            self.0.run(job)
        }
    }
    let files = RemoteFiles::new(Arc::new(Tomorrow(LocalShell::here())), FilesLocation::Remote);
    files.write(folder.path().join("a"), b"x".into()).await.unwrap();
    assert!(!leftover.exists());
}

#[tokio::test]
async fn files_are_removed_alike() {
    let twins = Twins::new(one_of_everything);
    for path in LINKED.into_iter().chain(CANONICAL) {
        twins.agree(path, async |files, base| told(files.remove(base.join(path)).await)).await;
    }
}

#[tokio::test]
async fn files_are_moved_alike_and_never_over_others() {
    const FROM: [&str; 8] =
        ["plain", "folder", "link", "pipe", "missing", "-rf", "plain/below", "to-folder/inner"];
    const TO: [&str; 8] = [
        "new/place/it's",
        "empty",
        "link",
        "dangling",
        "folder",
        "plain/below/that",
        "to-folder/new",
        "to-folder/deeper/new",
    ];
    for path in FROM {
        let twins = Twins::new(one_of_everything);
        for target in TO {
            twins
                .agree(&format!("{path} to {target}"), async |files, base| {
                    told(files.rename(base.join(path), base.join(target)).await)
                })
                .await;
        }
    }
}

#[tokio::test]
async fn names_in_a_directory_are_the_same() {
    let twins = Twins::new(one_of_everything);
    for path in ["", "folder", "to-folder", "plain", "missing", "plain/below", "pipe"] {
        twins
            .agree(path, async |files, base| {
                told(files.names(base.join(path), 100).await.map(|mut names| {
                    names.sort();
                    names
                }))
            })
            .await;
    }
    let some = twins
        .agree("some", async |files, base| files.names(base, 3).await.unwrap().len().to_string())
        .await;
    assert_eq!(some, "3");
}

#[tokio::test]
async fn a_kept_file_comes_back_as_it_was() {
    for path in
        ["plain", "it's \"odd\" $HOME\n-n", "missing", "folder", "plain/below", "to-folder/inner"]
    {
        let twins = Twins::new(one_of_everything);
        twins
            .agree(path, async |files, base| {
                let path = base.join(path);
                let kept = match files.keep(path.clone()).await {
                    Ok(kept) => kept,
                    Err(error) => return told::<()>(Err(error)),
                };
                assert!(kept.file_name().unwrap().to_str().unwrap().starts_with(TEMP_PREFIX));
                let before = path.metadata().unwrap().ino();
                files.write(path.clone(), b"new".into()).await.unwrap();
                files.put_back(kept, path.clone()).await.unwrap();
                assert_eq!(path.metadata().unwrap().ino(), before);
                // With nothing done in between, the second name goes too.
                let kept = files.keep(path.clone()).await.unwrap();
                files.put_back(kept, path.clone()).await.unwrap();
                let kept = files.keep(path.clone()).await.unwrap();
                files.remove(path.clone()).await.unwrap();
                told(files.put_back(kept, path).await)
            })
            .await;
    }
}

/// Somebody over there exchanges a folder for a link while files in it are written, read and removed. What was
/// judged is that folder, so nothing happens where the link leads.
#[tokio::test(flavor = "multi_thread")]
async fn a_directory_exchanged_for_a_link_leads_nowhere() {
    use nix::fcntl::AT_FDCWD;
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let (judged, link, outside) = (base.join("judged"), base.join("link"), base.join("outside"));
    symlink(&outside, &link).unwrap();
    std::fs::create_dir(&judged).unwrap();
    std::fs::create_dir(&outside).unwrap();
    put(outside.join("secret"), "hush");
    let over = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let swapper = {
        let (over, judged) = (Arc::clone(&over), judged.clone());
        std::thread::spawn(move || {
            let both = nix::fcntl::RenameFlags::RENAME_EXCHANGE;
            while !over.load(Ordering::Relaxed) {
                nix::fcntl::renameat2(AT_FDCWD, &judged, AT_FDCWD, &link, both).unwrap();
            }
        })
    };
    let files = LocalShell::here().files();
    for _ in 0..40 {
        // Each may fail or succeed; none may happen elsewhere.
        let _ = files.write(judged.join("written"), b"x".into()).await;
        let _ = files.write(judged.join("new/deep"), b"x".into()).await;
        let _ = files.remove(judged.join("secret")).await;
        if let Ok((content, _)) = files.read(judged.join("secret"), 100).await {
            panic!("read through the link: {content:?}");
        }
    }
    over.store(true, Ordering::Relaxed);
    swapper.join().unwrap();
    let left: Vec<_> =
        std::fs::read_dir(&outside).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["secret"]);
}
