//! Files and directories without the right to use them.
//!
//! Root may do everything, so there the calls are made by a thread that looks at files as nobody does;
//! threads it starts inherit that, and other tests do not notice.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use nix::unistd::{Uid, geteuid, setfsuid};
use serde_json::{Value, json};

use super::{Bench, names_in, patch_of};

/// The user `nobody`, as the kernel numbers it.
const NOBODY: u32 = 65_534;

/// Makes a call as somebody who has no special rights.
fn unprivileged(bench: &Bench, tool: &str, args: Value) -> Value {
    let call = bench.call_as("t", tool, args);
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            if geteuid().is_root() {
                setfsuid(Uid::from_raw(NOBODY));
            }
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(bench.runtime.call(call)).text()
        });
        serde_json::from_str(&worker.join().unwrap()).unwrap()
    })
}

fn allow(bench: &Bench, name: &str, mode: u32) {
    std::fs::set_permissions(bench.path(name), Permissions::from_mode(mode)).unwrap();
}

/// A folder anybody may look into, with a file nobody may read in it.
fn bench_with_a_closed_file() -> Bench {
    let bench = Bench::new();
    bench.put("closed.txt", "secret\n");
    std::fs::set_permissions(bench.folder.path(), Permissions::from_mode(0o755)).unwrap();
    allow(&bench, "closed.txt", 0o000);
    allow(&bench, "", 0o555);
    bench
}

#[test]
fn a_file_that_may_not_be_read_is_said_to_be_so() {
    let bench = bench_with_a_closed_file();
    for (tool, args) in [
        ("read_file", json!({"path": "closed.txt"})),
        ("write_file", json!({"path": "closed.txt", "content": "x"})),
        ("patch", json!({"path": "closed.txt", "old_string": "secret", "new_string": "x"})),
        ("patch", patch_of("*** Update File: closed.txt\n-secret\n+x\n")),
    ] {
        let answer = unprivileged(&bench, tool, args);
        let error = answer["error"].as_str().unwrap_or_else(|| panic!("{tool}: {answer}"));
        assert!(error.contains("Permission denied") && error.contains("closed.txt"), "{error}");
    }
    allow(&bench, "", 0o755);
    allow(&bench, "closed.txt", 0o644);
    assert_eq!(bench.content("closed.txt"), b"secret\n");
}

#[test]
fn a_directory_that_may_not_be_changed_stays_as_it_is() {
    let bench = bench_with_a_closed_file();
    for (tool, args) in [
        ("write_file", json!({"path": "new.txt", "content": "x"})),
        ("write_file", json!({"path": "new/deep.txt", "content": "x"})),
        ("patch", patch_of("*** Add File: new.txt\n+x\n")),
        ("patch", patch_of("*** Delete File: closed.txt\n")),
        ("patch", patch_of("*** Move File: closed.txt -> moved.txt\n")),
    ] {
        let answer = unprivileged(&bench, tool, args);
        let error = answer["error"].as_str().unwrap_or_else(|| panic!("{tool}: {answer}"));
        assert!(error.contains("Permission denied"), "{tool}: {error}");
    }
    assert_eq!(names_in(&bench.path("")), ["closed.txt"]);
}

#[test]
fn a_search_passes_over_what_it_may_not_read_and_says_so() {
    let bench = Bench::new();
    bench.put("open.txt", "secret\n");
    bench.put("closed.txt", "secret\n");
    std::fs::set_permissions(bench.folder.path(), Permissions::from_mode(0o755)).unwrap();
    allow(&bench, "closed.txt", 0o000);
    let answer = unprivileged(&bench, "search_files", json!({"pattern": "secret"}));
    assert_eq!(answer["total_count"], 1, "{answer}");
    assert!(answer["warning"].as_str().unwrap().contains("could not be read"), "{answer}");
}

#[test]
fn a_read_only_file_in_a_writable_directory_is_replaced_and_stays_read_only() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    allow(&bench, "a.txt", 0o444);
    bench.run("write_file", json!({"path": "a.txt", "content": "two\n"}));
    assert_eq!(bench.content("a.txt"), b"two\n");
    assert_eq!(bench.path("a.txt").metadata().unwrap().permissions().mode() & 0o777, 0o444);
}
