//! Taking a program apart into names, texts and signs.

use super::languages::Language;
use crate::shell::escapes;

/// A piece of a program.
#[derive(Debug, PartialEq)]
pub(super) enum Token<'t> {
    /// A name, with the names before it: `os.path.join`.
    Name(&'t str),
    /// A text that stands there as it is; `None` when something is put into it.
    Text(Option<String>),
    /// A text in backquotes.
    Backquoted(String),
    Sign(char),
}

/// The pieces of a program, in order.
pub(super) fn tokens<'t>(code: &'t str, language: &Language) -> Vec<Token<'t>> {
    let bytes = code.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut line_begins = true;
    while let Some(&byte) = bytes.get(at) {
        let rest = &code[at..];
        match byte {
            b'\n' => {
                line_begins = true;
                at += 1;
                continue;
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            _ if rest.starts_with(language.comment)
                && (line_begins
                    || language.comment == "//"
                    || bytes[at - 1].is_ascii_whitespace()) =>
            {
                at += memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
            }
            b'"' | b'\'' => {
                let prefix = text_prefix(&tokens, code, at);
                if prefix.is_some() {
                    tokens.pop();
                }
                let (text, end) = quoted(code, at, byte);
                let prefix = prefix.unwrap_or_default().to_ascii_lowercase();
                let put_in = prefix.contains('f') && text.contains('{')
                    || language.backquotes
                        && byte == b'"'
                        && text.contains(['$', '#', '@'])
                        && (text.contains("#{") || text.contains('$') || text.contains('@'));
                let text = match prefix.contains('r') {
                    true => text.to_owned(),
                    false => escapes::decode(text).into_owned(),
                };
                tokens.push(Token::Text((!put_in).then_some(text)));
                at = end;
            }
            b'`' => {
                let (text, end) = quoted(code, at, byte);
                // `Bun.$` and its like hand the text to a shell.
                let tagged =
                    matches!(tokens.last(), Some(Token::Name(name)) if name.ends_with('$'));
                let token = match language.backquotes || tagged {
                    true => Token::Backquoted(text.to_owned()),
                    false => Token::Text((!text.contains("${")).then(|| text.to_owned())),
                };
                tokens.push(token);
                at = end;
            }
            b'/' if language.backquotes && begins_pattern(&tokens) && rest.len() > 1 => {
                let (_, end) = quoted(code, at, b'/');
                let closes = code[..end].ends_with('/') && !code[at..end].contains('\n');
                match closes {
                    true => {
                        tokens.push(Token::Text(None));
                        at = end;
                    }
                    false => {
                        tokens.push(Token::Sign('/'));
                        at += 1;
                    }
                }
            }
            byte if is_name(byte) => {
                let mut end = at;
                while let Some(&byte) = bytes.get(end) {
                    let joins = match byte {
                        b'.' => bytes.get(end + 1).is_some_and(|next| is_name(*next)),
                        b':' => {
                            rest[end - at..].starts_with("::")
                                && bytes.get(end + 2).is_some_and(|next| is_name(*next))
                        }
                        byte => is_name(byte) || byte.is_ascii_digit(),
                    };
                    if !joins {
                        break;
                    }
                    end += if byte == b':' { 2 } else { 1 };
                }
                tokens.push(Token::Name(&code[at..end]));
                at = end;
            }
            _ => {
                let char = rest.chars().next().unwrap_or(' ');
                tokens.push(Token::Sign(char));
                at += char.len_utf8();
            }
        }
        line_begins = false;
    }
    joined(tokens)
}

/// Texts that are only joined are one text: `'child' + '_process'`, `"sys"."tem"`.
fn joined(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let mut whole: Vec<Token<'_>> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let joins = matches!(whole.as_slice(), [.., Token::Text(Some(_)), Token::Sign('+' | '.')]);
        match token {
            Token::Text(Some(text)) if joins => {
                whole.pop();
                if let Some(Token::Text(Some(before))) = whole.last_mut() {
                    before.push_str(&text);
                }
            }
            token => whole.push(token),
        }
    }
    whole
}

/// Whether a slash begins a pattern here: where a value is expected.
fn begins_pattern(tokens: &[Token<'_>]) -> bool {
    match tokens.last() {
        None => true,
        Some(Token::Sign(sign)) => "(,{=~!&|;".contains(*sign),
        Some(Token::Name(name)) => {
            matches!(
                *name,
                "if" | "unless" | "and" | "or" | "not" | "split" | "grep" | "m" | "qr" | "when"
            )
        }
        Some(Token::Text(_) | Token::Backquoted(_)) => false,
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

/// The letters directly before a quote that belong to it: `f"…"`, `rb'…'`.
fn text_prefix<'t>(tokens: &[Token<'t>], code: &'t str, at: usize) -> Option<&'t str> {
    match tokens.last() {
        Some(Token::Name(name)) if name.len() <= 2 && code[..at].ends_with(name) => {
            let is_prefix = name
                .bytes()
                .all(|byte| matches!(byte.to_ascii_lowercase(), b'f' | b'r' | b'b' | b'u'));
            is_prefix.then_some(*name)
        }
        _ => None,
    }
}

/// The text of a quotation, and where what follows it begins.
fn quoted(code: &str, at: usize, quote: u8) -> (&str, usize) {
    let bytes = code.as_bytes();
    let triple = [quote, quote, quote];
    if quote != b'`' && bytes[at..].starts_with(&triple) {
        let inside = &code[at + 3..];
        let end = memchr::memmem::find(inside.as_bytes(), &triple).unwrap_or(inside.len());
        return (&inside[..end], (at + end + 6).min(code.len()));
    }
    let mut end = at + 1;
    while let Some(&byte) = bytes.get(end) {
        match byte {
            b'\\' => end += 1,
            byte if byte == quote => break,
            _ => {}
        }
        end += 1;
    }
    let end = end.min(code.len());
    let end = (end..=code.len()).find(|end| code.is_char_boundary(*end)).unwrap_or(code.len());
    (&code[at + 1..end], (end + 1).min(code.len()))
}
