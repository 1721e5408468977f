//! Finds the tool files, so that nobody has to list them.
//!
//! Writes `toolsets.rs` into cargo's output folder; `src/lib.rs` includes it. The rules are in
//! `scan`, which `tests/discovery.rs` tests. Cargo runs this again whenever a file or folder below
//! `src` is added, removed or changed.

use std::path::{Path, PathBuf};

mod scan;

#[expect(clippy::print_stdout, reason = "a build script talks to cargo this way")]
fn main() {
    println!("cargo::rerun-if-changed=src");
    if let Err(problem) = generate() {
        println!("cargo::error={problem}"); // makes the build fail, with just this message
    }
}

fn generate() -> Result<(), String> {
    let toolsets = scan::toolsets(Path::new("src"))?;
    let target = output_folder()?.join("toolsets.rs");
    write(&target, &scan::declarations(&toolsets))
        .map_err(|error| format!("cannot write {}: {error}", target.display()))
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
    std::fs::write(target, text)
}
