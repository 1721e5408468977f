//! What is typed: the line editor, its history and completion, and pasted texts.
//!
//! Keys come from [`super::terminal`]; nothing here reads or draws by itself.

mod buffer;
mod complete;
mod composer;
mod fuzzy;
mod history;
pub(crate) mod key_help;
mod key_map;
mod key_name;
mod layout;
mod menu;
mod paste;
mod vim;
mod vim_motion;

pub(crate) use complete::{CommandWords, Completer};
pub(crate) use composer::{Composer, ComposerEvent, EditStyle, HintMode, InputPrompt};
pub(crate) use fuzzy::ranked;
pub(crate) use history::History;
pub(crate) use key_map::{KeyAction, KeyMap};
