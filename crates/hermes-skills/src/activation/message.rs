//! What a model is told of skills that a person called: first they are opened, then put into words.
//!
//! In between whoever has a shell may fill in what commands in their texts say ([`OpenedActivation::skills_mut`]).

use std::path::Path;

use serde_json::Value;

use super::{CommandTarget, ParsedActivation, marked};
use crate::document::ConfigField;
use crate::library::SkillStore;
use crate::lookup::LocatedSkill;
use crate::offer::OfferContext;
use crate::refusal::SkillRefusal;
use crate::roots::{RootKind, expand};
use crate::usage::{self, UsageEvent};
use crate::view::OpenedSkill;

/// Most support files listed in a message.
const MAX_LISTED: usize = 50;

/// What goes into a message beside the skills.
#[derive(Clone, Copy, Debug)]
pub struct ActivationContext<'a> {
    /// Decides which skills may be used.
    pub offers: &'a OfferContext,
    /// The session's id.
    pub session: Option<&'a str>,
}

/// Skills that were opened for a message that is not yet put into words.
#[derive(Clone, Debug, Default)]
pub struct OpenedActivation {
    parts: Vec<MessagePart>,
    notes: Vec<String>,
    words: Option<String>,
}

#[derive(Clone, Debug)]
enum MessagePart {
    Skill { heading: String, opened: Box<OpenedSkill> },
    Text(String),
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

impl OpenedActivation {
    /// The skills in it, in their order.
    pub fn skills_mut(&mut self) -> impl Iterator<Item = &mut OpenedSkill> {
        self.parts.iter_mut().filter_map(|part| match part {
            MessagePart::Skill { opened, .. } => Some(&mut **opened),
            MessagePart::Text(_) => None,
        })
    }

    fn has_skills(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, MessagePart::Skill { .. }))
    }
}

impl SkillStore<'_> {
    /// Opens the skills that a line calls.
    ///
    /// # Errors
    /// When none of them can be used.
    pub fn open_called(
        &self,
        asked: &ParsedActivation,
        context: ActivationContext<'_>,
    ) -> Result<OpenedActivation, SkillRefusal> {
        let mut made = OpenedActivation::default();
        for command in &asked.commands {
            let slug = &command.slug;
            match &command.target {
                CommandTarget::Skill(skill) => {
                    let heading = format!(
                        "[The user activated the skill \"{}\" with /{slug}. Follow its instructions.]",
                        skill.name
                    );
                    let found = self.usable_at(&skill.file, &skill.name, context.offers);
                    self.add(found, heading, context, &mut made);
                }
                CommandTarget::Bundle(bundle) => {
                    let before = made.parts.len();
                    for name in &bundle.skills {
                        let heading = format!(
                            "[The user activated the skill \"{name}\" with the bundle /{slug}. Follow its instructions.]"
                        );
                        let found = self.find_usable(name, context.offers);
                        self.add(found, heading, context, &mut made);
                    }
                    if let Some(instruction) = &bundle.instruction
                        && made.parts.len() > before
                    {
                        let text = format!("[Instruction of the bundle /{slug}]\n{instruction}");
                        made.parts.push(MessagePart::Text(text));
                    }
                }
            }
        }
        if !made.has_skills() {
            let error = format!("None of these skills can be used. {}", made.notes.join(" "));
            return Err(SkillRefusal::new("none_left", error));
        }
        made.words = Some(asked.words.clone());
        Ok(made)
    }

    /// Opens skills that are loaded from the start of a session. There may be none that can be used.
    #[must_use]
    pub fn open_preloaded(
        &self,
        names: &[String],
        context: ActivationContext<'_>,
    ) -> OpenedActivation {
        let mut made = OpenedActivation::default();
        let names = names.iter().flat_map(|list| list.split(',')).map(str::trim);
        for name in names.filter(|name| !name.is_empty()) {
            let heading = format!(
                "[The skill \"{name}\" was loaded for this session. Follow its instructions.]"
            );
            self.add(self.find_usable(name, context.offers), heading, context, &mut made);
        }
        made
    }

    fn add(
        &self,
        found: Result<LocatedSkill, SkillRefusal>,
        heading: String,
        context: ActivationContext<'_>,
        made: &mut OpenedActivation,
    ) {
        match found.and_then(|located| self.open(located, context.session)) {
            Ok(opened) => {
                usage::count(self.home(), &opened.name(), UsageEvent::Activated);
                made.parts.push(MessagePart::Skill { heading, opened: Box::new(opened) });
            }
            Err(refusal) => made.notes.push(refusal.error),
        }
    }

    /// The message about opened skills; its text is empty if there are none.
    #[must_use]
    pub fn message(&self, made: OpenedActivation, backend: &str) -> ActivationMessage {
        let mut message = ActivationMessage { notes: made.notes, ..ActivationMessage::default() };
        let mut texts = Vec::new();
        for part in made.parts {
            match part {
                MessagePart::Skill { heading, opened } => {
                    texts.push(self.section(&heading, &opened, backend));
                    message.skills.push(opened.name());
                    message.variables.extend(opened.setup.present);
                    message.files.extend(opened.setup.files);
                }
                MessagePart::Text(text) => texts.push(text),
            }
        }
        texts.extend(made.words.as_deref().map(marked));
        message.text = texts.join("\n\n");
        message
    }

    fn section(&self, heading: &str, opened: &OpenedSkill, backend: &str) -> String {
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
        if let Some(note) = opened.setup.note(backend) {
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
    fn setting(&self, field: &ConfigField) -> String {
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
                expand(path, Path::new(""), self.vars()).display().to_string()
            }
            plain => plain.to_owned(),
        }
    }

    /// The skill whose document a list named.
    fn usable_at(
        &self,
        file: &Path,
        name: &str,
        context: &OfferContext,
    ) -> Result<LocatedSkill, SkillRefusal> {
        let table = self.table();
        match table.all.iter().find(|entry| entry.file == file && entry.kind != RootKind::Plugin) {
            Some(entry) => context.usable(LocatedSkill::of(entry)),
            None => self.find_usable(name, context),
        }
    }
}
