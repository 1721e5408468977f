//! What the agent remembers, and who it is.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, State};
use hermes_host::Host;
use hermes_store::atomic::{self, WriteOptions};
use hermes_tools::memory::approval::SUBSYSTEM;
use hermes_tools::memory::{Memory, MemoryAction, MemoryTarget, entries};
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use super::approvals::{kept_changes, notes};
use crate::app::App;
use crate::form::Fields;
use crate::problem::{PageProblem, PageResult};
use crate::view::Page;
use crate::visitor::Visitor;

/// Longest SOUL.md, in bytes.
const MAX_SOUL: usize = 200_000;

const KINDS: [(MemoryTarget, &str, &str); 2] = [
    (MemoryTarget::Memory, "own", "What the agent noted for itself"),
    (MemoryTarget::User, "user", "What the agent knows of you"),
];

pub(crate) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
) -> PageResult {
    let data = app.look(|host| gather(host, None)).await?;
    Ok(page(&visitor, &data))
}

fn page(visitor: &Visitor, data: &Value) -> axum::response::Response {
    Page { template: "page_memory", title: "Memory", here: "/memory", data }.show(visitor)
}

fn gather(host: &Host, draft: Option<&str>) -> Value {
    let store = notes(host);
    let kinds: Vec<Value> = KINDS
        .iter()
        .map(|(target, name, title)| {
            let (list, problem) = match store.entries(*target) {
                Ok(list) => (list, None),
                Err(problem) => (Vec::new(), Some(problem.to_string())),
            };
            let (size, limit) = (entries::size(&list), store.settings().limit(*target));
            json!({"name": name, "title": title, "entries": list, "size": size, "limit": limit,
                "percent": (size * 100 / limit.max(1)).min(100), "problem": problem,
                "off": store.settings().turned_off_by(*target)})
        })
        .collect();
    let soul = std::fs::read_to_string(host.home().soul_file()).unwrap_or_default();
    let difference = draft.map(|draft| difference(&soul, draft));
    json!({"kinds": kinds, "changes": kept_changes(host).into_iter().filter(|one| one["kind"] == SUBSYSTEM).collect::<Vec<_>>(),
        "soul": draft.unwrap_or(&soul), "difference": difference})
}

/// The lines of a change, with a few around them.
fn difference(old: &str, new: &str) -> Vec<Value> {
    let diff = TextDiff::from_lines(old, new);
    let mut lines = Vec::new();
    for group in diff.grouped_ops(2) {
        if !lines.is_empty() {
            lines.push(json!({"sign": "", "text": "…"}));
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Delete => "-",
                ChangeTag::Insert => "+",
                ChangeTag::Equal => " ",
            };
            lines.push(json!({"sign": sign, "text": change.value().trim_end_matches('\n')}));
        }
    }
    lines
}

pub(crate) async fn change(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(act): Path<String>,
    body: Bytes,
) -> PageResult {
    let fields = Fields::parse(&body);
    match act.as_str() {
        "preview" => {
            let draft = draft(&fields)?;
            let data = app.look(move |host| gather(host, Some(&draft))).await?;
            Ok(page(&visitor, &data))
        }
        "soul" => {
            let draft = draft(&fields)?;
            let written = app.look(move |host| {
                atomic::write(&host.home().soul_file(), draft.as_bytes(), WriteOptions::KEEP)
            });
            written.await?.map_err(|problem| PageProblem::refused(problem.to_string()))?;
            app.note(&visitor, "change", "SOUL.md");
            Ok(visitor
                .to_saying("/memory", "SOUL.md is stored; later conversations begin with it."))
        }
        "note" => {
            let request = request(&fields)?;
            let answer = app.look(move |host| notes(host).call(request)).await?;
            let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
            if answer["success"] != true {
                return Err(PageProblem::refused(text("error")));
            }
            app.note(&visitor, "change notes", fields.text("target"));
            Ok(visitor.to_saying("/memory", text("message")))
        }
        _ => Err(PageProblem::missing("There is no such act.")),
    }
}

/// The text of SOUL.md as it is wanted, with the line ends of this system.
fn draft(fields: &Fields) -> Result<String, PageProblem> {
    let text = fields.get("soul").unwrap_or_default().replace("\r\n", "\n");
    match text.len() > MAX_SOUL {
        true => Err(PageProblem::refused("This is too long for SOUL.md.")),
        false => Ok(text),
    }
}

fn request(fields: &Fields) -> Result<Memory, PageProblem> {
    let target = match fields.text("target") {
        "user" => MemoryTarget::User,
        _ => MemoryTarget::Memory,
    };
    let (old, new) =
        (fields.some("old"), fields.some("new").map(|text| text.replace("\r\n", "\n")));
    let action = match (fields.text("act"), &old, &new) {
        ("remove", Some(_), _) => MemoryAction::Remove,
        (_, Some(_), Some(_)) => MemoryAction::Replace,
        (_, None, Some(_)) => MemoryAction::Add,
        _ => return Err(PageProblem::refused("Nothing was entered.")),
    };
    let content = if action == MemoryAction::Remove { None } else { new };
    Ok(Memory {
        action: Some(action),
        target: Some(target),
        content,
        old_text: old,
        operations: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_line_by_line() {
        let lines = difference("a\nb\nc\n", "a\nB\nc\n");
        let signs: Vec<&str> = lines.iter().filter_map(|line| line["sign"].as_str()).collect();
        assert_eq!(signs, [" ", "-", "+", " "]);
        assert!(difference("a", "a").is_empty());
    }
}
