//! What Tab offers: slash commands, their words, and paths.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Candidates that are offered; more are left out.
const MAX_CANDIDATES: usize = 200;

/// A slash command, as far as completion knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandWords {
    /// Without the slash.
    pub(crate) name: Cow<'static, str>,
    /// Words that may follow.
    pub(crate) words: &'static [&'static str],
    /// A line on what it does.
    pub(crate) help: Cow<'static, str>,
    /// What it takes.
    pub(crate) takes: Cow<'static, str>,
    /// Other names it answers to.
    pub(crate) aliases: &'static [&'static str],
}

impl CommandWords {
    fn candidate(&self) -> Candidate {
        Candidate {
            text: format!("/{} ", self.name),
            shown: format!("/{}", self.name),
            help: self.help.clone(),
            is_whole: self.takes.is_empty() || self.takes.starts_with('['),
        }
    }
}

/// Something to put into the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// The text that goes into the line.
    pub(crate) text: String,
    /// What is shown of it.
    pub(crate) shown: String,
    /// A line on what it is.
    pub(crate) help: Cow<'static, str>,
    /// Nothing has to follow it.
    pub(crate) is_whole: bool,
}

/// What could stand in place of the end of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Completions {
    /// Where the part begins that is replaced.
    pub(crate) start: usize,
    pub(crate) candidates: Vec<Candidate>,
}

/// Knows what can be completed.
#[derive(Clone, Debug)]
pub(crate) struct Completer {
    pub(crate) commands: Vec<CommandWords>,
    /// Where relative paths begin.
    pub(crate) folder: PathBuf,
    /// What `~` stands for.
    pub(crate) home: Option<PathBuf>,
}

impl Completer {
    /// Whether the line takes commands at all; answers do not.
    pub(crate) fn has_commands(&self) -> bool {
        !self.commands.is_empty()
    }

    /// What could go on where the text ends.
    pub(crate) fn offer(&self, before: &str) -> Completions {
        if let Some(typed) = before.strip_prefix('/') {
            match typed.split_once(' ') {
                None if !typed.contains('/') => return self.command_names(typed),
                None => {}
                Some((name, rest)) => {
                    let offer = self.command_words(name, rest, before.len());
                    if !offer.candidates.is_empty() {
                        return offer;
                    }
                }
            }
        }
        self.paths(before)
    }

    /// What opens by itself: commands where a line begins with a slash, files after `@`.
    pub(crate) fn menu(&self, before: &str) -> Completions {
        // Lines that take no commands, such as answers, take no files either.
        if !self.has_commands() {
            return Completions::default();
        }
        if let Some(typed) = before.strip_prefix('/') {
            let is_name = !typed.contains(|letter: char| letter.is_whitespace() || letter == '/');
            return if is_name { self.fitting(typed) } else { Completions::default() };
        }
        match before.rsplit(char::is_whitespace).next() {
            Some(word) if word.starts_with('@') => self.paths(before),
            _ => Completions::default(),
        }
    }

    /// Whether Enter takes the command that fits best: not where a name stands already, or nothing but the slash.
    pub(crate) fn takes_first(&self, before: &str) -> bool {
        let typed = before.strip_prefix('/').unwrap_or_default().to_lowercase();
        let is_name = |command: &CommandWords| {
            command.name == typed.as_str() || command.aliases.contains(&typed.as_str())
        };
        !typed.is_empty() && !self.commands.iter().any(is_name)
    }

    /// Commands that fit what was typed, best first.
    fn fitting(&self, typed: &str) -> Completions {
        let order = super::fuzzy::ranked(typed, self.commands.iter().map(|command| &*command.name));
        let by_alias = self.commands.iter().enumerate().filter(|(at, command)| {
            !typed.is_empty()
                && !order.contains(at)
                && command.aliases.iter().any(|alias| alias.starts_with(typed))
        });
        let all = by_alias.map(|(at, _)| at).chain(order.iter().copied());
        let candidates = all.map(|at| self.commands[at].candidate()).collect();
        Completions { start: 0, candidates }
    }

    /// What a command that is typed takes.
    pub(crate) fn hint(&self, before: &str) -> Option<String> {
        let typed = before.strip_prefix('/')?;
        let name = typed.strip_suffix(' ').unwrap_or(typed);
        let command = self.commands.iter().find(|command| command.name == name)?;
        let gap = if typed.ends_with(' ') { "" } else { " " };
        (!command.takes.is_empty()).then(|| format!("{gap}{}", command.takes))
    }

    fn command_names(&self, typed: &str) -> Completions {
        let candidates = self
            .commands
            .iter()
            .filter(|command| command.name.starts_with(typed))
            .map(CommandWords::candidate)
            .collect();
        Completions { start: 0, candidates }
    }

    fn command_words(&self, name: &str, rest: &str, length: usize) -> Completions {
        let word = rest.rsplit(' ').next().unwrap_or_default();
        let command = self.commands.iter().find(|command| command.name == name);
        let words = command.map_or(&[][..], |command| command.words);
        let candidates = words
            .iter()
            .filter(|known| known.starts_with(word))
            .map(|known| Candidate {
                text: format!("{known} "),
                shown: (*known).to_owned(),
                help: Cow::Borrowed(""),
                is_whole: false,
            })
            .collect();
        Completions { start: length - word.len(), candidates }
    }

    fn paths(&self, before: &str) -> Completions {
        let start = before
            .rfind(char::is_whitespace)
            .map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8));
        let word = &before[start..];
        let (sign, path) = match word.strip_prefix('@') {
            Some(path) => ("@", path),
            None => ("", word),
        };
        let looks_like_path =
            !sign.is_empty() || path.contains('/') || path.starts_with(['.', '~']);
        if !looks_like_path {
            return Completions { start, candidates: Vec::new() };
        }
        let (folder, name) = path
            .rsplit_once('/')
            .map_or(("", path), |(folder, name)| (&path[..=folder.len()], name));
        let mut found = entries(&self.resolved(folder), name);
        found.sort();
        found.truncate(MAX_CANDIDATES);
        let candidates = found
            .into_iter()
            .map(|entry| Candidate {
                text: format!(
                    "{sign}{folder}{entry}{}",
                    if entry.ends_with('/') { "" } else { " " }
                ),
                shown: entry,
                help: Cow::Borrowed(""),
                is_whole: false,
            })
            .collect();
        Completions { start, candidates }
    }

    fn resolved(&self, folder: &str) -> PathBuf {
        match (folder.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.folder.join(folder),
        }
    }
}

/// The names in a folder that begin like this; folders end in a slash. Hidden ones only if asked for.
fn entries(folder: &Path, begins: &str) -> Vec<String> {
    let Ok(listing) = std::fs::read_dir(folder) else { return Vec::new() };
    listing
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let is_wanted = name.starts_with(begins)
                && (begins.starts_with('.') || !name.starts_with('.'))
                && !name.chars().any(char::is_control);
            let is_folder = entry.path().is_dir();
            is_wanted.then(|| format!("{name}{}", if is_folder { "/" } else { "" }))
        })
        .collect()
}

/// What all candidates begin with.
pub(crate) fn common_start(candidates: &[Candidate]) -> &str {
    let Some((first, others)) = candidates.split_first() else { return "" };
    let mut length = first.text.len();
    for other in others {
        let same = first.text.char_indices().zip(other.text.chars());
        let differs = same.into_iter().find(|((_, a), b)| a != b).map(|((at, _), _)| at);
        length = length.min(differs.unwrap_or_else(|| first.text.len().min(other.text.len())));
    }
    &first.text[..length]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completer(folder: &Path) -> Completer {
        let command = |name: &'static str, words, takes: &'static str| CommandWords {
            name: name.into(),
            words,
            help: "".into(),
            takes: takes.into(),
            aliases: &[],
        };
        Completer {
            commands: vec![
                command("model", &[][..], "[NAME]"),
                command("moa", &[], "PROMPT"),
                command("busy", &["queue", "steer"], "[MODE]"),
            ],
            folder: folder.to_owned(),
            home: Some(folder.to_owned()),
        }
    }

    fn shown(offer: &Completions) -> Vec<&str> {
        offer.candidates.iter().map(|candidate| candidate.shown.as_str()).collect()
    }

    #[test]
    fn commands_and_their_words_are_offered() {
        let completer = completer(Path::new("/"));
        assert_eq!(shown(&completer.offer("/mo")), ["/model", "/moa"]);
        assert_eq!(common_start(&completer.offer("/m").candidates), "/mo");
        let offer = completer.offer("/busy st");
        assert_eq!((shown(&offer), offer.start), (vec!["steer"], 6));
        assert_eq!(completer.hint("/model").as_deref(), Some(" [NAME]"));
        assert_eq!(completer.hint("/model ").as_deref(), Some("[NAME]"));
        assert_eq!(completer.hint("model"), None);
    }

    #[test]
    fn paths_are_offered_where_a_path_is_typed() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("src")).unwrap();
        for file in ["notes.txt", "src/main.rs", ".hidden"] {
            std::fs::File::create(folder.path().join(file)).unwrap();
        }
        let completer = completer(folder.path());
        assert_eq!(shown(&completer.offer("read ./")), ["notes.txt", "src/"]);
        assert_eq!(completer.offer("see @sr").candidates[0].text, "@src/");
        assert_eq!(completer.offer("see ~/src/m").candidates[0].text, "~/src/main.rs ");
        assert_eq!(shown(&completer.offer("see .h")), [".hidden"]);
        assert!(completer.offer("see no").candidates.is_empty());
        assert!(completer.offer("./none/x").candidates.is_empty());
    }
}
