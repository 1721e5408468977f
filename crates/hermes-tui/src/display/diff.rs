//! Differences of edited files.

use super::fit::{cut, shown};
use super::style::{Ink, Style};

/// More files than this are only counted.
const MAX_FILES: usize = 6;
/// More lines than this are only counted.
const MAX_LINES: usize = 80;
const INDENT: &str = "  ";

/// A unified difference in colour, as far as it can be taken in at a glance.
pub(crate) fn rows(diff: &str, style: &Style) -> Vec<String> {
    let mut rows = Vec::new();
    let mut files = 0;
    let mut hidden = 0;
    let mut in_hunk = false;
    for line in diff.lines() {
        let starts_file = line.starts_with("--- ") || line.starts_with("rename from ");
        if starts_file {
            files += 1;
            in_hunk = false;
        }
        if files > MAX_FILES || rows.len() >= MAX_LINES {
            hidden += 1;
            continue;
        }
        in_hunk |= line.starts_with("@@");
        let ink = match line.as_bytes().first() {
            Some(b'@') if line.starts_with("@@") => Ink::CYAN,
            Some(b'+') if in_hunk => Ink::GREEN,
            Some(b'-') if in_hunk => Ink::RED,
            _ if in_hunk => Ink::PLAIN,
            _ => Ink::BOLD,
        };
        let text = cut(&shown(line), style.width - INDENT.len());
        rows.push(format!("{INDENT}{}", style.paint(ink, &text)));
    }
    if hidden > 0 {
        let lines = if hidden == 1 { "line" } else { "lines" };
        let more = format!("{INDENT}… {hidden} more {lines}");
        rows.push(style.paint(Ink::DIM, &more));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::style::Colour;

    const PLAIN: Style = Style { colour: Colour::Off, width: 80 };

    #[test]
    fn signs_are_coloured_in_hunks_only() {
        let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n same\n";
        let style = Style::new(Colour::On, 80);
        assert_eq!(
            rows(diff, &style),
            [
                "  \x1b[1m--- a/x\x1b[0m",
                "  \x1b[1m+++ b/x\x1b[0m",
                "  \x1b[36m@@ -1 +1 @@\x1b[0m",
                "  \x1b[31m-old\x1b[0m",
                "  \x1b[32m+new\x1b[0m",
                "   same",
            ]
        );
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let long = format!("--- a\n+++ a\n@@ @@\n{}", "+x\n".repeat(100));
        let shown = rows(&long, &PLAIN);
        assert_eq!(shown.len(), MAX_LINES + 1);
        assert_eq!(shown[MAX_LINES], "  … 23 more lines");
        let many = "--- a\n+++ a\n@@ @@\n+x\n".repeat(7);
        assert_eq!(rows(&many, &PLAIN).last().unwrap(), "  … 4 more lines");
    }

    #[test]
    fn lines_are_cut_and_cannot_steer_the_terminal() {
        let diff = format!("@@ @@\n+\x1b[2J{}\n", "日".repeat(100));
        let rows = rows(&diff, &PLAIN);
        assert!(rows[1].starts_with("  +日") && !rows[1].contains('\x1b'));
        assert!(super::super::fit::columns(&rows[1]) <= 80);
    }
}
