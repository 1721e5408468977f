//! Builds the program with tools that are not in the repository.
//!
//! The workspace is copied below cargo's target folder, two files are added to the copy, and cargo
//! builds it: offline, with a target folder of its own. Both folders stay, and a file is written
//! only where it differs, so that only the first run compiles everything (minutes) and the others
//! compile what changed (seconds).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::Value;

use crate::support::{std_command, write};

/// The files of a folder by their paths in it.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Everything that is added: a tool in a folder that exists, and one in a new folder.
const ADDED: [(&str, &str); 2] = [
    ("crates/hermes-tools/src/todo/wait.rs", include_str!("../fixtures/wait.rs")),
    ("crates/hermes-tools/src/text/slug.rs", include_str!("../fixtures/slug.rs")),
];

/// The program with the added tools.
pub(super) fn program() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(build).clone()
}

fn build() -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("adding-a-tool");
    let copy = place.join("workspace");
    fs::create_dir_all(&copy).unwrap();
    // Tests run in processes of their own; one of them builds, the others find it done.
    let lock = fs::File::create(place.join("lock")).unwrap();
    lock.lock().unwrap();
    let mut wanted = workspace();
    for (path, text) in ADDED {
        let replaced = wanted.insert(path.into(), text.into());
        assert!(replaced.is_none(), "{path} is not new");
    }
    make_equal(&copy, &wanted);
    cargo_build(&copy, &place.join("target"))
}

/// What it takes to build the program: the crates, and the root without its other members.
fn workspace() -> Files {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Files::new();
    for name in ["Cargo.lock", "rust-toolchain.toml"] {
        if let Ok(bytes) = fs::read(root.join(name)) {
            files.insert(name.into(), bytes);
        }
    }
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let members: Vec<&str> =
        manifest.lines().filter(|line| line.starts_with("members = [\"crates/*\"")).collect();
    let [members] = members[..] else { panic!("members are written otherwise: {manifest}") };
    let manifest = manifest.replacen(members, "members = [\"crates/*\"]", 1);
    files.insert("Cargo.toml".into(), manifest.into_bytes());
    collect(&root, Path::new("crates"), &mut files);
    files
}

fn collect(root: &Path, folder: &Path, files: &mut Files) {
    let Ok(entries) = fs::read_dir(root.join(folder)) else { return };
    for entry in entries {
        let entry = entry.unwrap();
        let path = folder.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            collect(root, &path, files);
        } else {
            files.insert(path, fs::read(entry.path()).unwrap());
        }
    }
}

/// Makes a folder hold these files and no others. Cargo looks at times, so a file that is as it
/// should be is not touched.
fn make_equal(folder: &Path, wanted: &Files) {
    let mut present = Files::new();
    collect(folder, Path::new(""), &mut present);
    for stray in present.keys().filter(|path| !wanted.contains_key(*path)) {
        fs::remove_file(folder.join(stray)).unwrap();
    }
    for (path, bytes) in wanted {
        if present.get(path) != Some(bytes) {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            write(&path, bytes);
        }
    }
}

/// Builds the program in `workspace`; answers where it is.
fn cargo_build(workspace: &Path, target: &Path) -> PathBuf {
    let output = std_command(env!("CARGO"))
        .args(["build", "--offline", "--package=hermes", "--bin=hermes"])
        .arg("--message-format=json-render-diagnostics")
        .arg("--target-dir")
        .arg(target)
        .current_dir(workspace)
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .output()
        .unwrap();
    let messages = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .unwrap()
}
