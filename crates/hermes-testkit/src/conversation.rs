//! What the requests of one session must be, taken together.
//!
//! Each request by itself must be one that a strict provider takes: roles in a legal order, every call
//! answered exactly once and in its place, no empty lists or texts, nothing internal. Together they must
//! be one growing conversation: what was sent once is sent again unchanged, and the tools stay the same to
//! the byte, because a provider's cache is keyed by exactly that. What is allowed to move (cache marks,
//! thinking that goes back only once) is taken off before the comparison.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::seen::Seen;
use crate::view::{ModelWire, list};

/// The requests of one session, in order. By default the rules are strict; a test says where a request
/// is meant to differ.
#[derive(Clone, Debug)]
#[must_use]
pub struct ScriptedConversation {
    requests: Vec<Seen>,
    rewritten: BTreeSet<usize>,
    toolless: BTreeSet<usize>,
}

impl ScriptedConversation {
    /// These requests.
    pub fn of(requests: Vec<Seen>) -> Self {
        Self { requests, rewritten: BTreeSet::new(), toolless: BTreeSet::new() }
    }

    /// The history was rewritten (compressed, or a passing note left out) before the request with this
    /// number, counted from 0.
    pub fn rewritten_before(mut self, request: usize) -> Self {
        self.rewritten.insert(request);
        self
    }

    /// The request with this number offers no tools on purpose.
    pub fn toolless_at(mut self, request: usize) -> Self {
        self.toolless.insert(request);
        self
    }

    /// Fails the test if there is any fault.
    ///
    /// # Panics
    ///
    /// There is one, or there are no requests at all; the message lists the faults.
    pub fn assert_sound(&self) {
        assert!(!self.requests.is_empty(), "there were no requests to check");
        let faults = self.faults();
        assert!(faults.is_empty(), "the conversation is not sound:\n{}", faults.join("\n"));
    }

    /// Everything that is wrong, one line each.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut tools: Option<String> = None;
        for (number, seen) in self.requests.iter().enumerate() {
            let of_one = match ModelWire::of(&seen.path) {
                Some(ModelWire::Chat) => chat_faults(&seen.body),
                Some(ModelWire::Messages) => messages_faults(&seen.body),
                None => vec![format!("{} is no path of a model", seen.path)],
            };
            faults.extend(of_one.into_iter().map(|fault| format!("request {number}: {fault}")));
            if !self.toolless.contains(&number) {
                let offered = seen.body["tools"].to_string();
                if tools.as_ref().is_some_and(|before| *before != offered) {
                    faults.push(format!("request {number}: the tools differ from those before"));
                }
                tools = Some(offered);
            }
            if let Some(before) = number.checked_sub(1).map(|before| &self.requests[before])
                && !self.rewritten.contains(&number)
                && let Some(fault) = prefix_fault(&before.body, &seen.body)
            {
                faults.push(format!("request {number}: {fault}"));
            }
        }
        faults
    }
}

fn prefix_fault(before: &Value, now: &Value) -> Option<String> {
    if plain(&before["system"]) != plain(&now["system"]) {
        return Some("the instructions have changed".to_owned());
    }
    let (old, new) = (list(&before["messages"]), list(&now["messages"]));
    let changed = old.iter().zip(new).position(|(old, new)| plain(old) != plain(new));
    if let Some(place) = changed {
        return Some(format!(
            "message {place} was\n    {}\n  and is now\n    {}",
            plain(&old[place]),
            plain(&new[place])
        ));
    }
    (new.len() < old.len()).then(|| format!("{} messages became {}", old.len(), new.len()))
}

/// A message without what may move between calls: cache marks, the form of a content that is only one
/// text, and thinking, which goes back with the newest message only.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, _)| *name != "cache_control");
            kept.map(|(name, value)| (name.clone(), plain(value))).collect()
        }
        Value::Array(items) => {
            let thought =
                |item: &&Value| item["type"] == "thinking" || item["type"] == "redacted_thinking";
            let kept: Vec<Value> = items.iter().filter(|item| !thought(item)).map(plain).collect();
            match kept.as_slice() {
                [only] if only["type"] == "text" => only["text"].clone(),
                _ => Value::Array(kept),
            }
        }
        other => other.clone(),
    }
}

fn chat_faults(body: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut known = BTreeSet::new();
    let mut last = "";
    for (place, message) in list(&body["messages"]).iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        match role {
            "system" | "developer" if place == 0 => {}
            "user" | "assistant" if role == last => {
                faults.push(format!("message {place} is a second {role} message in a row"));
            }
            "user" | "assistant" => {}
            "tool" => {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                match open.iter().position(|open| open == id) {
                    Some(found) => drop(open.remove(found)),
                    None => faults.push(format!("message {place} answers no open call ({id})")),
                }
            }
            other => faults.push(format!("message {place} has the role {other:?}")),
        }
        if role != "tool" && !open.is_empty() {
            faults.push(format!("calls without an answer before message {place}: {open:?}"));
            open.clear();
        }
        let calls = list(&message["tool_calls"]);
        if message.get("tool_calls").is_some() && calls.is_empty() {
            faults.push(format!("message {place} has an empty list of calls"));
        }
        for call in calls {
            faults.extend(open_call(&call["id"], place, &mut known, &mut open));
            if !call["function"]["arguments"].is_string() {
                faults.push(format!("message {place} has arguments that are no text"));
            }
        }
        let internal =
            message.as_object().into_iter().flatten().find(|(name, _)| name.starts_with('_'));
        if let Some((name, _)) = internal {
            faults.push(format!("message {place} shows the internal field {name}"));
        }
        last = role;
    }
    if !open.is_empty() {
        faults.push(format!("calls without an answer at the end: {open:?}"));
    }
    faults
}

fn messages_faults(body: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut known = BTreeSet::new();
    if body["max_tokens"].as_u64().is_none_or(|cap| cap == 0) {
        faults.push("max_tokens is missing".to_owned());
    }
    for (place, message) in list(&body["messages"]).iter().enumerate() {
        let expected = if place % 2 == 0 { "user" } else { "assistant" };
        if message["role"] != expected {
            faults.push(format!("message {place} has the role {}", message["role"]));
        }
        let content = &message["content"];
        let text = json!([{"type": "text", "text": content}]);
        let blocks = if content.is_string() { list(&text) } else { list(content) };
        if blocks.is_empty() {
            faults.push(format!("message {place} is empty"));
        }
        let mut said = false;
        for block in blocks {
            match block["type"].as_str().unwrap_or_default() {
                "text" => {
                    said = true;
                    if block["text"].as_str().unwrap_or_default().trim().is_empty() {
                        faults.push(format!("message {place} has an empty text"));
                    }
                }
                "tool_result" => {
                    let id = block["tool_use_id"].as_str().unwrap_or_default();
                    match open.iter().position(|open| open == id) {
                        Some(found) => drop(open.remove(found)),
                        None => faults.push(format!("message {place} answers no open call ({id})")),
                    }
                    if said {
                        faults.push(format!("message {place} has a result after text"));
                    }
                }
                _ => {}
            }
        }
        if !open.is_empty() {
            faults.push(format!("calls without an answer in message {place}: {open:?}"));
            open.clear();
        }
        for block in blocks.iter().filter(|block| block["type"] == "tool_use") {
            faults.extend(open_call(&block["id"], place, &mut known, &mut open));
            if !block["input"].is_object() {
                faults.push(format!("message {place} has an input that is no object"));
            }
        }
    }
    if !open.is_empty() {
        faults.push(format!("calls without an answer at the end: {open:?}"));
    }
    faults
}

fn open_call(
    id: &Value,
    place: usize,
    known: &mut BTreeSet<String>,
    open: &mut Vec<String>,
) -> Option<String> {
    let id = id.as_str().unwrap_or_default().to_owned();
    open.push(id.clone());
    if id.is_empty() {
        return Some(format!("message {place} has a call without an id"));
    }
    (!known.insert(id.clone())).then(|| format!("message {place} uses the id {id} again"))
}

#[cfg(test)]
mod tests;
