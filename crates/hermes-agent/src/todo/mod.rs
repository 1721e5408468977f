//! The list of steps that a model keeps for the task at hand.
//!
//! The list lives in memory, one a session. It is not stored by itself: every answer of the tool holds
//! the whole list, so the newest answer in the history is the list ([`TodoList::from_history`]). After a
//! compression, which may drop that answer, what is still to be done is said again in a note
//! ([`TodoList::note`]), from which the list can be read as well.
//!
//! Models write items in many shapes. Each item is mended for itself and what was mended in a way that
//! loses something is said in `warnings`; a call never fails for the shape of an item. It fails, and
//! changes nothing, when a merge names a status that does not exist: guessing there would undo progress.

mod item;
mod note;

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use hermes_llm::message::{Message, Role};
use hermes_tool::ToolError;
use hermes_tools::agent_level::{MAX_ITEMS, Todo};
use serde_json::{Map, Value, json};

use item::{Draft, mend};
pub use item::{Item, Status};
pub use note::HEADING as NOTE_HEADING;

/// The longest stored answer that is read back, in characters.
pub const MAX_STORED_CHARS: usize = 512_000;

/// The name under which the model calls it.
const TOOL: &str = "todo";

/// The steps, most important first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TodoList {
    items: Vec<Item>,
}

impl TodoList {
    /// The list as it stood at the end of a history.
    #[must_use]
    pub fn from_history(messages: &[Message]) -> Self {
        for (at, message) in messages.iter().enumerate().rev() {
            let items = match message.role {
                Role::Tool if answers_todo(messages, at) => stored_items(&message.text()),
                Role::User => note::read(&message.text()),
                _ => None,
            };
            if let Some(items) = items {
                return Self::of(items);
            }
        }
        Self::default()
    }

    fn of(values: Vec<Value>) -> Self {
        let mut list = Self::default();
        list.replace(values, &mut Vec::new());
        list
    }

    /// The steps.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Whether there are no steps.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Answers one call of the tool.
    pub fn call(&mut self, args: Todo) -> Result<Value, ToolError> {
        let mut warnings = Vec::new();
        match (args.todos, args.merge.unwrap_or(false)) {
            (None, _) => {}
            (Some(items), false) => self.replace(items, &mut warnings),
            (Some(items), true) => self.merge(items, &mut warnings)?,
        }
        Ok(self.answer(warnings))
    }

    /// A note on what is still to be done, for a model that no longer sees the list.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        note::write(&self.items)
    }

    fn replace(&mut self, values: Vec<Value>, warnings: &mut Vec<String>) {
        let drafts: Vec<Draft> =
            values.into_iter().enumerate().map(|(at, value)| mend(at, value, warnings)).collect();
        let mut ids = FreeIds::beside(&drafts);
        let mut items: Vec<Item> = drafts
            .into_iter()
            .map(|mut draft| {
                let id = draft.id.take().unwrap_or_else(|| ids.next());
                draft.into_item(id)
            })
            .collect();
        // Of two items of one id the later is meant, at its later place.
        let mut later = HashSet::new();
        items.reverse();
        items.retain(|item| later.insert(item.id.clone()));
        items.reverse();
        self.items = items;
        self.keep_to_cap(warnings);
    }

    fn merge(&mut self, values: Vec<Value>, warnings: &mut Vec<String>) -> Result<(), ToolError> {
        let mut items = self.items.clone();
        let mut places: HashMap<String, usize> =
            items.iter().enumerate().map(|(place, item)| (item.id.clone(), place)).collect();
        for (at, value) in values.into_iter().enumerate() {
            let was_object = value.is_object();
            let mut draft = mend(at, value, warnings);
            if let item::Given::Unknown(word) = &draft.status {
                return Err(ToolError::answer(format!(
                    "item {}: there is no status `{word}`; use pending, in_progress, completed or \
                     cancelled. Nothing was changed.",
                    at + 1
                )));
            }
            let Some(id) = draft.id.take() else {
                if was_object {
                    warnings.push(format!("item {} has no id and was skipped", at + 1));
                }
                continue;
            };
            match places.get(&id).and_then(|place| items.get_mut(*place)) {
                Some(item) => {
                    item.status = draft.status.known().unwrap_or(item.status);
                    if let Some(content) = draft.content {
                        item.content = content;
                    }
                }
                None => {
                    places.insert(id.clone(), items.len());
                    items.push(draft.into_item(id));
                }
            }
        }
        self.items = items;
        self.keep_to_cap(warnings);
        Ok(())
    }

    fn keep_to_cap(&mut self, warnings: &mut Vec<String>) {
        if let Some(surplus @ 1..) = self.items.len().checked_sub(MAX_ITEMS) {
            self.items.truncate(MAX_ITEMS);
            warnings
                .push(format!("a list holds {MAX_ITEMS} items; the last {surplus} were dropped"));
        }
    }

    fn answer(&self, warnings: Vec<String>) -> Value {
        let count = |status| self.items.iter().filter(|item| item.status == status).count();
        let mut summary = Map::new();
        summary.insert("total".into(), self.items.len().into());
        for status in Status::ALL {
            summary.insert(status.as_str().into(), count(status).into());
        }
        let items: Vec<Value> = self.items.iter().map(Item::to_value).collect();
        let mut answer = json!({"todos": items, "summary": summary});
        if !warnings.is_empty() {
            answer["warnings"] = warnings.into();
        }
        answer
    }
}

/// Numbers for items without an id, past those that are taken.
struct FreeIds {
    taken: HashSet<String>,
    last: usize,
}

impl FreeIds {
    fn beside(drafts: &[Draft]) -> Self {
        Self { taken: drafts.iter().filter_map(|draft| draft.id.clone()).collect(), last: 0 }
    }

    fn next(&mut self) -> String {
        loop {
            self.last += 1;
            let id = self.last.to_string();
            if !self.taken.contains(&id) {
                return id;
            }
        }
    }
}

/// Whether the result at this place answers a call of the list.
fn answers_todo(messages: &[Message], at: usize) -> bool {
    let Some(id) = messages[at].tool_call_id.as_deref() else { return false };
    messages[..at]
        .iter()
        .rev()
        .find(|message| message.role == Role::Assistant)
        .is_some_and(|said| said.tool_calls.iter().any(|call| call.id == id && call.name == TOOL))
}

/// The items in a stored answer, behind which notes may have been added.
fn stored_items(text: &str) -> Option<Vec<Value>> {
    if text.chars().nth(MAX_STORED_CHARS).is_some() {
        return None;
    }
    let first = serde_json::Deserializer::from_str(text).into_iter::<Value>().next()?.ok()?;
    first.get("todos")?.as_array().cloned()
}
