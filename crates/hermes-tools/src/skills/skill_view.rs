//! `skill_view`: loading a skill, or a file of one.

use hermes_skills::usage::{self, UsageEvent};
use hermes_skills::view::OpenedSkill;
use hermes_skills::{SkillLibrary, SkillRefusal, SkillStore, support};
use hermes_tool::{CallDisplay, State, ToolContext, ToolError, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::inline::{limit_of_commands, put_in_outputs};
use super::session::{backend, offers, on_disk, surface, turn};
use super::variables::provide;

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
    let limit = limit_of_commands(&library.store(cx.config(), cx.vars()), &opened.located);
    if let Some(limit) = limit {
        put_in_outputs(&mut opened, limit, cx).await;
    }
    provide(&mut opened, &library, cx).await;
    Ok(opened.to_value(surface(cx), backend(cx)))
}

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
    let located = store.find_usable(name, &offers(store, cx))?;
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
