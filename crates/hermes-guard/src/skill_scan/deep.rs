//! The deep audit: what in Python files decides at run time what runs. It informs and never blocks.

use std::sync::LazyLock;

use regex::Regex;

/// One place where a program decides at run time what it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeepNote {
    /// Path inside the bundle.
    pub file: String,
    /// Line of the file, from 1.
    pub line: usize,
    /// The kind of place, by its stable name.
    pub id: &'static str,
    /// One sentence for people.
    pub description: &'static str,
}

const KINDS: &[(&str, &str, &str)] = &[
    (
        "dynamic_import",
        r"\bimportlib\.import_module\s*\(|\bimport_module\s*\(",
        "A module is chosen at run time.",
    ),
    (
        "importlib_import",
        r"^\s*(?:import\s+importlib|from\s+importlib\b)",
        "The means to load modules at run time are brought in.",
    ),
    (
        "computed_import",
        r#"\b__import__\s*\(\s*(?:[^"'\s)]|["'][^"']*["']\s*[+%.])"#,
        "The name of a module is put together.",
    ),
    (
        "direct_import",
        r#"\b__import__\s*\(\s*["'][^"']*["']\s*[,)]"#,
        "A module is loaded by a call.",
    ),
    (
        "computed_getattr",
        r#"\bgetattr\s*\(\s*[\w.()]+\s*,\s*(?:[^"'\s]|["'][^"']*["']\s*[+%.])"#,
        "The name of an attribute is put together.",
    ),
    ("getattr", r#"\bgetattr\s*\(\s*[\w.()]+\s*,\s*["']"#, "An attribute is looked up by name."),
    ("dict_access", r"\.__dict__\s*\[", "An attribute is taken from an object's table."),
    (
        "globals_access",
        r"\b(?:globals|locals|vars)\s*\(\s*\)\s*\[",
        "A name is taken from the table of names.",
    ),
];

#[expect(clippy::expect_used, reason = "the patterns are constants and a test runs them")]
static COMPILED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    KINDS.iter().map(|(_, pattern, _)| Regex::new(pattern).expect("constant pattern")).collect()
});

/// The notes on one Python file.
#[must_use]
pub fn deep_audit(path: &str, text: &str) -> Vec<DeepNote> {
    let mut notes = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for (kind, &(id, _, description)) in COMPILED.iter().zip(KINDS) {
            if kind.is_match(line) {
                notes.push(DeepNote { file: path.to_owned(), line: index + 1, id, description });
            }
        }
    }
    notes
}

/// Whether the deep audit is about this file.
#[must_use]
pub fn is_deeply_audited(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, end)| end.eq_ignore_ascii_case("py") || end.eq_ignore_ascii_case("pyw"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_decide_at_run_time_are_noted() {
        let text = "import importlib\nm = importlib.import_module(name)\n__import__('o' + 's')\n\
                    getattr(x, n)\ngetattr(x, 'a')\nx.__dict__['y']\nglobals()['z']\nplain = 1\n";
        let notes = deep_audit("a.py", text);
        let found: Vec<(usize, &str)> = notes.iter().map(|note| (note.line, note.id)).collect();
        assert_eq!(
            found,
            [
                (1, "importlib_import"),
                (2, "dynamic_import"),
                (3, "computed_import"),
                (4, "computed_getattr"),
                (5, "getattr"),
                (6, "dict_access"),
                (7, "globals_access"),
            ]
        );
        assert!(is_deeply_audited("scripts/A.PY") && !is_deeply_audited("a.md"));
    }
}
