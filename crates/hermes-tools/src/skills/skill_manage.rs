//! `skill_manage`: writing skills and mending them.

use hermes_skills::SkillLibrary;
use hermes_skills::manage::{ChangeMode, ChangeOrigin, GuardScan, SkillChange, SkillEditor};
use hermes_tool::{CallDisplay, ShownCall, State, ToolContext, ToolError, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::session::{on_disk, turn};

/// Arguments of `skill_manage`.
#[derive(Deserialize, JsonSchema)]
struct ManageSkill {
    /// What to do.
    #[schemars(extend("enum" = ["create", "patch", "edit", "delete", "write_file", "remove_file"]))]
    action: String,
    /// Lower-case letters, digits, hyphens.
    name: String,
    /// For `create`, `edit`: the full SKILL.md: name and description between `---` lines, then instructions.
    content: Option<String>,
    /// For `create`: one folder name.
    #[schemars(with = "Option<String>")]
    category: Option<Value>,
    /// For `patch`: the text to replace.
    old_string: Option<String>,
    /// For `patch`: the new text; empty to delete.
    new_string: Option<String>,
    /// For `patch`: change every place that matches.
    #[serde(default)]
    replace_all: bool,
    /// Like `references/api-guide.md`; without it `patch` means SKILL.md.
    file_path: Option<String>,
    /// For `write_file`: the whole text.
    file_content: Option<String>,
    /// For `delete`: the skill that took over.
    absorbed_into: Option<String>,
}

#[tool(
    toolset = "skills",
    emoji = "✍️",
    effects(writes),
    upkeep,
    display = CallDisplay::verb("skill").detail(shown),
    description = include_str!("skill_manage.md")
)]
async fn skill_manage(
    args: ManageSkill,
    library: State<SkillLibrary>,
    cx: &ToolContext,
) -> Result<Value, ToolError> {
    let ManageSkill {
        action,
        name,
        content,
        category,
        old_string,
        new_string,
        replace_all,
        file_path,
        file_content,
        absorbed_into,
    } = args;
    let change = SkillChange {
        action,
        name,
        content,
        category,
        old_string,
        new_string,
        replace_all,
        file_path,
        file_content,
        absorbed_into,
    };
    on_disk(&library, cx, move |store, cx| {
        let origin = cx.service::<ChangeOrigin>().map(|origin| *origin).unwrap_or_default();
        let editor = SkillEditor {
            store,
            origin,
            turn: &turn(cx),
            viewed: Some(store.library().viewed()),
            scan: Some(&GuardScan),
        };
        editor.apply(&change, ChangeMode::AsConfigured)
    })
    .await
}

fn shown(call: &ShownCall<'_>) -> String {
    format!("{} {} {}", call.text("action"), call.text("name"), call.text("file_path"))
        .trim_end()
        .to_owned()
}
