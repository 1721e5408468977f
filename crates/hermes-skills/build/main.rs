//! Puts the skills below `bundled/` into the crate: a table of paths and contents.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[expect(clippy::print_stdout, reason = "a build script talks to cargo this way")]
#[expect(clippy::disallowed_methods, reason = "cargo speaks to a build script through variables")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("bundled");
    println!("cargo::rerun-if-changed=bundled");
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut table = String::from("&[\n");
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let relative = file.strip_prefix(&root)?.to_str().ok_or("a path that is not Unicode")?;
        let path = file.to_str().ok_or("a path that is not Unicode")?;
        writeln!(table, "    ({relative:?}, include_bytes!({path:?})),")?;
    }
    table.push(']');
    std::fs::write(PathBuf::from(std::env::var("OUT_DIR")?).join("stock.rs"), table)?;
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a build script talks to cargo this way")]
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
