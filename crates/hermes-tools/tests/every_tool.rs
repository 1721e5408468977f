//! What is asked of every built-in tool. A new tool needs no edit here.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hermes_tool::{Tool, linked_tools};
use hermes_tools as _;
use serde_json::Value;

/// Characters of a description: below, it says too little; above, every request pays for it.
const DESCRIPTION_CHARS: std::ops::RangeInclusive<usize> = 30..=1_500;

fn tools() -> Vec<(&'static str, Tool)> {
    let tools = linked_tools();
    assert!(!tools.is_empty(), "the crate is not linked");
    tools
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// `src/todo/todo.rs` holds `hermes_tools::todo::todo`.
fn module_of(file: &Path) -> String {
    let mut module = String::from("hermes_tools");
    for part in file.with_extension("").iter() {
        module.push_str("::");
        module.push_str(part.to_str().unwrap());
    }
    module
}

#[test]
fn every_file_that_declares_a_tool_registers_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let modules: BTreeSet<&str> = tools().iter().map(|(module, _)| *module).collect();
    let mut files = Vec::new();
    rust_files(&source, &mut files);
    let mut declaring = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        if !text.lines().any(|line| line.starts_with("#[tool(")) {
            continue;
        }
        declaring += 1;
        let file = file.strip_prefix(&source).unwrap();
        let module = module_of(file);
        assert!(
            modules.contains(module.as_str()),
            "src/{} declares a tool, but none is linked from {module}",
            file.display()
        );
    }
    assert_eq!(
        declaring,
        modules.len(),
        "a tool is linked from a file without a line `#[tool(`: {modules:?}"
    );
}

#[test]
fn every_tool_belongs_to_the_toolset_of_its_folder() {
    for (module, tool) in tools() {
        let folder = module.split("::").nth(1).unwrap();
        assert_eq!(tool.toolset().as_ref(), folder, "{module}");
    }
}

#[test]
fn every_name_is_used_once() {
    let mut seen = BTreeSet::new();
    for (module, tool) in tools() {
        assert!(seen.insert(tool.name().clone()), "{} again in {module}", tool.name());
    }
}

#[test]
fn every_description_is_of_reasonable_length() {
    for (module, tool) in tools() {
        let description = tool.description();
        let length = description.chars().count();
        assert!(DESCRIPTION_CHARS.contains(&length), "{module}: {length} characters");
        assert_eq!(description, description.trim(), "{module}");
    }
}

#[test]
fn every_argument_says_what_it_is_for() {
    for (module, tool) in tools() {
        assert_described(tool.parameters(), module);
    }
}

fn assert_described(schema: &Value, place: &str) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let place = format!("{place}.{name}");
        let description = property["description"].as_str().unwrap_or_default();
        assert!(!description.is_empty(), "{place} has no doc comment");
        assert_described(property, &place);
        assert_described(&property["items"], &place);
    }
}
