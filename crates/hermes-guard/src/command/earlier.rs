//! What the texts of earlier commands show that they left: files they wrote, variables they set.
//!
//! A script written by one command and run by the next is judged by what was written, as if both were
//! one command. A plain variable does not outlive its command, but whoever uses it in the next one
//! believes that it does; it is judged by the value it was given.

use std::collections::HashMap;
use std::hash::Hash;

use super::call::Taint;

/// How many files, variables and places are remembered of a session.
const MAX_ENTRIES: usize = 128;

/// How many bytes of files are remembered of a session.
const MAX_TEXT: usize = 512 * 1024;

/// What a session's commands have left so far, as far as their texts show it.
///
/// Every analysis says what its command would leave; whoever lets the command run adds that to what
/// it hands to the next analysis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EarlierCommands {
    pub(super) files: HashMap<String, EarlierText>,
    pub(super) variables: HashMap<String, EarlierText>,
    /// Bodies of aliases and functions, for shells whose own state is out of reach.
    pub(super) aliases: HashMap<String, String>,
    pub(super) functions: HashMap<String, String>,
    /// What the paths of files from the network begin with.
    pub(super) from_network: Vec<String>,
    /// Folders that were cloned.
    pub(super) cloned: Vec<String>,
    /// Those of them that came from no place where people keep their source.
    pub(super) strange_clones: Vec<String>,
    /// Remotes of git that were given another address.
    pub(super) remotes: Vec<String>,
    /// A file with keys was read into variables.
    pub(super) keys_are_loaded: bool,
    /// Links that were made, and where they lead.
    pub(super) links: Vec<(String, String)>,
    /// The positional parameters, `$0` first.
    pub(super) positional: Vec<String>,
}

/// A file that a command wrote, or a value that it set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct EarlierText {
    /// What is in it, when known.
    pub(super) text: Option<String>,
    /// Where that comes from.
    pub(super) taint: Taint,
}

impl EarlierCommands {
    /// Whether nothing is known to be left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
            && self.variables.is_empty()
            && self.aliases.is_empty()
            && self.functions.is_empty()
            && self.from_network.is_empty()
            && self.cloned.is_empty()
            && self.remotes.is_empty()
            && !self.keys_are_loaded
            && self.links.is_empty()
            && self.positional.is_empty()
    }

    /// Adds what one more command left. What no longer fits is forgotten as a whole: half of a
    /// memory would be misleading.
    pub fn take_in(&mut self, later: Self) {
        extend(&mut self.files, later.files);
        extend(&mut self.variables, later.variables);
        extend(&mut self.aliases, later.aliases);
        extend(&mut self.functions, later.functions);
        self.from_network.extend(later.from_network);
        self.from_network.truncate(MAX_ENTRIES);
        add_new(&mut self.cloned, later.cloned);
        add_new(&mut self.strange_clones, later.strange_clones);
        add_new(&mut self.remotes, later.remotes);
        self.keys_are_loaded |= later.keys_are_loaded;
        for link in later.links {
            if !self.links.contains(&link) && self.links.len() < MAX_ENTRIES {
                self.links.push(link);
            }
        }
        if !later.positional.is_empty() {
            self.positional = later.positional;
        }
        let bytes: usize =
            self.files.values().filter_map(|file| file.text.as_deref()).map(str::len).sum();
        if bytes > MAX_TEXT {
            self.files.clear();
        }
    }
}

fn add_new(known: &mut Vec<String>, more: Vec<String>) {
    for text in more {
        if !known.contains(&text) && known.len() < MAX_ENTRIES {
            known.push(text);
        }
    }
}

fn extend<K: Hash + Eq, V>(known: &mut HashMap<K, V>, more: HashMap<K, V>) {
    if known.len() + more.len() > MAX_ENTRIES {
        known.clear();
    }
    known.extend(more.into_iter().take(MAX_ENTRIES));
}
