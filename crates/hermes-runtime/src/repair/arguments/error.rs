//! Why argument text was refused, in words for the model that wrote it.

use std::borrow::Cow;

/// Argument text that cannot be read with certainty.
///
/// The messages go back to the model. Positions count characters from 1, in the text as sent, or
/// in the content of the string when the whole text is a string holding the object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// The text ends in the middle of something.
    #[error(
        "the arguments are cut off: {unfinished} at character {at} is not finished; \
         send one complete JSON object"
    )]
    Truncated {
        /// Where the unfinished thing begins.
        at: usize,
        /// What it is.
        unfinished: &'static str,
    },
    /// The text is something else than an object.
    #[error("the arguments are {found}, but must be an object; send one JSON object")]
    NotAnObject {
        /// What it is instead.
        found: Cow<'static, str>,
    },
    /// There is more than one object, and they differ.
    #[error(
        "a second, different object begins at character {at}; send one JSON object for each call"
    )]
    TwoObjects {
        /// Where the second one begins.
        at: usize,
    },
    /// A number that JSON has no notation for.
    #[error(
        "`{found}` at character {at} is not a JSON number; send one JSON object with finite \
         decimal numbers"
    )]
    BadNumber {
        /// Where it begins.
        at: usize,
        /// The beginning of its text.
        found: String,
    },
    /// A quote seems to stand inside a string without a backslash.
    #[error(
        "a string is not followed by a comma, colon or bracket but by other text at character \
         {at}; escape quotes inside strings as \\\" and send one JSON object"
    )]
    UnescapedQuote {
        /// Where the text behind the string begins.
        at: usize,
    },
    /// Lists and objects are nested too deeply.
    #[error(
        "the nesting at character {at} is deeper than {limit} levels; send one JSON object with \
         less nesting",
        limit = super::MAX_DEPTH
    )]
    TooDeep {
        /// Where the first level too many opens.
        at: usize,
    },
    /// Anything else that does not belong where it is.
    #[error("{problem} at character {at}; send one JSON object")]
    Malformed {
        /// Where.
        at: usize,
        /// What is wrong there.
        problem: &'static str,
    },
}

impl ArgumentError {
    pub(super) fn no_object(found: impl Into<Cow<'static, str>>) -> Self {
        Self::NotAnObject { found: found.into() }
    }
}
