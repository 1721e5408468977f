//! What is known while a command is read, besides its text.

use std::rc::Rc;

use super::CommandContext;

/// Stands in resolved text for what nobody knows before the command runs.
pub(super) const HOLE: char = '\u{fdd0}';

/// What the rules know about the world.
#[derive(Debug)]
pub(super) struct ShellFacts<'f> {
    pub(super) host: &'f CommandContext<'f>,
    /// The working directory, `~` for home; unknown after a `cd` to somewhere unknown.
    pub(super) cwd: Option<Rc<str>>,
}

/// The name of what a search for files of one kind finds: known to be one of them, not which.
pub(super) const NARROW: &str = "found-by-name";
