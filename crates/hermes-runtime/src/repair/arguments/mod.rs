//! Argument text, read tolerantly.
//!
//! [`parse_arguments`] turns the text a model sent as a call's arguments into one object. Valid
//! JSON takes the fast way. Everything else goes through one string-aware reader that is linear
//! in the text and capped in depth. It accepts what has one meaning:
//!
//! * nothing at all, or `null`, for no arguments;
//! * byte-order marks, NULs, code fences and prose around one object; the same object twice; a
//!   list holding just the object; the object encoded once more as a string;
//! * single or typographic quotes, bare identifier keys, `True`/`False`/`None`, comments;
//! * trailing, doubled or missing commas; `+1`, `.5`, `1.`;
//! * missing, surplus or mismatched closing brackets;
//! * raw line breaks in strings, and unknown escapes, which stay as written (`\d`, `C:\Users`).
//!
//! It refuses, with an error that tells the model what is wrong and where, everything that would
//! need a guess: text that ends inside a string or after a key, colon or comma, quotes that stand
//! unescaped in a string, two different objects, numbers that JSON cannot hold, and values that
//! are no object. Content is never invented and never dropped: text beside the object is skipped
//! only where it cannot be a piece of one.

mod brackets;
mod chars;
mod document;
mod error;
mod number;
mod reader;
mod strings;

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

pub use error::ArgumentError;

/// The deepest nesting accepted, which is what `serde_json` accepts too.
pub const MAX_DEPTH: usize = 127;

/// Argument text that was understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The arguments.
    pub object: Map<String, Value>,
    /// Whether the text was something else than a JSON object or blank.
    pub repaired: bool,
}

/// Read a call's argument text as one object. Of duplicate keys the last wins.
pub fn parse_arguments(text: &str) -> Result<Parsed, ArgumentError> {
    if let Ok(Value::Object(object)) = serde_json::from_str(text) {
        return Ok(Parsed { object, repaired: false });
    }
    if text.trim_matches(chars::is_padding).is_empty() {
        return Ok(Parsed { object: Map::new(), repaired: false });
    }
    let object = object_of(brackets::read(text)?)?;
    Ok(Parsed { object, repaired: true })
}

/// The arguments in a document's value, which may wrap them in a list or a string.
fn object_of(value: Value) -> Result<Map<String, Value>, ArgumentError> {
    match value {
        Value::Null => Ok(Map::new()),
        Value::String(inner) => encoded(&inner),
        other => unlisted(other),
    }
}

/// The object in a string's content. A string in the string is one encoding too many.
fn encoded(inner: &str) -> Result<Map<String, Value>, ArgumentError> {
    match brackets::read(inner) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => unlisted(value),
        Ok(_) | Err(ArgumentError::NotAnObject { .. }) => Err(ArgumentError::no_object("a string")),
        Err(error) => Err(error),
    }
}

/// An object, or the only item of a list.
fn unlisted(value: Value) -> Result<Map<String, Value>, ArgumentError> {
    let items = match value {
        Value::Object(object) => return Ok(object),
        Value::Array(items) => items,
        Value::Null => return Err(ArgumentError::no_object("null")),
        Value::Bool(_) => return Err(ArgumentError::no_object("a boolean")),
        Value::Number(_) => return Err(ArgumentError::no_object("a number")),
        Value::String(_) => return Err(ArgumentError::no_object("a string")),
    };
    match <[Value; 1]>::try_from(items) {
        Ok([Value::Object(object)]) => Ok(object),
        Ok(_) => Err(ArgumentError::no_object("a list without an object")),
        Err(items) if items.is_empty() => Err(ArgumentError::no_object("an empty list")),
        Err(items) => Err(ArgumentError::no_object(format!("a list of {} items", items.len()))),
    }
}
