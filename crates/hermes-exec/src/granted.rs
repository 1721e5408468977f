//! Variables and files that a conversation's commands are given beyond those of their surroundings.
//!
//! A skill names variables its programs need; once the user has set them, the commands of the conversation that loaded
//! the skill see them, wherever they run. They hold secrets, so a client is handed them in its own environment and
//! never among its words, which every program of the machine can read. `ssh` has no such way: over there they have to
//! be set by hand.
//!
//! Files with credentials are for commands elsewhere: those here see the home itself. A place is shared by
//! conversations, so a file is there as long as any of them has it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The variables, by conversation.
#[derive(Default)]
pub(crate) struct GrantedVariables(Mutex<HashMap<String, BTreeMap<String, String>>>);

impl GrantedVariables {
    pub(crate) fn add(
        &self,
        conversation: &str,
        variables: impl IntoIterator<Item = (String, String)>,
    ) {
        self.table().entry(conversation.to_owned()).or_default().extend(variables);
    }

    pub(crate) fn of(&self, conversation: &str) -> Vec<(String, String)> {
        self.table().get(conversation).into_iter().flatten().map(owned).collect()
    }

    pub(crate) fn forget(&self, conversation: &str) {
        self.table().remove(conversation);
    }

    fn table(&self) -> MutexGuard<'_, HashMap<String, BTreeMap<String, String>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Files below the home that commands elsewhere are to have, by conversation.
#[derive(Debug, Default)]
pub(crate) struct GrantedFiles(Mutex<HashMap<String, BTreeSet<String>>>);

impl GrantedFiles {
    pub(crate) fn add(&self, conversation: &str, files: impl IntoIterator<Item = String>) {
        self.table().entry(conversation.to_owned()).or_default().extend(files);
    }

    /// Those of all conversations.
    pub(crate) fn all(&self) -> BTreeSet<String> {
        self.table().values().flatten().cloned().collect()
    }

    pub(crate) fn forget(&self, conversation: &str) {
        self.table().remove(conversation);
    }

    fn table(&self) -> MutexGuard<'_, HashMap<String, BTreeSet<String>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn owned((name, value): (&String, &String)) -> (String, String) {
    (name.clone(), value.clone())
}

impl fmt::Debug for GrantedVariables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |variables: &BTreeMap<String, String>| -> Vec<String> {
            variables.keys().cloned().collect()
        };
        f.debug_map()
            .entries(self.table().iter().map(|(conversation, own)| (conversation, names(own))))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_sees_its_own_and_no_value_is_shown() {
        let granted = GrantedVariables::default();
        granted.add("a", [("KEY".to_owned(), "hush".to_owned())]);
        granted.add("a", [("KEY".to_owned(), "hush2".to_owned())]);
        assert_eq!(granted.of("a"), [("KEY".to_owned(), "hush2".to_owned())]);
        assert!(granted.of("b").is_empty());
        let shown = format!("{granted:?}");
        assert!(shown.contains("KEY") && !shown.contains("hush"), "{shown}");
        granted.forget("a");
        assert!(granted.of("a").is_empty());
    }
}
