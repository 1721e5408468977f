//! `skills_categories`: the kinds of skills there are.

use hermes_skills::{SkillLibrary, listing};
use hermes_tool::{CallDisplay, State, ToolContext, ToolError, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::session::{offers, on_disk};

/// Arguments of `skills_categories`.
#[derive(Deserialize, JsonSchema)]
struct SkillCategories {}

/// List the categories of skills, with how many each has.
#[tool(toolset = "skills", emoji = "🗂️", effects(reads), display = CallDisplay::verb("skills"))]
async fn skills_categories(
    _args: SkillCategories,
    library: State<SkillLibrary>,
    cx: &ToolContext,
) -> Result<Value, ToolError> {
    on_disk(&library, cx, |store, cx| {
        listing::categories(&store.listed_table(), &offers(store, cx))
    })
    .await
}
