//! Checkpoints with a real git on real directories.

mod odd_files;
mod own_repository;
mod restoring;
mod several;
mod snapshots;
mod upkeep;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hermes_process::Command;
use hermes_tool::Vars;
use serde_json::json;
use tempfile::TempDir;

use super::{CheckpointSettings, CheckpointStore, SnapshotOutcome};

/// A store and a project directory, both thrown away at the end.
struct Scene {
    base: TempDir,
    project: TempDir,
    store: CheckpointStore,
}

impl Scene {
    fn new() -> Self {
        Self::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut CheckpointSettings)) -> Self {
        let (base, project) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let mut settings = settings();
        change(&mut settings);
        let store = CheckpointStore::open(&base.path().join("checkpoints"), settings);
        Self { base, project, store }
    }

    fn dir(&self) -> &Path {
        self.project.path()
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir().join(path)
    }

    fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        put(&self.at(path), content.as_ref());
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }

    /// Takes a checkpoint that must be a new one.
    async fn take(&self) -> String {
        match self.store.snapshot(self.dir(), "before a test").await.unwrap() {
            SnapshotOutcome::Taken(hash) => hash,
            other => panic!("no new checkpoint: {other:?}"),
        }
    }

    /// The hashes in the list, newest first.
    async fn hashes(&self) -> Vec<String> {
        let list = self.store.list(self.dir()).await.unwrap();
        list.into_iter().map(|checkpoint| checkpoint.hash).collect()
    }
}

fn settings() -> CheckpointSettings {
    let config = json!({"checkpoints": {"enabled": true}});
    CheckpointSettings {
        home: None,
        ..CheckpointSettings::from_config(&config, &Vars::from_process())
    }
}

fn put(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::File::create(path).unwrap().write_all(content).unwrap();
}

/// Runs a test that waits for git.
fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(test)
}

/// Git as a user runs it in a directory, with a configuration of the user's own.
async fn user_git(dir: &Path, home: &Path, args: &[&str]) -> String {
    let done = Command::new("git")
        .args(args.iter().copied())
        .cwd(dir)
        .env_inherit(["PATH"])
        .env("HOME", home)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .run()
        .await
        .unwrap();
    assert!(done.success(), "git {args:?}: {}", done.stderr.text());
    done.stdout.text()
}

/// All files and links below a directory with mode and content, sorted; `.git` left out.
fn contents(dir: &Path) -> Vec<(PathBuf, u32, Vec<u8>)> {
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::MetadataExt as _;
    let mut found = Vec::new();
    let mut ahead = vec![dir.to_owned()];
    while let Some(next) = ahead.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            if path.file_name().unwrap() == ".git" {
                continue;
            }
            if metadata.is_dir() {
                ahead.push(path);
                continue;
            }
            let content = if metadata.is_symlink() {
                fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec()
            } else {
                fs::read(&path).unwrap()
            };
            found.push((path.strip_prefix(dir).unwrap().to_owned(), metadata.mode(), content));
        }
    }
    found.sort();
    found
}
