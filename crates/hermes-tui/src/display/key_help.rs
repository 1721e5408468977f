//! What the keys of a chat do, for `?`.

use super::fit::{columns, cut, padded};
use super::style::{Ink, Style};

const KEYS: &[(&str, &str)] = &[
    ("Enter", "sends"),
    ("Alt-Enter, Ctrl-J, \\ at the end", "begins a new line"),
    ("/", "commands, filtered while you type"),
    ("@", "files and folders; @path:10-50 and @diff too"),
    ("!", "runs a command; its output goes along with your next message"),
    ("Tab", "completes"),
    ("↑ ↓", "between lines, then through what was typed before"),
    ("Ctrl-R", "searches what was typed before"),
    ("Ctrl-G", "edits the line in $EDITOR"),
    ("Ctrl-O", "shows the last tool call whole; ← → the others"),
    ("Esc", "stops the turn; twice: edits your last message"),
    ("Shift-Tab", "asks about flagged commands, or not (yolo)"),
    ("Ctrl-C", "stops the turn, empties the line; twice: leaves"),
    ("Ctrl-D", "leaves"),
    ("Ctrl-L", "clears the screen"),
    ("Ctrl-Z", "back to the shell; fg returns"),
];

/// A row for each key.
pub(crate) fn rows(style: &Style) -> Vec<String> {
    let widest = KEYS.iter().map(|(key, _)| columns(key)).max().unwrap_or(0);
    KEYS.iter()
        .map(|(key, does)| {
            let does = cut(does, style.width.saturating_sub(widest + 4));
            format!("  {}  {does}", style.paint(Ink::CYAN, &padded(key, widest)))
        })
        .collect()
}
