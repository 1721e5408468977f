//! Programs that awk programs start.

use super::super::interpreters;
use super::super::options::{Opt, Spec, options};
use super::arguments::SCRIPT;
use super::{Check, Rule};

pub(super) const RULES: &[Rule] = &[Rule {
    category: SCRIPT,
    programs: &["awk"],
    check: Check::Call(|call| {
        let program = options(call.args, &Spec::leading("Ffv", &["field-separator", "assign"]))
            .find_map(|opt| match opt {
                Opt::Operand(arg, _) => Some(arg),
                _ => None,
            });
        program.is_some_and(|program| runs_programs(&program.text))
    }),
    catches: &[
        "awk 'BEGIN{system(\"ls\")}'",
        "awk '{ print | \"sh\" }' x",
        "gawk 'BEGIN { system (\"id\") }'",
    ],
    passes: &[
        "awk '{print $1}' x",
        "awk '/system(/' x",
        "awk '{print \"system(\"}' x",
        "awk '{ print | \"sort\" }' x",
    ],
}];

/// Whether an awk program starts others: `system(…)`, or printing into a shell. Strings and regular
/// expressions are skipped.
fn runs_programs(program: &str) -> bool {
    let bytes = program.as_bytes();
    let mut at = 0;
    // A slash begins a regular expression unless a value stands before it.
    let mut value_before = false;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let end = closing(bytes, at + 1, b'"');
                let before = program[..at].trim_end();
                let text = &program.get(at + 1..end).unwrap_or_default();
                if before.ends_with('|') && !before.ends_with("||") && starts_shell(text) {
                    return true;
                }
                let after = program.get(end + 1..).unwrap_or_default().trim_start();
                if after.starts_with('|')
                    && after[1..].trim_start().starts_with("getline")
                    && starts_shell(text)
                {
                    return true;
                }
                at = end;
                value_before = true;
            }
            b'/' if !value_before => {
                at = closing(bytes, at + 1, b'/');
                value_before = true;
            }
            b'#' => at = closing(bytes, at + 1, b'\n'),
            b's' if !value_before && program[at..].starts_with("system") => {
                if program[at + 6..].trim_start().starts_with('(') {
                    return true;
                }
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
    false
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

fn starts_shell(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let name = first.rsplit_once('/').map_or(first, |(_, name)| name);
    interpreters::is_shell(name) || matches!(name, "rm" | "sudo" | "python" | "python3" | "perl")
}
