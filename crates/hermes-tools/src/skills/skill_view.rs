//! `skill_view`: loading a skill, or a file of one.

use std::sync::Arc;

use hermes_skills::lookup::LocatedSkill;
use hermes_skills::preprocess::{self, InlineOutcome};
use hermes_skills::provenance::{Origins, SkillProvenance};
use hermes_skills::usage::{self, UsageEvent};
use hermes_skills::view::OpenedSkill;
use hermes_skills::{SkillLibrary, SkillRefusal, SkillStore, support};
use hermes_tool::{CallDisplay, InnerCall, State, ToolContext, ToolError, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::session::{backend, on_disk, surface, turn};
use crate::terminal::command_call;

/// Arguments of `skill_view`.
#[derive(Deserialize, JsonSchema)]
struct SkillPage {
    /// Its name, `category/name` or `plugin:name`.
    name: String,
    /// A file of the skill, like `references/api.md`.
    #[serde(default, alias = "path")]
    file_path: Option<String>,
}

#[tool(
    toolset = "skills",
    emoji = "📖",
    effects(reads),
    max_result_chars = 200_000,
    display = CallDisplay::verb("skill").args(&["name", "file_path"]),
    description = include_str!("skill_view.md")
)]
async fn skill_view(
    args: SkillPage,
    library: State<SkillLibrary>,
    cx: &ToolContext,
) -> Result<Value, ToolError> {
    let SkillPage { name, file_path } = args;
    let file_path = file_path.filter(|path| !path.trim().is_empty());
    let looked =
        on_disk(&library, cx, move |store, cx| look(store, cx, &name, file_path.as_deref()))
            .await?;
    let mut opened = match looked {
        Ok(Seen::File(answer)) => return Ok(answer),
        Ok(Seen::Skill(opened)) => opened,
        Err(refusal) => return Ok(refusal.to_value()),
    };
    if runs_commands(&library.store(cx.config(), cx.vars()), &opened.located) {
        opened.content = with_outputs(&opened, cx).await;
    }
    Ok(opened.to_value(surface(cx), backend(cx)))
}

/// What the settings call the source of plugins' skills.
const PLUGIN_SOURCE: &str = "plugin";

/// What a call was about.
enum Seen {
    Skill(Box<OpenedSkill>),
    File(Value),
}

fn look(
    store: &SkillStore<'_>,
    cx: &ToolContext,
    name: &str,
    file_path: Option<&str>,
) -> Result<Seen, SkillRefusal> {
    let located = store.find_usable(name, &store.offers(None))?;
    let own = located.name();
    let seen = match file_path {
        Some(path) => {
            let answer = support::read_file(&own, located.root(), &located.file, path)?;
            store.library().viewed().note(&turn(cx), &located.root().join(path));
            Seen::File(answer)
        }
        None => {
            store.library().viewed().note(&turn(cx), &located.file);
            let session = Some(cx.ids().session_id.as_str());
            Seen::Skill(Box::new(store.open(located, session)?))
        }
    };
    usage::count(store.home(), &own, UsageEvent::Viewed);
    Ok(seen)
}

/// Whether the commands in a skill's text are run: only where the user turned that on, and for skills that were
/// installed or come with plugins only where their source is named too.
fn runs_commands(store: &SkillStore<'_>, located: &LocatedSkill) -> bool {
    let settings = store.settings();
    settings.inline_shell
        && match located.entry.as_ref().map(|entry| Origins::read(store.home()).of(entry)) {
            Some(SkillProvenance::Hub { source, .. }) => {
                settings.inline_shell_sources.contains(&source)
            }
            Some(SkillProvenance::Plugin) => {
                settings.inline_shell_sources.iter().any(|source| source == PLUGIN_SOURCE)
            }
            _ => true,
        }
}

/// The text with what its commands say. They take the way of every command: past the same gate, in the same place.
async fn with_outputs(opened: &OpenedSkill, cx: &ToolContext) -> String {
    let commands = preprocess::commands(&opened.content);
    let mut outputs = Vec::with_capacity(commands.len());
    for one in &commands {
        let outcome = match one.command.is_empty() {
            true => InlineOutcome::Done { stdout: String::new(), stderr: String::new() },
            false => run(&one.command, opened, cx).await,
        };
        outputs.push(preprocess::rendered(&one.command, &outcome));
    }
    preprocess::put_in(&opened.content, &commands, &outputs)
}

async fn run(command: &str, opened: &OpenedSkill, cx: &ToolContext) -> InlineOutcome {
    let Some(tools) = cx.tools() else {
        return InlineOutcome::Failed("there is no shell here".to_owned());
    };
    let limit = hermes_skills::settings::SkillsSettings::from_config(cx.config()).shell_limit();
    let root = hermes_exec::quoted(&opened.located.root().to_string_lossy());
    let (tool, mut args) = command_call(&format!("cd {root} && {command}"));
    args["timeout"] = limit.as_secs().max(1).into();
    let call = InnerCall {
        name: tool.to_owned(),
        args,
        context: cx.to_parts(),
        time_limit: Some(limit * 2),
    };
    let output = Arc::clone(tools).call(call).await;
    let result = match output.to_value() {
        Value::String(text) => serde_json::from_str(&text).unwrap_or_default(),
        value => value,
    };
    let text = |key: &str| result[key].as_str().unwrap_or_default().to_owned();
    match result["exit_code"].as_i64() {
        Some(124) => InlineOutcome::TimedOut { seconds: limit.as_secs() },
        Some(_) if result["error"].is_null() => {
            InlineOutcome::Done { stdout: text("output"), stderr: String::new() }
        }
        _ => InlineOutcome::Failed(text("error")),
    }
}
