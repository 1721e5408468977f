//! A disk without room: the write fails, says so, and everything is as it was.
//!
//! Root gets a real disk of 64 KiB. Anybody else meets the other limit the kernel sets to files, their
//! size, in a child whose shell has lowered it; there the same calls have to come out the same way.

use std::path::{Path, PathBuf};

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use serde_json::json;

use super::{Bench, names_in, patch_of, shown};

const OLD: &str = "old content\n";

/// Set in the child that may write only small files.
const LIMITED: &str = "HERMES_TEST_LIMITED_FILES";

/// A disk of 64 KiB that goes away with the test.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(path: &Path) -> nix::Result<Self> {
        std::fs::create_dir_all(path).unwrap();
        mount(Some("tmpfs"), path, Some("tmpfs"), MsFlags::empty(), Some("size=64k"))?;
        Ok(Self(path.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = umount2(&self.0, MntFlags::MNT_DETACH);
    }
}

#[test]
fn a_full_disk_leaves_files_as_they_were() {
    if !nix::unistd::geteuid().is_root() {
        return in_a_limited_child("full_disk::files_that_grow_too_large_stay_as_they_were");
    }
    let bench = Bench::new();
    let disk = SmallDisk::mount(&bench.path("disk")).unwrap();
    try_everything(&bench, &disk.0, "No space left", "no_space");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the child is told what it is by its environment")]
fn files_that_grow_too_large_stay_as_they_were() {
    if std::env::var_os(LIMITED).is_none() {
        return in_a_limited_child("full_disk::files_that_grow_too_large_stay_as_they_were");
    }
    let bench = Bench::new();
    try_everything(&bench, &bench.path("disk"), "File too large", "io");
}

/// Runs one test of this program under a limit of 64 KiB to a file.
fn in_a_limited_child(test: &str) {
    let program = std::env::current_exe().unwrap();
    let done = hermes_process::Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 128; exec \"$0\" --exact \"$1\" --nocapture"])
        .arg(program)
        .arg(test)
        .env_inherit(["PATH", "HOME", "TMPDIR"])
        .env(LIMITED, "1")
        .run_blocking()
        .unwrap();
    let text = done.stdout.text();
    assert!(done.success() && text.contains("1 passed"), "{text}\n{}", done.stderr.text());
}

fn try_everything(bench: &Bench, disk: &Path, message: &str, kind: &str) {
    std::fs::create_dir_all(disk).unwrap();
    let file = |name: &str| shown(&disk.join(name));
    bench.run("write_file", json!({"path": file("a.txt"), "content": OLD}));
    bench.run("write_file", json!({"path": file("b.txt"), "content": OLD}));
    bench.run("write_file", json!({"path": file("c.txt"), "content": OLD}));
    let huge = "new content, and much of it\n".repeat(10_000);
    let added = "+new content, and much of it\n".repeat(10_000);
    let several = format!(
        "*** Update File: {}\n-old content\n+changed\n*** Delete File: {}\n*** Add File: {}\n{added}",
        file("b.txt"),
        file("c.txt"),
        file("new.txt"),
    );
    for (tool, args) in [
        ("write_file", json!({"path": file("a.txt"), "content": huge})),
        ("write_file", json!({"path": file("new.txt"), "content": huge})),
        ("patch", json!({"path": file("a.txt"), "old_string": "old content", "new_string": huge})),
        ("patch", patch_of(&several)),
    ] {
        let answer = bench.run(tool, args);
        let error = answer["error"].as_str().unwrap_or_else(|| panic!("{tool}: {answer}"));
        assert!(error.contains(message), "{tool}: {error}");
        assert_eq!(answer["error_type"], kind, "{tool}: {error}");
        for name in ["a.txt", "b.txt", "c.txt"] {
            assert_eq!(std::fs::read(disk.join(name)).unwrap(), OLD.as_bytes(), "{tool}: {name}");
        }
        assert_eq!(names_in(disk), ["a.txt", "b.txt", "c.txt"], "{tool}: nothing stays behind");
    }
}
