//! The names of the ways in which quoted text may be found.

use std::fmt;

/// How the quoted text was found, from literal to approximate.
///
/// The first strategy that finds anything decides. Two more names circulate for this family of
/// matchers, `indentation_flexible` and `trimmed_boundary`; everything they accept is already
/// accepted by [`MatchStrategy::LineTrimmed`], so they do not exist here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatchStrategy {
    /// The same text, anywhere in the file. Only CRLF and LF are not told apart.
    Exact,
    /// Whole lines, equal after trimming each.
    LineTrimmed,
    /// Any part of the text; runs of spaces and tabs count as one space.
    WhitespaceNormalized,
    /// The quotation wrote line breaks or tabs as `\n`, `\t`, `\r`.
    EscapeNormalized,
    /// Typographic quotes, dashes and the like count as their ASCII forms; composed and
    /// decomposed characters count as equal.
    UnicodeNormalized,
    /// Whole lines, equal when spacing is disregarded except between words. One place only.
    SpacingCollapsed,
    /// First and last line agree, the lines between are nearly equal. One place only.
    BlockAnchor,
}

impl MatchStrategy {
    /// The name shown to callers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::LineTrimmed => "line_trimmed",
            Self::WhitespaceNormalized => "whitespace_normalized",
            Self::EscapeNormalized => "escape_normalized",
            Self::UnicodeNormalized => "unicode_normalized",
            Self::SpacingCollapsed => "spacing_collapsed",
            Self::BlockAnchor => "block_anchor",
        }
    }

    /// Whether the strategy is too loose to change more than one place, whatever was asked.
    pub fn demands_one_place(self) -> bool {
        matches!(self, Self::SpacingCollapsed | Self::BlockAnchor)
    }
}

impl fmt::Display for MatchStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
