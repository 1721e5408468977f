//! Changes of notes that a person has to agree to (`memory.write_approval`).
//!
//! Somebody who is there is asked; where nobody is, or the question gets no answer, the change is put
//! aside with all that is needed to make it later. A plain no is the end of it.

use hermes_store::pending::{NewPending, Pending, PendingError};
use serde_json::{Value, json};

use super::MemoryStore;
use super::answer::name;
use crate::memory::request::{Memory, MemoryAction, MemoryOperation, MemoryTarget};

/// What changes of notes are called where changes wait.
pub const SUBSYSTEM: &str = "memory";
/// Characters shown of an entry.
const SHOWN_CHARS: usize = 140;

impl MemoryStore {
    /// Puts a change aside; the answer for the model.
    pub fn stage(&self, request: &Memory, origin: &str) -> Value {
        let new = NewPending {
            action: action(request),
            summary: summary(request),
            origin: origin.to_owned(),
            payload: serde_json::to_value(request).unwrap_or_default(),
        };
        match self.pending.stage(new) {
            Ok(pending) => json!({
                "success": true,
                "done": true,
                "staged": true,
                "pending_id": pending.id,
                "message": "Not saved yet: the user has to agree first (`hermes memory pending`). \
                            Go on; do not repeat it.",
            }),
            Err(problem) => json!({
                "success": false,
                "error": format!("The user has to agree first, and the change could not be put \
                                  aside: {problem}."),
            }),
        }
    }

    /// Makes a change that waited. It stays where it is if it cannot be made.
    ///
    /// # Errors
    /// When it cannot be removed from what waits.
    pub fn replay(&self, pending: &Pending) -> Result<Value, PendingError> {
        let request: Memory = match serde_json::from_value(pending.payload.clone()) {
            Ok(request) => request,
            Err(problem) => {
                let error = format!("The change cannot be understood: {problem}.");
                return Ok(json!({"success": false, "error": error}));
            }
        };
        self.begin_turn();
        let answer = self.call(request);
        if answer["success"] == true {
            self.pending.remove(pending)?;
        }
        Ok(answer)
    }
}

/// The answer to a model whose change is not wanted.
#[must_use]
pub fn refused(reason: Option<&str>) -> Value {
    let reason = reason.map(|reason| format!(" They said: {reason}")).unwrap_or_default();
    json!({
        "success": false,
        "done": true,
        "error": format!("The user does not want this to be kept; do not try again.{reason}"),
    })
}

/// What is asked about a change.
#[must_use]
pub fn question(request: &Memory) -> String {
    format!("The agent wants to change what it remembers:\n{}", summary(request))
}

/// The kind of change, in a word.
fn action(request: &Memory) -> String {
    let word = match (&request.operations, request.action) {
        (Some(list), _) if !list.is_empty() => "batch",
        (_, Some(action)) => word(action),
        (_, None) => "",
    };
    word.to_owned()
}

fn word(action: MemoryAction) -> &'static str {
    match action {
        MemoryAction::Add => "add",
        MemoryAction::Replace => "replace",
        MemoryAction::Remove => "remove",
    }
}

/// What a call would do, for people: a line for each change.
fn summary(request: &Memory) -> String {
    let target = request.target.unwrap_or_default();
    match &request.operations {
        Some(list) if !list.is_empty() => {
            let lines: Vec<String> = list.iter().map(|one| line(target, one)).collect();
            lines.join("\n")
        }
        _ => match request.action {
            Some(action) => {
                let (content, old_text) = (request.content.clone(), request.old_text.clone());
                line(target, &MemoryOperation { action, content, old_text })
            }
            None => String::new(),
        },
    }
}

fn line(target: MemoryTarget, change: &MemoryOperation) -> String {
    let (new, old) = (shown(change.content.as_deref()), shown(change.old_text.as_deref()));
    let target = name(target);
    match change.action {
        MemoryAction::Add => format!("add to {target}: “{new}”"),
        MemoryAction::Replace => format!("replace in {target}: “{old}” by “{new}”"),
        MemoryAction::Remove => format!("remove from {target}: “{old}”"),
    }
}

/// The beginning of a text, on one line.
fn shown(text: Option<&str>) -> String {
    let line = text.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN_CHARS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use hermes_store::home::Home;

    use super::super::MemorySettings;
    use super::*;

    fn store() -> (tempfile::TempDir, MemoryStore) {
        let folder = tempfile::tempdir().unwrap();
        let store = MemoryStore::new(&Home::at(folder.path()), MemorySettings::default());
        (folder, store)
    }

    fn request(value: &Value) -> Memory {
        serde_json::from_value(value.clone()).unwrap()
    }

    #[test]
    fn a_change_that_waited_is_made_and_no_longer_waits() {
        let (_folder, store) = store();
        let payload = json!({"action": "add", "target": "user", "content": "lives in Ulm"});
        let answer = store.stage(&request(&payload), "s1");
        assert_eq!((&answer["success"], &answer["staged"]), (&json!(true), &json!(true)));
        assert_eq!(store.entries(MemoryTarget::User).unwrap(), Vec::<String>::new());
        let waiting = store.pending().list().unwrap();
        assert_eq!(waiting[0].summary, "add to user: “lives in Ulm”");
        assert_eq!((waiting[0].action.as_str(), waiting[0].origin.as_str()), ("add", "s1"));
        assert_eq!(waiting[0].id, answer["pending_id"]);
        assert_eq!(store.replay(&waiting[0]).unwrap()["success"], true);
        assert_eq!(store.entries(MemoryTarget::User).unwrap(), ["lives in Ulm"]);
        assert_eq!(store.pending().list().unwrap(), []);
    }

    #[test]
    fn a_change_that_cannot_be_made_any_more_still_waits() {
        let (_folder, store) = store();
        let payload = json!({"action": "remove", "old_text": "tabs"});
        store.stage(&request(&payload), "s1");
        let waiting = store.pending().list().unwrap();
        assert_eq!(store.replay(&waiting[0]).unwrap()["success"], false);
        assert_eq!(store.pending().list().unwrap(), waiting);
    }

    #[test]
    fn what_would_be_refused_is_refused_before_anybody_is_asked() {
        let (folder, store) = store();
        let good = request(&json!({"action": "add", "content": "uses tabs"}));
        assert_eq!(store.refusal(good), None);
        assert!(!folder.path().join("memories").exists(), "nothing is written");
        let bad = request(&json!({"action": "remove", "old_text": "tabs"}));
        assert_eq!(store.refusal(bad).unwrap()["success"], false);
    }

    #[test]
    fn a_list_of_changes_has_a_line_for_each() {
        let request = request(&json!({"operations": [
            {"action": "add", "content": "a\nb"},
            {"action": "replace", "old_text": "x", "content": "y"}]}));
        assert_eq!(summary(&request), "add to memory: “a b”\nreplace in memory: “x” by “y”");
        assert_eq!(action(&request), "batch");
    }
}
