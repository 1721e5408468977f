//! Differences of edited files, as people read them: each line with its number, additions and removals on a
//! background of their own, each file with its name and how much changed.

use super::fit::{columns, cut, shown};
use super::style::{Ink, Shade, Style};

/// More files than this are only counted.
const MAX_FILES: usize = 6;
/// More lines than this are only counted.
const MAX_LINES: usize = 80;
const INDENT: &str = "  ";
/// What git says about a file that people see anyway.
const GIT_HEADS: [&str; 4] =
    ["index ", "new file mode ", "deleted file mode ", "similarity index "];

/// How much of a difference is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiffExtent {
    /// As far as it can be taken in at a glance.
    Glance,
    /// All of it.
    Whole,
}

/// One line of a difference.
#[derive(Debug, PartialEq, Eq)]
enum DiffLine<'a> {
    /// A file begins: its name now.
    File {
        name: &'a str,
        added: usize,
        removed: usize,
    },
    /// Lines between two hunks are left out.
    Gap,
    Added(usize, &'a str),
    Removed(usize, &'a str),
    Same(usize, &'a str),
    /// What a difference says besides, such as a file without a line break at its end.
    Remark(&'a str),
}

/// A unified difference in rows.
pub(crate) fn rows(diff: &str, extent: DiffExtent, style: &Style) -> Vec<String> {
    let lines = read(diff);
    let highest = lines.iter().filter_map(|line| match line {
        DiffLine::Added(number, _) | DiffLine::Removed(number, _) | DiffLine::Same(number, _) => {
            Some(*number)
        }
        _ => None,
    });
    let digits = highest.max().unwrap_or(1).to_string().len();
    let (most_files, most_lines) = match extent {
        DiffExtent::Glance => (MAX_FILES, MAX_LINES),
        DiffExtent::Whole => (usize::MAX, usize::MAX),
    };
    let (mut rows, mut files, mut hidden) = (Vec::new(), 0, 0);
    for line in &lines {
        files += usize::from(matches!(line, DiffLine::File { .. }));
        match files > most_files || rows.len() >= most_lines {
            true => hidden += 1,
            false => rows.push(row(line, digits, style)),
        }
    }
    if hidden > 0 {
        let lines = if hidden == 1 { "line" } else { "lines" };
        rows.push(style.paint(Ink::DIM, &format!("{INDENT}… + {hidden} {lines}")));
    }
    rows
}

/// New lines of a file, from its first one on, as far as they can be taken in at a glance.
pub(crate) fn new_file(content: &str, most: usize, style: &Style) -> Vec<String> {
    let count = content.lines().count();
    let digits = count.min(most).to_string().len();
    let mut rows: Vec<String> = content
        .lines()
        .take(most)
        .enumerate()
        .map(|(at, line)| row(&DiffLine::Added(at + 1, line), digits, style))
        .collect();
    let more = count.saturating_sub(most);
    if more > 0 {
        let lines = if more == 1 { "line" } else { "lines" };
        rows.push(style.paint(Ink::DIM, &format!("{INDENT}… + {more} {lines}")));
    }
    rows
}

fn row(line: &DiffLine<'_>, digits: usize, style: &Style) -> String {
    let numbered = |number: usize, sign: char, text: &str, ink: Ink| {
        let text = format!(" {number:>digits$} {sign} {}", shown(text));
        let mut text = cut(&text, style.width - INDENT.len());
        if ink != Ink::PLAIN {
            // The background goes to the end of the row.
            let room = style.width.saturating_sub(INDENT.len() + columns(&text));
            text.extend(std::iter::repeat_n(' ', room));
        }
        format!("{INDENT}{}", style.paint(ink, &text)).trim_end().to_owned()
    };
    match line {
        DiffLine::File { name, added, removed } => {
            let counts = format!("(+{added} −{removed})");
            let room = style.width.saturating_sub(INDENT.len() + columns(&counts) + 1);
            let name = super::fit::cut_left(&shown(name), room);
            format!("{INDENT}{} {}", style.paint(Ink::BOLD, &name), style.paint(Ink::DIM, &counts))
        }
        DiffLine::Gap => {
            style.paint(Ink::DIM, &format!("{INDENT} {}⋮", " ".repeat(digits.saturating_sub(1))))
        }
        DiffLine::Added(number, text) => numbered(*number, '+', text, Ink::shaded(Shade::Added)),
        DiffLine::Removed(number, text) => {
            numbered(*number, '-', text, Ink::shaded(Shade::Removed))
        }
        DiffLine::Same(number, text) => numbered(*number, ' ', text, Ink::PLAIN),
        DiffLine::Remark(text) => {
            let text = cut(&shown(text), style.width - INDENT.len());
            style.paint(Ink::DIM, &format!("{INDENT}{text}"))
        }
    }
}

/// Reads a unified difference. What is none of its lines is kept as a remark.
fn read(diff: &str) -> Vec<DiffLine<'_>> {
    let mut lines = Vec::new();
    let mut file: Option<usize> = None;
    let (mut old, mut new) = (1, 1);
    let mut in_hunk = false;
    let mut git_head: Option<usize> = None;
    let mut source = diff.lines().peekable();
    while let Some(line) = source.next() {
        if let Some(before) = line.strip_prefix("--- ")
            && source.peek().is_some_and(|next| next.starts_with("+++ "))
        {
            let after = source.next().unwrap_or_default().trim_start_matches("+++ ");
            let name = match file_name(after) {
                "/dev/null" => file_name(before),
                name => name,
            };
            if let Some(head) = git_head.take() {
                lines.remove(head);
            }
            file = Some(lines.len());
            lines.push(DiffLine::File { name, added: 0, removed: 0 });
            in_hunk = false;
            continue;
        }
        if let Some(names) = line.strip_prefix("diff --git ") {
            // Its name stands here alone where nothing of it is shown: a picture, an empty file, a new name.
            let name = names.rsplit_once(" b/").map_or(names, |(_, name)| name);
            (git_head, file, in_hunk) = (Some(lines.len()), None, false);
            lines.push(DiffLine::Remark(name));
            continue;
        }
        if git_head.is_some() && !in_hunk && GIT_HEADS.iter().any(|head| line.starts_with(head)) {
            continue;
        }
        if let Some(starts) = hunk_starts(line) {
            if in_hunk {
                lines.push(DiffLine::Gap);
            }
            (old, new) = starts;
            in_hunk = true;
            continue;
        }
        let head = file.and_then(|at| lines.get_mut(at));
        match (in_hunk, line.chars().next()) {
            (true, Some('+')) => {
                if let Some(DiffLine::File { added, .. }) = head {
                    *added += 1;
                }
                lines.push(DiffLine::Added(new, &line[1..]));
                new += 1;
            }
            (true, Some('-')) => {
                if let Some(DiffLine::File { removed, .. }) = head {
                    *removed += 1;
                }
                lines.push(DiffLine::Removed(old, &line[1..]));
                old += 1;
            }
            (true, Some(' ') | None) => {
                lines.push(DiffLine::Same(new, line.get(1..).unwrap_or_default()));
                (old, new) = (old + 1, new + 1);
            }
            _ => lines.push(DiffLine::Remark(line)),
        }
    }
    lines
}

/// A name as it stands in a head: without the side it is on, and without a time.
fn file_name(text: &str) -> &str {
    let name = text.split('\t').next().unwrap_or(text).trim_end();
    name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name)
}

/// Where a hunk begins, before and after the change: `@@ -12,3 +12,4 @@`.
fn hunk_starts(line: &str) -> Option<(usize, usize)> {
    let mut words = line.strip_prefix("@@")?.split_whitespace();
    let mut start = |sign: char| -> usize {
        let word = words.next().and_then(|word| word.strip_prefix(sign));
        let number = word.and_then(|word| word.split(',').next()?.parse().ok());
        number.unwrap_or(1)
    };
    Some((start('-'), start('+')))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::display::style::Colour;

    const PLAIN: Style = Style::new(Colour::Off, 40);

    #[test]
    fn lines_have_their_numbers_and_files_their_counts() {
        let diff = "--- a/src/x.rs\n+++ b/src/x.rs\n@@ -8,3 +8,3 @@\n same\n-old\n+new\n same\n\
                    @@ -100 +100,2 @@\n same\n+more\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-all\n";
        assert_eq!(
            rows(diff, DiffExtent::Glance, &PLAIN).join("\n"),
            "  src/x.rs (+2 −1)\n     8   same\n     9 - old\n     9 + new\n    10   same\n     ⋮\n   \
             100   same\n   101 + more\n  gone (+0 −1)\n     1 - all"
        );
    }

    #[test]
    fn heads_of_git_are_told_as_names() {
        let diff = "diff --git a/x.rs b/x.rs\nnew file mode 100644\nindex 0000000..8d6c584\n--- /dev/null\n\
                    +++ b/x.rs\n@@ -0,0 +1 @@\n+one\ndiff --git a/p.png b/p.png\nindex 12..34\n\
                    Binary files a/p.png and b/p.png differ\ndiff --git a/old b/new\nsimilarity index 100%\n\
                    rename from old\nrename to new\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(
            rows(diff, DiffExtent::Whole, &PLAIN).join("\n"),
            "  x.rs (+1 −0)\n   1 + one\n  p.png\n  Binary files a/p.png and b/p.png diff…\n  new\n  \
             rename from old\n  rename to new\n  y (+1 −1)\n   1 - a\n   1 + b"
        );
    }

    #[test]
    fn changes_have_a_background_as_wide_as_the_row() {
        let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n";
        let style = Style::new(Colour::On, 20);
        let rows = rows(diff, DiffExtent::Glance, &style);
        assert_eq!(rows[1], format!("  \x1b[48;5;52m{:18}\x1b[0m", " 1 - old"));
        assert_eq!(rows[2], format!("  \x1b[48;5;22m{:18}\x1b[0m", " 1 + new"));
    }

    #[test]
    fn what_is_too_much_is_counted_at_a_glance_and_shown_whole() {
        let long = format!("--- a\n+++ a\n@@ -1 +1 @@\n{}", "+x\n".repeat(100));
        let glance = rows(&long, DiffExtent::Glance, &PLAIN);
        assert_eq!(glance.len(), MAX_LINES + 1);
        assert_eq!(glance[MAX_LINES], "  … + 21 lines");
        assert_eq!(rows(&long, DiffExtent::Whole, &PLAIN).len(), 101);
        let many = "--- a\n+++ a\n@@ -1 +1 @@\n+x\n".repeat(7);
        assert_eq!(rows(&many, DiffExtent::Glance, &PLAIN).last().unwrap(), "  … + 2 lines");
    }

    #[test]
    fn lines_cannot_steer_the_terminal() {
        let diff = format!("@@ -1 +1 @@\n+\x1b[2J{}\n", "日".repeat(100));
        let rows = rows(&diff, DiffExtent::Glance, &PLAIN);
        assert!(rows[0].starts_with("   1 + 日") && !rows[0].contains('\x1b'), "{rows:?}");
        assert!(columns(&rows[0]) <= 40);
    }

    proptest! {
        #[test]
        fn no_row_is_too_wide_whatever_the_text(diff in "([-+@ ]{0,3}[a-z日\\t ]{0,50}\n){0,20}") {
            for row in rows(&diff, DiffExtent::Whole, &PLAIN) {
                prop_assert!(columns(&row) <= 40, "{row:?}");
            }
        }
    }
}
