//! Manifests of a cluster: everything below `data` of a `kind: Secret` is one.
//!
//! The kind may stand behind the data, so the documents with secrets are found first (see
//! [`super::secret_documents`]), in one look over the text when the first `data` is met.

use std::ops::Range;

use super::fields::quoted;
use super::mask::is_masked;
use super::scan::{SecretScan, is_blank, is_gap};
use super::words::is_placeholder;

/// Looks at `data:`; the hit is that word and its colon.
pub(super) fn visit(scan: &mut SecretScan<'_>, hit: Range<usize>) {
    if !scan.in_secret_document(hit.start) {
        return;
    }
    if scan.byte_before(hit.end - 1) == b'"' {
        return object(scan, hit.end);
    }
    let line = scan.run_start(hit.start, 64, |byte| byte != b'\n');
    let indent = scan.run_end_within(line, 64, is_gap) - line;
    let mut at = scan.run_end(hit.end, is_gap);
    if !matches!(scan.byte(at), b'\n' | b'\r') {
        return;
    }
    loop {
        at = scan.run_end(at, |byte| matches!(byte, b'\n' | b'\r'));
        let name = scan.run_end_within(at, 256, is_gap);
        if name - at <= indent || name >= scan.text.len() {
            return;
        }
        let end = scan.run_end(name, |byte| byte != b'\n');
        let colon = scan.run_end_within(name, end - name, |byte| byte != b':');
        if colon < end {
            let value = scan.run_end_within(colon + 1, end - colon - 1, is_gap);
            let range = match quoted(scan, value) {
                Some(range) => range,
                None => value..value + scan.text[value..end].trim_end().len(),
            };
            hide(scan, range);
        }
        at = end;
    }
}

/// `{"name": "value", …}`
fn object(scan: &mut SecretScan<'_>, at: usize) {
    let mut at = scan.run_end(at, is_blank);
    if scan.byte(at) != b'{' {
        return;
    }
    loop {
        at = scan.run_end(at + 1, |byte| is_blank(byte) || byte == b',');
        let Some(name) = quoted(scan, at) else { return };
        at = scan.run_end(name.end + 1, is_blank);
        if scan.byte(at) != b':' {
            return;
        }
        at = scan.run_end(at + 1, is_blank);
        let Some(value) = quoted(scan, at) else { return };
        at = value.end;
        hide(scan, value);
    }
}

fn hide(scan: &mut SecretScan<'_>, range: Range<usize>) {
    let value = &scan.text[range.clone()];
    let block = matches!(value, "|" | ">" | "|-" | ">-");
    if !value.is_empty() && !block && !is_masked(value) && !is_placeholder(value) {
        super::keys::hide_value(scan, range);
    }
}
