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
    /// Other names of places, and where they lead.
    pub(super) links: Vec<(String, String)>,
}

impl ShellFacts<'_> {
    /// Remembers another name of a place.
    pub(super) fn link(&mut self, name: String, leads_to: String) {
        if self.links.len() < MAX_LINKS && name != leads_to {
            self.links.push((name, leads_to));
        }
    }

    /// Where a path leads, if a part of it is another name.
    pub(super) fn followed(&self, path: &str) -> Option<String> {
        self.links.iter().rev().find_map(|(name, leads_to)| {
            let rest = path.strip_prefix(name.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then(|| format!("{leads_to}{rest}"))
        })
    }
}

/// How many other names are remembered.
const MAX_LINKS: usize = 32;

/// The name of what a search for files of one kind finds: known to be one of them, not which.
pub(super) const NARROW: &str = "found-by-name";
