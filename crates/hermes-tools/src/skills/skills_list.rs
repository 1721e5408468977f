//! `skills_list`: the skills there are, or those about something.

use hermes_skills::{SkillLibrary, listing};
use hermes_tool::{CallDisplay, State, ToolContext, ToolError, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::session::{offers, on_disk};

/// Arguments of `skills_list`.
#[derive(Deserialize, JsonSchema)]
struct SkillList {
    /// Only skills of this category.
    category: Option<String>,
    /// A few words about the task: the skills that fit, best first.
    query: Option<String>,
}

/// List skills with what each is for, or find those about a task with a query of a few words.
#[tool(
    toolset = "skills",
    emoji = "📚",
    effects(reads),
    display = CallDisplay::verb("skills").args(&["query", "category"])
)]
async fn skills_list(
    args: SkillList,
    library: State<SkillLibrary>,
    cx: &ToolContext,
) -> Result<Value, ToolError> {
    on_disk(&library, cx, move |store, cx| {
        // The folder is where a user will look for it.
        let _ = std::fs::create_dir_all(store.local_root());
        let offers = offers(store, cx);
        match args.query.as_deref().map(str::trim).filter(|query| !query.is_empty()) {
            Some(query) => listing::find(&store.listed_table(), &offers, query),
            None => store.list(offers, args.category.as_deref()),
        }
    })
    .await
}
