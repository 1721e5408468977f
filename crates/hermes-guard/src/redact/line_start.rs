//! Whether a name is the first thing on its line.

use super::scan::{SecretScan, is_blank, is_token};

/// How much may stand between the start of a line and a name.
pub(super) const LINE_LEAD: usize = 128;

/// The line behind the place that a search puts before it: `dir/file.yml:12:`, `dir/file.yml-12-`, `.env:`.
fn behind_place(line: &[u8]) -> &[u8] {
    // `mysql::root_password`: the module before a name.
    if let Some(module) = line.trim_ascii_start().strip_suffix(b"::")
        && module.iter().all(|&byte| (is_token(byte) || byte == b'.') || byte == b':')
    {
        return b"";
    }
    let path = line.iter().take_while(|&&byte| !is_blank(byte) && byte != b':').count();
    let named = |path: &[u8]| path.iter().any(|byte| matches!(byte, b'.' | b'/'));
    if line.get(path) == Some(&b':') && named(&line[..path]) {
        let digits = line[path + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let numbered = digits > 0 && line.get(path + 1 + digits) == Some(&b':');
        return &line[path + 1 + if numbered { digits + 1 } else { 0 }..];
    }
    // Between lines that were found stand their neighbours: `file.yml-12-`.
    let words = line.iter().take_while(|&&byte| !is_blank(byte)).count();
    let before = line[..words].trim_ascii_end();
    let neighbour = before.strip_suffix(b"-").and_then(|rest| {
        let digits = rest.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let path = rest[..rest.len() - digits].strip_suffix(b"-")?;
        (digits > 0 && named(path)).then_some(())
    });
    if neighbour.is_some() { &line[words..] } else { line }
}

/// Whether only marks and commands that set variables stand before a name on its line.
pub(super) fn at_line_start(scan: &SecretScan<'_>, at: usize) -> bool {
    let from = at.saturating_sub(LINE_LEAD);
    let before = &scan.bytes()[from..at];
    let line = match memchr::memrchr2(b'\n', 0, before) {
        Some(newline) => &before[newline + 1..],
        None if from == 0 => before,
        None => return false,
    };
    let mut lead = behind_place(line).trim_ascii();
    let digits = lead.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 0 && matches!(lead.get(digits), Some(b'|' | b':')) {
        lead = lead[digits + 1..].trim_ascii();
    }
    matches!(
        lead,
        b"" | b"-"
            | b"+"
            | b">"
            | b"*"
            | b"#"
            | b"//"
            | b";"
            | b"--"
            | b"\""
            | b"'"
            | b"export"
            | b"set"
            | b"setenv"
            | b"local"
            | b"readonly"
            | b"declare -x"
            | b"set -x"
            | b"- export"
            | b"+ export"
            | b"++ export"
            | b"$ export"
            | b"> export"
            | b"$env:"
    )
}
