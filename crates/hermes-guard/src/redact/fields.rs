//! What stands behind a name: a sign and a value, in all the ways that files write them.
//!
//! `NAME=value`, `some.name = value`, `"name": "value"`, `name: value`, `<name>value</name>`, `'name', 'value'`,
//! `setName("value")`, `name: Type = "value"`, and the pairs in which the name is itself a value
//! (`"name": "NAME", "value": "…"`, `<key>NAME</key> <string>…</string>`).

use std::ops::Range;

use super::scan::{SecretScan, is_blank, is_gap, is_quote, is_token};
use super::values::{SecretLook, look};

/// Longest value within quotes.
const LONGEST_QUOTED: usize = 64 * 1024;
/// How much of a value without quotes is looked at before it is known to be a secret.
pub(super) const JUDGED: usize = 512;
/// Furthest that a value may stand behind its sign.
const WIDEST_GAP: usize = 32;
/// Furthest that the value of a pair may stand behind its name, and longest type of a constant.
const WIDEST_PAIR: usize = 128;

/// Signs between a name and its value, longer ones before those they begin with. The languages they are
/// from: R, Make and Rust's parsers, Go and Pascal, Ruby and Perl, Perl and PHP, everybody.
const SIGNS: &[(&str, Sign)] = &[
    ("<-", Sign::Equals),
    ("::=", Sign::Equals),
    (":=", Sign::Equals),
    ("?=", Sign::Equals),
    ("+=", Sign::Equals),
    ("||=", Sign::Equals),
    ("=>", Sign::Colon),
    ("\u{ff1a}", Sign::Colon),
    (":", Sign::Colon),
    ("=", Sign::Equals),
];

/// The sign at a place, and its length.
fn sign(rest: &str) -> Option<(Sign, usize)> {
    let first = rest.as_bytes().first()?;
    let stands = |text: &str| text.as_bytes().first() == Some(first) && rest.starts_with(text);
    SIGNS.iter().find(|(text, _)| stands(text)).map(|(text, sign)| (*sign, text.len()))
}

/// Most backslashes before a quote, in strings within strings.
const MOST_SLASHES: usize = 7;

/// The sign between a name and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Equals,
    Colon,
    /// `<name>value</name>`
    Element,
    /// A comma or a bracket between a name and a string.
    Argument,
    /// The value of a pair whose other half is the name.
    Pair,
}

/// A name and its value.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: Range<usize>,
    pub(super) name_quoted: bool,
    pub(super) sign: Sign,
    /// Whether blanks stand around the sign.
    pub(super) spaced: bool,
    pub(super) value: Range<usize>,
    pub(super) value_quoted: bool,
}

impl Field {
    /// The value to its very end: only what is hidden is read so far.
    pub(super) fn whole_value(&self, scan: &SecretScan<'_>) -> Range<usize> {
        match (self.value_quoted, self.sign) {
            (true, _) => self.value.clone(),
            (false, Sign::Element) => element(scan, self.value.start, usize::MAX),
            _ => {
                let one_word = self.name_quoted || !self.spaced;
                unquoted(scan, self.value.start, self.sign, one_word, usize::MAX)
            }
        }
    }
}

/// The sign and the value behind a name.
pub(super) fn field(scan: &SecretScan<'_>, name: Range<usize>) -> Option<Field> {
    let mut at = name.end;
    let slashes = scan.run_end_within(at, MOST_SLASHES, |byte| byte == b'\\');
    if is_quote(scan.byte(slashes)) {
        at = slashes;
    }
    let name_quoted = is_quote(scan.byte(at));
    at += usize::from(name_quoted);
    let listed = name_quoted || scan.byte_before(name.start) == b'[';
    at += usize::from(listed && scan.byte(at) == b']');
    let bold = bold(scan, name.start);
    at += if scan.text[at..].starts_with(bold) { bold.len() } else { 0 };
    at = behind_remark(scan, at);
    let mut sign_at = scan.run_end_within(at, WIDEST_GAP, is_gap);
    if name_quoted && is_blank(scan.byte(sign_at)) {
        let below = scan.run_end_within(sign_at, WIDEST_GAP, is_blank);
        sign_at = if scan.byte(below) == b':' { below } else { sign_at };
    }
    if let Some(typed) = behind_type(scan, sign_at) {
        sign_at = typed;
    }
    let known = sign(&scan.text[sign_at..]);
    let (sign, length) = match (scan.byte(sign_at), scan.byte(sign_at + 1)) {
        // `userPassword:: …`, as directories write what is encoded
        (b':', b':') if is_gap(scan.byte(sign_at + 2)) && sign_at == name.end => (Sign::Colon, 2),
        (b':', b':') if scan.byte(sign_at + 2) != b'=' => return None,
        (b'=', b'=' | b'~') => return None,
        _ if known.is_some() => known?,
        (b'>', _) if !name_quoted && matches!(scan.byte_before(name.start), b'<' | b':') => {
            (Sign::Element, 1)
        }
        (b',', _) if name_quoted => match pair(scan, name.clone(), at) {
            Some(pair) => return Some(pair),
            None => (Sign::Argument, 1),
        },
        (b'(', _) if !name_quoted => (Sign::Argument, 1),
        (b',', _) if scan.byte_before(name.start) == b'{' => (Sign::Argument, 1),
        // `<name attribute="…">value</name>`
        _ if matches!(scan.byte_before(name.start), b'<' | b':') && sign_at > at => {
            let inside = |byte: u8| !matches!(byte, b'<' | b'>' | b'\n');
            let tag = scan.run_end_within(sign_at, WIDEST_PAIR, inside);
            if scan.byte(tag) != b'>' || scan.byte_before(tag) == b'/' {
                return pair(scan, name, at);
            }
            sign_at = tag;
            (Sign::Element, 1)
        }
        _ => return pair(scan, name, at),
    };
    let behind = sign_at + length;
    let start = scan.run_end_within(behind, WIDEST_GAP, is_gap);
    let spaced = sign_at > at || start > behind;
    // `PASSWORD :'name'`, as queries write their variables
    if sign == Sign::Colon && sign_at > at && start == behind && scan.byte(start) == b'\'' {
        return None;
    }
    // `"password:"`: the quote ends what it stands in.
    let open = scan.byte_before(name.start);
    if is_quote(open) && !name_quoted && scan.byte(behind) == open {
        return None;
    }
    // `**Password:** value`
    let start = match scan.text[start..].strip_prefix(bold) {
        Some(_) if !bold.is_empty() => scan.run_end_within(start + bold.len(), WIDEST_GAP, is_gap),
        _ => start,
    };
    let start = behind_tag(scan, start, sign);
    // `"password": { "value": "…" }`
    if scan.byte(start) == b'{'
        && let Some(pair) = pair(scan, name.clone(), member(scan, start).unwrap_or(start))
    {
        return Some(pair);
    }
    let (value, value_quoted) = match quoted(scan, start) {
        Some(value) => (behind_scheme(scan, value), true),
        None if sign == Sign::Argument => return None,
        None if sign == Sign::Element => (element(scan, behind, JUDGED), false),
        None => match constant(scan, start, sign).or_else(|| wrapped(scan, start)) {
            Some(value) => (value, true),
            None => (unquoted(scan, start, sign, name_quoted || !spaced, JUDGED), false),
        },
    };
    let (value, value_quoted) = match default(scan, &value) {
        Some(value) => (value, true),
        None => (value, value_quoted),
    };
    (!value.is_empty()).then_some(Field { name, name_quoted, sign, spaced, value, value_quoted })
}

/// Where `"value"` stands in an object: `{"sensitive": true, "value": …}`.
fn member(scan: &SecretScan<'_>, open: usize) -> Option<usize> {
    let end = scan.run_end_within(open, WIDEST_PAIR, |byte| byte != b'}');
    memchr::memmem::find(&scan.bytes()[open..end], b"\"value\"").map(|at| open + at)
}

/// The stars before a name in bold type.
fn bold(scan: &SecretScan<'_>, name: usize) -> &'static str {
    ["**", "__"].into_iter().find(|stars| scan.text[..name].ends_with(stars)).unwrap_or_default()
}

/// Words before a colon that say where a value is looked up.
const LOOKED_UP: &[&str] =
    &["env", "sys", "file", "vault", "secret", "ssm", "opt", "cf", "self", "aws", "sm", "param"];

/// `${NAME:-value}`, `${NAME:value}`: what counts when the variable is not set.
fn default(scan: &SecretScan<'_>, value: &Range<usize>) -> Option<Range<usize>> {
    let text = &scan.text[value.clone()];
    let named = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    let inside = text.strip_prefix("${")?;
    let name = inside.bytes().position(|byte| !named(byte))?;
    let sign = [":-", ":=", ":"].into_iter().find(|sign| inside[name..].starts_with(sign))?;
    // `${env:NAME}`: where the value is looked up.
    if sign == ":" && LOOKED_UP.contains(&&inside[..name]) {
        return None;
    }
    let start = value.start + 2 + name + sign.len();
    // `${NAME:?what is wrong}`, `${NAME:+other}`
    if matches!(scan.byte(start), b'?' | b'+') {
        return None;
    }
    let end = start + scan.text[start..value.end].find('}').unwrap_or(value.end - start);
    Some(start..end)
}

/// `Key 1: …`, `key (base58): …`: a number or a remark between a name and its colon.
fn behind_remark(scan: &SecretScan<'_>, at: usize) -> usize {
    if scan.byte(at) != b' ' {
        return at;
    }
    let end = match scan.byte(at + 1) {
        b'(' => {
            let end = scan
                .run_end_within(at + 2, 16, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
            if scan.byte(end) == b')' { end + 1 } else { at }
        }
        byte if byte.is_ascii_digit() => {
            scan.run_end_within(at + 1, 3, |byte| byte.is_ascii_digit())
        }
        _ => at,
    };
    if scan.byte(end) == b':' { end } else { at }
}

/// `name As String = "…"`: where the sign behind the type stands.
fn behind_type(scan: &SecretScan<'_>, at: usize) -> Option<usize> {
    let word = scan.bytes().get(at..at + 3)?;
    // `name { get; set; } = "…"`
    if scan.text[at..].starts_with("{ get;") {
        let end = scan.run_end_within(at, 2 * WIDEST_GAP, |byte| !matches!(byte, b'}' | b'\n'));
        let sign = scan.run_end_within(end + 1, WIDEST_GAP, is_gap);
        return (scan.byte(end) == b'}' && scan.byte(sign) == b'=').then_some(sign);
    }
    if !word.eq_ignore_ascii_case(b"as ") {
        return None;
    }
    let end = scan.run_end_within(at + 3, WIDEST_GAP, |byte| is_token(byte) || byte == b'.');
    let sign = scan.run_end_within(end, WIDEST_GAP, is_gap);
    (scan.byte(sign) == b'=').then_some(sign)
}

/// `!!str value`, `&anchor value`: where the value behind the mark stands.
fn behind_tag(scan: &SecretScan<'_>, start: usize, sign: Sign) -> usize {
    if sign != Sign::Colon || !matches!(scan.byte(start), b'&' | b'!') {
        return start;
    }
    let end = scan.run_end_within(start + 1, WIDEST_GAP, |byte| is_token(byte) || byte == b'!');
    // `!Ref name` and `!GetAtt` say where to look.
    let tag = &scan.text[start..end];
    let marks = tag.starts_with('&')
        || tag.starts_with("!!")
        || matches!(tag, "!unsafe" | "!str" | "!string" | "!binary" | "!Sub");
    match scan.run_end_within(end, WIDEST_GAP, is_gap) {
        value if marks && value > end && scan.byte(value) != b'=' => value,
        _ => start,
    }
}

/// Calls that only wrap the text they are given.
const WRAPPERS: &[&str] = &[
    "Some(",
    "Just(",
    "Ok(",
    "String::from(",
    "str(",
    "bytes(",
    "Buffer.from(",
    "SecretString::new(",
    "SecretString::from(",
    "SecretStr(",
    "Secret::new(",
    "Secret(",
    "Optional.of(",
    "Redacted(",
    "base64encode(",
    "sensitive(",
    "quote(",
    "new String(",
    "String(",
    "ConvertTo-SecureString ",
];

/// `Some("value")`: the text within the brackets.
fn wrapped(scan: &SecretScan<'_>, start: usize) -> Option<Range<usize>> {
    let rest = scan.text.get(start..)?;
    let wrapper = WRAPPERS.iter().find(|wrapper| rest.starts_with(*wrapper))?;
    quoted(scan, start + wrapper.len())
}

/// `Bearer …`: what is secret stands behind the word.
fn behind_scheme(scan: &SecretScan<'_>, value: Range<usize>) -> Range<usize> {
    let text = &scan.text[value.clone()];
    let word = ["Bearer ", "Basic ", "Token "].into_iter().find(|word| text.starts_with(word));
    value.start + word.map_or(0, str::len)..value.end
}

/// `name: Type = "value"`: behind the colon stands a type, and the value behind that.
fn constant(scan: &SecretScan<'_>, start: usize, sign: Sign) -> Option<Range<usize>> {
    if sign != Sign::Colon {
        return None;
    }
    let of_types = |byte: u8| byte.is_ascii_alphanumeric() || b"_&'<>[]:?| ".contains(&byte);
    let end = scan.run_end_within(start, WIDEST_PAIR, of_types);
    // The padding of a key ends in the same sign.
    if scan.byte(end) != b'=' || end == start || look(&scan.text[start..end]) != SecretLook::Plain {
        return None;
    }
    quoted(scan, scan.run_end_within(end + 1, WIDEST_GAP, is_gap))
}

/// The other half of a pair: `value="…"`, `"value": "…"`, `<string>…`, at most a few signs away.
fn pair(scan: &SecretScan<'_>, name: Range<usize>, at: usize) -> Option<Field> {
    let window = scan.bytes().get(at..scan.text.len().min(at + WIDEST_PAIR))?;
    let name_start = name.start;
    let between =
        |byte: u8| is_blank(byte) || matches!(byte, b',' | b'"' | b'\'' | b'/' | b'>' | b'{');
    let field = |value: Range<usize>, value_quoted| {
        let (name_quoted, spaced) = (true, false);
        let sign = Sign::Pair;
        (!value.is_empty()).then_some(Field {
            name,
            name_quoted,
            sign,
            spaced,
            value,
            value_quoted,
        })
    };
    // A part of a form: `name="password"`, an empty line, the value.
    if let Some(rest) =
        ["\r\n\r\n", "\n\n"].iter().find_map(|gap| window.strip_prefix(gap.as_bytes()))
        && is_quote(scan.byte_before(at))
        && scan.text[..name_start].ends_with("name=\"")
        && !rest.is_empty()
    {
        let start = at + window.len() - rest.len();
        let end = scan.run_end_within(start, JUDGED, |byte| !is_blank(byte));
        return field(start..scan.text.floor_char_boundary(end), false);
    }
    // `1) "name"⏎2) "value"`, as a cache lists its settings
    if let Some(rest) = window.strip_prefix(b"\n") {
        let number = rest.iter().take_while(|byte| is_gap(**byte) || byte.is_ascii_digit()).count();
        if number > 0 && rest[number..].starts_with(b") \"") {
            let value = quoted(scan, at + 1 + number + 2);
            return value.and_then(|value| field(value, true));
        }
    }
    if window.starts_with(b"</key>") {
        let tag = scan.run_end_within(at + 6, WIDEST_PAIR, is_blank);
        let start = tag + "<string>".len();
        return match scan.bytes().get(tag..start) {
            Some(b"<string>") => field(element(scan, start, JUDGED), false),
            _ => None,
        };
    }
    // `<string name="api_key">value</string>`, and the value in an element of its own
    let named =
        scan.text[..name_start].ends_with("name=\"") || scan.text[..name_start].ends_with("name='");
    if window.first() == Some(&b'>') && is_quote(scan.byte_before(at)) || named {
        let tag = scan.run_end_within(at, WIDEST_PAIR, |byte| !matches!(byte, b'>' | b'<' | b'\n'));
        let attribute = memchr::memmem::find(&scan.bytes()[at..tag], b"value=").is_some();
        if scan.byte(tag) == b'>' && scan.byte_before(tag) != b'/' && !attribute {
            let inside = scan.run_end_within(tag + 1, WIDEST_PAIR, is_blank);
            let own = scan.text[inside..].starts_with("<value>");
            return field(element(scan, if own { inside + 7 } else { tag + 1 }, JUDGED), false);
        }
    }
    // `variable "name" { type = string`
    let mut word = at + window.iter().position(|&byte| !between(byte))?;
    if scan.bytes()[at..word].contains(&b'{') && scan.bytes()[word..].starts_with(b"type") {
        word = scan.run_end_within(word, WIDEST_PAIR, |byte| byte != b'\n');
        word = scan.run_end_within(word, WIDEST_PAIR, is_blank);
    }
    let rest = scan.bytes().get(word..)?;
    let key = ["value", "default"].into_iter().find(|key| {
        rest.get(..key.len()).is_some_and(|word| word.eq_ignore_ascii_case(key.as_bytes()))
    })?;
    if word == at {
        return None;
    }
    let mut sign = word + key.len();
    sign += usize::from(is_quote(scan.byte(sign)));
    sign = scan.run_end_within(sign, WIDEST_GAP, is_gap);
    if !matches!(scan.byte(sign), b':' | b'=') {
        return None;
    }
    let start = scan.run_end_within(sign + 1, WIDEST_GAP, is_gap);
    match quoted(scan, start) {
        Some(value) => field(value, true),
        None => field(unquoted(scan, start, Sign::Pair, false, JUDGED), false),
    }
}

/// The text of an element, up to the next tag.
fn element(scan: &SecretScan<'_>, start: usize, most: usize) -> Range<usize> {
    const CDATA: &str = "<![CDATA[";
    let start = scan.run_end_within(start, WIDEST_GAP, is_blank);
    let own =
        scan.bytes().get(start..start + 7).is_some_and(|tag| tag.eq_ignore_ascii_case(b"<value>"));
    let start = if own { start + 7 } else { start };
    if scan.text[start..].starts_with(CDATA) {
        let start = start + CDATA.len();
        let end = scan.run_end_within(start, most, |byte| !matches!(byte, b']' | b'\n'));
        return start..scan.text.floor_char_boundary(end);
    }
    let end = scan.run_end_within(start, most, |byte| !matches!(byte, b'<' | b'\n'));
    let end = scan.text.floor_char_boundary(end);
    let text = &scan.text[start..end];
    let front = text.len() - text.trim_start().len();
    start + front..start + text.trim_end().len().max(front)
}

/// The inside of a string, also one whose quotes are escaped because it stands in another string.
pub(super) fn quoted(scan: &SecretScan<'_>, at: usize) -> Option<Range<usize>> {
    let at = at
        + usize::from(
            matches!(scan.byte(at), b'b' | b'f' | b'r' | b'u' | b'@' | b'N' | b'L')
                && is_quote(scan.byte(at + 1)),
        );
    let escaped = scan.byte(at) == b'\\';
    let open = scan.run_end_within(at, MOST_SLASHES, |byte| byte == b'\\');
    let quote = scan.byte(open);
    if !is_quote(quote) {
        return None;
    }
    let start = open + 1;
    let mut end = start;
    while end < start + LONGEST_QUOTED {
        match scan.byte(end) {
            b'\\' if escaped && scan.byte(end + 1) == quote => {
                return Some(start..start + scan.text[start..end].trim_end_matches('\\').len());
            }
            b'\\' => end += 2,
            b'\n' => break,
            byte if byte == quote => return Some(start..end),
            _ if end >= scan.text.len() => break,
            _ => end += 1,
        }
    }
    // Cut off: up to the next blank.
    Some(start..scan.run_end(start, |byte| !is_blank(byte)))
}

/// A value without quotes: up to a blank, in a list of settings up to the end of the line.
fn unquoted(
    scan: &SecretScan<'_>,
    start: usize,
    sign: Sign,
    one_word: bool,
    most: usize,
) -> Range<usize> {
    let bytes = &scan.bytes()[..scan.text.floor_char_boundary(start.saturating_add(most))];
    let mut end = start;
    while let Some(&byte) = bytes.get(end) {
        let next = scan.byte(end + 1);
        let stop = match byte {
            b'\\' => matches!(next, b'n' | b'r' | b't' | b'"' | b'\''),
            b'&' => sign == Sign::Equals,
            b' ' => sign != Sign::Colon || one_word || matches!(next, b'#' | b'}'),
            // `Password=…;Encrypt=True`, `password=…,uid=1000`, `{password: …, port: 1}`
            b';' => sign == Sign::Equals,
            b',' => match sign {
                Sign::Colon => next == b' ',
                _ => {
                    let name = scan.run_end_within(end + 1, WIDEST_GAP, is_token);
                    name > end + 1 && scan.byte(name) == b'='
                }
            },
            _ if is_quote(byte) => {
                is_blank(next) || matches!(next, b',' | b'}' | b']' | b')' | b':' | b';')
            }
            _ => is_blank(byte),
        };
        if stop {
            break;
        }
        end += 1;
    }
    let value = scan.text[start..end].trim_end_matches([',', ';', ')', ' ', '"', '\'', '`']);
    let value = if value.contains('{') { value } else { value.trim_end_matches('}') };
    start..start + value.len()
}
