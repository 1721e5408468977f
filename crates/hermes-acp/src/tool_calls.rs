//! A tool call as editors show it.

use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema::{Diff, ToolCallContent, ToolCallLocation, ToolKind};
use hermes_runtime::registry::Registry;
use hermes_tool::{Effect, ShownCall};
use serde_json::Value;

/// Longest title, in characters.
const TITLE: usize = 120;
/// Longest text of a result that is shown, in bytes.
const MAX_SHOWN: usize = 32 * 1024;

/// What sort of call it is, by what its tool declares to do.
pub(crate) fn kind(registry: &Registry, tool: &str) -> ToolKind {
    let Some(known) = registry.get(tool) else { return ToolKind::Other };
    let effects = known.effects();
    let has = |effect| effects.has(effect);
    match () {
        () if has(Effect::AgentState) => ToolKind::Think,
        () if has(Effect::Runs) => ToolKind::Execute,
        () if has(Effect::Writes) && !effects.path_arguments().is_empty() => ToolKind::Edit,
        () if has(Effect::Network) => ToolKind::Fetch,
        () if tool.contains("search") => ToolKind::Search,
        () if effects.is_read_only() && has(Effect::Reads) => ToolKind::Read,
        () => ToolKind::Other,
    }
}

/// What it does, in a line.
pub(crate) fn title(registry: &Registry, tool: &str, args: &Value) -> String {
    let shown = ShownCall { args, result: None };
    let (verb, detail) = match registry.get(tool) {
        Some(known) => {
            let display = known.policy().display;
            (display.verb_of(tool, &shown).to_owned(), display.detail_of(&shown))
        }
        None => (tool.to_owned(), shown.best_guess()),
    };
    let line = format!("{verb} {detail}");
    let line = line.lines().next().unwrap_or_default().trim();
    line.chars().take(TITLE).collect()
}

/// The paths a call is about, absolute.
pub(crate) fn paths(args: &Value, cwd: &Path) -> Vec<PathBuf> {
    let absolute = |path: &str| cwd.join(path.trim());
    let mut found: Vec<PathBuf> =
        args["path"].as_str().filter(|path| !path.is_empty()).map(absolute).into_iter().collect();
    for line in described(args).lines() {
        let named = ["*** Update File:", "*** Add File:", "*** Delete File:", "*** Move to:"];
        found.extend(named.iter().find_map(|head| line.strip_prefix(head)).map(absolute));
    }
    found.dedup();
    found
}

/// The text that describes changes to several files, where a call has one instead of a path.
fn described(args: &Value) -> &str {
    let texts = args.as_object().filter(|args| !args.contains_key("path")).into_iter().flatten();
    let mut texts = texts.filter_map(|(_, value)| value.as_str());
    texts.find(|text| text.contains("*** Begin Patch")).unwrap_or_default()
}

/// Where an editor may follow along.
pub(crate) fn locations(args: &Value, cwd: &Path) -> Vec<ToolCallLocation> {
    let line = args["offset"].as_u64().and_then(|line| u32::try_from(line).ok());
    paths(args, cwd).into_iter().map(|path| ToolCallLocation::new(path).line(line)).collect()
}

/// The changes a call would make, as far as its arguments tell. `old` gives the present text of a file.
pub(crate) fn changes(
    args: &Value,
    cwd: &Path,
    old: impl Fn(&Path) -> Option<String>,
) -> Vec<ToolCallContent> {
    let path = args["path"].as_str().map(|path| cwd.join(path));
    if let (Some(path), Some(content)) = (&path, args["content"].as_str()) {
        return vec![Diff::new(path.clone(), content).old_text(old(path)).into()];
    }
    if let (Some(path), Some(from), Some(to)) =
        (&path, args["old_string"].as_str(), args["new_string"].as_str())
    {
        return vec![Diff::new(path.clone(), to).old_text(from.to_owned()).into()];
    }
    of_patch(described(args), cwd)
}

/// Each file of a patch with what its lines take away and bring.
fn of_patch(patch: &str, cwd: &Path) -> Vec<ToolCallContent> {
    let mut files: Vec<(PathBuf, String, String)> = Vec::new();
    for line in patch.lines() {
        let named = ["*** Update File:", "*** Add File:", "*** Delete File:"];
        if let Some(path) = named.iter().find_map(|head| line.strip_prefix(head)) {
            files.push((cwd.join(path.trim()), String::new(), String::new()));
            continue;
        }
        let Some((_, old, new)) = files.last_mut() else { continue };
        let mut push = |text: &str, to_old: bool, to_new: bool| {
            for (side, wanted) in [(&mut *old, to_old), (&mut *new, to_new)] {
                if wanted {
                    side.push_str(text);
                    side.push('\n');
                }
            }
        };
        match line.split_at_checked(1) {
            Some(("-", text)) => push(text, true, false),
            Some(("+", text)) => push(text, false, true),
            Some((" ", text)) => push(text, true, true),
            _ => {}
        }
    }
    let diff = |(path, old, new): (PathBuf, String, String)| {
        let old = Some(old).filter(|old| !old.is_empty());
        Diff::new(path, new).old_text(old).into()
    };
    files.into_iter().map(diff).collect()
}

/// A result as it is shown: what a command printed, or the text itself.
pub(crate) fn shown_result(output: &str) -> String {
    let parsed: Option<Value> = serde_json::from_str(output).ok();
    let inner = parsed.as_ref().and_then(|value| {
        ["output", "content", "error"].iter().find_map(|key| value[*key].as_str())
    });
    let text = inner.unwrap_or(output);
    match text.len() > MAX_SHOWN {
        true => {
            let cut = text.floor_char_boundary(MAX_SHOWN);
            format!("{}\n… ({} bytes in all)", &text[..cut], text.len())
        }
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_change_is_known_before_it_is_made() {
        let cwd = Path::new("/p");
        let diffs = |args: Value| -> Vec<(String, Option<String>, String)> {
            let old = |_: &Path| Some("before".to_owned());
            changes(&args, cwd, old)
                .into_iter()
                .map(|one| match one {
                    ToolCallContent::Diff(diff) => {
                        (diff.path.display().to_string(), diff.old_text, diff.new_text)
                    }
                    other => panic!("{other:?}"),
                })
                .collect()
        };
        let whole = diffs(json!({"path": "a.txt", "content": "after"}));
        assert_eq!(whole, [("/p/a.txt".into(), Some("before".into()), "after".into())]);
        let part = diffs(json!({"path": "/q/b", "old_string": "x", "new_string": "y"}));
        assert_eq!(part, [("/q/b".into(), Some("x".into()), "y".into())]);
        let patch = "*** Begin Patch\n*** Update File: c\n@@\n keep\n-old\n+new\n*** Add File: d\n+fresh\n*** End Patch";
        let several = diffs(json!({"mode": "patch", "patch": patch}));
        assert_eq!(several[0], ("/p/c".into(), Some("keep\nold\n".into()), "keep\nnew\n".into()));
        assert_eq!(several[1], ("/p/d".into(), None, "fresh\n".into()));
        assert_eq!(paths(&json!({"patch": patch}), cwd), [Path::new("/p/c"), Path::new("/p/d")]);
    }
}
