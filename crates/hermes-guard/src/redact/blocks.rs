//! Private keys in armour, also when one end is missing.
//!
//! Output is cut, and files are read in parts, so a key may lack its last line or its first. Then the
//! lines that look like key material go with the line that is there. Numbers, quotes and marks that
//! tools put before each line do not matter.

use memchr::memmem;

use super::mask::PRIVATE_KEY;
use super::scan::{KeyEnds, SecretScan};

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";
/// How another kind of file for keys begins.
const SSH2: &str = "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----";
/// Longest label between the dashes.
const LONGEST_LABEL: usize = 64;
/// Longest key with both ends.
const LONGEST_KEY: usize = 128 * 1024;
/// Longest line of a key whose other end is missing.
const LONGEST_LINE: usize = 4096;

pub(super) fn visit(scan: &mut SecretScan<'_>, start: usize) {
    let rest = &scan.text[start..];
    if rest.starts_with(SSH2) {
        let body = start + scan.text[start..].find('\n').unwrap_or(rest.len());
        let end = end_of_material(scan, body);
        if end > body + 1 {
            scan.replace(start..end, PRIVATE_KEY);
        }
    } else if let Some(length) = armour(rest, BEGIN) {
        begin(scan, start, start + length);
    } else if let Some(length) = armour(rest, END) {
        end(scan, start, start + length);
    }
}

/// The length of an armour line about a private key that a text begins with.
fn armour(text: &str, opening: &str) -> Option<usize> {
    let rest = text.strip_prefix(opening)?;
    let label_end = rest.bytes().take(LONGEST_LABEL).position(|byte| byte == b'-')?;
    let label = &rest[..label_end];
    let known = label.ends_with("PRIVATE KEY")
        || label.ends_with("PRIVATE KEY BLOCK")
        || label.ends_with("Static key V1");
    (known && rest[label_end..].starts_with(DASHES))
        .then_some(opening.len() + label_end + DASHES.len())
}

fn begin(scan: &mut SecretScan<'_>, start: usize, body: usize) {
    let end = match next_end(scan, body) {
        Some((end_start, end)) if end_start - body <= LONGEST_KEY => end,
        _ => {
            let end = end_of_material(scan, body);
            if end == body {
                return;
            }
            end
        }
    };
    scan.replace(start..end, PRIVATE_KEY);
}

fn next_end(scan: &mut SecretScan<'_>, from: usize) -> Option<(usize, usize)> {
    let fresh = match scan.key_ends.found {
        Some(Some((start, _))) => scan.key_ends.searched_from <= from && from <= start,
        Some(None) => scan.key_ends.searched_from <= from,
        None => false,
    };
    if !fresh {
        let found = memmem::find_iter(&scan.bytes()[from..], END).find_map(|offset| {
            let start = from + offset;
            armour(&scan.text[start..], END).map(|length| (start, start + length))
        });
        scan.key_ends = KeyEnds { searched_from: from, found: Some(found) };
    }
    scan.key_ends.found.flatten()
}

/// From behind a first line, the end of the lines that look like key material.
fn end_of_material(scan: &SecretScan<'_>, body: usize) -> usize {
    let bytes = scan.bytes();
    let mut end = body;
    let mut at = body;
    loop {
        let window = &bytes[at..bytes.len().min(at + LONGEST_LINE)];
        let newline = memchr::memchr(b'\n', window);
        let line = &window[..newline.unwrap_or(window.len())];
        let cut = newline.is_none() && window.len() == LONGEST_LINE;
        let kind = if cut { Material::None } else { material(line) };
        // In a string with escapes the whole key is on one line, behind the dashes.
        if kind == Material::None || at == body && kind == Material::Short {
            let run = scan.run_end(at, |byte| is_base64(byte) || at == body && byte == b'\\');
            return if run - at >= LONG { run } else { end };
        }
        if kind != Material::Blank {
            end = at + line.trim_ascii_end().len();
        }
        match newline {
            Some(newline) => at += newline + 1,
            None => return end,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Material {
    None,
    Blank,
    Short,
    Long,
}

/// Fewest characters that make a line key material for certain.
const LONG: usize = 12;

fn material(line: &[u8]) -> Material {
    let content = undecorated(line);
    if content.is_empty() {
        return Material::Blank;
    }
    if content.iter().all(|&byte| is_base64(byte)) {
        return if content.len() >= LONG { Material::Long } else { Material::Short };
    }
    // `Proc-Type: 4,ENCRYPTED` and other lines before the key itself.
    const HEADERS: [&[u8]; 6] =
        [b"Proc-Type:", b"DEK-Info:", b"Version:", b"Comment:", b"Hash:", b"Charset:"];
    if HEADERS.iter().any(|header| content.starts_with(header)) {
        return Material::Short;
    }
    Material::None
}

/// The line without its number, quote marks, diff marks and blanks.
fn undecorated(line: &[u8]) -> &[u8] {
    let mut content = line.trim_ascii();
    let digits = content.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 0 && matches!(content.get(digits), Some(b'|' | b':' | b'\t' | b'-')) {
        content = content[digits + 1..].trim_ascii();
    }
    while let [b'>' | b'"' | b'\'' | b'#' | b'*' | b'|' | b'-' | b'+', rest @ ..] = content {
        content = rest.trim_ascii_start();
    }
    while let [rest @ .., b'"' | b'\'' | b',' | b'\\' | b';'] = content {
        content = rest.trim_ascii_end();
    }
    content
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// A last line without a first: the lines before it that look like key material go with it.
fn end(scan: &mut SecretScan<'_>, start: usize, end: usize) {
    let bytes = scan.bytes();
    let mut from = start;
    let mut line_end = start;
    while let Some(line_start) = line_start(scan, line_end) {
        let line = &bytes[line_start..line_end];
        let own_line = line_end == start;
        let belongs = match material(line) {
            Material::Long | Material::Short => !own_line,
            Material::Blank => own_line,
            Material::None => false,
        };
        if !belongs {
            break;
        }
        if !own_line {
            from = line_start;
        }
        match line_start.checked_sub(1) {
            Some(newline) if newline >= scan.done() => line_end = newline,
            _ => break,
        }
    }
    if from < start {
        scan.replace(from..end, PRIVATE_KEY);
    }
}

/// Where the line that ends at a position begins, unless it is too long for one of a key.
fn line_start(scan: &SecretScan<'_>, end: usize) -> Option<usize> {
    let from = scan.done().max(end.saturating_sub(LONGEST_LINE));
    match memchr::memrchr(b'\n', &scan.bytes()[from..end]) {
        Some(newline) => Some(from + newline + 1),
        None => (from == scan.done()).then_some(from),
    }
}

/// `Private-Lines: 3` and as many lines of key material.
pub(super) fn putty(scan: &mut SecretScan<'_>, number: usize) {
    let lines = scan.run_end_within(number, 3, |byte| byte.is_ascii_digit());
    let body = scan.run_end_within(lines, 2, |byte| matches!(byte, b'\r' | b'\n'));
    let end = end_of_material(scan, body);
    if lines > number && body > lines && end > body {
        scan.replace(body..end, PRIVATE_KEY);
    }
}
