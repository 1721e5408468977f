//! What the keys of a chat do, for `?` and `/help all`.

use super::composer::EditStyle;
use super::key_map::KeyMap;
use crate::display::fit::{columns, cut, padded, wrap_text};
use crate::display::{Ink, Style};

/// What begins a line that is no message, and the one key that cannot be given away.
const FIXED: &[(&str, &str)] = &[
    ("/", "Commands, filtered while you type"),
    ("@", "Files and folders; @path:10-50 and @diff too"),
    ("!", "Runs a command; its output goes along with your next message"),
    ("\\ at the end", "Begins a new line"),
    ("Ctrl-C", "Stops the turn, empties the line; twice: leaves"),
];

/// Once Esc was pressed, for those who edit as in vim.
const VIM: &[(&str, &str)] = &[
    ("Esc", "Letters are commands: the prompt turns round"),
    ("i a I A o O", "Letters are typed again"),
    ("h l w b e 0 ^ $ gg G f t ;", "Move; a number in front repeats"),
    ("j k", "Lines, then what was typed after and before"),
    ("d c y + motion, dd cc yy", "Delete, change, copy"),
    ("x X s S D C r ~ p P u", "As in vim; u takes back"),
    ("/", "Searches what was typed before"),
];

/// The keys that count, and what they do.
pub(crate) fn pairs(keys: &KeyMap, editing: EditStyle) -> Vec<(String, &'static str)> {
    let fixed = |rows: &[(&'static str, &'static str)]| {
        rows.iter().map(|(key, does)| ((*key).to_owned(), *does)).collect::<Vec<_>>()
    };
    let vim = match editing {
        EditStyle::Shell => Vec::new(),
        EditStyle::Vim => fixed(VIM),
    };
    fixed(FIXED).into_iter().chain(keys.rows()).chain(vim).collect()
}

/// Columns of the keys; more of them are cut.
const MAX_KEYS: usize = 30;

/// What each key does, in a row or more.
pub(crate) fn rows(keys: &KeyMap, editing: EditStyle, style: &Style) -> Vec<String> {
    let pairs = pairs(keys, editing);
    let widest = pairs.iter().map(|(key, _)| columns(key)).max().unwrap_or(0);
    let widest = widest.min(MAX_KEYS).min(style.width / 2);
    let mut rows = Vec::new();
    for (key, does) in &pairs {
        let key = padded(&cut(key, widest), widest);
        let mut lead = format!("  {}  ", style.paint(Ink::CYAN, &key));
        for line in wrap_text(does, style.width.saturating_sub(widest + 4)) {
            rows.push(format!("{lead}{line}"));
            lead = " ".repeat(widest + 4);
        }
    }
    rows
}
