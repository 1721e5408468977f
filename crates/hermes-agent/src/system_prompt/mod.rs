//! The system prompt: parts in a fixed order, built once for a session.
//!
//! A prompt is made when a session begins, stored with it and sent again byte by byte, because providers
//! charge less for what they have seen. So nothing in it may change while a session runs: the date has no
//! clock, memory is a copy, files are read once. It is made anew after a compression and when the model
//! changes ([`fits`]).
//!
//! The parts are rows of a table (`PARTS`): a name and a function from the [`PromptSources`] to a text, or
//! nothing. The order is from what never changes to what differs between projects and models. What differs
//! between two sessions of one home, directory, code and day, is no part of the prompt: it is a table of its
//! own (`SITUATION`) and stands at the head of the first message, so that a server which remembers what it
//! has read finds instructions and tools unchanged. `hermes prompt-size` shows both tables with sizes.
//!
//! What never happens here: a process is started, the network is used, a file outside the home and the
//! project is read, a problem with a file keeps a session from starting (it becomes a warning).

mod context;
mod environment;
mod file;
pub mod hints;
pub mod personality;
mod sent;
mod settings;
mod texts;
mod workspace;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use hermes_exec::BackendKind;
use hermes_exec::settings::configured_backend;
use hermes_runtime::registry::Registry;
use hermes_store::home::Home;
use hermes_tool::settings::Settings;
use hermes_tool::{SchemaDetail, Vars};
use hermes_tools::memory::MemorySnapshot;
use hermes_tools::product::policy_of;
use serde_json::Value;

pub use sent::SystemPrompt;

use settings::PromptSettings;

use crate::steer::Steering;
use crate::untrusted;

/// Everything a prompt is made from.
pub struct PromptSources<'a> {
    /// Where `SOUL.md` is.
    pub home: &'a Home,
    /// The configuration, as read.
    pub config: &'a Value,
    /// Variables.
    pub vars: &'a Vars,
    /// Where the session works.
    pub cwd: &'a Path,
    /// Names of the tools on offer.
    pub tools: &'a [Arc<str>],
    /// What they have to say, in their order: [`guidance_of`] them.
    pub guidance: &'a [&'static str],
    /// The model's name.
    pub model: &'a str,
    /// The provider's name.
    pub provider: &'a str,
    /// The model's window in tokens, where it is known.
    pub window: Option<u64>,
    /// Where the person is: `cli`, `cron`, `telegram`, …
    pub platform: &'a str,
    /// The profile, unless it is the default one.
    pub profile: Option<&'a str>,
    /// The marks for words of the person.
    pub steering: &'a Steering,
    /// Gives the index of skills.
    pub skills: Option<&'a (dyn Fn() -> Option<String> + Sync)>,
    /// What the caller adds.
    pub caller: Option<&'a str>,
    /// Whether files of the project and of the home speak.
    pub rules: ProjectRules,
    /// The notes.
    pub memory: &'a MemorySnapshot,
    /// What a memory service of somebody else adds.
    pub external_memory: Option<&'a str>,
    /// How much is said.
    pub detail: SchemaDetail,
    /// The day on which the session begins.
    pub today: jiff::civil::Date,
    /// The session's id, if the model is to know it.
    pub session_id: Option<&'a str>,
}

/// What the named tools declare for the prompt ([`PromptSources::guidance`]).
#[must_use]
pub fn guidance_of(tools: &[Arc<str>], registry: &Registry) -> Vec<&'static str> {
    let tools = tools.iter().filter_map(|name| registry.get(name));
    tools.filter_map(|tool| policy_of(&tool).guidance).collect()
}

/// Whether files of the project and of the home get into the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectRules {
    /// They do.
    Load,
    /// They do not (`--ignore-rules`, subagents).
    Ignore,
}

impl PromptSources<'_> {
    fn settings(&self) -> PromptSettings {
        PromptSettings::read(self.config, self.vars)
    }

    /// Where commands run.
    fn backend(&self) -> BackendKind {
        configured_backend(self.config, self.vars)
    }

    fn is_local(&self) -> bool {
        self.backend() == BackendKind::Local
    }
}

/// A part of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptSection {
    /// What it is, in one word.
    pub name: &'static str,
    /// As it is sent, without a blank line at either end.
    pub text: String,
}

impl PromptSection {
    /// How many characters it has.
    #[must_use]
    pub fn chars(&self) -> usize {
        self.text.chars().count()
    }
}

/// A prompt, and what the user should know about the files it was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptSections {
    /// In the order of the text.
    pub sections: Vec<PromptSection>,
    /// What stands at the head of the first message instead.
    pub situation: Vec<PromptSection>,
    /// Problems, one line each.
    pub warnings: Vec<String>,
}

type Make = fn(&PromptSources<'_>, &mut Vec<String>) -> Option<String>;

/// The parts in their order.
const PARTS: &[(&str, Make)] = &[
    ("identity", identity),
    ("help", |_, _| Some(texts::HELP.to_owned())),
    ("guidance", guidance),
    ("tools", tool_guidance),
    ("marks", |sources, _| {
        Some(format!("{}\n{}", sources.steering.prompt_note(), untrusted::PROMPT_NOTE))
    }),
    ("enforcement", |sources, _| {
        texts::enforcement(sources.model, &sources.settings().tool_use_enforcement)
    }),
    ("skills", |sources, _| sources.skills.and_then(|index| index())),
    ("environment", |sources, _| Some(environment::describe(sources))),
    ("platform", platform),
    ("personality", |sources, _| personality::chosen(sources.config).map(|one| one.text)),
    ("caller", |sources, _| sources.caller.map(str::to_owned)),
    ("project", context::project),
    ("memory", |sources, _| sources.memory.memory.clone()),
    ("user", |sources, _| sources.memory.user.clone()),
    ("external memory", |sources, _| sources.external_memory.map(str::to_owned)),
    ("model", |sources, _| Some(model_lines(sources.model, sources.provider))),
];

/// The parts for a model with a small window: who it is, what the user wrote down, and no advice.
const BRIEF_PARTS: &[(&str, Make)] = &[
    ("identity", identity),
    ("marks", |sources, _| {
        Some(format!("{} {}", sources.steering.brief_note(), untrusted::BRIEF_NOTE))
    }),
    ("personality", |sources, _| personality::chosen(sources.config).map(|one| one.text)),
    ("caller", |sources, _| sources.caller.map(str::to_owned)),
    ("project", context::project),
    ("memory", |sources, _| sources.memory.memory.clone()),
    ("user", |sources, _| sources.memory.user.clone()),
    ("external memory", |sources, _| sources.external_memory.map(str::to_owned)),
    ("model", |sources, _| Some(model_lines(sources.model, sources.provider))),
];

/// The parts of the first message's head, in their order. The directory comes first: by its line it is
/// known whether a conversation was told ([`SystemPrompt::situation`]).
const SITUATION: &[(&str, Make)] = &[
    ("directory", |sources, _| Some(environment::directory(sources))),
    ("workspace", |sources, _| workspace::describe(sources)),
    ("session", |sources, _| Some(session(sources))),
];

impl PromptSections {
    /// Makes a prompt.
    #[must_use]
    pub fn build(sources: &PromptSources<'_>) -> Self {
        let mut prompt = Self::default();
        prompt.warnings.extend(sources.memory.warnings.iter().cloned());
        let parts = match sources.detail {
            SchemaDetail::Full => PARTS,
            SchemaDetail::Brief => BRIEF_PARTS,
        };
        prompt.sections = made(parts, sources, &mut prompt.warnings);
        prompt.situation = made(SITUATION, sources, &mut prompt.warnings);
        prompt
    }

    /// The head of the first message.
    #[must_use]
    pub fn situation_text(&self) -> String {
        let texts: Vec<&str> = self.situation.iter().map(|section| section.text.as_str()).collect();
        texts.join("\n")
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.sections.iter().map(|section| section.text.as_str()).collect();
        texts.join("\n\n")
    }
}

/// The head of the first message alone, for a session whose prompt was made before.
#[must_use]
pub fn situation(sources: &PromptSources<'_>) -> String {
    let situation = made(SITUATION, sources, &mut Vec::new());
    PromptSections { situation, ..PromptSections::default() }.situation_text()
}

fn made(
    table: &[(&'static str, Make)],
    sources: &PromptSources<'_>,
    warnings: &mut Vec<String>,
) -> Vec<PromptSection> {
    let section = |(name, make): &(&'static str, Make)| {
        let text = make(sources, warnings)?.trim().to_owned();
        (!text.is_empty()).then_some(PromptSection { name, text })
    };
    table.iter().filter_map(section).collect()
}

/// Whether a stored prompt was made for this model and provider, so that it is sent again as it is.
#[must_use]
pub fn fits(stored: &str, model: &str, provider: &str) -> bool {
    stored.ends_with(&model_lines(model, provider))
}

fn identity(sources: &PromptSources<'_>, warnings: &mut Vec<String>) -> Option<String> {
    let soul = match sources.rules {
        ProjectRules::Load => file::read(&sources.home.soul_file(), warnings),
        ProjectRules::Ignore => None,
    };
    let soul = soul.filter(|text| !text.trim().is_empty());
    Some(soul.map_or_else(
        || match sources.detail {
            SchemaDetail::Full => texts::IDENTITY.to_owned(),
            SchemaDetail::Brief => texts::BRIEF_IDENTITY.to_owned(),
        },
        |text| file::prepare("SOUL.md", &text, file::MIN_CAP),
    ))
}

fn guidance(sources: &PromptSources<'_>, _: &mut Vec<String>) -> Option<String> {
    let mut lines = Vec::new();
    let settings = sources.settings();
    if settings.task_completion_guidance {
        lines.push(texts::FINISH);
    }
    if settings.parallel_tool_call_guidance && !sources.tools.is_empty() {
        lines.push(texts::BATCH);
    }
    Some(lines.join("\n"))
}

fn tool_guidance(sources: &PromptSources<'_>, _: &mut Vec<String>) -> Option<String> {
    Some(sources.guidance.join("\n"))
}

fn platform(sources: &PromptSources<'_>, _: &mut Vec<String>) -> Option<String> {
    let profile = sources.profile.map(|name| format!("Profile: {}.", file::one_line(name)));
    let hint = texts::platform(sources.platform).map(str::to_owned);
    let lines: Vec<String> = [profile, hint].into_iter().flatten().collect();
    Some(lines.join("\n"))
}

fn session(sources: &PromptSources<'_>) -> String {
    let mut text = format!("Conversation started: {}", sources.today.strftime("%A, %B %d, %Y"));
    if let Some(id) = sources.session_id {
        text += &format!("\nSession ID: {}", file::one_line(id));
    }
    text
}

pub(crate) fn model_lines(model: &str, provider: &str) -> String {
    format!("Model: {}\nProvider: {}", file::one_line(model), file::one_line(provider))
}
