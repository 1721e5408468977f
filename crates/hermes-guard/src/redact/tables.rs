//! Secrets below a heading: tables with bars, commas, tabs or blanks between their columns, and the rows that a
//! query inserts.
//!
//! The name stands once, above; the values stand in the same column of the lines that follow. A table
//! is read once, however many of its headings name a secret or of its rows look like headings.

use std::ops::Range;

use super::mask::is_masked;
use super::memorable::is_memorable;
use super::names::{SecretFamily, family};
use super::scan::{SecretScan, is_blank, is_gap, is_quote};
use super::values::{SecretLook, follows_password_rules, is_prose, is_reference, look, stands_in};
use super::words::is_placeholder;

/// Longest line of a heading and of a row.
const LONGEST_LINE: usize = 1024;
const LONGEST_HEADING: usize = 32;
/// Longest list of columns in a query.
const LONGEST_LIST: usize = 512;

/// How columns are told apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Columns {
    /// By this sign.
    Between(u8),
    /// By where they begin.
    At(usize),
}

/// Hides the values below a heading, or in the rows of a query, if the name is one. Says whether it was.
pub(super) fn visit(scan: &mut SecretScan<'_>, name: &Range<usize>) -> bool {
    if name.start < scan.table_end || scan.plain_line.contains(&name.start) {
        return false;
    }
    let before = scan.byte_before(name.start);
    let after = scan.byte(name.end);
    let edge = |byte: u8| {
        is_blank(byte) || is_quote(byte) || matches!(byte, b'|' | b',' | b'(' | b')' | 0)
    };
    if !edge(before) || !edge(after) {
        return false;
    }
    let behind = scan.run_end_within(name.end, 2, is_quote);
    let next = scan.run_end_within(behind, LONGEST_HEADING, |byte| byte == b' ');
    match scan.byte(next) {
        b',' | b')' if inserted(scan, name) => true,
        b',' | b'|' | b'\t' | b'\n' | b'\r' | b'"' => below(scan, name),
        _ if next > behind + 1 => below(scan, name),
        _ => false,
    }
}

fn below(scan: &mut SecretScan<'_>, name: &Range<usize>) -> bool {
    let start = scan.run_start(name.start, LONGEST_LINE, |byte| byte != b'\n');
    let end = scan.run_end_within(name.end, LONGEST_LINE, |byte| byte != b'\n');
    if start > 0 && scan.byte_before(start) != b'\n' || scan.byte(end) != b'\n' {
        scan.plain_line = start..end;
        return false;
    }
    let line = &scan.text[start..end];
    let Some((columns, cell)) = columns(line, name.start - start) else {
        scan.plain_line = start..end;
        return false;
    };
    let Some(family) = family(&cell) else { return false };
    let index = match columns {
        Columns::Between(sign) => count(&line.as_bytes()[..name.start - start], sign),
        Columns::At(_) => 0,
    };
    let cells = match columns {
        Columns::Between(sign) => count(line.trim_end().as_bytes(), sign),
        Columns::At(_) => 0,
    };
    let mut at = end + 1;
    loop {
        let row_end = scan.run_end_within(at, LONGEST_LINE, |byte| byte != b'\n');
        let row = &scan.text[at..scan.text.floor_char_boundary(row_end)];
        if row.trim().is_empty() || row_end - at >= LONGEST_LINE {
            break;
        }
        if row.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
            let found = match columns {
                Columns::Between(sign) if count(row.trim_end().as_bytes(), sign) == cells => {
                    nth(row, sign, index)
                }
                Columns::Between(_) => break,
                Columns::At(column) => word_at(row, column),
            };
            if let Some(found) = found {
                let range = at + found.start..at + found.end;
                if is_secret(&scan.text[range.clone()], family) {
                    super::keys::hide_value(scan, range);
                }
            }
        }
        at = row_end + 1;
        if at >= scan.text.len() {
            break;
        }
    }
    scan.table_end = scan.table_end.max(at.min(scan.text.len()));
    true
}

/// How a line of headings is divided, and the heading at a place of it.
fn columns(line: &str, at: usize) -> Option<(Columns, String)> {
    let heading = |text: &str| {
        let text = text.trim().trim_matches(['"', '*', '`']);
        text.len() <= LONGEST_HEADING
            && look(text) == SecretLook::Plain
            && !is_memorable(text)
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_ -.#/".contains(&byte))
    };
    for sign in [b'|', b'\t', b','] {
        let sign = char::from(sign);
        let body = line.trim().trim_matches('|');
        if !body.contains(sign) {
            continue;
        }
        let cells = body.trim_end_matches(sign).split(sign);
        if !cells.clone().all(heading) || cells.count() < 2 {
            return None;
        }
        let from = line[..at].rfind(sign).map_or(0, |at| at + 1);
        let to = line[at..].find(sign).map_or(line.len(), |end| at + end);
        let cell = line[from..to].trim().trim_matches(['"', '*', '`']).to_owned();
        return u8::try_from(sign).ok().map(|sign| (Columns::Between(sign), cell));
    }
    let words = || line.split("  ").map(str::trim).filter(|word| !word.is_empty());
    let cell = line[at..].split("  ").next()?.trim();
    let shouted = line.bytes().all(|byte| !byte.is_ascii_lowercase());
    (words().count() >= 2
        && words().all(heading)
        && shouted
        && (at == 0 || line[..at].ends_with(' ')))
    .then(|| (Columns::At(at), cell.to_owned()))
}

fn count(bytes: &[u8], sign: u8) -> usize {
    memchr::memchr_iter(sign, bytes).count()
}

/// The text of one column, without blanks and quotes.
fn nth(row: &str, sign: u8, index: usize) -> Option<Range<usize>> {
    let mut start = 0;
    for (nth, cell) in row.split(char::from(sign)).enumerate() {
        if nth == index {
            let edge = |byte: char| byte.is_whitespace() || matches!(byte, '"' | '\'' | '`');
            let front = cell.len() - cell.trim_start_matches(edge).len();
            let inside = cell.trim_matches(edge);
            return Some(start + front..start + front + inside.len());
        }
        start += cell.len() + 1;
    }
    None
}

/// The word that begins at a place of a row.
fn word_at(row: &str, at: usize) -> Option<Range<usize>> {
    let word = row.get(at..)?.split([' ', '\t']).next()?;
    row[..at].ends_with([' ', '\t']).then_some(at..at + word.len())
}

/// `(user, password) VALUES ('ada', '…'), (…)`
fn inserted(scan: &mut SecretScan<'_>, name: &Range<usize>) -> bool {
    let in_list = |byte: u8| byte.is_ascii_alphanumeric() || b"_., \n\t\r\"`[]".contains(&byte);
    let close = scan.run_end_within(name.end, LONGEST_LIST, in_list);
    if scan.byte(close) != b')' {
        return false;
    }
    let open = scan.run_start(name.start, LONGEST_LIST, in_list);
    let word = scan.run_end_within(close + 1, 8, is_blank);
    let values = scan.bytes().get(word..word + 6);
    if scan.byte_before(open) != b'('
        || !values.is_some_and(|word| word.eq_ignore_ascii_case(b"values"))
    {
        return false;
    }
    let Some(family) = family(&scan.text[name.clone()]) else { return false };
    let index = count(&scan.bytes()[open..name.start], b',');
    let mut at = scan.run_end_within(word + 6, 8, is_blank);
    while scan.byte(at) == b'(' {
        let (found, end) = row(scan, at + 1, index);
        if let Some(range) = found
            && is_secret(&scan.text[range.clone()], family)
        {
            super::keys::hide_value(scan, range);
        }
        let next =
            scan.run_end_within(end, 8, |byte| is_blank(byte) || matches!(byte, b')' | b','));
        if next == end {
            break;
        }
        at = next;
    }
    scan.table_end = scan.table_end.max(at);
    true
}

/// The string in one column of a row of values, and where the row ends.
fn row(scan: &SecretScan<'_>, start: usize, index: usize) -> (Option<Range<usize>>, usize) {
    let (mut at, mut column, mut found) = (start, 0, None);
    let limit = start + LONGEST_LINE;
    while at < limit && at < scan.text.len() {
        match scan.byte(at) {
            quote @ (b'\'' | b'"') => {
                let end = scan
                    .run_end_within(at + 1, LONGEST_LINE, |byte| byte != quote && byte != b'\n');
                if column == index && scan.byte(end) == quote {
                    found = Some(at + 1..end);
                }
                at = end;
            }
            b',' => column += 1,
            b')' => break,
            _ => {}
        }
        at += 1;
    }
    (found, at.min(scan.text.len()))
}

/// Whether a value is what its heading says.
pub(super) fn is_secret(value: &str, family: SecretFamily) -> bool {
    let look = look(value);
    let fits = match family {
        SecretFamily::Password => {
            look >= SecretLook::Chosen
                || is_memorable(value)
                || follows_password_rules(value) && !value.contains('_')
        }
        SecretFamily::Auth => false,
        _ => look == SecretLook::Generated,
    };
    fits && !is_masked(value)
        && !is_placeholder(value)
        && !stands_in(value)
        && !is_reference(value)
        && !is_prose(value)
}

/// `password | value`, `| API_KEY | value | … |`: a row whose first cell is the name of the second.
pub(super) fn upright(scan: &mut SecretScan<'_>, name: &Range<usize>) -> bool {
    let behind = scan.run_end_within(name.end, 2, |byte| matches!(byte, b'`' | b'*'));
    let bar = scan.run_end_within(behind, LONGEST_HEADING, is_gap);
    if bar == name.end || scan.byte(bar) != b'|' {
        return false;
    }
    let start = scan.run_end_within(bar + 1, LONGEST_HEADING, |byte| {
        is_gap(byte) || matches!(byte, b'`' | b'"')
    });
    let end = scan.run_end_within(start, LONGEST_HEADING * 8, |byte| {
        !is_blank(byte) && !matches!(byte, b'|' | b'`' | b'"')
    });
    let range = start..end;
    let after = scan.byte(scan.run_end_within(end, LONGEST_HEADING * 8, |byte| {
        is_gap(byte) || matches!(byte, b'`' | b'"')
    }));
    let cell_ends = matches!(after, 0 | b'\n' | b'\r' | b'|');
    let Some(family) = family(&scan.text[name.clone()]) else { return false };
    if !scan.text.is_char_boundary(end)
        || !cell_ends
        || !is_secret(&scan.text[range.clone()], family)
    {
        return false;
    }
    super::keys::hide_value(scan, range);
    true
}
