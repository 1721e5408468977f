//! What is typed: the line editor, its history and completion, and pasted texts.
//!
//! Keys come from [`super::terminal`]; nothing here reads or draws by itself.

mod buffer;
mod complete;
mod composer;
mod history;
mod layout;
mod paste;

pub(crate) use complete::{CommandWords, Completer};
pub(crate) use composer::{Composer, ComposerEvent, HintMode, InputPrompt};
pub(crate) use history::History;
