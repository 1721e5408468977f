//! What is typed: the line editor, its history and completion, and pasted texts.
//!
//! Keys come from [`super::terminal`]; nothing here reads or draws by itself.

mod buffer;
mod complete;
mod composer;
mod fuzzy;
mod history;
mod layout;
mod menu;
mod paste;

pub(crate) use complete::{CommandWords, Completer};
pub(crate) use composer::{Composer, ComposerEvent, HintMode, InputPrompt};
pub(crate) use fuzzy::ranked;
pub(crate) use history::History;
