//! The modules of a crate use each other in one direction.
//!
//! A circle of modules is one module in several files: none of them can be read, moved or tested alone. The graph is
//! computed from paths that begin with `crate::`, `super::` or `self::`, in `use` lines and in code, tests left out. A
//! module and what lies below it are one thing and may use each other; two modules under the same parent may not form a
//! circle, counting what lies below them as part of them.

use std::collections::{BTreeMap, BTreeSet};

use super::Findings;
use super::tokens::{Kind, Token, inside, without_tests};
use super::tree::Tree;

/// The names from the crate's root to a module.
type ModulePath = Vec<String>;

pub(super) fn form_no_circles(tree: &Tree, findings: &mut Findings) {
    let mut crates: BTreeMap<&str, Vec<(ModulePath, &[Token])>> = BTreeMap::new();
    for (path, file) in tree.ending_in(".rs") {
        let Some((name, inner)) = path.split_once("/src/") else { continue };
        let Some(module) = module_path(inner) else { continue };
        crates.entry(name).or_default().push((module, &file.tokens));
    }
    let mut modules = 0;
    for (name, files) in &crates {
        modules += files.len();
        for circle in circles(&uses(files)) {
            let names: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
            let what = "use each other in a circle: move what they share below them, or join them";
            findings.breach(format!("{name}: {}", names.join(", ")), what);
        }
    }
    findings.note(format!("{modules} modules in {} crates", crates.len()));
}

/// `a/b.rs` and `a/b/mod.rs` are `a::b`; files of tests have no place in the graph.
fn module_path(inner: &str) -> Option<ModulePath> {
    let mut names: ModulePath = inner.strip_suffix(".rs")?.split('/').map(str::to_owned).collect();
    if names.iter().any(|name| name == "tests" || name.ends_with("_tests") || name == "bin") {
        return None;
    }
    if matches!(names.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        names.pop();
    }
    Some(names)
}

/// Which siblings use which, everything below them included.
fn uses(files: &[(ModulePath, &[Token])]) -> BTreeMap<ModulePath, BTreeSet<ModulePath>> {
    let known: BTreeSet<&ModulePath> = files.iter().map(|(module, _)| module).collect();
    let mut graph: BTreeMap<ModulePath, BTreeSet<ModulePath>> = BTreeMap::new();
    for (module, tokens) in files {
        for mut target in paths(&without_tests(tokens), module) {
            while !known.contains(&target) && !target.is_empty() {
                target.pop();
            }
            let shared = module.iter().zip(&target).take_while(|(a, b)| a == b).count();
            // One above the other: a module and its own children.
            if shared == module.len() || shared == target.len() {
                continue;
            }
            let (from, to) = (module[..=shared].to_vec(), target[..=shared].to_vec());
            graph.entry(from).or_default().insert(to);
        }
    }
    graph
}

/// Every path that begins with `crate`, `super` or `self`, from the crate's root.
fn paths(tokens: &[Token], module: &ModulePath) -> Vec<ModulePath> {
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let Kind::Word(word) = &tokens[at].kind else { continue };
        if at > 0 && (tokens[at - 1].is_mark(':') || tokens[at - 1].is_mark('$')) {
            continue;
        }
        let mut base = module.clone();
        match word.as_str() {
            "crate" => base.clear(),
            "super" => {
                base.pop();
            }
            "self" => {}
            _ => continue,
        }
        if let Some(rest) = after_colons(&tokens[at + 1..]) {
            follow(rest, base, &mut found);
        }
    }
    found
}

fn after_colons(tokens: &[Token]) -> Option<&[Token]> {
    match tokens {
        [first, second, rest @ ..] if first.is_mark(':') && second.is_mark(':') => Some(rest),
        _ => None,
    }
}

/// Follows a path to its end, or to each of its ends where it branches in braces.
fn follow(tokens: &[Token], mut base: ModulePath, found: &mut Vec<ModulePath>) {
    match tokens.first().map(|token| &token.kind) {
        Some(Kind::Word(word)) => {
            if word == "super" {
                base.pop();
            } else if word != "self" {
                base.push(word.clone());
            }
            match after_colons(&tokens[1..]) {
                Some(rest) => follow(rest, base, found),
                None => found.push(base),
            }
        }
        Some(Kind::Open) => {
            for branch in branches(inside(tokens)) {
                follow(branch, base.clone(), found);
            }
        }
        _ => found.push(base),
    }
}

/// The parts of a list between its own commas.
fn branches(tokens: &[Token]) -> Vec<&[Token]> {
    let mut depth = 0_usize;
    tokens
        .split(|token| {
            match token.kind {
                Kind::Open => depth += 1,
                Kind::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && token.is_mark(',')
        })
        .filter(|branch| !branch.is_empty())
        .collect()
}

/// Groups of modules that can all be reached from each other.
fn circles(graph: &BTreeMap<ModulePath, BTreeSet<ModulePath>>) -> Vec<BTreeSet<ModulePath>> {
    let reachable = |from: &ModulePath| {
        let mut seen: BTreeSet<&ModulePath> = BTreeSet::new();
        let mut next: Vec<&ModulePath> = graph.get(from).into_iter().flatten().collect();
        while let Some(module) = next.pop() {
            if seen.insert(module) {
                next.extend(graph.get(module).into_iter().flatten());
            }
        }
        seen
    };
    let reach: BTreeMap<&ModulePath, BTreeSet<&ModulePath>> =
        graph.keys().map(|module| (module, reachable(module))).collect();
    let mut circles: BTreeSet<BTreeSet<ModulePath>> = BTreeSet::new();
    for (module, others) in &reach {
        if others.contains(module) {
            let back = |other: &&&ModulePath| {
                reach.get(**other).is_some_and(|reached| reached.contains(module))
            };
            circles.insert(others.iter().filter(back).map(|other| (*other).clone()).collect());
        }
    }
    circles.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::super::breaches;
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        breaches(form_no_circles, files)
    }

    #[test]
    fn siblings_in_a_circle_are_named() {
        let files = [
            ("crates/x/src/lib.rs", "mod a; mod b; mod c;"),
            ("crates/x/src/a.rs", "use crate::b::{B, c};"),
            ("crates/x/src/b.rs", "fn f() { super::c::go() }"),
            ("crates/x/src/c/mod.rs", "mod deep;"),
            ("crates/x/src/c/deep.rs", "use {crate::a::A, std::fmt};"),
        ];
        assert_eq!(found(&files).len(), 1, "{:?}", found(&files));
        assert!(found(&files)[0].starts_with("crates/x: a, b, c: "), "{:?}", found(&files));
    }

    #[test]
    fn a_module_and_its_children_are_one_thing() {
        let files = [
            ("crates/x/src/a.rs", "mod b; use self::b::B;"),
            ("crates/x/src/a/b.rs", "use super::A; use crate::Top;"),
            ("crates/x/src/lib.rs", "mod a; use crate::a::A;"),
        ];
        assert_eq!(found(&files), Vec::<String>::new());
    }

    #[test]
    fn tests_and_comments_do_not_count() {
        let files = [
            ("crates/x/src/a.rs", "use crate::b::B; // crate::c"),
            ("crates/x/src/b.rs", "#[cfg(test)] mod tests { use crate::a::A; }"),
            ("crates/x/src/b/tests.rs", "use crate::a::A;"),
            ("crates/x/src/c.rs", "const A: &str = \"crate::a\";"),
        ];
        assert_eq!(found(&files), Vec::<String>::new());
    }
}
