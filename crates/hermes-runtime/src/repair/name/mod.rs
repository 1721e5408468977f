//! Tool names, repaired.
//!
//! Models misspell names in a few habitual ways: punctuation around the name (`<x>`, `x()`), a namespace
//! in front of it (`functions.x`), another letter case, hyphens, `CamelCase`, a `_tool` at the end, a
//! piece of markup behind it. [`repair_name`] undoes those one after the other; the first spelling that
//! names a known tool wins. Names of older versions are found
//! through the same steps, and so is the form in which people write MCP tools,
//! `mcp-server:tool`.
//!
//! Likeness comes last and is trusted least. A call is sent to a merely similar tool only if that
//! tool is the only one so similar and changes nothing; otherwise the answer just names the
//! nearest tool, and the model decides.

mod similarity;
mod spelling;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use similarity::Similarity;

/// Longer names are compared with nothing: no provider allows more than half of this.
pub const MAX_COMPARED_CHARS: usize = 128;

/// How similar a tool must be, at least, to be called by a name that is not its own.
const CALL_CUTOFF: Similarity = Similarity::percent(70);

/// How similar a tool must be, at least, to be named in an error.
const HINT_CUTOFF: Similarity = Similarity::percent(50);

/// The tool names a model may mean.
#[derive(Debug, Clone, Default)]
pub struct Known {
    names: BTreeSet<String>,
    legacy: BTreeMap<String, String>,
}

impl Known {
    /// Know these tools.
    pub fn new<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        Self { names, legacy: BTreeMap::new() }
    }

    /// Let an old name stand for a current one. It has no effect while the current name is not
    /// known, or the old one is.
    #[must_use]
    pub fn with_legacy(mut self, old: impl Into<String>, current: impl Into<String>) -> Self {
        self.legacy.insert(old.into(), current.into());
        self
    }

    fn current(&self, name: &str) -> Option<&str> {
        self.names.get(name).map(String::as_str)
    }

    fn succeeding(&self, name: &str) -> Option<&str> {
        self.current(self.legacy.get(name)?)
    }
}

/// What became of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameRepair<'k> {
    /// It is a known tool's.
    Exact(&'k str),
    /// It was turned into a known tool's.
    Repaired(&'k str, How),
    /// No tool can be called by it.
    Unknown {
        /// The most similar tool, to be named in the error.
        nearest: Option<&'k str>,
    },
}

/// The step that made a name known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// It was written `mcp-server:tool`.
    McpForm,
    /// Punctuation around it, a namespace in front of it, or markup behind it was cut off.
    Cut,
    /// Its letters were put in lower case.
    LowerCase,
    /// Spaces and hyphens became underscores.
    Separators,
    /// It was in camel case.
    CamelCase,
    /// A `tool` was taken from its end.
    ToolSuffix,
    /// It is the name the tool used to have.
    Legacy,
    /// It is similar to one tool's only, which changes nothing.
    CloseMatch,
}

/// Find the tool that a name stands for. `is_read_only` tells whether a known tool changes
/// nothing, wherever it acts.
pub fn repair_name<'k>(
    name: &str,
    known: &'k Known,
    is_read_only: impl Fn(&str) -> bool,
) -> NameRepair<'k> {
    if let Some(exact) = known.current(name) {
        return NameRepair::Exact(exact);
    }
    if name.trim().is_empty() {
        return NameRepair::Unknown { nearest: None };
    }
    let spellings = spelling::spellings(name);
    let respelled = spellings
        .iter()
        .find_map(|(spelling, how)| Some(NameRepair::Repaired(known.current(spelling)?, *how)));
    let renamed = || {
        let mut names = std::iter::once(name).chain(spellings.iter().map(|(s, _)| s.as_str()));
        names.find_map(|old| Some(NameRepair::Repaired(known.succeeding(old)?, How::Legacy)))
    };
    respelled
        .or_else(renamed)
        .unwrap_or_else(|| by_likeness(&spelling::canonical(name), known, is_read_only))
}

/// Whether two names are alike in what is their own: all tools of a server share a long beginning, up to
/// the last `__`, which says nothing about which of them is meant.
fn own_names_are_alike(tool: &str, name: &str) -> bool {
    let Some((server, own)) = tool.rsplit_once("__") else { return true };
    let rest = name.strip_prefix(server).or_else(|| name.strip_prefix(&server.replace("__", "_")));
    rest.is_none_or(|rest| {
        similarity::compare(own, rest.trim_start_matches('_'), CALL_CUTOFF).is_some()
    })
}

fn by_likeness<'k>(
    name: &str,
    known: &'k Known,
    is_read_only: impl Fn(&str) -> bool,
) -> NameRepair<'k> {
    let similar: Vec<(Similarity, &str)> = known
        .names
        .iter()
        .filter_map(|tool| Some((similarity::compare(tool, name, HINT_CUTOFF)?, tool.as_str())))
        .collect();
    // Of equally similar tools the first in the alphabet is named.
    let Some(&(best, nearest)) = similar.iter().rev().max_by_key(|(similarity, _)| similarity)
    else {
        return NameRepair::Unknown { nearest: None };
    };
    // A rival exactly at the cutoff does not stand in the way, unless it is as near as the best.
    let rival = |&(similarity, tool): &(Similarity, &str)| {
        tool != nearest && (similarity > CALL_CUTOFF || similarity == best)
    };
    let is_alike = best >= CALL_CUTOFF && own_names_are_alike(nearest, name);
    if is_alike && !similar.iter().any(rival) && is_read_only(nearest) {
        NameRepair::Repaired(nearest, How::CloseMatch)
    } else {
        NameRepair::Unknown { nearest: Some(nearest) }
    }
}
