//! Words that may not stand in code, or only in one place.

use super::Findings;
use super::tokens::{Kind, Token, inside};
use super::tree::{SourceFile, Tree};

/// The only crate that talks to the system without the compiler's protection.
const UNSAFE_HOME: &str = "crates/hermes-process/";

/// Where children may be started: the crate made for it, tests that use the finished program from
/// outside, the kit of tests, which uses no crate of ours, and programs around the repository whose children are not
/// Hermes's.
const SPAWNERS: &[&str] = &[
    "crates/hermes-process/",
    "crates/hermes-testkit/",
    "crates/hermes/tests/",
    "bench/",
    "xtask/",
];

/// Macros that stand for work not done.
const UNFINISHED: &[&str] = &["todo", "unimplemented", "dbg"];

/// Top-level folders that people and build machines keep their checkouts in.
const MACHINE_FOLDERS: &[&str] = &["work", "root"];

pub(super) fn unsafe_code_has_one_home(tree: &Tree, findings: &mut Findings) {
    for (path, file) in outside(tree, &[UNSAFE_HOME]) {
        for token in file.tokens.iter().filter(|token| token.is_word("unsafe")) {
            let what =
                format!("`unsafe` outside {UNSAFE_HOME}; put the call there behind a safe one");
            findings.breach(place(path, token), what);
        }
    }
}

pub(super) fn processes_start_in_one_place(tree: &Tree, findings: &mut Findings) {
    for (path, file) in outside(tree, SPAWNERS) {
        for token in commands(&file.tokens) {
            let what = "`process::Command` leaves orphans behind; use `hermes_process::Command`";
            findings.breach(place(path, token), what);
        }
    }
}

pub(super) fn nothing_is_left_unfinished(tree: &Tree, findings: &mut Findings) {
    for (path, file) in tree.ending_in(".rs") {
        for call in file.tokens.windows(3) {
            let [name, mark, open] = call else { continue };
            let Kind::Word(word) = &name.kind else { continue };
            // `todo != x` has the mark too, but no bracket after it.
            if UNFINISHED.contains(&word.as_str()) && mark.is_mark('!') && open.kind == Kind::Open {
                findings.breach(place(path, name), format!("`{word}!`: finish it or take it out"));
            }
        }
    }
}

pub(super) fn no_test_is_switched_off(tree: &Tree, findings: &mut Findings) {
    for (path, file) in tree.ending_in(".rs") {
        for token in ignored_tests(&file.tokens) {
            let what = "a test or example marked `ignore` is run by nobody; mend it or remove it";
            findings.breach(place(path, token), what);
        }
    }
}

pub(super) fn no_paths_of_one_machine(tree: &Tree, findings: &mut Findings) {
    for (path, file) in tree.all() {
        for (index, line) in file.text.lines().enumerate() {
            if let Some(found) = machine_path(line) {
                let what = format!("`{found}…` exists on one machine only; use a made-up path");
                findings.breach(format!("{path}:{}", index + 1), what);
            }
        }
    }
}

fn outside<'a>(tree: &'a Tree, homes: &[&str]) -> impl Iterator<Item = (&'a str, &'a SourceFile)> {
    tree.ending_in(".rs").filter(move |(path, _)| homes.iter().all(|home| !path.starts_with(home)))
}

fn place(path: &str, token: &Token) -> String {
    format!("{path}:{}", token.line)
}

/// `process::Command`, also inside the braces of a `use`.
fn commands(tokens: &[Token]) -> impl Iterator<Item = &Token> {
    let is_command = |token: &Token| token.is_word("Command");
    (0..tokens.len()).filter_map(move |start| {
        let [process, first, second, rest @ ..] = &tokens[start..] else { return None };
        if !(process.is_word("process") && first.is_mark(':') && second.is_mark(':')) {
            return None;
        }
        rest.first()
            .filter(|next| is_command(next))
            .or_else(|| inside(rest).iter().find(|token| is_command(token)))
    })
}

/// `#[ignore]`, also with a reason or under a condition, and examples in doc comments.
fn ignored_tests(tokens: &[Token]) -> impl Iterator<Item = &Token> {
    (0..tokens.len()).filter_map(move |start| {
        let rest = match &tokens[start..] {
            [hash, bang, rest @ ..] if hash.is_mark('#') && bang.is_mark('!') => rest,
            [hash, rest @ ..] if hash.is_mark('#') => rest,
            _ => return None,
        };
        match inside(rest) {
            [name, ..] if name.is_word("ignore") => Some(name),
            [name, inner @ ..] if name.is_word("cfg_attr") => {
                inner.iter().find(|token| token.is_word("ignore"))
            }
            [name, _, Token { kind: Kind::Literal(text), .. }] if name.is_word("doc") => {
                text.contains("```ignore").then_some(name)
            }
            _ => None,
        }
    })
}

/// The first absolute path in a line that begins in one of [`MACHINE_FOLDERS`].
fn machine_path(line: &str) -> Option<String> {
    MACHINE_FOLDERS.iter().map(|folder| format!("/{folder}/")).find(|folder| {
        line.match_indices(folder.as_str()).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            // In the middle of a longer path it is somebody else's folder.
            !before.is_some_and(|letter| letter.is_alphanumeric() || "._-~}*".contains(letter))
        })
    })
}

#[cfg(test)]
mod tests;
