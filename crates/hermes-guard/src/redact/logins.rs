//! Lines of a file with logins for databases: `host:port:database:user:password`.

use super::mask::is_masked;
use super::scan::{SecretScan, is_blank, is_gap};
use super::values::{SecretLook, follows_password_rules, look, stands_in};

/// Longest line that is read as a login.
const LONGEST_LINE: usize = 256;
const FIELDS: usize = 5;
/// Lower numbers behind a colon are lines of a file or parts of a time.
const LEAST_PORT: u32 = 1024;
/// The port of the server whose logins these are: with it any password counts.
const USUAL_PORT: &str = "5432";

/// Fields of a line in a file with cookies.
const COOKIE_FIELDS: usize = 7;
/// Shortest cookie that is worth hiding.
const LEAST_COOKIE: usize = 12;

/// `host<tab>TRUE<tab>/<tab>…<tab>name<tab>value`: the value. The hit is the first flag and the path.
pub(super) fn cookie_jar(scan: &mut SecretScan<'_>, hit: std::ops::Range<usize>) {
    let start = scan.run_start(hit.start, LONGEST_LINE, |byte| byte != b'\n');
    let end =
        scan.run_end_within(hit.end, 16 * LONGEST_LINE, |byte| !matches!(byte, b'\n' | b'\r'));
    let (Some(line), true) = (scan.text.get(start..end), end > start) else { return };
    let Some((_, value)) = line.rsplit_once('\t') else { return };
    let fields = line.split('\t').count() == COOKIE_FIELDS;
    if fields
        && value.len() >= LEAST_COOKIE
        && look(value) >= SecretLook::Chosen
        && !is_masked(value)
    {
        super::keys::hide_value(scan, end - value.len()..end);
    }
}

/// `WIFI:T:WPA;S:name;P:password;;`
pub(super) fn wifi(scan: &mut SecretScan<'_>, start: usize) {
    let end = scan.run_end_within(start, LONGEST_LINE, |byte| !is_blank(byte) && byte < 0x80);
    let code = &scan.text[start..end];
    let Some(at) =
        code.find(";P:").map(|at| at + 3).or_else(|| code.starts_with("P:").then_some(2))
    else {
        return;
    };
    let length = code[at..].find(';').unwrap_or(0);
    let range = start + at..start + at + length;
    if length > 0 && !is_masked(&scan.text[range.clone()]) && !stands_in(&scan.text[range.clone()])
    {
        super::keys::hide_value(scan, range);
    }
}

/// `[host]:port name:password`, as mail relays are listed. The hit ends before the port.
pub(super) fn relay(scan: &mut SecretScan<'_>, port: usize) {
    let end = scan.run_end_within(port, 5, |byte| byte.is_ascii_digit());
    let login = scan.run_end_within(end, 16, is_gap);
    let stop = scan.run_end_within(login, LONGEST_LINE, |byte| !is_blank(byte) && byte < 0x80);
    let line_ends = matches!(scan.byte(stop), 0 | b'\n' | b'\r');
    if end == port || login == end || !line_ends {
        return;
    }
    if let Some((user, password)) = scan.text[login..stop].split_once(':')
        && !user.is_empty()
        && (look(password) >= SecretLook::Chosen || follows_password_rules(password))
        && !is_masked(password)
        && !stands_in(password)
    {
        super::keys::hide_value(scan, stop - password.len()..stop);
    }
}

/// Looks at the line around the colon before or behind a port.
pub(super) fn visit(scan: &mut SecretScan<'_>, colon: usize) {
    let ours = |byte: u8| !is_blank(byte) && byte < 0x80;
    let start = scan.run_start(colon, LONGEST_LINE, ours).max(scan.done());
    let end = scan.run_end_within(colon, LONGEST_LINE, ours);
    let line_begins = start == 0 || matches!(scan.byte_before(start), b'\n' | 0 | b' ' | b'\t');
    if !line_begins || !matches!(scan.byte(end), 0 | b'\n' | b'\r') || end <= start {
        return;
    }
    let line = &scan.text[start..end];
    let mut parts = line.splitn(FIELDS, ':');
    let [Some(host), Some(port), Some(database), Some(user), Some(password)] =
        std::array::from_fn(|_| parts.next())
    else {
        return;
    };
    let named = |part: &str| {
        part == "*"
            || part.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    let usual = port == "*" || port == USUAL_PORT;
    let hosted = host == "*"
        || !host.contains('/')
            && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte));
    let sound = hosted
        && !host.is_empty()
        && (usual || port.parse::<u32>().is_ok_and(|port| (LEAST_PORT..=65_535).contains(&port)))
        && named(database)
        && named(user)
        && !password.is_empty()
        && !password.contains(':')
        && !stands_in(password)
        && !is_masked(password);
    if sound && (usual || look(password) >= SecretLook::Chosen) {
        super::keys::hide_value(scan, end - password.len()..end);
    }
}
