//! Everything that is shown in a conversation, as text: given a [`Style`] and what happened, what
//! are the rows? Nothing in here writes to a terminal, reads a clock or keeps a setting of its own,
//! so every row can be tested.
//!
//! `Transcript` is the way in for a turn; it leans on the small renderers beside it. [`pictures`] alone reads files: those
//! it draws.

mod diff;
pub(crate) mod fit;
pub(crate) mod markdown;
pub(crate) mod notices;
pub mod pictures;
pub(crate) mod spinner;
mod style;
pub(crate) mod tool_lines;
mod transcript;

pub use markdown::MarkdownMode;
pub use style::{Colour, Hue, Ink, Style};
pub(crate) use tool_lines::ToolLines;
pub use tool_lines::{ArgumentPreview, ToolLook};
pub use transcript::{DisplayOptions, Verbosity};
pub(crate) use transcript::{REFRESH, Transcript};
