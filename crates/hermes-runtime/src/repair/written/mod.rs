//! Calls that a model wrote as text.
//!
//! Small models, and servers that do not know a model's own form, let calls through as words of the answer:
//! JSON, bare or in a code fence, or between the marks a family was trained with. [`calls_in_text`] reads
//! such a text as calls if it is nothing else: prose before, between or behind, a tool that was not offered,
//! arguments that are no object, and the text stays a text. What it reads goes the way of every call, through
//! the same gate.
//!
//! Understood, each once or several times in a row:
//!
//! * `{"name": …, "arguments": {…}}`, also with `parameters`, `args` or `input`, as a text of JSON, inside
//!   `function`, in a list, or in `tool_calls`;
//! * the same in a code fence;
//! * `<tool_call>…</tool_call>` around it;
//! * `[TOOL_CALLS]` before a list of it, or before `name{…}` and `name[ARGS]{…}`;
//! * `<function=name>{…}</function>`, or with `<parameter=key>value</parameter>` inside.
//!
//! One pass over the text, with a bound on its length and on the number of calls.

mod json;
mod marks;

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

/// Longest text that is looked at, in bytes.
pub const MAX_BYTES: usize = 256 * 1024;
/// Most calls in one text.
pub const MAX_CALLS: usize = 16;

/// A call found in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct TextCall {
    /// The name of an offered tool, as written.
    pub name: String,
    /// As written; coercion to the schema comes later.
    pub arguments: Map<String, Value>,
}

/// The calls that a text consists of; nothing if it is anything else as well.
#[must_use]
pub fn calls_in_text(text: &str, is_offered: &dyn Fn(&str) -> bool) -> Option<Vec<TextCall>> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let text = text.trim();
    // Most answers are prose; they cost one look at their first character.
    let calls = match text.as_bytes().first()? {
        b'{' | b'[' | b'<' | b'`' => marks::read(text)?,
        _ => return None,
    };
    let fits = !calls.is_empty()
        && calls.len() <= MAX_CALLS
        && calls.iter().all(|call| is_offered(&call.name));
    fits.then_some(calls)
}
