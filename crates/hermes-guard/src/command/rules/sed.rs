//! Programs that sed scripts start.

use super::super::call::ProgramCall;
use super::super::options::{Opt, Spec, options};
use super::arguments::SCRIPT;
use super::{DangerRule, RuleCheck};

pub(super) const RULES: &[DangerRule] = &[DangerRule {
    category: SCRIPT,
    programs: &["sed"],
    check: RuleCheck::Call(|call| scripts(call).into_iter().any(|script| read(script).runs)),
    catches: &[
        "sed '1e id' x",
        "sed -n 's/.*/id/e' x",
        "sed 's/a/b/;s|x|rm -rf y|ge' x",
        "sed -e p -e '$e touch /tmp/x' x",
        "sed '/x/{e ls\n}' x",
        "sed --expression='s/x/y/e' x",
        "gsed 1,3e x",
    ],
    passes: &[
        "sed 's/e/x/g' x",
        "sed -e 's/a/e/' x",
        "sed -n '/e/p' x",
        "sed '/^e /d' x",
        "sed 's|/e|/x|' x",
        "sed '1i e ls' x",
        "sed '$a\\e ls' x",
        "sed 'y/abc/e;f/' x",
        "sed -E 's/(e)[;e]+/\\1;e/' x",
        "sed '/start/,/end/d' x",
        "sed -n '5,10p;10q' x",
        "sed 's/a/b/w e' x",
        "sed -e ':e' -e '$!N;be' x",
        "sed -i 's/true/false/' x",
        "sed '# e ls' x",
    ],
}];

/// How far the end of a class of characters is looked for.
const LONGEST_CLASS: usize = 100;

/// What a sed script does besides editing.
#[derive(Default)]
struct SedReport<'s> {
    /// It starts programs: its command `e`, or the flag of that name behind `s`.
    runs: bool,
    /// Files it writes: its command `w`, or the flag of that name.
    writes: Vec<&'s str>,
}

/// The files that the scripts of a call write.
pub(super) fn writes<'c>(call: &ProgramCall<'c>) -> Vec<&'c str> {
    scripts(call).into_iter().flat_map(|script| read(script).writes).collect()
}

/// The options of sed that take a value.
pub(in crate::command) const SPEC: Spec = Spec::with("efl", &["expression", "file", "line-length"]);

fn scripts<'c>(call: &ProgramCall<'c>) -> Vec<&'c str> {
    let mut first = None;
    let mut given = false;
    let mut scripts = Vec::new();
    for opt in options(call.args, &SPEC) {
        match opt {
            Opt::Short('e', script) | Opt::Long("expression", Some(script)) => {
                given = true;
                scripts.push(script);
            }
            Opt::Short('f', _) | Opt::Long("file", _) => given = true,
            Opt::Operand(arg, _) if first.is_none() => first = Some(arg.text.as_ref()),
            _ => {}
        }
    }
    if !given {
        scripts.extend(first);
    }
    scripts
}

fn read(script: &str) -> SedReport<'_> {
    let mut report = SedReport::default();
    let bytes = script.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            // An address.
            b'/' => at = part(bytes, at, b'/'),
            b'\\' => {
                let Some(&quote) = bytes.get(at) else { return report };
                at = part(bytes, at + 1, quote);
            }
            b'e' => {
                report.runs = true;
                return report;
            }
            b's' | b'y' => {
                let Some(&quote) = bytes.get(at) else { return report };
                at = part(bytes, part(bytes, at + 1, quote), quote);
                while byte == b's'
                    && let Some(&flag) = bytes.get(at)
                {
                    match flag {
                        b'e' => {
                            report.runs = true;
                            return report;
                        }
                        b'w' => {
                            let end = line(bytes, at);
                            report.writes.extend(script.get(at + 1..end).map(str::trim));
                            at = end;
                        }
                        b'g' | b'p' | b'i' | b'I' | b'm' | b'M' | b'0'..=b'9' => at += 1,
                        _ => break,
                    }
                }
            }
            // Texts, files and remarks go on to the end of the line.
            b'a' | b'i' | b'c' | b'r' | b'R' | b'w' | b'W' | b'#' => {
                let end = line(bytes, at);
                if matches!(byte, b'w' | b'W') {
                    report.writes.extend(script.get(at..end).map(str::trim));
                }
                at = end;
                // A backslash at its end makes the next line part of it.
                while at >= 1 && bytes.get(at - 1) == Some(&b'\\') && at < bytes.len() {
                    at = line(bytes, at + 1);
                }
            }
            // Labels.
            b':' | b'b' | b't' | b'T' => {
                while bytes.get(at).is_some_and(|byte| !matches!(byte, b';' | b'\n' | b'}')) {
                    at += 1;
                }
            }
            _ => {}
        }
    }
    report
}

/// Behind the part that ends with this quote.
fn part(bytes: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'\\' => at += 1,
            // Inside brackets the quote is a character like any other.
            b'[' => at = class(bytes, at).unwrap_or(at),
            byte if byte == quote => return at,
            _ => {}
        }
    }
    bytes.len()
}

/// Behind the bracket that closes a class; nothing, if none does so soon.
fn class(bytes: &[u8], from: usize) -> Option<usize> {
    let negated = usize::from(bytes.get(from) == Some(&b'^'));
    let near = bytes.get(from..)?.iter().take(LONGEST_CLASS);
    // The first character may be a bracket itself.
    let close = near.skip(negated + 1).position(|byte| *byte == b']')?;
    Some(from + negated + 1 + close + 1)
}

/// The end of the line.
fn line(bytes: &[u8], from: usize) -> usize {
    bytes[from.min(bytes.len())..]
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(bytes.len(), |found| from + found)
}
