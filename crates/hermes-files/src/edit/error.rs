//! Why an edit was refused, in words for the caller who wrote the quotation.

use super::closest::NearMiss;
use super::strategy::MatchStrategy;

/// The most line numbers an [`ReplaceError::Ambiguous`] lists.
pub const MAX_LISTED_LINES: usize = 10;

/// Why nothing was replaced.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReplaceError {
    /// There is nothing to look for.
    #[error("old_string is empty. Quote the text that is to be replaced.")]
    EmptyOld,
    /// The replacement is what it replaces.
    #[error(
        "old_string and new_string are identical (line endings aside, which the file decides). \
         Nothing to change."
    )]
    NothingToDo,
    /// No strategy found the text.
    #[error(
        "Could not find old_string in the file. Read the file again and quote its lines as they are."
    )]
    NotFound {
        /// The lines that look most like the quotation; see [`super::render_near_misses`].
        closest: Vec<NearMiss>,
    },
    /// Several places match and one was asked for, or the strategy allows one only.
    #[error("{}", ambiguous(*count, lines, *strategy))]
    Ambiguous {
        /// Matches in the whole file, also those that are not listed.
        count: usize,
        /// The first lines of the first [`MAX_LISTED_LINES`] places, counted from 1.
        lines: Vec<usize>,
        /// The strategy that found them.
        strategy: MatchStrategy,
    },
    /// The quotation carries backslashes before quotes that the file does not have.
    #[error(
        "Escape drift at line {line}: old_string has a backslash before a quote where the file \
         has none. Send old_string and new_string again without those backslashes."
    )]
    EscapeDrift {
        /// The line of the file that is meant, counted from 1.
        line: usize,
    },
    /// The text was found, but what the file has there already is what would be written.
    #[error(
        "The replacement at line {line} would change nothing: adapted to the file's own indent \
         and characters, new_string is what the file already has."
    )]
    NoEffect {
        /// The line of the first place, counted from 1.
        line: usize,
    },
}

fn ambiguous(count: usize, lines: &[usize], strategy: MatchStrategy) -> String {
    let listed = lines.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let more = if count > lines.len() { ", …" } else { "" };
    let advice = if strategy.demands_one_place() {
        "The match is approximate, so only one place may be changed: quote the text exactly."
    } else {
        "Quote more of the surrounding lines to name one place, or set replace_all to change all."
    };
    format!("Found {count} matches for old_string (lines {listed}{more}). {advice}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambiguity_names_lines_and_the_way_out() {
        let error = |count, strategy| {
            ReplaceError::Ambiguous { count, lines: vec![3, 9], strategy }.to_string()
        };
        let exact = error(2, MatchStrategy::Exact);
        assert!(exact.contains("2 matches") && exact.contains("(lines 3, 9)"), "{exact}");
        assert!(exact.contains("replace_all"));
        let loose = error(5, MatchStrategy::BlockAnchor);
        assert!(loose.contains("3, 9, …") && !loose.contains("replace_all"), "{loose}");
    }

    #[test]
    fn not_found_begins_as_callers_expect() {
        let error = ReplaceError::NotFound { closest: Vec::new() };
        assert!(error.to_string().starts_with("Could not find"));
    }
}
