//! Several values, or one on several lines, behind one name.
//!
//! `tokens: ["…", "…"]`, the same as a list with dashes, a block of text behind `|`, and a string between three
//! quotes.

use std::ops::Range;

use super::names::{SecretFamily, family};
use super::scan::{SecretScan, is_blank, is_gap, is_quote};
use super::tables::is_secret;

/// Furthest that a value may stand behind its name.
const WIDEST_GAP: usize = 32;
/// Longest list or block.
const LONGEST: usize = 16 * 1024;
const DEEPEST: usize = 256;

/// Hides what stands behind a name in one of these forms. Says whether the form was one of them.
pub(super) fn visit(scan: &mut SecretScan<'_>, name: &Range<usize>) -> bool {
    if name.start < scan.table_end {
        return false;
    }
    let quote = usize::from(is_quote(scan.byte(name.end)));
    let sign = scan.run_end_within(name.end + quote, WIDEST_GAP, is_gap);
    if !matches!(scan.byte(sign), b':' | b'=') {
        return false;
    }
    let start = scan.run_end_within(sign + 1, WIDEST_GAP, is_gap);
    let first = scan.byte(start);
    let triple = is_quote(first) && scan.byte(start + 1) == first && scan.byte(start + 2) == first;
    if !triple && !matches!(first, b'[' | b'|' | b'>' | b'\n' | b'\r') {
        return false;
    }
    let colon = scan.byte(sign) == b':';
    let Some(family) = family(&scan.text[name.clone()]) else { return false };
    match first {
        b'[' => strings(scan, start + 1, family),
        b'|' | b'>' if colon => block(scan, name.start, start, family),
        b'\n' | b'\r' if colon => dashes(scan, start, family),
        _ if triple => {
            let text = scan.run_end_within(start + 3, WIDEST_GAP, is_blank);
            let end = scan.run_end_within(text, LONGEST, |byte| !is_blank(byte) && byte != first);
            hide(scan, text..end, family);
        }
        _ => return false,
    }
    true
}

fn hide(scan: &mut SecretScan<'_>, range: Range<usize>, family: SecretFamily) {
    let whole = scan.text.is_char_boundary(range.start) && scan.text.is_char_boundary(range.end);
    if whole && range.start >= scan.done() && is_secret(&scan.text[range.clone()], family) {
        super::keys::hide_value(scan, range);
    }
}

fn strings(scan: &mut SecretScan<'_>, start: usize, family: SecretFamily) {
    let mut at = start;
    let limit = start + LONGEST;
    while at < limit {
        at = scan.run_end_within(at, WIDEST_GAP, |byte| is_blank(byte) || byte == b',');
        scan.table_end = scan.table_end.max(at);
        let quote = scan.byte(at);
        if !is_quote(quote) {
            return;
        }
        let end = scan.run_end_within(at + 1, LONGEST, |byte| byte != quote && byte != b'\n');
        hide(scan, at + 1..end, family);
        at = end + 1;
    }
}

/// The lines below that begin with a dash.
fn dashes(scan: &mut SecretScan<'_>, start: usize, family: SecretFamily) {
    let mut at = start;
    let limit = start + LONGEST;
    while at < limit {
        at = scan.run_end_within(at, DEEPEST, is_blank);
        scan.table_end = scan.table_end.max(at);
        if scan.byte(at) != b'-' || !is_gap(scan.byte(at + 1)) {
            return;
        }
        let value = scan.run_end_within(at + 1, WIDEST_GAP, is_gap);
        let value = value + usize::from(is_quote(scan.byte(value)));
        let end = scan.run_end_within(value, LONGEST, |byte| !is_blank(byte) && !is_quote(byte));
        let line = scan.run_end_within(end, LONGEST, |byte| byte != b'\n');
        if end == value {
            return;
        }
        hide(scan, value..end, family);
        at = line;
    }
}

/// The lines below that stand further in than the name.
fn block(scan: &mut SecretScan<'_>, name: usize, sign: usize, family: SecretFamily) {
    let line = scan.run_start(name, DEEPEST, |byte| byte != b'\n');
    let indent = scan.run_end_within(line, DEEPEST, |byte| is_gap(byte) || byte == b'-') - line;
    let mut at = scan.run_end_within(sign, 4, |byte| matches!(byte, b'|' | b'>' | b'+' | b'-'));
    at = scan.run_end_within(at, WIDEST_GAP, is_gap);
    if !matches!(scan.byte(at), b'\n' | b'\r') {
        return;
    }
    let mut range = 0..0;
    let limit = at + LONGEST;
    while at < limit {
        at = scan.run_end_within(at, DEEPEST, |byte| matches!(byte, b'\n' | b'\r'));
        let text = scan.run_end_within(at, DEEPEST, is_gap);
        let end = scan.run_end_within(text, LONGEST, |byte| !matches!(byte, b'\n' | b'\r'));
        if text - at <= indent || end == text {
            break;
        }
        if range.is_empty() {
            // The first line tells what the rest is.
            if !scan.text.is_char_boundary(end)
                || !is_secret(scan.text[text..end].trim_end(), family)
            {
                return;
            }
            range.start = text;
        }
        range.end = end;
        at = end;
    }
    if !range.is_empty() && range.start >= scan.done() && scan.text.is_char_boundary(range.end) {
        super::keys::hide_value(scan, range);
    }
}
