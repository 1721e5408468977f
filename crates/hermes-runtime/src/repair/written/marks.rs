//! The marks around calls.

use serde_json::{Map, Value};

use super::{MAX_CALLS, TextCall, json};

const FENCE: &str = "```";
/// What a fence may say about its content.
const FENCE_WORDS: [&str; 6] = ["", "json", "tool_call", "tool_code", "tool", "xml"];
const LIST_MARK: &str = "[TOOL_CALLS]";
const ARGS_MARK: &str = "[ARGS]";
/// How a family begins a call that is nothing but JSON.
const JSON_MARK: &str = "<|python_tag|>";

/// Marks within marks: a fence around a pair of marks around a function.
const MAX_DEPTH: usize = 3;

/// The calls a text consists of.
pub(super) fn read(text: &str) -> Option<Vec<TextCall>> {
    let (calls, rest) = several(text, None, 0)?;
    rest.is_empty().then_some(calls)
}

/// Calls up to the closing mark or the end of the text, and what is behind.
fn several<'t>(
    text: &'t str,
    closing: Option<&str>,
    depth: usize,
) -> Option<(Vec<TextCall>, &'t str)> {
    let mut calls = Vec::new();
    let mut rest = text.trim_start();
    loop {
        if let Some(after) = closing.and_then(|mark| rest.strip_prefix(mark)) {
            return Some((calls, after.trim_start()));
        }
        // A closing mark is often the token that ended the answer.
        if rest.is_empty() {
            return Some((calls, rest));
        }
        let (mut found, after) = one(rest, depth)?;
        calls.append(&mut found);
        if calls.len() > MAX_CALLS {
            return None;
        }
        rest = after.trim_start();
    }
}

/// What the text begins with, and what is behind it.
fn one(text: &str, depth: usize) -> Option<(Vec<TextCall>, &str)> {
    if depth >= MAX_DEPTH {
        return None;
    }
    if let Some(inside) = text.strip_prefix(FENCE) {
        let (word, inside) = inside.split_once('\n')?;
        let is_ours = FENCE_WORDS.contains(&word.trim());
        return is_ours.then_some(()).and_then(|()| several(inside, Some(FENCE), depth + 1));
    }
    if let Some(inside) = text.strip_prefix("<tool_call>") {
        return several(inside, Some("</tool_call>"), depth + 1);
    }
    if let Some(inside) = text.strip_prefix(LIST_MARK) {
        return listed(inside.trim_start());
    }
    if let Some(inside) = text.strip_prefix(JSON_MARK) {
        return json::front(inside);
    }
    if text.starts_with("<function=") {
        let (call, after) = function(text)?;
        return Some((vec![call], after));
    }
    json::front(text)
}

/// What follows `[TOOL_CALLS]`: a list, or a name with its arguments.
fn listed(text: &str) -> Option<(Vec<TextCall>, &str)> {
    if text.starts_with(['[', '{']) {
        return json::front(text);
    }
    let (name, arguments) = text.split_at(text.find('{')?);
    let name = name.trim_end();
    let name = plain_name(name.strip_suffix(ARGS_MARK).unwrap_or(name))?;
    let (arguments, after) = json::object_front(arguments)?;
    Some((vec![TextCall { name, arguments }], after))
}

/// `<function=name>…</function>`.
fn function(text: &str) -> Option<(TextCall, &str)> {
    let (name, inside) = text.strip_prefix("<function=")?.split_once('>')?;
    let inside = inside.trim_start();
    let (arguments, after) = match inside.starts_with('{') {
        true => json::object_front(inside)?,
        false => parameters(inside)?,
    };
    let after = after.trim_start();
    let after = after.strip_prefix("</function>").or_else(|| after.is_empty().then_some(after))?;
    Some((TextCall { name: plain_name(name)?, arguments }, after))
}

/// `<parameter=key>value</parameter>`, as often as there are arguments. Values stay texts unless they are
/// JSON numbers, truths, lists or objects; the schema decides later what a text means.
fn parameters(text: &str) -> Option<(Map<String, Value>, &str)> {
    let mut arguments = Map::new();
    let mut rest = text;
    while let Some(inside) = rest.strip_prefix("<parameter=") {
        let (key, inside) = inside.split_once('>')?;
        let (value, after) = inside.split_once("</parameter>")?;
        // The form puts a line break at either end of a value.
        let value = value.strip_prefix('\n').unwrap_or(value);
        let value = value.strip_suffix('\n').unwrap_or(value);
        let read = match value.trim().as_bytes().first() {
            Some(b'{' | b'[') => serde_json::from_str(value).ok(),
            _ => None,
        };
        arguments.insert(plain_name(key)?, read.unwrap_or_else(|| value.into()));
        rest = after.trim_start();
    }
    Some((arguments, rest))
}

/// A name without quotes and blanks around it.
fn plain_name(text: &str) -> Option<String> {
    let name = text.trim().trim_matches(['"', '\'']);
    let fits = !name.is_empty() && !name.contains(char::is_whitespace);
    fits.then(|| name.to_owned())
}
