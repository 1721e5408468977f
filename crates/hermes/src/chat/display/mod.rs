//! Everything that is shown in a conversation, as text: given a [`Style`] and what happened, what
//! are the rows? Nothing in here writes to a terminal, reads a clock or keeps a setting of its own,
//! so every row can be tested.
//!
//! [`Transcript`] is the way in for a turn; it leans on the small renderers beside it.

pub(crate) mod activity;
mod diff;
pub(crate) mod fit;
pub(crate) mod markdown;
pub(crate) mod notes;
pub(crate) mod spinner;
mod style;
pub(crate) mod time;
mod tools;
mod transcript;

pub(crate) use activity::{Activity, Preview};
pub(crate) use markdown::MarkdownMode;
pub(crate) use style::{Colour, Ink, Style};
pub(crate) use transcript::{REFRESH, Shown, Transcript, Verbosity};
