//! Finds the platforms, so that nobody has to list them.
//!
//! Each `.rs` file in `src/platforms` is one platform. This writes `platforms.rs` into cargo's output folder, a macro
//! that declares the modules; `src/platforms.rs` calls it. A folder beside a file of the same name belongs to that
//! file, which declares what is in it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const FOLDER: &str = "src/platforms";

#[expect(clippy::print_stdout, reason = "a build script talks to cargo this way")]
fn main() {
    println!("cargo::rerun-if-changed={FOLDER}");
    if let Err(problem) = generate() {
        println!("cargo::error={problem}"); // makes the build fail, with just this message
    }
}

fn generate() -> Result<(), String> {
    let unread = |error: std::io::Error| format!("cannot read {FOLDER}: {error}");
    let mut names = BTreeSet::new();
    let mut folders = BTreeSet::new();
    for entry in fs::read_dir(FOLDER).map_err(unread)? {
        let path = entry.map_err(unread)?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        if stem.is_empty() || stem.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            folders.insert(stem);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            if !stem.chars().all(fits) {
                return Err(format!("{FOLDER}/{stem}.rs cannot name a module"));
            }
            names.insert(stem);
        }
    }
    if let Some(lost) = folders.difference(&names).next() {
        return Err(format!("{FOLDER}/{lost}/ belongs to no file: add {FOLDER}/{lost}.rs"));
    }
    // Modules that a macro declares are looked for beside its caller, so no absolute path gets into the program.
    let mut text = String::from("macro_rules! platforms {\n    () => {\n");
    for name in names {
        let _ = writeln!(text, "        mod {name};");
    }
    text.push_str("    };\n}\n");
    let target = output_folder()?.join("platforms.rs");
    write(&target, &text).map_err(|error| format!("cannot write {}: {error}", target.display()))
}

#[expect(
    clippy::disallowed_methods,
    reason = "cargo tells build scripts the folder this way and no other"
)]
fn output_folder() -> Result<PathBuf, String> {
    std::env::var_os("OUT_DIR")
        .map(PathBuf::from)
        .ok_or_else(|| "OUT_DIR is not set: run this through cargo".to_owned())
}

#[expect(
    clippy::disallowed_methods,
    reason = "cargo discards the output of a build script that was interrupted"
)]
fn write(target: &Path, text: &str) -> std::io::Result<()> {
    fs::write(target, text)
}
