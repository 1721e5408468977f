//! `hermes memory`: notes by hand.

use crate::support::{Sandbox, write};

#[test]
fn notes_are_added_shown_replaced_and_removed() {
    let sandbox = Sandbox::new();
    sandbox.run(["memory", "show"]).exits(0).says("nothing yet");
    assert!(!sandbox.home().exists(), "showing creates nothing");
    sandbox.run(["memory", "add", "uses tabs"]).exits(0).says("Entry added.");
    sandbox.run(["memory", "add", "-t", "user", "lives in Ulm"]).exits(0);
    sandbox.run(["memory", "replace", "tabs", "uses spaces"]).exits(0).says("Entry replaced.");
    sandbox.run(["memory", "show"]).exits(0).says("- uses spaces").says("- lives in Ulm");
    let shown = sandbox.run(["memory", "show", "--json"]).exits(0).json();
    assert_eq!(shown["memory"]["entries"][0], "uses spaces");
    assert_eq!(shown["user"]["limit"], 1375);
    sandbox.run(["memory", "remove", "spaces"]).exits(0);
    sandbox.run(["memory", "path"]).exits(0).says("memories/USER.md");
}

#[test]
fn a_refusal_says_why_and_what_is_there() {
    let sandbox = Sandbox::new();
    sandbox.run(["memory", "add", "runs Debian"]).exits(0);
    sandbox
        .run(["memory", "remove", "Fedora"])
        .exits(2)
        .notes("No entry holds")
        .notes("- runs Debian");
    let answer = sandbox.run(["memory", "remove", "Fedora", "--json"]).exits(2).json();
    assert_eq!(answer["success"], false);
    sandbox.run(["memory", "add", " "]).exits(1).notes("blank");
}

#[test]
fn a_bad_byte_is_named_and_kept() {
    let sandbox = Sandbox::new();
    sandbox.run(["memory", "add", "x"]).exits(0);
    let file = sandbox.path("memories/MEMORY.md");
    write(&file, b"bad \xff byte");
    sandbox.run(["memory", "add", "y"]).exits(1).notes("not valid UTF-8");
    sandbox.run(["memory", "show"]).exits(1).notes("MEMORY.md");
    assert_eq!(std::fs::read(&file).unwrap(), b"bad \xff byte");
}
