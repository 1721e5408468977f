//! Background jobs behind `&&` and `||`.

use std::borrow::Cow;

use crate::shell::{self, ListItem, Terminator};

use super::insertions::Insertions;

/// Turns `A && B &` and `A || B &` into `A && { B & }`.
///
/// A shell runs the whole chain of the first form in a second shell that lives as long as `B` and
/// keeps the output open. In the second form `A` runs here and only `B` goes to the background.
///
/// Only chains of the line itself change, not those in brackets, braces or quotes; and only where `B`
/// is one command (no pipe) on the line of the operator before it.
#[must_use]
pub fn detach_compound(command: &str) -> Cow<'_, str> {
    // Most lines have no such operator, and need no parser to show it.
    if !command.contains("&&") && !command.contains("||") {
        return Cow::Borrowed(command);
    }
    let script = shell::parse(command);
    let mut insertions = Insertions::default();
    for item in &script.root.items {
        if let Some(start) = job_start(command, item) {
            let end = item.terminator_span.end;
            insertions.add(start, "{ ");
            insertions.add(end, closing(command.get(end..).unwrap_or_default()));
        }
    }
    insertions.apply(command)
}

/// Where `B` begins.
fn job_start(command: &str, item: &ListItem<'_>) -> Option<usize> {
    let (_, connector, job) = item.chain.rest.last()?;
    let one_command = job.commands.len() <= 1;
    if item.terminator != Terminator::Background || !one_command {
        return None;
    }
    // Such a word begins no command where it stands, but behind a brace a shell takes it for the end of something.
    let begins = job.span.of(command).split(|c: char| !c.is_alphabetic()).next()?;
    if shell::CLOSERS.contains(&begins) {
        return None;
    }
    let gap = command.get(connector.end..job.span.start)?;
    (!gap.replace("\\\n", "").contains('\n')).then_some(job.span.start)
}

/// The closing brace, with a separator where another command follows on the same line.
fn closing(rest: &str) -> &'static str {
    let mut next = rest;
    while let Some(shorter) = next.strip_prefix([' ', '\t']).or(next.strip_prefix("\\\n")) {
        next = shorter;
    }
    match next.as_bytes() {
        [] | [b'\n', ..] | [b'\r', b'\n', ..] => " }",
        // Directly behind the brace a `#` would begin no comment.
        [b'#', ..] => " } ",
        _ => " };",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backgrounds_only_the_last_command() {
        for (before, after) in [
            ("A && B &", "A && { B & }"),
            ("A || B &", "A || { B & }"),
            ("A && B && C &", "A && B && { C & }"),
            ("A && B || C d 'e f' &", "A && B || { C d 'e f' & }"),
            ("cd x && A=1 B >f 2>&1 &", "cd x && { A=1 B >f 2>&1 & }"),
            ("A && B &> f &", "A && { B &> f & }"),
            ("A && B&", "A && { B& }"),
            ("A && ! B &", "A && { ! B & }"),
            ("A && (B; C) &", "A && { (B; C) & }"),
            ("A && { B; } &", "A && { { B; } & }"),
            ("A | B && C &", "A | B && { C & }"),
            ("A \\\n  && \\\n B &", "A \\\n  && \\\n { B & }"),
            ("A && echo 'x\ny' &", "A && { echo 'x\ny' & }"),
            ("A && cat <<E &\nx && y &\nE", "A && { cat <<E & }\nx && y &\nE"),
        ] {
            assert_eq!(detach_compound(before), after);
        }
    }

    #[test]
    fn separates_what_follows() {
        for (before, after) in [
            ("A && B & C", "A && { B & }; C"),
            ("A && B &C", "A && { B & };C"),
            ("A && B & C && D &", "A && { B & }; C && { D & }"),
            ("A && B &  \nC", "A && { B & }  \nC"),
            ("A && B &\r\nC", "A && { B & }\r\nC"),
            ("A && B & # note", "A && { B & }  # note"),
            ("A && B &# note", "A && { B & } # note"),
            ("A && B & \\\nC", "A && { B & }; \\\nC"),
        ] {
            assert_eq!(detach_compound(before), after);
        }
    }

    #[test]
    fn leaves_everything_else() {
        for line in [
            "",
            "A",
            "A &",
            "A && B",
            "A; B &",
            "A | B &",
            "A && B | C &",
            "A && B; C &",
            "A &&\nB &",
            "A && # x\nB &",
            "A && B\nC &",
            "(A && B &)",
            "{ A && B & }",
            "{ A && B; } &",
            "echo 'A && B &'",
            "echo \"A && B &\"",
            "A && B 2>&1",
            "A && esac&a",
            "A && done &",
            "A && B &>f",
            "A && B >&2",
            "A && echo \\&",
            "x=$(A && B &)",
            "f() { A && B & }",
            "if a; then A && B & fi",
            "A && B # &",
            "A && { B & }",
            "A && 'B &",
            "cat <<E\nA && B &\nE",
        ] {
            assert!(matches!(detach_compound(line), Cow::Borrowed(same) if same == line), "{line}");
        }
    }
}
