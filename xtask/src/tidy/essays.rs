//! Where a reader is welcomed: the text at the top of crates and long modules.

use super::Findings;
use super::tree::Tree;

/// Lines at the top of a library crate.
const CRATE_ESSAY: usize = 15;
/// Lines at the top of other crates: programs, examples and those named below.
const SHORT_ESSAY: usize = 5;
/// Modules longer than this begin with a text.
const LONG_MODULE: usize = 200;

/// Library crates whose story is told elsewhere, and where.
const TOLD_ELSEWHERE: &[(&str, &str)] = &[
    ("crates/hermes-tool-macros/src/lib.rs", "the attribute is documented in hermes-tool"),
    ("crates/hermes/src/lib.rs", "the program is documented in the README and by --help"),
];

pub(super) fn crates_begin_with_an_essay(tree: &Tree, findings: &mut Findings) {
    for (path, file) in tree.ending_in(".rs") {
        let is_library = path.ends_with("src/lib.rs");
        let has_library = || tree.get(&path.replace("src/main.rs", "src/lib.rs")).is_some();
        let needed = if path.ends_with("src/main.rs") {
            // A program beside a library only has to say so.
            if has_library() { 1 } else { SHORT_ESSAY }
        } else if !is_library {
            continue;
        } else if path.starts_with("crates/")
            && TOLD_ELSEWHERE.iter().all(|(told, _)| *told != path)
        {
            CRATE_ESSAY
        } else {
            SHORT_ESSAY
        };
        let lines = essay_lines(&file.text);
        if lines < needed {
            let what = format!(
                "begins with {lines} lines of `//!`, not {needed}: say what the crate is, how it is \
                 used and what never happens in it"
            );
            findings.breach(path, what);
        }
    }
}

pub(super) fn long_modules_begin_with_an_essay(tree: &Tree, findings: &mut Findings) {
    for (path, file) in tree.ending_in(".rs").filter(|(path, _)| !is_test(path)) {
        let lines = file.text.lines().count();
        if lines > LONG_MODULE && essay_lines(&file.text) == 0 {
            findings.breach(path, format!("has {lines} lines and no `//!` text at its top"));
        }
    }
}

fn essay_lines(text: &str) -> usize {
    text.lines().take_while(|line| line.starts_with("//!")).count()
}

fn is_test(path: &str) -> bool {
    path.split('/').any(|part| part == "tests")
        || path.ends_with("/tests.rs")
        || path.ends_with("_tests.rs")
}

#[cfg(test)]
mod tests {
    use super::super::breaches;
    use super::*;

    fn essay(lines: usize) -> String {
        "//! Words.\n".repeat(lines)
    }

    #[test]
    fn a_library_crate_needs_more_than_a_program() {
        let files = [
            ("crates/a/src/lib.rs", essay(14)),
            ("crates/b/src/lib.rs", essay(15)),
            ("crates/b/src/main.rs", essay(1)),
            ("crates/hermes-tool-macros/src/lib.rs", essay(5)),
            ("bench/src/main.rs", essay(4)),
        ];
        let files: Vec<_> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        let found = breaches(crates_begin_with_an_essay, &files);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("bench/src/main.rs: begins with 4"), "{found:?}");
        assert!(found[1].starts_with("crates/a/src/lib.rs: begins with 14"), "{found:?}");
    }

    #[test]
    fn only_long_modules_that_are_no_tests_need_a_text() {
        let long = "\n".repeat(LONG_MODULE + 1);
        let told = format!("//! Words.\n{long}");
        let short = "\n".repeat(LONG_MODULE);
        let files = [
            ("src/a.rs", long.as_str()),
            ("src/b.rs", &told),
            ("src/c.rs", &short),
            ("src/a/tests.rs", &long),
            ("src/a/property_tests.rs", &long),
            ("tests/whole.rs", &long),
        ];
        let found = breaches(long_modules_begin_with_an_essay, &files);
        assert_eq!(found, ["src/a.rs: has 201 lines and no `//!` text at its top"]);
    }
}
