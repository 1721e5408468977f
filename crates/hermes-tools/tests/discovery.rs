//! The rules by which the build script turns files into modules.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use hermes_tools as _;

#[path = "../build/scan.rs"]
mod scan;

/// A source folder with these empty files.
fn source(files: &[&str]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for file in files {
        let path = root.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::File::create(path).unwrap();
    }
    root
}

fn found(files: &[&str]) -> Vec<String> {
    scan::toolsets(source(files).path())
        .unwrap()
        .into_iter()
        .flat_map(|toolset| {
            let name = toolset.name;
            toolset.modules.into_iter().map(move |module| format!("{name}::{module}"))
        })
        .collect()
}

fn problem(files: &[&str]) -> String {
    scan::toolsets(source(files).path()).unwrap_err()
}

#[test]
fn each_file_of_each_folder_is_a_module_in_sorted_order() {
    let files = ["web/search.rs", "file/patch.rs", "file/_shared.rs", "lib.rs"];
    assert_eq!(found(&files), ["file::_shared", "file::patch", "web::search"]);
}

#[test]
fn a_folder_beside_a_file_of_its_name_belongs_to_that_file() {
    let files = ["agent.rs", "agent/part.rs", "file/patch.rs", "file/patch/parse.rs"];
    assert_eq!(found(&files), ["file::patch"]);
}

#[test]
fn hidden_files_and_other_kinds_are_left_alone() {
    let files = [
        "file/patch.rs",
        "file/patch.md",
        "file/patch.rs~",
        "file/.#patch.rs",
        ".cache/old.rs",
        "file/samples/one.txt",
    ];
    assert_eq!(found(&files), ["file::patch"]);
}

#[test]
fn a_folder_without_rust_files_is_no_toolset() {
    assert_eq!(found(&["notes/readme.md"]), Vec::<String>::new());
}

#[test]
fn a_mod_file_is_refused() {
    let problem = problem(&["file/mod.rs"]);
    assert!(problem.contains("mod.rs is not needed"), "{problem}");
}

#[test]
fn rust_files_that_no_module_owns_are_refused() {
    for files in [["file/patch.rs", "file/deep/parse.rs"], ["lib.rs", "file/deep/parse.rs"]] {
        let problem = problem(&files);
        assert!(problem.contains("add deep.rs"), "{problem}");
    }
}

#[test]
fn names_that_are_no_identifiers_are_refused() {
    for file in ["file/read-file.rs", "home-assistant/on.rs", "file/2fa.rs"] {
        let problem = problem(&[file]);
        assert!(problem.contains("cannot name a module"), "{problem}");
    }
}

#[test]
fn a_missing_source_folder_is_named() {
    let problem = scan::toolsets(Path::new("/no/such/folder")).unwrap_err();
    assert!(problem.contains("/no/such/folder"), "{problem}");
}

#[test]
fn modules_are_declared_without_paths() {
    let toolsets = scan::toolsets(source(&["file/patch.rs"]).path()).unwrap();
    let text = scan::declarations(&toolsets);
    let words: Vec<&str> = text.split_whitespace().collect();
    assert_eq!(
        words.join(" "),
        "macro_rules! toolsets { () => { pub(crate) mod file { pub(crate) mod patch; } }; }"
    );
}

#[test]
fn exports_make_a_toolset_public_and_nothing_else_in_it() {
    let toolsets = scan::toolsets(source(&["todo/todo.rs", "todo/exports.rs"]).path()).unwrap();
    let text = scan::declarations(&toolsets);
    assert!(text.contains("pub mod todo {"), "{text}");
    assert!(text.contains("pub use exports::*;"), "{text}");
    assert!(text.contains("pub(crate) mod todo;"), "{text}");
}
