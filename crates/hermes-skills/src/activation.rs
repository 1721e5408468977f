//! Skills that a person calls by name: `/name`, several at once, or from the start of a session.
//!
//! What a person types becomes one message with the skill's text in it. Their own words stand at its end behind a
//! mark that says how long they are, so that they can be told from the rest ([`own_words`]).

pub mod slash_bundles;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::index::IndexedSkill;
use crate::library::SkillStore;
use crate::listing::offered;
use crate::lookup::LocatedSkill;
use crate::offer::OfferContext;
use crate::refusal::SkillRefusal;
use crate::roots::{RootKind, expand};
use crate::view::OpenedSkill;

use slash_bundles::SlashBundle;

/// Most skills that one line activates.
pub const MAX_STACKED: usize = 5;

/// Most support files listed in a message.
const MAX_LISTED: usize = 50;

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
    /// A skill, by its path below its root; one of a plugin by its full name.
    Skill(String),
    /// A bundle.
    Bundle(SlashBundle),
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
    let of_plugin = |command: &&SkillCommand| matches!(&command.target, CommandTarget::Skill(path) if path == token);
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
            let target = CommandTarget::Skill(match entry.kind {
                RootKind::Plugin => entry.name.clone(),
                _ => crate::support::slashed(entry.relative.parent().unwrap_or(&entry.relative)),
            });
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

/// A message with skills in it, ready to be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActivationMessage {
    /// For the model.
    pub text: String,
    /// Names of the skills in it.
    pub skills: Vec<String>,
    /// What a person should know: skills that are missing or disabled.
    pub notes: Vec<String>,
    /// Variables with a value that the skills need.
    pub variables: Vec<String>,
    /// Files below the home that the skills need where commands run.
    pub files: Vec<String>,
}

/// What goes into a message beside the skills.
#[derive(Clone, Copy, Debug)]
pub struct ActivationContext<'a> {
    /// Decides which skills may be used.
    pub offers: &'a OfferContext,
    /// The session's id.
    pub session: Option<&'a str>,
    /// Where commands run.
    pub backend: &'a str,
}

impl SkillStore<'_> {
    /// The message for a line that was read.
    ///
    /// # Errors
    /// When none of its skills can be used.
    pub fn activate(
        &self,
        asked: &ParsedActivation,
        context: ActivationContext<'_>,
    ) -> Result<ActivationMessage, SkillRefusal> {
        let mut parts = Vec::new();
        let mut message = ActivationMessage::default();
        for command in &asked.commands {
            match &command.target {
                CommandTarget::Skill(path) => {
                    let heading = format!(
                        "[The user activated the skill \"{}\" with /{}. Follow its instructions.]",
                        path.rsplit('/').next().unwrap_or(path),
                        command.slug
                    );
                    self.add(path, &heading, context, &mut parts, &mut message);
                }
                CommandTarget::Bundle(bundle) => {
                    let before = message.skills.len();
                    for name in &bundle.skills {
                        let heading = format!(
                            "[The user activated the skill \"{name}\" with the bundle /{}. Follow its instructions.]",
                            command.slug
                        );
                        self.add(name, &heading, context, &mut parts, &mut message);
                    }
                    if let Some(instruction) =
                        bundle.instruction.as_ref().filter(|_| message.skills.len() > before)
                    {
                        parts.push(format!(
                            "[Instruction of the bundle /{}]\n{instruction}",
                            command.slug
                        ));
                    }
                }
            }
        }
        if message.skills.is_empty() {
            let notes = message.notes.join(" ");
            return Err(SkillRefusal::new(
                "none_left",
                format!("None of these skills can be used. {notes}"),
            ));
        }
        parts.push(marked(&asked.words));
        message.text = parts.join("\n\n");
        Ok(message)
    }

    /// Loads skills from the start of a session. The text is empty when none of them can be used.
    #[must_use]
    pub fn preload(&self, names: &[String], context: ActivationContext<'_>) -> ActivationMessage {
        let mut parts = Vec::new();
        let mut message = ActivationMessage::default();
        for name in names
            .iter()
            .flat_map(|list| list.split(','))
            .map(str::trim)
            .filter(|name| !name.is_empty())
        {
            let heading = format!(
                "[The skill \"{name}\" was loaded for this session. Follow its instructions.]"
            );
            self.add(name, &heading, context, &mut parts, &mut message);
        }
        message.text = parts.join("\n\n");
        message
    }

    fn add(
        &self,
        name: &str,
        heading: &str,
        context: ActivationContext<'_>,
        parts: &mut Vec<String>,
        message: &mut ActivationMessage,
    ) {
        let opened = self
            .find_usable(name, context.offers)
            .and_then(|located: LocatedSkill| self.open(located, context.session));
        match opened {
            Ok(opened) => {
                crate::usage::count(
                    self.home(),
                    &opened.name(),
                    crate::usage::UsageEvent::Activated,
                );
                parts.push(self.section(heading, &opened, context));
                message.skills.push(opened.name());
                message.variables.extend(opened.setup.present);
                message.files.extend(opened.setup.files);
            }
            Err(refusal) => message.notes.push(refusal.error),
        }
    }

    fn section(
        &self,
        heading: &str,
        opened: &OpenedSkill,
        context: ActivationContext<'_>,
    ) -> String {
        let root = opened.located.root();
        let mut text = format!("{heading}\n\n{}\n\n", opened.content.trim());
        text += &format!(
            "[Skill directory: {}] Resolve relative paths of the skill against it.\n",
            root.display()
        );
        let fields = opened.document.frontmatter.config_fields();
        if !fields.is_empty() {
            let file = self.home().home().config_file();
            text += &format!("[Skill config (from {}):", file.display());
            for field in fields {
                text += &format!(" {} = {};", field.key, self.setting(&field));
            }
            text = text.trim_end_matches(';').to_owned() + "]\n";
        }
        if let Some(note) = opened.setup.note(context.backend) {
            text += &format!("[Setup: {note}]\n");
        }
        let files: Vec<&str> = opened.files.paths().take(MAX_LISTED).collect();
        if !files.is_empty() {
            text += "[Files of the skill; load one with skill_view and its path as file_path, or run scripts by their \
                     absolute path:]\n";
            for file in files {
                text += &format!("- {file} -> {}\n", root.join(file).display());
            }
        }
        text.trim_end().to_owned()
    }

    /// The value of a skill's setting; a blank one is the default.
    fn setting(&self, field: &crate::document::ConfigField) -> String {
        let own = &self.settings().config;
        let set = own.get(&field.key).or_else(|| {
            let mut parts = field.key.split('.');
            let first = own.get(parts.next()?)?;
            parts.try_fold(first, |value, part| value.get(part))
        });
        let text = match set {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Null) | None => String::new(),
            Some(other) => other.to_string(),
        };
        let value =
            if text.trim().is_empty() { field.default.clone().unwrap_or_default() } else { text };
        match value.trim() {
            "" => "(not set)".to_owned(),
            path if path.starts_with('~') || path.contains("${") => {
                expand(path, std::path::Path::new(""), self.vars()).display().to_string()
            }
            plain => plain.to_owned(),
        }
    }
}

fn marked(words: &str) -> String {
    format!("{WORDS_MARK}{}]\n{words}", words.chars().count())
}

/// What the person said, in a message that [`SkillStore::activate`] made; nothing for any other text.
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
