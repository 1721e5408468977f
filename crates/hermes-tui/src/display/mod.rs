//! Everything that is shown in a conversation, as text: given a [`Style`] and what happened, what
//! are the rows? Nothing in here writes to a terminal, reads a clock or keeps a setting of its own,
//! so every row can be tested.
//!
//! `Transcript` is the way in for a turn; it leans on the small renderers beside it. [`pictures`] alone reads files: those
//! it draws.

pub(crate) mod call_log;
mod call_rows;
pub(crate) use call_rows::tail_rows;
pub(crate) use diff::{DiffExtent, rows as diff_rows};
mod diff;
mod explored;
pub(crate) mod fit;
pub(crate) mod markdown;
pub(crate) mod notices;
pub mod pictures;
mod running;
pub(crate) mod spinner;
pub(crate) mod status_line;
mod style;
mod syntax;
pub(crate) mod tool_lines;
mod transcript;

pub use markdown::MarkdownMode;
pub use style::{Colour, ColourDepth, Hue, Ink, Motion, Shade, Style, Theme};
pub(crate) use tool_lines::ToolLines;
pub use tool_lines::{ArgumentPreview, ToolLook};
pub use transcript::{DisplayOptions, Verbosity};
pub(crate) use transcript::{REFRESH, Transcript};
