//! What the texts of earlier commands show that they left: files they wrote, variables they set.
//!
//! A script written by one command and run by the next is judged by what was written, as if both were
//! one command. A plain variable does not outlive its command, but whoever uses it in the next one
//! believes that it does; it is judged by the value it was given.

use std::collections::HashMap;
use std::hash::Hash;

use super::CommandContext;
use super::call::Taint;
use super::facts::ShellFacts;

/// How many files, variables and places are remembered of a session.
const MAX_ENTRIES: usize = 128;

/// How many bytes of files are remembered of a session.
const MAX_TEXT: usize = 512 * 1024;
/// A file that is longer is known to be there, and not what is in it.
pub const MAX_FILE_TEXT: usize = 64 * 1024;

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
    /// How many commands were taken in.
    pub(super) age: u64,
}

/// A file that a command wrote, or a value that it set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct EarlierText {
    /// What is in it, when known.
    pub(super) text: Option<String>,
    /// Where that comes from.
    pub(super) taint: Taint,
    /// When it was left, in commands.
    pub(super) age: u64,
}

impl EarlierCommands {
    /// What is left where something else than a command wrote a file: a tool, in sight of whoever looks on.
    /// Without a text nobody knows what is in it now.
    #[must_use]
    pub fn file_written(path: &str, text: Option<String>, host: &CommandContext<'_>) -> Self {
        let links = host.earlier.map(|earlier| earlier.links.clone()).unwrap_or_default();
        let facts = ShellFacts { host, cwd: None, links };
        let text = text.filter(|text| text.len() <= MAX_FILE_TEXT);
        let file = EarlierText { text, taint: Taint::SHOWN, age: 0 };
        let files = HashMap::from([(facts.path(path).into_owned(), file)]);
        Self { files, ..Self::default() }
    }

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

    /// Adds what one more command left. Of files and variables the oldest are forgotten when there is no
    /// more room; of names the whole lot, for half of their definitions would be misleading.
    pub fn take_in(&mut self, later: Self) {
        self.age += 1;
        add_dated(&mut self.files, later.files, self.age);
        add_dated(&mut self.variables, later.variables, self.age);
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
        self.forget_long_texts();
    }

    fn forget_long_texts(&mut self) {
        let len = |file: &EarlierText| file.text.as_deref().map_or(0, str::len);
        let mut bytes: usize = self.files.values().map(len).sum();
        while bytes > MAX_TEXT {
            let oldest = self.files.values_mut().filter(|file| len(file) > 0);
            let Some(oldest) = oldest.min_by_key(|file| file.age) else { return };
            bytes -= len(oldest);
            // That it is there, and where it comes from, is still known.
            oldest.text = None;
        }
    }
}

/// Adds things with their date, and forgets the oldest if there are too many.
fn add_dated(
    known: &mut HashMap<String, EarlierText>,
    more: HashMap<String, EarlierText>,
    age: u64,
) {
    known.extend(more.into_iter().map(|(name, text)| (name, EarlierText { age, ..text })));
    if known.len() > MAX_ENTRIES {
        let mut ages: Vec<u64> = known.values().map(|text| text.age).collect();
        ages.sort_unstable();
        let oldest = ages[ages.len() - MAX_ENTRIES];
        known.retain(|_, text| text.age >= oldest);
        // All of one command, and too many.
        let spare = known.len().saturating_sub(2 * MAX_ENTRIES);
        let surplus: Vec<String> = known.keys().take(spare).cloned().collect();
        for name in surplus {
            known.remove(&name);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn written(name: &str, text: &str) -> EarlierCommands {
        EarlierCommands::file_written(name, Some(text.to_owned()), &CommandContext::default())
    }

    #[test]
    fn the_oldest_are_forgotten_first() {
        let mut earlier = EarlierCommands::default();
        for round in 0..3 * MAX_ENTRIES {
            earlier.take_in(written(&format!("/w/{round}"), "x"));
        }
        assert_eq!(earlier.files.len(), MAX_ENTRIES);
        assert!(earlier.files.contains_key(&format!("/w/{}", 3 * MAX_ENTRIES - 1)));
        assert!(!earlier.files.contains_key("/w/0"));
    }

    #[test]
    fn long_texts_make_room_for_newer_ones() {
        let mut earlier = EarlierCommands::default();
        let long = "x".repeat(MAX_FILE_TEXT);
        for round in 0..20 {
            earlier.take_in(written(&format!("/w/{round}"), &long));
        }
        let bytes: usize =
            earlier.files.values().filter_map(|file| file.text.as_deref()).map(str::len).sum();
        assert!(bytes <= MAX_TEXT && bytes > MAX_TEXT - MAX_FILE_TEXT - 1, "{bytes}");
        assert!(earlier.files["/w/19"].text.is_some() && earlier.files["/w/0"].text.is_none());
    }

    #[test]
    fn too_much_at_once_is_bounded() {
        let file = |at: usize| (format!("/w/{at}"), EarlierText::default());
        let files = (0..1_000).map(file).collect();
        let mut earlier = EarlierCommands::default();
        earlier.take_in(EarlierCommands { files, ..EarlierCommands::default() });
        assert!(earlier.files.len() <= 2 * MAX_ENTRIES, "{}", earlier.files.len());
    }
}
