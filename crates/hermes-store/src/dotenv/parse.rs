//! One line of a `.env` file.

use std::ops::Range;

use super::Problem;

/// A `NAME=value` line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Assignment<'l> {
    pub(super) name: &'l str,
    /// The value meant: without quotes, escapes resolved.
    pub(super) value: String,
    /// The value as written, quotes included: these bytes of the line.
    pub(super) written: Range<usize>,
}

/// The lines of a file without their ends, a byte order mark removed.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    text.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// Reads a line: an assignment, nothing (blank or comment), or what is wrong with it.
pub(super) fn line(line: &str) -> Result<Option<Assignment<'_>>, Problem> {
    let content = line.trim_start();
    if content.is_empty() || content.starts_with('#') {
        return Ok(None);
    }
    let (before, after) = line.split_once('=').ok_or(Problem::NotAnAssignment)?;
    let name = without_export(before.trim());
    if !is_name(name) {
        return Err(Problem::BadName);
    }
    let rest = after.trim_start();
    let start = line.len() - rest.len();
    let (value, written) = match rest.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let (value, length) = quoted(rest, quote)?;
            (value, start..start + length)
        }
        // With a space in between, `NAME= # text` is an empty value and a comment; a value put
        // there later must come before the space.
        Some('#') if rest.len() < after.len() => {
            let at = before.len() + 1;
            (String::new(), at..at)
        }
        _ => {
            let value = plain(rest);
            (value.to_string(), start..start + value.len())
        }
    };
    if value.contains('\0') {
        return Err(Problem::NulCharacter);
    }
    Ok(Some(Assignment { name, value, written }))
}

/// Whether some text can name a variable.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn without_export(name: &str) -> &str {
    match name.strip_prefix("export") {
        Some(rest) if rest.starts_with(char::is_whitespace) => rest.trim_start(),
        _ => name,
    }
}

/// An unquoted value ends at the end of the line or before a comment.
fn plain(rest: &str) -> &str {
    let mut after_space = false;
    let end = rest.char_indices().find(|(_, c)| {
        let comment = after_space && *c == '#';
        after_space = c.is_whitespace();
        comment
    });
    rest[..end.map_or(rest.len(), |(at, _)| at)].trim_end()
}

/// A quoted value; `rest` begins with the quote.
fn quoted(rest: &str, quote: char) -> Result<(String, usize), Problem> {
    let mut value = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                let (_, escaped) = chars.next().ok_or(Problem::UnclosedQuote)?;
                match unescape(escaped, quote) {
                    Some(meant) => value.push(meant),
                    None => value.extend(['\\', escaped]),
                }
            }
            c if c == quote => {
                let end = at + quote.len_utf8();
                let behind = rest[end..].trim_start();
                if behind.is_empty() || behind.starts_with('#') {
                    return Ok((value, end));
                }
                return Err(Problem::TextAfterQuote);
            }
            other => value.push(other),
        }
    }
    Err(Problem::UnclosedQuote)
}

fn unescape(c: char, quote: char) -> Option<char> {
    match (c, quote) {
        ('\\', _) => Some('\\'),
        (c, quote) if c == quote => Some(c),
        ('n', '"') => Some('\n'),
        ('r', '"') => Some('\r'),
        ('t', '"') => Some('\t'),
        ('$' | '`', '"') => Some(c),
        _ => None,
    }
}

/// A value as it is written in the file, so that [`line`] reads it back.
///
/// Where a choice exists the form is one a shell reads the same way, for people who `source` the
/// file.
pub(super) fn write_value(value: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+,=".contains(c);
    if value.chars().all(plain) {
        return value.to_string();
    }
    if !value.contains(|c: char| c == '\'' || c == '\\' || c.is_control()) {
        return format!("'{value}'");
    }
    let mut text = String::from("\"");
    for c in value.chars() {
        match c {
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '"' | '\\' | '$' | '`' => text.extend(['\\', c]),
            other => text.push(other),
        }
    }
    text.push('"');
    text
}
