//! Skills that a person calls by name: `/name`, several at once, or from the start of a session.
//!
//! What a person types becomes one message with the skill's text in it. Their own words stand at its end behind a
//! mark that says how long they are, so that they can be told from the rest ([`own_words`]).

mod message;
pub mod slash_bundles;

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::index::IndexedSkill;
use crate::library::SkillStore;
use crate::listing::offered;
use crate::offer::OfferContext;
use crate::roots::RootKind;

pub use message::{ActivationContext, ActivationMessage, OpenedActivation};
use slash_bundles::SlashBundle;

/// Most skills that one line activates.
pub const MAX_STACKED: usize = 5;

/// What stands before the words of a person; their number of characters follows.
const WORDS_MARK: &str = "[The user's own message, characters: ";

/// A slash command that stands for a skill or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillCommand {
    /// Without the slash.
    pub slug: String,
    /// What it is for, in a line.
    pub about: String,
    /// What it activates.
    pub target: CommandTarget,
}

/// What a command activates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandTarget {
    /// A skill: one of the folders', or one of a plugin.
    Skill(CalledSkill),
    /// A bundle.
    Bundle(SlashBundle),
}

/// A skill that a command stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalledSkill {
    /// What the model is told it is called: its folder; for one of a plugin its full name.
    pub name: String,
    /// Its document. Several skills may answer to a name; a list shows one of them, and that one is meant.
    pub file: PathBuf,
}

/// The word a skill is called by after a slash; empty if there is none.
#[must_use]
pub fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.to_lowercase().chars() {
        let c = if c.is_whitespace() || c == '_' { '-' } else { c };
        let fits = c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if fits && !(c == '-' && slug.ends_with('-')) {
            slug.push(c);
        }
    }
    slug.trim_matches('-').to_owned()
}

/// The words a skill may be called by, the best first. One of a plugin goes by its own name, and where that is taken
/// by its plugin's name and its own.
fn slugs(entry: &IndexedSkill) -> Vec<String> {
    match entry.name.split_once(':').filter(|_| entry.kind == RootKind::Plugin) {
        Some((plugin, name)) => vec![slug(name), slug(&format!("{plugin}-{name}"))],
        None => vec![slug(&entry.name)],
    }
}

/// The command that a word after a slash means: a slug, or a plugin's skill by its full name.
fn meant<'a>(
    token: &str,
    commands: &'a BTreeMap<String, SkillCommand>,
) -> Option<&'a SkillCommand> {
    let is_word = |part: &str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        !part.is_empty() && part.chars().all(fits)
    };
    if is_word(token) {
        return commands.get(&slug(token));
    }
    let (plugin, name) = token.split_once(':')?;
    let of_plugin = |command: &&SkillCommand| matches!(&command.target, CommandTarget::Skill(skill) if skill.name == token);
    (is_word(plugin) && is_word(name)).then(|| commands.values().find(of_plugin)).flatten()
}

impl SkillStore<'_> {
    /// The slash commands of skills and bundles, by slug. Words that are taken are left out.
    #[must_use]
    pub fn commands(
        &self,
        context: &OfferContext,
        taken: &[String],
    ) -> BTreeMap<String, SkillCommand> {
        let mut commands = BTreeMap::new();
        for bundle in slash_bundles::read(self.home()) {
            let slug = slug(&bundle.name);
            if slug.is_empty() || taken.contains(&slug) {
                continue;
            }
            let about = bundle.about();
            let target = CommandTarget::Bundle(bundle);
            commands.entry(slug.clone()).or_insert(SkillCommand { slug, about, target });
        }
        let table = self.listed_table();
        let (brought, own): (Vec<_>, Vec<_>) =
            offered(&table, context).into_iter().partition(|one| one.kind == RootKind::Plugin);
        for entry in own.into_iter().chain(brought) {
            let is_free = |slug: &String| {
                !slug.is_empty() && !taken.contains(slug) && !commands.contains_key(slug)
            };
            let Some(slug) = slugs(entry).into_iter().find(is_free) else { continue };
            let name = match entry.kind {
                RootKind::Plugin => entry.name.clone(),
                _ => entry.folder.clone(),
            };
            let target = CommandTarget::Skill(CalledSkill { name, file: entry.file.clone() });
            let about = crate::index::shortened(&entry.description, crate::prompt::MAX_LINE_CHARS);
            commands.insert(slug.clone(), SkillCommand { slug, about, target });
        }
        commands
    }
}

/// What a line activates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedActivation {
    /// In the order they were typed, each once.
    pub commands: Vec<SkillCommand>,
    /// What the person says.
    pub words: String,
}

/// Reads a line that may begin with one or more commands of skills; nothing if it does not.
#[must_use]
pub fn parse(line: &str, commands: &BTreeMap<String, SkillCommand>) -> Option<ParsedActivation> {
    let mut rest = line.trim();
    let mut found: Vec<SkillCommand> = Vec::new();
    while let Some(typed) = rest.strip_prefix('/') {
        let (token, after) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
        match meant(token, commands) {
            Some(command) if found.len() < MAX_STACKED => {
                if !found.contains(command) {
                    found.push(command.clone());
                }
                rest = after.trim_start();
            }
            _ => break,
        }
    }
    (!found.is_empty()).then(|| ParsedActivation { commands: found, words: rest.to_owned() })
}

fn marked(words: &str) -> String {
    format!("{WORDS_MARK}{}]\n{words}", words.chars().count())
}

/// What the person said, in a message that [`SkillStore::message`] made; nothing for any other text.
#[must_use]
pub fn own_words(message: &str) -> Option<&str> {
    for (at, _) in message.rmatch_indices(WORDS_MARK) {
        let rest = &message[at + WORDS_MARK.len()..];
        let Some((count, words)) = rest.split_once("]\n") else { continue };
        if count.parse() == Ok(words.chars().count()) {
            return Some(words);
        }
    }
    None
}

#[cfg(test)]
mod tests;
