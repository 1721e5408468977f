//! How long source files may be.

use super::Findings;
use super::tree::Tree;

const MAX_MEDIAN: usize = 220;
const MAX_90TH_PERCENTILE: usize = 600;
const MAX_LINES: usize = 1_000;

/// The program itself: what it does belongs into the crates it is made of.
const PROGRAM: &str = "crates/hermes/src/";
const MAX_PROGRAM_LINES: usize = 8_000;

/// Pure tables of data that may be longer than any code: path and reason.
const EXEMPT: &[(&str, &str)] = &[];

pub(super) fn files_are_small(tree: &Tree, findings: &mut Findings) {
    let mut files: Vec<(usize, &str)> = tree
        .ending_in(".rs")
        .filter(|(path, _)| EXEMPT.iter().all(|(exempt, _)| exempt != path))
        .map(|(path, file)| (file.text.lines().count(), path))
        .collect();
    files.sort_unstable();
    let Some((longest, longest_path)) = files.last().copied() else { return };
    let (median, high) = (percentile(&files, 50), percentile(&files, 90));
    let lines: usize = files.iter().map(|(lines, _)| lines).sum();
    findings.note(format!(
        "{} files, {lines} lines: median {median} (at most {MAX_MEDIAN}), 90th percentile {high} \
         (at most {MAX_90TH_PERCENTILE}), longest {longest} in {longest_path} (at most {MAX_LINES})",
        files.len()
    ));
    if median > MAX_MEDIAN {
        findings
            .breach("median", format!("{median} lines is above {MAX_MEDIAN}; split long files"));
    }
    if high > MAX_90TH_PERCENTILE {
        let what = format!("{high} lines is above {MAX_90TH_PERCENTILE}; split the longest files");
        findings.breach("90th percentile", what);
    }
    for (lines, path) in files.into_iter().filter(|(lines, _)| *lines > MAX_LINES) {
        let what = format!("{lines} lines is above {MAX_LINES}; split it into parts with names");
        findings.breach(path, what);
    }
    for (path, _) in EXEMPT.iter().filter(|(path, _)| tree.get(path).is_none()) {
        findings.breach(path, "is exempt from the size limit but gone; remove it from the list");
    }
}

pub(super) fn the_program_is_thin(tree: &Tree, findings: &mut Findings) {
    let sources = tree.ending_in(".rs").filter(|(path, _)| path.starts_with(PROGRAM));
    let lines: usize = sources.map(|(_, file)| file.text.lines().count()).sum();
    findings.note(format!("{PROGRAM}: {lines} lines (at most {MAX_PROGRAM_LINES})"));
    if lines > MAX_PROGRAM_LINES {
        let what = format!(
            "{lines} lines is above {MAX_PROGRAM_LINES}; move what is no command line into a crate"
        );
        findings.breach(PROGRAM, what);
    }
}

/// The smallest number that this share of the sorted files does not exceed.
fn percentile(sorted: &[(usize, &str)], percent: usize) -> usize {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).map_or(0, |(lines, _)| *lines)
}

#[cfg(test)]
mod tests {
    use super::super::breaches;
    use super::*;

    fn numbers(numbers: impl IntoIterator<Item = usize>) -> Vec<(usize, &'static str)> {
        numbers.into_iter().map(|number| (number, "")).collect()
    }

    #[test]
    fn percentiles_are_members_of_the_row() {
        assert_eq!(percentile(&numbers(1..=10), 50), 5);
        assert_eq!(percentile(&numbers(1..=10), 90), 9);
        assert_eq!(percentile(&numbers([7]), 90), 7);
        assert_eq!(percentile(&[], 50), 0);
    }

    #[test]
    fn one_giant_among_small_files_is_named() {
        let giant = "\n".repeat(MAX_LINES + 1);
        let small: Vec<String> = (0..20).map(|number| format!("src/small{number}.rs")).collect();
        let mut files: Vec<(&str, &str)> = small.iter().map(|path| (path.as_str(), "\n")).collect();
        files.push(("src/giant.rs", &giant));
        let found = breaches(files_are_small, &files);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("src/giant.rs: 1001 lines"), "{found:?}");
    }

    #[test]
    fn a_house_of_long_files_breaks_every_limit() {
        let long = "\n".repeat(MAX_LINES + 1);
        assert_eq!(breaches(files_are_small, &[("a.rs", &long)]).len(), 3);
        assert_eq!(breaches(files_are_small, &[("a.md", &long)]).len(), 0);
    }

    #[test]
    fn a_program_that_does_everything_itself_is_named() {
        let half = "\n".repeat(MAX_PROGRAM_LINES / 2);
        let files =
            [("crates/hermes/src/a.rs", half.as_str()), ("crates/hermes/src/b/c.rs", &half)];
        assert_eq!(breaches(the_program_is_thin, &files).len(), 0);
        let more = [files[0], files[1], ("crates/hermes/src/d.rs", "\n")];
        let found = breaches(the_program_is_thin, &more);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("crates/hermes/src/: 8001 lines"), "{found:?}");
        let elsewhere = "\n".repeat(MAX_PROGRAM_LINES + 1);
        assert_eq!(
            breaches(the_program_is_thin, &[("crates/hermes-tui/src/a.rs", &elsewhere)]).len(),
            0
        );
    }
}
