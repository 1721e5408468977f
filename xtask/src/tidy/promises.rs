//! Pages that name the tests which keep their promises.

use std::collections::BTreeSet;

use super::Findings;
use super::tree::Tree;

/// The page whose tables end in the names of tests.
const PAGE: &str = "docs/differences.md";

/// Every test named on the page exists, so that a promise cannot lose its test in a rename.
pub(super) fn named_tests_exist(tree: &Tree, findings: &mut Findings) {
    let Some(page) = tree.get(PAGE) else { return };
    let mut functions = BTreeSet::new();
    for (_, file) in tree.ending_in(".rs") {
        for line in file.text.lines() {
            let line = line.trim_start();
            let line = line.strip_prefix("async ").unwrap_or(line);
            if let Some(name) = line.strip_prefix("fn ").and_then(|rest| rest.split('(').next()) {
                functions.insert(name);
            }
        }
    }
    for (index, line) in page.text.lines().enumerate() {
        let Some(last) = line.trim_end().strip_suffix('|').and_then(|row| row.rsplit('|').next())
        else {
            continue;
        };
        for test in last.split('`').skip(1).step_by(2) {
            if !functions.contains(test) {
                let place = format!("{PAGE}:{}", index + 1);
                findings.breach(place, format!("there is no test `{test}`; name the present one"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::breaches;
    use super::*;

    #[test]
    fn a_renamed_test_is_missed() {
        let page = "| topic | test |\n|---|---|\n| `x` | `kept`, `lost` |\n";
        let code = "async fn kept() {}\nfn other() {}";
        let found = breaches(named_tests_exist, &[(PAGE, page), ("a.rs", code)]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("differences.md:3") && found[0].contains("`lost`"));
    }
}
