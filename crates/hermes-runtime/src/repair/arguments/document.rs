//! The whole text: what may stand around the one object, and what may not.

use serde_json::Value;

use super::chars::{is_padding, is_quote};
use super::error::ArgumentError;
use super::reader::Reader;

type Outcome<T> = Result<T, ArgumentError>;

/// Read the one value a text holds: the object in prose, or a list, string or null that is
/// everything there is.
pub(super) fn read(reader: &mut Reader<'_>) -> Outcome<Value> {
    strip_fence(reader);
    let rest = reader.rest();
    match rest.chars().next() {
        Some('[') if opens_list(rest) => {
            let list = reader.value()?;
            nothing_else(reader)?;
            Ok(list)
        }
        Some(c) if is_quote(c) => {
            let text = reader.string(c)?;
            nothing_else(reader)?;
            Ok(Value::String(text))
        }
        _ => match rest.find('{') {
            Some(offset) => objects(reader, offset),
            None => no_object(reader),
        },
    }
}

/// Drop padding and a code fence from both ends.
fn strip_fence(reader: &mut Reader<'_>) {
    const FENCE: &str = "```";
    reader.trim(is_padding);
    if reader.rest().starts_with(FENCE) {
        reader.advance(FENCE.len());
        let info = reader.rest().find(|c: char| !c.is_alphanumeric()).unwrap_or(0);
        reader.advance(info);
        reader.strip_end(FENCE);
        reader.trim(is_padding);
    }
}

/// Whether a bracket opens data, rather than prose like `[note]`.
fn opens_list(text: &str) -> bool {
    match text[1..].trim_start_matches(is_padding).chars().next() {
        None | Some('{' | '[' | ']' | ',' | '+' | '-' | '.' | '0'..='9') => true,
        Some(c) => is_quote(c),
    }
}

/// Text without any brace: null, or nothing usable.
fn no_object(reader: &Reader<'_>) -> Outcome<Value> {
    match reader.rest() {
        "null" | "None" => Ok(Value::Null),
        "true" | "false" | "True" | "False" => Err(ArgumentError::no_object("a boolean")),
        text if text.parse::<f64>().is_ok() => Err(ArgumentError::no_object("a number")),
        _ => Err(ArgumentError::no_object("plain text")),
    }
}

/// Read the object that begins so many bytes ahead, and see that no other one follows.
fn objects(reader: &mut Reader<'_>, ahead: usize) -> Outcome<Value> {
    let before = reader.rest()[..ahead].trim_end_matches(is_padding);
    if before.ends_with(',') || before.contains('}') {
        return Err(reader.malformed("other data precedes the object"));
    }
    reader.advance(ahead);
    let first = reader.value()?;
    while let Some(ahead) = next_object(reader)? {
        reader.advance(ahead);
        let start = reader.position();
        if reader.value()? != first {
            return Err(ArgumentError::TwoObjects { at: reader.character(start) });
        }
    }
    Ok(first)
}

/// Pass over what follows an object: surplus closers, then prose. Answers how many bytes ahead
/// another object begins. Whatever looks like the object going on after it was closed is refused,
/// since skipping it would drop arguments.
fn next_object(reader: &mut Reader<'_>) -> Outcome<Option<usize>> {
    reader.surplus_closers();
    let comma = reader.rest().starts_with(',');
    if comma {
        let start = reader.position();
        reader.advance(1);
        reader.surplus_closers();
        if reader.rest().is_empty() {
            return Err(reader.truncated(start, "the list after the comma"));
        }
    }
    let rest = reader.rest();
    let prose = rest.find('{').map_or(rest, |end| &rest[..end]);
    let goes_on = match prose.chars().next() {
        Some('[') => comma || opens_list(rest),
        Some(c) => comma || c == ':' || is_quote(c),
        None => false,
    };
    if goes_on || prose.contains('}') {
        return Err(reader.malformed("other data follows the object"));
    }
    Ok(Some(prose.len()).filter(|length| *length < rest.len()))
}

/// After a list or string that is the whole document.
fn nothing_else(reader: &mut Reader<'_>) -> Outcome<()> {
    reader.surplus_closers();
    if reader.rest().is_empty() {
        return Ok(());
    }
    Err(match reader.after_string() {
        Some(error) => error,
        None => reader.malformed("other text follows the list"),
    })
}
