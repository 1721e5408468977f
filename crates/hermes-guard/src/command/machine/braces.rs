//! `{a,b}` and `{1..3}`.

use crate::command::facts::HOLE;

/// Unquoted `{`, `,` and `}`.
pub(super) const OPEN: char = '\u{fdd2}';
pub(super) const COMMA: char = '\u{fdd3}';
pub(super) const CLOSE: char = '\u{fdd4}';

/// One word becomes at most so many.
const MAX_WORDS: usize = 64;
/// All of them together have at most so many bytes.
const MAX_BYTES: usize = 8 * 1024;

/// Words with more braces, or longer ones, are taken as they are.
const MAX_BRACES: usize = 24;
const MAX_LENGTH: usize = 1_024;

/// What expanding a word costs.
pub(super) fn cost(text: &str) -> usize {
    match opened(text) {
        Some(braces) => text.len() * (braces + 1),
        None => text.len(),
    }
}

/// How many braces there are to try, if they are worth it.
fn opened(text: &str) -> Option<usize> {
    if text.len() > MAX_LENGTH {
        return None;
    }
    let braces = text.matches(OPEN).count();
    (braces <= MAX_BRACES).then_some(braces)
}

/// All words that a word with marked braces stands for. Braces that mean nothing are put back.
pub(super) fn expand(text: String) -> Vec<String> {
    if opened(&text).is_none() {
        return vec![restored(&text)];
    }
    let mut open = vec![text];
    let mut done = Vec::new();
    let mut bytes = 0;
    while let Some(text) = open.pop() {
        let fits = open.len() + done.len() < MAX_WORDS && bytes < MAX_BYTES;
        match fits.then(|| first_group(&text)).flatten() {
            Some((before, items, after)) => {
                // The last item is taken from the stack first, so they go in backwards.
                for item in items.iter().rev() {
                    let word = format!("{before}{item}{after}");
                    bytes += word.len();
                    open.push(word);
                }
            }
            None => done.push(restored(&text)),
        }
    }
    done
}

/// The first group that is one: what stands before, its items, what stands behind.
fn first_group(text: &str) -> Option<(&str, Vec<String>, &str)> {
    for (start, _) in text.match_indices(OPEN) {
        let inside = &text[start + OPEN.len_utf8()..];
        let mut depth = 0_u32;
        let mut commas = Vec::new();
        for (at, char) in inside.char_indices() {
            match char {
                OPEN => depth += 1,
                COMMA if depth == 0 => commas.push(at),
                CLOSE if depth > 0 => depth -= 1,
                CLOSE => {
                    let body = &inside[..at];
                    let after = &inside[at + CLOSE.len_utf8()..];
                    if let Some(items) = items(body, &commas) {
                        return Some((&text[..start], items, after));
                    }
                    break;
                }
                _ => {}
            }
        }
    }
    None
}

fn items(body: &str, commas: &[usize]) -> Option<Vec<String>> {
    if commas.is_empty() {
        return sequence(body);
    }
    let mut items = Vec::new();
    let mut start = 0;
    for &comma in commas {
        items.push(body[start..comma].to_owned());
        start = comma + COMMA.len_utf8();
    }
    items.push(body[start..].to_owned());
    Some(items)
}

/// `1..3`, `a..c`. One that is long stands for something unknown.
fn sequence(body: &str) -> Option<Vec<String>> {
    let mut ends = body.split("..");
    let (first, last) = (ends.next()?, ends.next()?);
    if let (Ok(first), Ok(last)) = (first.parse::<i64>(), last.parse::<i64>()) {
        if first.abs_diff(last) as usize >= MAX_WORDS / 2 {
            return Some(vec![HOLE.to_string()]);
        }
        return Some(
            (first.min(last)..=first.max(last)).map(|number| number.to_string()).collect(),
        );
    }
    let letter = |text: &str| {
        let mut chars = text.chars();
        chars.next().filter(|char| char.is_ascii_alphabetic() && chars.next().is_none())
    };
    let (first, last) = (letter(first)?, letter(last)?);
    Some((first.min(last)..=first.max(last)).map(|letter| letter.to_string()).collect())
}

fn restored(text: &str) -> String {
    text.chars()
        .map(|char| match char {
            OPEN => '{',
            COMMA => ',',
            CLOSE => '}',
            char => char,
        })
        .collect()
}
