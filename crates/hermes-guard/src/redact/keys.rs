//! Keys with a prefix that tells who issued them.

use super::mask::{marker, masked_length};
use super::scan::{Remains, SecretScan, is_token};
use super::words::made_of_words;

/// A prefix that issuers put before their keys.
pub(super) struct KeyPrefix {
    pub(super) text: &'static str,
    /// Fewest characters after it.
    least: usize,
    shape: Shape,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// No ordinary name begins like this.
    Distinct,
    /// The same, and the key has parts separated by dots.
    Dotted,
    /// Names in programs begin like this too.
    Common,
}

const fn distinct(text: &'static str, least: usize) -> KeyPrefix {
    KeyPrefix { text, least, shape: Shape::Distinct }
}

const fn dotted(text: &'static str, least: usize) -> KeyPrefix {
    KeyPrefix { text, least, shape: Shape::Dotted }
}

const fn common(text: &'static str, least: usize) -> KeyPrefix {
    KeyPrefix { text, least, shape: Shape::Common }
}

/// How much of a key is looked at to tell it from a name.
const JUDGED: usize = 128;

/// Longer prefixes stand before the shorter ones they begin with.
pub(super) const KEY_PREFIXES: &[KeyPrefix] = &[
    distinct("github_pat_", 10),
    distinct("ghp_", 10),
    distinct("gho_", 10),
    distinct("ghu_", 10),
    distinct("ghs_", 10),
    distinct("ghr_", 10),
    distinct("glpat-", 10),
    distinct("sk_live_", 10),
    distinct("sk_test_", 10),
    distinct("rk_live_", 10),
    distinct("rk_test_", 10),
    distinct("xoxa-", 10),
    distinct("xoxb-", 10),
    distinct("xoxp-", 10),
    distinct("xoxr-", 10),
    distinct("xoxs-", 10),
    distinct("xapp-", 10),
    distinct("AIza", 30),
    distinct("AKIA", 16),
    distinct("ASIA", 16),
    distinct("gAAAA", 20),
    distinct("dop_v1_", 10),
    distinct("doo_v1_", 10),
    distinct("shpat_", 10),
    dotted("hvs.", 10),
    dotted("SG.", 10),
    common("sk-", 10),
    common("sk_", 10),
    common("hf_", 10),
    common("r8_", 10),
    common("npm_", 10),
    common("pypi-", 10),
    common("pplx-", 10),
    common("tvly-", 10),
    common("exa_", 10),
    common("gsk_", 10),
    common("xai-", 30),
    common("fpk_", 30),
    common("fw-", 30),
    common("fw_", 30),
    common("ntn_", 10),
    common("fal_", 10),
    common("fc-", 10),
    common("am_", 10),
    common("bb_live_", 10),
    common("syt_", 10),
    common("brv_", 10),
    common("mem0_", 10),
    common("retaindb_", 10),
    common("hsk-", 10),
];

/// Looks at what follows a prefix, given by its place in the list.
pub(super) fn visit(scan: &mut SecretScan<'_>, start: usize, index: usize) {
    let prefix = &KEY_PREFIXES[index];
    let rest = &scan.text[start..];
    let dotted = prefix.shape == Shape::Dotted;
    if !rest.starts_with(prefix.text)
        || !begins_word(scan, start)
        || dotted && follows_dot_in_name(scan, start)
    {
        return;
    }
    if let Some(length) = masked_length(rest) {
        return scan.keep(start..start + length);
    }
    let body = start + prefix.text.len();
    let belongs = |byte: u8| is_token(byte) || dotted && byte == b'.';
    // Judged by its beginning: only what is hidden is read to its end.
    let judged = &scan.text[body..scan.run_end_within(body, JUDGED, belongs)];
    // One lower-case word after a distinct prefix is still a key; two are a name.
    let names_possible = prefix.shape == Shape::Common || judged.contains(['_', '-', '.']);
    let judged = judged.trim_end_matches('.');
    if judged.len() < prefix.least || names_possible && made_of_words(judged) || filler(judged) {
        return;
    }
    let end = scan.run_end(body, belongs);
    // A call of a function.
    if prefix.shape == Shape::Common && scan.byte(end) == b'(' {
        return;
    }
    let end = body + scan.text[body..end].trim_end_matches('.').len();
    match scan.rules.remains {
        Remains::Ends => scan.hide(start..end),
        Remains::Nothing => {
            // A shorter prefix is met before a longer one that begins with it.
            let longest = KEY_PREFIXES.iter().find(|known| rest.starts_with(known.text));
            scan.replace(start..end, &marker(longest.unwrap_or(prefix).text));
        }
    }
}

/// Whether a word can begin here. Escapes in strings and URLs (`\n`, `%3D`) end in a letter that does
/// not belong to the word.
fn begins_word(scan: &SecretScan<'_>, start: usize) -> bool {
    let before = scan.byte_before(start);
    if !is_token(before) && before < 0x80 {
        return true;
    }
    let earlier = |distance: usize| start.checked_sub(distance).map_or(0, |at| scan.byte(at));
    matches!(before, b'n' | b'r' | b't') && earlier(2) == b'\\'
        || before.is_ascii_hexdigit() && earlier(2).is_ascii_hexdigit() && earlier(3) == b'%'
}

/// Whether this is a later part of a name with dots, such as `a.b.c`.
fn follows_dot_in_name(scan: &SecretScan<'_>, start: usize) -> bool {
    scan.byte_before(start) == b'.' && start >= 2 && is_token(scan.byte(start - 2))
}

/// `xxxxxxxxxx`, as examples have it.
fn filler(secret: &str) -> bool {
    secret.bytes().all(|byte| matches!(byte, b'x' | b'X' | b'-' | b'_' | b'.'))
}
