//! The open steps as a note in the conversation, and back.

use serde_json::{Value, json};

use super::item::{TodoEntry, TodoStatus};

/// Begins a note; whoever shortens a history finds an older note by it.
pub const HEADING: &str = "[Open steps of your todo list, kept through the summary]";

/// The open steps, one a line; nothing if none is open.
pub(super) fn write(items: &[TodoEntry]) -> Option<String> {
    let open =
        |item: &&TodoEntry| matches!(item.status, TodoStatus::Pending | TodoStatus::InProgress);
    let lines: Vec<String> = items.iter().filter(open).map(line).collect();
    (!lines.is_empty()).then(|| format!("{HEADING}\n{}", lines.join("\n")))
}

fn line(item: &TodoEntry) -> String {
    let one_line: Vec<&str> = item.content.split_whitespace().collect();
    let (mark, status) = (item.status.mark(), item.status.as_str());
    format!("- {mark} {}. {} ({status})", item.id, one_line.join(" "))
}

/// The items of the note in a message, if it holds one.
pub(super) fn read(message: &str) -> Option<Vec<Value>> {
    let (_, note) = message.split_once(HEADING)?;
    let items: Vec<Value> =
        note.trim_start().lines().map_while(|line| read_line(line.trim())).collect();
    (!items.is_empty()).then_some(items)
}

fn read_line(line: &str) -> Option<Value> {
    let rest = line.strip_prefix("- [")?.split_once("] ")?.1;
    let (id, rest) = rest.split_once(". ")?;
    let (content, status) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    Some(json!({"id": id, "content": content, "status": status}))
}
