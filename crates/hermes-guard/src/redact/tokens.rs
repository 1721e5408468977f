//! Tokens with a shape of their own: signed web tokens, bot tokens, phone numbers.

use super::mask::{masked_length, phone as masked_phone};
use super::scan::{SecretScan, is_token, is_word};
use super::words::made_of_words;

/// Fewest characters of a web token's first part, of its other parts, and of one that was cut off.
const JWT_HEAD: usize = 11;
const JWT_PART: usize = 4;
const JWT_CUT: usize = 20;

/// Digits and other characters of a bot's token.
const BOT_DIGITS: usize = 8;
const BOT_TOKEN: usize = 30;

/// Fewest and most digits of a phone number.
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 7..=15;

pub(super) fn jwt(scan: &mut SecretScan<'_>, start: usize) {
    let rest = &scan.text[start..];
    let before = scan.byte_before(start);
    if !rest.starts_with("eyJ") || is_token(before) && !escape_before(scan, start) {
        return;
    }
    if let Some(length) = masked_length(rest) {
        return scan.keep(start..start + length);
    }
    let head = scan.run_end(start, is_token);
    let mut end = head;
    for _ in 0..2 {
        let part = scan.run_end(end + 1, |byte| is_token(byte) || byte == b'=');
        // The middle is empty when it is sent on another way.
        let left_out = part == end + 1 && scan.byte(part) == b'.';
        if scan.byte(end) != b'.' || !left_out && part < end + 1 + JWT_PART {
            break;
        }
        end = part;
    }
    let data = scan.text[..start].ends_with("base64,");
    let whole = end > head && head - start >= JWT_HEAD;
    if !data && (whole || head - start >= JWT_CUT) {
        scan.hide(start..end);
    }
}

/// `\n` and the like, as strings have it.
fn escape_before(scan: &SecretScan<'_>, start: usize) -> bool {
    matches!(scan.byte_before(start), b'n' | b'r' | b't')
        && start >= 2
        && scan.byte(start - 2) == b'\\'
}

/// A bot's token is the bot's number, a colon, and the secret. In URLs the word `bot` stands before.
pub(super) fn bot(scan: &mut SecretScan<'_>, secret: usize) {
    if !is_token(scan.byte(secret)) || !is_token(scan.byte(secret + BOT_TOKEN - 1)) {
        return;
    }
    let colon = secret - 1;
    let digits = scan.run_start(colon, 20, |byte| byte.is_ascii_digit());
    if colon - digits < BOT_DIGITS {
        return;
    }
    let before = &scan.bytes()[digits.saturating_sub(4)..digits];
    let named = before.ends_with(b"/bot") || before == b"bot" || before.ends_with(b" bot");
    if !named && before.last().is_some_and(|&byte| is_word(byte)) {
        return;
    }
    let end = scan.run_end(secret, is_token);
    // Names of cloud resources have an account number and a colon too.
    if end - secret >= BOT_TOKEN && !made_of_words(&scan.text[secret..end]) {
        scan.replace(secret..end, super::MASK);
    }
}

/// A number in international form. After a name or a number the plus sign is arithmetic.
pub(super) fn phone(scan: &mut SecretScan<'_>, plus: usize) {
    let before = scan.byte_before(plus);
    if is_word(before) || matches!(before, b')' | b']' | b'}' | b'.' | b'+' | b'-' | b'/' | b'*') {
        return;
    }
    let end = scan.run_end(plus + 1, |byte| byte.is_ascii_digit());
    let after = scan.byte(end);
    let decimal = after == b'.' && scan.byte(end + 1).is_ascii_digit();
    if !PHONE_DIGITS.contains(&(end - plus - 1)) || is_word(after) || decimal {
        return;
    }
    let number = masked_phone(&scan.text[plus..end]);
    scan.replace(plus..end, &number);
}

/// Characters of the parts of a chat bot's token: its number in Base64, a time, and the secret.
const NUMBER_PART: std::ops::RangeInclusive<usize> = 23..=28;
const TIME_PART: usize = 6;
const SECRET_PART: std::ops::RangeInclusive<usize> = 27..=45;

/// How numbers of chat bots begin in Base64: their first digit, and the upper half of the second.
pub(super) fn bot_numbers() -> impl Iterator<Item = String> {
    let digits = ["MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"];
    let seconds = ["A", "E", "I", "M", "Q", "U", "Y", "c", "g", "k"];
    digits.into_iter().flat_map(move |digit| seconds.map(|second| format!("{digit}{second}")))
}

/// `number.time.secret`, each in Base64.
pub(super) fn chat_bot(scan: &mut SecretScan<'_>, hit: std::ops::Range<usize>) {
    let number = scan.run_end_within(hit.start, NUMBER_PART.end() + 1, is_token);
    if !NUMBER_PART.contains(&(number - hit.start))
        || scan.byte(number) != b'.'
        || is_token(scan.byte_before(hit.start))
        || !scan.text[hit.clone()].starts_with(['M', 'N', 'O'])
    {
        return;
    }
    let time = scan.run_end_within(number + 1, TIME_PART + 1, is_token);
    let end = scan.run_end_within(time + 1, SECRET_PART.end() + 1, is_token);
    let fits = time - number - 1 == TIME_PART
        && scan.byte(time) == b'.'
        && SECRET_PART.contains(&(end - time - 1))
        && !made_of_words(&scan.text[time + 1..end]);
    if fits {
        scan.hide(hit.start..end);
    }
}

/// Fewest characters of a hash with its salt.
const LEAST_CRYPT: usize = 24;

/// `$6$salt$hash`: who has the hash of a password can guess the password at leisure.
pub(super) fn crypt(scan: &mut SecretScan<'_>, hit: std::ops::Range<usize>) {
    let before = scan.byte_before(hit.start);
    let belongs =
        |byte: u8| is_token(byte) || matches!(byte, b'$' | b'.' | b'/' | b'+' | b'=' | b',' | b'}');
    let end = scan.run_end_within(hit.end, 512, belongs);
    let hash = scan.text[hit.end..end].rsplit(['$', '}']).next().unwrap_or_default();
    if is_word(before) || end - hit.start < LEAST_CRYPT || hash.len() < 20 || made_of_words(hash) {
        return;
    }
    let end = hit.start + scan.text[hit.start..end].trim_end_matches([',', '.', '=']).len();
    scan.hide(hit.start..end);
}

/// How far the members of a key stand from each other.
const LONGEST_KEY: usize = 4096;
/// Fewest characters of a secret member.
const LEAST_MEMBER: usize = 32;

/// `"d": "…"` of a key as JSON has it: the members that only its owner has.
pub(super) fn key_member(scan: &mut SecretScan<'_>, hit: std::ops::Range<usize>) {
    let start = scan.run_end_within(hit.end, 4, |byte| byte == b' ');
    let belongs = |byte: u8| is_token(byte);
    let end = scan.run_end_within(start + 1, LONGEST_KEY, belongs);
    if scan.byte(start) != b'"' || scan.byte(end) != b'"' || end - start <= LEAST_MEMBER {
        return;
    }
    let bytes = scan.bytes();
    let before = &bytes[hit.start.saturating_sub(LONGEST_KEY)..hit.start];
    let after = &bytes[end..bytes.len().min(end + LONGEST_KEY)];
    if [before, after].iter().any(|part| memchr::memmem::find(part, b"\"kty\"").is_some()) {
        scan.hide(start + 1..end);
    }
}

/// Keys with a mark in them: the mark, and the characters before and after it.
const MARKED: &[(&str, std::ops::RangeInclusive<usize>, std::ops::RangeInclusive<usize>)] = &[
    (".atlasv1.", 14..=14, 60..=80),
    (":APA91b", 7..=64, 100..=200),
    ("-us1", 32..=32, 0..=1),
    ("-us2", 32..=32, 0..=1),
];

/// `word.atlasv1.word`, `hex-us14`: keys that are known by what stands in their middle or at their end.
pub(super) fn marked(scan: &mut SecretScan<'_>, mark: std::ops::Range<usize>) {
    let found = &scan.text[mark.clone()];
    let Some((_, before, after)) = MARKED.iter().find(|(text, ..)| *text == found) else { return };
    let start = scan.run_start(mark.start, before.end() + 1, is_token);
    let end = scan.run_end_within(mark.end, after.end() + 1, is_token);
    if before.contains(&(mark.start - start))
        && after.contains(&(end - mark.end))
        && start >= scan.done()
        && !made_of_words(&scan.text[start..mark.start])
    {
        scan.hide(start..end);
    }
}

/// Characters before and after the `Q~` in an application's secret.
const AZURE_BEFORE: usize = 4;
const AZURE_AFTER: std::ops::RangeInclusive<usize> = 28..=40;

/// `abc8Q~…`: the secret of an application, with a mark in its middle.
pub(super) fn azure(scan: &mut SecretScan<'_>, mark: std::ops::Range<usize>) {
    let belongs = |byte: u8| is_token(byte) || matches!(byte, b'~' | b'.');
    let start = scan.run_start(mark.start, AZURE_BEFORE + 1, belongs);
    let end = scan.run_end_within(mark.end, AZURE_AFTER.end() + 1, belongs);
    let fits = mark.start - start == AZURE_BEFORE
        && scan.byte_before(mark.start).is_ascii_digit()
        && scan.byte(mark.start) == b'Q'
        && AZURE_AFTER.contains(&(end - mark.end));
    if fits && start >= scan.done() {
        scan.hide(start..end);
    }
}
