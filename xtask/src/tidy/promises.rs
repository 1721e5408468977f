//! Pages that name the tests which keep their promises.

use std::collections::BTreeSet;

use super::Findings;
use super::tree::Tree;

/// The pages whose tables end in the names of tests.
const PAGES: [&str; 2] = ["docs/differences.md", "SECURITY.md"];

/// Every test named on the pages exists, so that a promise cannot lose its test in a rename.
pub(super) fn named_tests_exist(tree: &Tree, findings: &mut Findings) {
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
    for (name, page) in PAGES.iter().filter_map(|name| Some((name, tree.get(name)?))) {
        for (index, line) in page.text.lines().enumerate() {
            let row = line.trim_end().strip_suffix('|');
            let Some(last) = row.and_then(|row| row.rsplit('|').next()) else { continue };
            for test in last.split('`').skip(1).step_by(2) {
                if !functions.contains(test) {
                    let place = format!("{name}:{}", index + 1);
                    let words = format!("there is no test `{test}`; name the present one");
                    findings.breach(place, words);
                }
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
        for name in PAGES {
            let found = breaches(named_tests_exist, &[(name, page), ("a.rs", code)]);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].contains(&format!("{name}:3")) && found[0].contains("`lost`"));
        }
    }
}
