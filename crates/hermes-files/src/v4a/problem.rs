//! What stands in the way of a patch, in words for whoever wrote it.

use super::editor::locate::Miss;
use super::hint::HintTrouble;
use super::lines::SourceLines;
use super::patch::Hunk;
use super::strategy::{LineStrategy, is_blank};
use crate::edit::{NearMiss, closest_places};

/// Most line numbers listed in one message.
const MAX_LISTED_LINES: usize = 8;

/// One reason why a patch cannot be applied.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{path} (patch line {patch_line}): {kind}")]
pub struct PatchProblem {
    /// The file concerned, as written in the patch.
    pub path: String,
    /// The header or hunk concerned, from 1.
    pub patch_line: usize,
    /// What kept the operation from being played.
    pub kind: ProblemKind,
}

/// The kinds of problems. Line numbers count from 1 in the file as it was before the operation.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ProblemKind {
    /// The file to update, delete or move is not there.
    #[error("file not found; check the path, or create it with `*** Add File:`")]
    Missing,
    /// The file to create, or the target of a move, is there already.
    #[error("already exists; change it with `*** Update File:`, or delete it first")]
    Exists,
    /// The path is taken by something that is no regular file.
    #[error("not a regular file ({0}); patches change regular files only")]
    NotRegular(String),
    /// The content cannot be had.
    #[error("cannot be read as text ({0})")]
    Unreadable(String),
    /// A parent of the path is a file, or the path is a parent of a file.
    #[error("cannot be a file together with `{0}`: one would have to be a directory")]
    Nested(String),
    /// The old lines of a hunk are nowhere in the file.
    #[error("could not find the lines of this hunk{}; read the file again and quote it exactly", already(*.already_at))]
    NotFound {
        /// The lines looked for: context and removed ones.
        searched: Vec<String>,
        /// Where the lines as they would be afterwards stand already.
        already_at: Option<usize>,
        /// The places most like them, best first; none when the lines were changed already.
        closest: Vec<NearMiss>,
    },
    /// The old lines are there, but not at the end of the file.
    #[error(
        "the lines of this hunk are at line {line}, not at the end of the file; \
         leave out `*** End of File` or quote the last lines"
    )]
    NotAtEnd {
        /// The line at which they were found.
        line: usize,
    },
    /// The old lines fit several places.
    #[error(
        "the lines of this hunk fit {} places (lines {}); add context lines, or name a line above \
         the right one with `@@ TEXT @@`",
        .lines.len(), listed(.lines)
    )]
    Ambiguous {
        /// The first lines of all places that fit.
        lines: Vec<usize>,
    },
    /// The hint is in no line, and it would be needed.
    #[error("no line contains the hint `{hint}`; use the text of a line above the change")]
    HintMissing {
        /// The text behind `@@`, as written.
        hint: String,
    },
    /// The hint is in several lines, and it would be needed.
    #[error(
        "the hint `{hint}` occurs in {} lines (lines {}); use a longer one or add context lines",
        .lines.len(), listed(.lines)
    )]
    HintAmbiguous {
        /// The text behind `@@`, as written.
        hint: String,
        /// The lines that contain it.
        lines: Vec<usize>,
    },
    /// The new content is refused.
    #[error("{0}")]
    Gate(String),
    /// All operations together leave every file as it is.
    #[error("the patch changes nothing; every file already is as it asks for")]
    NothingChanges,
}

fn already(line: Option<usize>) -> String {
    line.map_or_else(String::new, |line| {
        format!(" (the changed lines are already there at line {line})")
    })
}

fn listed(lines: &[usize]) -> String {
    let shown: Vec<_> = lines.iter().take(MAX_LISTED_LINES).map(usize::to_string).collect();
    let more = if lines.len() > MAX_LISTED_LINES { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

impl ProblemKind {
    /// Explains why a hunk has no place in a file.
    pub(super) fn of_miss(miss: Miss, hunk: &Hunk, file: &[u8]) -> Self {
        match miss {
            Miss::NotFound => Self::not_found(hunk, file),
            Miss::NotAtEnd(line) => Self::NotAtEnd { line },
            Miss::Ambiguous(lines) => Self::Ambiguous { lines },
            Miss::Hint(HintTrouble::Missing(hint)) => Self::HintMissing { hint },
            Miss::Hint(HintTrouble::Ambiguous(hint, lines)) => Self::HintAmbiguous { hint, lines },
        }
    }

    fn not_found(hunk: &Hunk, file: &[u8]) -> Self {
        let searched: Vec<&str> = hunk.old_lines().map(|line| line.text.as_str()).collect();
        let already_at = already_at(hunk, file);
        let closest = match already_at {
            Some(_) => Vec::new(),
            None => closest_places(file, &searched),
        };
        let searched = searched.into_iter().map(str::to_owned).collect();
        Self::NotFound { searched, already_at, closest }
    }
}

/// Where the outcome of a hunk already stands; telling so spares a futile second try.
fn already_at(hunk: &Hunk, file: &[u8]) -> Option<usize> {
    let new: Vec<_> = hunk.new_lines().map(|line| line.text.as_str()).collect();
    if new.iter().all(|line| is_blank(line.as_bytes())) {
        return None;
    }
    let lines = SourceLines::new(file);
    let found =
        LineStrategy::TrailingWhitespace.find(&new, (0..lines.len()).map(|line| lines.text(line)));
    found.first().map(|line| line + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_of_lines_are_cut() {
        let lines: Vec<_> = (1..=20).collect();
        let text = ProblemKind::Ambiguous { lines }.to_string();
        assert!(text.contains("20 places (lines 1, 2, 3, 4, 5, 6, 7, 8, …)"), "{text}");
    }
}
