//! A public type has a name of its own.
//!
//! Somebody who greps for a type should find one. Names that several types share cost every reader a detour, so they are
//! only accepted where the other name would say less; [`SHARED`] lists those, with the reason.

use std::collections::BTreeMap;

use super::Findings;
use super::tokens::{Kind, Token, without_tests};
use super::tree::Tree;

/// Names that may stand more than once, and why.
const SHARED: &[(&str, &str)] = &[];

pub(super) fn are_used_once(tree: &Tree, findings: &mut Findings) {
    let mut types: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, file) in tree.ending_in(".rs") {
        if !(path.starts_with("crates/") && path.contains("/src/")) || is_test(path) {
            continue;
        }
        for (name, line) in public_types(&without_tests(&file.tokens)) {
            types.entry(name).or_default().push(format!("{path}:{line}"));
        }
    }
    let total = types.len();
    let shared: Vec<_> = types.into_iter().filter(|(_, places)| places.len() > 1).collect();
    findings.note(format!("{} of {total} public type names stand more than once", shared.len()));
    for (name, _) in SHARED {
        if !shared.iter().any(|(found, _)| found == name) {
            findings
                .breach(name, "is accepted as a shared name but is none; remove it from the list");
        }
    }
    for (name, places) in shared {
        if SHARED.iter().all(|(accepted, _)| *accepted != name) {
            let what = format!(
                "is the name of {} public types; say which is which: {}",
                places.len(),
                places.join(", ")
            );
            findings.breach(name, what);
        }
    }
}

fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("tests.rs")
}

/// Names and lines of types that are `pub` without a restriction.
fn public_types(tokens: &[Token]) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if !token.is_word("pub") {
            continue;
        }
        let rest = &tokens[at + 1..];
        let rest = match rest {
            [first, rest @ ..] if first.is_word("unsafe") || first.is_word("auto") => rest,
            rest => rest,
        };
        if let [what, Token { kind: Kind::Word(name), line }, ..] = rest
            && ["struct", "enum", "trait", "type", "union"].iter().any(|word| what.is_word(word))
        {
            found.push((name.clone(), *line));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::breaches;
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let mut found = breaches(are_used_once, files);
        // The accepted names are not in these trees.
        found.retain(|breach| !breach.contains("accepted as a shared name"));
        found
    }

    #[test]
    fn a_name_of_two_public_types_is_reported_with_both() {
        let files = [
            (
                "crates/a/src/lib.rs",
                "pub struct Settings; pub(crate) struct Inner; pub enum Mode {}",
            ),
            (
                "crates/b/src/lib.rs",
                "pub struct Settings; pub(crate) struct Inner; pub trait Act {}",
            ),
        ];
        let found = found(&files);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("crates/a/src/lib.rs:1, crates/b/src/lib.rs:1"), "{found:?}");
    }

    #[test]
    fn types_of_tests_do_not_count() {
        let files = [
            ("crates/a/src/lib.rs", "pub struct A; #[cfg(test)] mod tests { pub struct A; }"),
            ("crates/a/src/tests.rs", "pub struct A;"),
        ];
        assert_eq!(found(&files), Vec::<String>::new());
    }
}
