//! The list of steps that a model keeps for the task at hand.
//!
//! The list lives in memory, one a session. It is not stored by itself: every answer of the tool holds
//! the whole list, so the newest answer in the history is the list ([`TodoList::from_answer`]). After a
//! compaction, which may drop that answer, what is still to be done is said again in a note
//! ([`TodoList::note`]), from which the list can be read as well ([`TodoList::from_note`]).
//!
//! Models write items in many shapes. Each item is mended for itself and what was mended in a way that
//! loses something is said in `warnings`; a call never fails for the shape of one item among others. It
//! fails, and changes nothing, when what should be a list holds no item at all ([`given_items`]), such as
//! text that was cut, and when a merge names a status that does not exist: guessing would undo progress.

mod item;
mod note;

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use hermes_tool::ToolError;
use serde_json::{Map, Value, json};

pub(super) use item::given_items;
use item::{Draft, mend};
pub use item::{MAX_CONTENT_CHARS, TodoEntry, TodoStatus};
pub use note::HEADING as NOTE_HEADING;

/// Items a list holds; what comes after is dropped, and the answer says so.
pub const MAX_ITEMS: usize = 256;

/// The longest stored answer that is read back, in characters.
pub const MAX_STORED_CHARS: usize = 512_000;

/// What a call wants of the list. Items are as the model wrote them.
#[derive(Clone, Debug)]
pub enum TodoChange {
    /// To see it.
    Read,
    /// These items instead of all there are.
    Replace(Vec<Value>),
    /// Changes to items of the same id; items of a new id are appended.
    Merge(Vec<Value>),
}

/// The steps, most important first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TodoList {
    items: Vec<TodoEntry>,
}

impl TodoList {
    /// The list that an answer of the tool holds, behind which notes may have been added.
    #[must_use]
    pub fn from_answer(text: &str) -> Option<Self> {
        if text.chars().nth(MAX_STORED_CHARS).is_some() {
            return None;
        }
        let first = serde_json::Deserializer::from_str(text).into_iter::<Value>().next()?.ok()?;
        Some(Self::of(first.get("todos")?.as_array()?.clone()))
    }

    /// The open steps that a message repeats in a note, if it holds one.
    #[must_use]
    pub fn from_note(message: &str) -> Option<Self> {
        note::read(message).map(Self::of)
    }

    fn of(values: Vec<Value>) -> Self {
        let mut list = Self::default();
        list.replace(values, &mut Vec::new());
        list
    }

    /// The steps in the order they stand in every answer.
    #[must_use]
    pub fn items(&self) -> &[TodoEntry] {
        &self.items
    }

    /// Whether a list was never written, or was replaced by nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Makes a change and answers as the tool does: the whole list, counted.
    ///
    /// # Errors
    /// When a merge names a status that does not exist. Nothing is changed then.
    pub fn apply(&mut self, change: TodoChange) -> Result<Value, ToolError> {
        let mut warnings = Vec::new();
        match change {
            TodoChange::Read => {}
            TodoChange::Replace(items) => self.replace(items, &mut warnings),
            TodoChange::Merge(items) => self.merge(items, &mut warnings)?,
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
        let mut items: Vec<TodoEntry> = drafts
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
        for status in TodoStatus::ALL {
            summary.insert(status.as_str().into(), count(status).into());
        }
        let items: Vec<Value> = self.items.iter().map(TodoEntry::to_value).collect();
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
