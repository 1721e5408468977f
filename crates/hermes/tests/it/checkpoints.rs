//! Checkpoints: taken before a tool changes a project, listed, compared and restored.

use serde_json::json;

use crate::support::{Sandbox, write};

/// A project in which a tool has changed one file and made another.
fn changed_project() -> (Sandbox, std::path::PathBuf) {
    let sandbox = Sandbox::with_config("checkpoints:\n  enabled: true\n");
    let project = sandbox.scratch("project");
    std::fs::create_dir_all(&project).unwrap();
    write(&project.join("Makefile"), b"all:\n");
    write(&project.join("a.txt"), b"before\n");
    for (name, content) in [("a.txt", "after\n"), ("new.txt", "new\n")] {
        let call = json!({"path": project.join(name), "content": content}).to_string();
        sandbox.run(["tools", "call", "write_file", call.as_str()]).exits(0);
    }
    (sandbox, project)
}

fn checkpoints(sandbox: &Sandbox, project: &std::path::Path) -> Vec<String> {
    let dir = project.to_str().unwrap();
    let list = sandbox.run(["checkpoints", "list", "--dir", dir, "--json"]).exits(0).json();
    list.as_array().unwrap().iter().map(|row| row["hash"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_change_can_be_looked_at_and_taken_back() {
    let (sandbox, project) = changed_project();
    let dir = project.to_str().unwrap();
    let all = checkpoints(&sandbox, &project);
    let first = all.last().unwrap();
    sandbox
        .run(["checkpoints", "show", first, "--dir", dir])
        .exits(0)
        .says("-before")
        .says("+after");
    sandbox.run(["checkpoints", "restore", first, "--dir", dir]).exits(1).notes("--yes");
    assert_eq!(std::fs::read(project.join("a.txt")).unwrap(), b"after\n");
    sandbox
        .run(["checkpoints", "restore", first, "--dir", dir, "--yes"])
        .exits(0)
        .says("remove  new.txt");
    assert_eq!(std::fs::read(project.join("a.txt")).unwrap(), b"before\n");
    assert!(!project.join("new.txt").exists());
    assert!(checkpoints(&sandbox, &project).len() > all.len(), "the state before was saved");
}

#[test]
fn one_file_can_be_taken_back_alone() {
    let (sandbox, project) = changed_project();
    let dir = project.to_str().unwrap();
    let first = checkpoints(&sandbox, &project).pop().unwrap();
    let args = ["checkpoints", "restore", first.as_str(), "--file", "a.txt", "--dir", dir, "--yes"];
    sandbox.run(args).exits(0);
    assert_eq!(std::fs::read(project.join("a.txt")).unwrap(), b"before\n");
    assert!(project.join("new.txt").exists());
}

#[test]
fn without_checkpoints_the_way_to_have_some_is_told() {
    let sandbox = Sandbox::new();
    sandbox.run(["checkpoints", "list"]).exits(0).notes("checkpoints.enabled");
    sandbox.run(["checkpoints", "status"]).exits(0).says("off");
    sandbox.run(["checkpoints", "prune"]).exits(0);
    assert!(sandbox.entries().is_empty(), "looking makes nothing");
}

#[test]
fn a_hash_that_is_none_is_refused() {
    let (sandbox, project) = changed_project();
    let dir = project.to_str().unwrap();
    for hash in ["zzzz", "12", "0123456789abcdef"] {
        sandbox.run(["checkpoints", "show", hash, "--dir", dir]).exits(2);
    }
}
