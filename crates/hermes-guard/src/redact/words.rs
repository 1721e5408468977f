//! Telling names that people chose from values that a generator made.

/// Longest run of letters that passes for a word.
const LONGEST_WORD: usize = 15;
/// Most digits at the end of a word, as in `sha256`.
const MOST_DIGITS: usize = 3;
/// Digits may be one in so many characters.
const DIGIT_SHARE: usize = 6;
/// In names written `likeThis`, the parts have at least so many letters on average.
const CAMEL_AVERAGE: usize = 3;

/// Whether a text reads like the name of something: words in one case or `inCamelCase`, with few
/// digits, joined by `_`, `-` or `.`.
pub(crate) fn made_of_words(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    digits * DIGIT_SHARE <= text.len() && text.split(['_', '-', '.']).all(is_word)
}

fn is_word(piece: &str) -> bool {
    let letters = piece.trim_end_matches(|end: char| end.is_ascii_digit());
    if piece.len() - letters.len() > MOST_DIGITS
        || !letters.bytes().all(|b| b.is_ascii_alphabetic())
    {
        return false;
    }
    let capitals = letters.bytes().filter(u8::is_ascii_uppercase).count();
    if capitals == 0 || capitals == letters.len() {
        return letters.len() <= LONGEST_WORD;
    }
    // Generated text changes case about every second letter.
    let starts_small = letters.starts_with(|first: char| first.is_ascii_lowercase());
    letters.len() >= (capitals + usize::from(starts_small)) * CAMEL_AVERAGE
        && longest_small_run(letters) <= LONGEST_WORD
}

fn longest_small_run(letters: &str) -> usize {
    letters.split(|character: char| character.is_ascii_uppercase()).map(str::len).max().unwrap_or(0)
}

/// Whether a value stands for a secret without being one: a variable, a blank to fill in.
pub(super) fn is_placeholder(value: &str) -> bool {
    let inside = |open: char, close: char| {
        value.strip_prefix(open).is_some_and(|rest| rest.ends_with(close))
    };
    let variable = value.strip_prefix('$').is_some_and(|name| {
        name.starts_with(['{', '('])
            || matches!(name.as_bytes(), [b'0'..=b'9' | b'@' | b'*' | b'#'])
            || name.starts_with("ENV{")
            || is_constant_name(name)
            || name.len() >= 2 && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    });
    variable
        || inside('{', '}')
        || inside('<', '>')
        || inside('[', ']')
        || inside('%', '%')
        || value.starts_with("{{")
        || value.starts_with("${")
        || value.bytes().all(|byte| matches!(byte, b'x' | b'X' | b'*' | b'.' | b'-' | b'_'))
        || value.chars().all(|character| character == '…' || character == '•')
}

/// Whether a login is one that manuals write.
pub(super) fn is_manual_login(user: &str, password: &str) -> bool {
    const USERS: &[&str] = &["user", "username", "USER", "USERNAME", "guest"];
    const PASSWORDS: &[&str] = &["pass", "passwd", "password", "PASS", "PASSWORD", "guest"];
    USERS.contains(&user) && PASSWORDS.contains(&password)
}

fn is_constant_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase() || first == '_')
        && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

/// Whether a value is computed where it stands: looked up, called, or a path to a field.
pub(super) fn is_expression(value: &str) -> bool {
    const LOOKUPS: [&str; 7] = [
        "os.getenv",
        "os.environ",
        "process.env",
        "import.meta.env",
        "std::env::",
        "env::var",
        "$ENV{",
    ];
    if LOOKUPS.iter().any(|lookup| value.starts_with(lookup)) {
        return true;
    }
    let end = value
        .bytes()
        .take(128)
        .position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':')))
        .unwrap_or(value.len().min(128));
    let path = &value[..end];
    let named = path.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    // `api.Secret{…}`: a value of that type
    let typed = value[end..].starts_with('{')
        && path.rsplit('.').next().is_some_and(|last| {
            path.contains('.') && last.starts_with(|first: char| first.is_ascii_uppercase())
        });
    named
        && path.split(['.', ':', '_']).all(|part| part.is_empty() || is_word(part))
        && (typed || ["(", "[", "?[", "?.", "!."].iter().any(|next| value[end..].starts_with(next)))
}

/// Whether a value is a field of something: `settings.token`.
pub(super) fn is_field(value: &str) -> bool {
    let value = value.trim_end_matches([',', ';']);
    value.contains('.')
        && value.len() <= 128
        && value.split('.').all(|part| {
            part.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                && made_of_words(part)
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        })
}
