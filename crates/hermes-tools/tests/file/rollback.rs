//! A patch over several files that fails half-way: everything is as it was.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use serde_json::json;

use super::{Bench, names_in, patch_of};

/// What must be the same again: content, mode, owner, and the very file.
fn face(path: &Path) -> (Vec<u8>, u32, u32, u32, u64, i64) {
    let found = path.metadata().unwrap();
    let content = std::fs::read(path).unwrap();
    (content, found.mode(), found.uid(), found.gid(), found.ino(), found.mtime_nsec())
}

#[test]
fn files_come_back_with_mode_owner_and_time() {
    let bench = Bench::new();
    let paths = ["changed.sh", "deleted.sh", "moved.sh"].map(|name| bench.put(name, "one\n"));
    for path in &paths {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o751)).unwrap();
        if nix::unistd::geteuid().is_root() {
            std::os::unix::fs::chown(path, Some(4_321), Some(8_765)).unwrap();
        }
    }
    let before = paths.each_ref().map(|path| face(path));
    // A file stands where the last one needs a directory.
    bench.put("block", "x\n");
    let text = "*** Update File: changed.sh\n-one\n+1\n*** Delete File: deleted.sh\n\
                *** Move File: moved.sh -> there/moved.sh\n*** Add File: new.txt\n+n\n\
                *** Add File: block/b.txt\n+b\n";
    let answer = bench.run("patch", patch_of(text));
    let error = answer["error"].as_str().unwrap();
    assert!(error.starts_with("No file was changed"), "{answer}");
    assert!(error.contains("block"), "{error}");
    assert_eq!(paths.each_ref().map(|path| face(path)), before);
    let names = names_in(&bench.path(""));
    assert!(names.iter().all(|name| !name.starts_with(".hermes-tmp")), "{names:?}");
    assert!(!bench.path("new.txt").exists() && !bench.path("there/moved.sh").exists());
}

#[test]
fn what_was_taken_back_is_not_called_a_change() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    bench.put("block", "x\n");
    bench.run("read_file", json!({"path": "a.txt"}));
    bench.run_as("sibling", "read_file", json!({"path": "a.txt"}));
    let text = "*** Update File: a.txt\n-one\n+1\n*** Add File: block/b.txt\n+b\n";
    bench.error("patch", patch_of(text));
    for task in ["sibling", "t"] {
        let args = json!({"path": "a.txt", "old_string": "one", "new_string": "one"});
        assert!(bench.run_as(task, "patch", args)["error"].is_string(), "nothing to do");
    }
    let answer = bench.run_as("sibling", "write_file", json!({"path": "a.txt", "content": "x\n"}));
    assert!(answer["_warning"].is_null(), "{answer}");
}

#[test]
fn a_patch_that_succeeds_leaves_nothing_behind() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    bench.put("b.txt", "two\n");
    let text = "*** Update File: a.txt\n-one\n+1\n*** Delete File: b.txt\n";
    assert_eq!(bench.run("patch", patch_of(text))["success"], true);
    assert_eq!(names_in(&bench.path("")), ["a.txt"]);
}

#[test]
fn a_file_that_would_become_invalid_stops_the_whole_patch_before_it_begins() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    bench.put("b.json", "{\"a\": 1}\n");
    let before = face(&bench.path("a.txt"));
    let text = "*** Update File: a.txt\n-one\n+1\n*** Update File: b.json\n-{\"a\": 1}\n+{\"a\":\n";
    let error = bench.error("patch", patch_of(text));
    assert!(error.contains("No file was changed") && error.contains("b.json"), "{error}");
    assert_eq!(face(&bench.path("a.txt")), before);
    assert_eq!(bench.content("b.json"), b"{\"a\": 1}\n");
}

#[test]
fn links_are_kept_and_modes_too_in_both_ways_of_patching() {
    let bench = Bench::new();
    let real = bench.put("real.txt", "one\n");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.txt", bench.path("link.txt")).unwrap();
    bench.run("patch", json!({"path": "link.txt", "old_string": "one", "new_string": "two"}));
    assert_eq!(bench.content("real.txt"), b"two\n");
    bench.run("patch", patch_of("*** Update File: link.txt\n-two\n+three\n"));
    assert_eq!(bench.content("real.txt"), b"three\n");
    assert!(bench.path("link.txt").is_symlink());
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
}
