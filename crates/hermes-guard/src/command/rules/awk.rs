//! Programs that awk programs start, and files they write.

use super::arguments::SCRIPT;
use super::{DangerRule, RuleCheck};

pub(super) const RULES: &[DangerRule] = &[DangerRule {
    category: SCRIPT,
    programs: &[],
    check: RuleCheck::Structure,
    catches: &[
        "awk '{ system($0) }' x",
        "awk '{ print | \"sh\" }' x",
        "gawk '{ system (\"rm \" $1) }' x",
        "awk '{ print | $2 }' x",
    ],
    passes: &[
        "awk '{print $1}' x",
        "awk '/system(/' x",
        "awk '{print \"system(\"}' x",
        "awk '{ print | \"sort\" }' x",
        "awk 'BEGIN{system(\"ls\")}'",
        "awk '{ print > \"out.txt\" }' x",
        "awk '$1 || $2' x",
    ],
}];

/// What an awk program does besides printing.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct AwkReport<'p> {
    /// It starts something that cannot be read from it.
    pub(crate) asks: bool,
    /// Commands it starts.
    pub(crate) commands: Vec<&'p str>,
    /// Files it writes.
    pub(crate) writes: Vec<&'p str>,
}

/// Reads a program; regular expressions and remarks are skipped.
pub(crate) fn read(program: &str) -> AwkReport<'_> {
    let mut report = AwkReport::default();
    let bytes = program.as_bytes();
    let mut at = 0;
    // A slash begins a regular expression unless a value stands before it.
    let mut value_before = false;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let end = closing(bytes, at + 1, b'"');
                // `"text" | getline`
                let after = skip_blanks(bytes, end + 1);
                let after = skip_closing(bytes, after);
                if bytes.get(after) == Some(&b'|')
                    && program[skip_blanks(bytes, after + 1)..].starts_with("getline")
                {
                    report.commands.extend(program.get(at + 1..end));
                }
                at = end;
                value_before = true;
            }
            b'/' if !value_before => {
                at = closing(bytes, at + 1, b'/');
                value_before = true;
            }
            b'#' => at = closing(bytes, at + 1, b'\n'),
            b'|' if bytes.get(at + 1) == Some(&b'|') => at += 1,
            b'|' => {
                let start =
                    skip_blanks(bytes, at + usize::from(bytes.get(at + 1) == Some(&b'&')) + 1);
                match literal(program, start) {
                    Some(command) => {
                        report.asks |= reads_input(command);
                        report.commands.push(command);
                    }
                    None => report.asks |= !program[start..].starts_with("getline"),
                }
                value_before = false;
            }
            b'>' if bytes.get(at + 1) != Some(&b'=') => {
                let start =
                    skip_blanks(bytes, at + usize::from(bytes.get(at + 1) == Some(&b'>')) + 1);
                report.writes.extend(literal(program, start));
                value_before = false;
            }
            b's' if !value_before && program[at..].starts_with("system") => {
                let open = skip_blanks(bytes, at + 6);
                if bytes.get(open) == Some(&b'(') {
                    match call_literal(program, skip_blanks(bytes, open + 1)) {
                        Some(command) => report.commands.push(command),
                        None => report.asks = true,
                    }
                }
                at += 5;
                value_before = true;
            }
            b' ' | b'\t' => {}
            _ => {
                value_before =
                    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b')' | b']' | b'$');
            }
        }
        // A space between two words makes the second one a new word.
        if matches!(byte, b' ' | b'\t' | b'\n') && bytes.get(at + 1) == Some(&b's') {
            value_before = false;
        }
        at += 1;
    }
    report
}

/// Whether a command runs what it is given.
fn reads_input(command: &str) -> bool {
    let first = command.split_whitespace().next().unwrap_or_default();
    let name = first.rsplit_once('/').map_or(first, |(_, name)| name);
    super::super::interpreters::is_shell(name)
        || matches!(name, "sudo" | "python" | "python3" | "perl" | "ruby" | "node" | "xargs")
}

/// The text that begins here, if nothing is added to it.
fn literal(program: &str, at: usize) -> Option<&str> {
    let bytes = program.as_bytes();
    (bytes.get(at) == Some(&b'"')).then(|| closing(bytes, at + 1, b'"')).and_then(|end| {
        let after = skip_blanks(bytes, end + 1);
        let ends = matches!(bytes.get(after), None | Some(b'}' | b';' | b'\n' | b')'));
        ends.then(|| program.get(at + 1..end)).flatten()
    })
}

fn call_literal(program: &str, at: usize) -> Option<&str> {
    let text = literal(program, at)?;
    let after = skip_blanks(program.as_bytes(), at + text.len() + 2);
    (program.as_bytes().get(after) == Some(&b')')).then_some(text)
}

fn skip_blanks(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from.min(bytes.len()) + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

fn skip_closing(bytes: &[u8], from: usize) -> usize {
    from + usize::from(bytes.get(from) == Some(&b')'))
}

fn closing(bytes: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            byte if byte == quote => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}
