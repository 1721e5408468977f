//! Noticing that somebody is about to write what a tool displayed instead of what a file holds.

/// How much of a text must look like numbered lines, in percent.
const NUMBERED_PERCENT: usize = 60;

/// Why a content is no content, if it looks like the display of another tool.
pub(super) fn looks_displayed(path: &str, content: &str) -> Option<&'static str> {
    if is_notice(content) {
        return Some(
            "the content is the notice that a file is unchanged, not the file; read the file again",
        );
    }
    if !holds_tables(path) && is_numbered(content) {
        return Some(
            "the content looks like read_file's numbered lines (`12|text`); write the text without \
             the numbers",
        );
    }
    None
}

/// The heart of the notice that `read_file` gives for an unchanged file.
const NOTICE: &str = "This part of the file was shown before and has not changed since";

fn is_notice(content: &str) -> bool {
    content.contains(NOTICE) && content.len() <= 2 * (NOTICE.len() + 60)
}

fn holds_tables(path: &str) -> bool {
    [".psv", ".csv", ".tsv"].iter().any(|ending| path.to_lowercase().ends_with(ending))
}

fn is_numbered(content: &str) -> bool {
    let lines: Vec<&str> = content.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.len() < 2 {
        return false;
    }
    let numbers: Vec<u64> = lines.iter().filter_map(|line| number_of(line)).collect();
    if numbers.len() * 100 < lines.len() * NUMBERED_PERCENT {
        return false;
    }
    let consecutive = numbers.windows(2).all(|pair| pair[1] == pair[0] + 1);
    // A table with a running number has the same number of bars on every line, and more than one.
    let bars = |line: &&str| line.matches('|').count();
    let first = lines.first().map_or(0, bars);
    let is_table = first >= 2 && lines.iter().all(|line| bars(line) == first);
    consecutive && !is_table
}

fn number_of(line: &str) -> Option<u64> {
    let (digits, _) = line.trim_start().split_once('|')?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_lines_are_noticed_and_tables_are_not() {
        assert!(looks_displayed("a.rs", "1|fn main() {\n2|}\n").is_some());
        assert!(looks_displayed("a.rs", "7|x\n\n8|y\nplain\n").is_some());
        assert!(looks_displayed("a.rs", "fn main() {}\n").is_none());
        assert!(looks_displayed("a.txt", "1|one\n").is_none(), "a single line says little");
        assert!(looks_displayed("a.txt", "1|one\n5|five\n").is_none(), "not consecutive");
        assert!(looks_displayed("a.txt", "1|a|b\n2|c|d\n").is_none(), "a table");
        assert!(looks_displayed("a.psv", "1|a\n2|b\n").is_none());
    }

    #[test]
    fn the_notice_is_not_written_as_a_file() {
        assert!(looks_displayed("a", &format!("{NOTICE}; look at that earlier result.")).is_some());
        let quoting = format!("{NOTICE} is what the tool says.\n{}", "more text\n".repeat(50));
        assert!(looks_displayed("a", &quoting).is_none());
    }
}
