//! What an agent tells itself, in the person's place.
//!
//! Each note begins with [`MARK`], so that a reader of the history, and a surface that echoes what is
//! said, can tell it from what a person wrote.

/// How every note begins.
pub const MARK: &str = "[Note from Hermes]";

/// Puts the mark in front of a text.
#[must_use]
pub fn note(text: &str) -> String {
    format!("{MARK} {text}")
}

/// Whether a message carries the mark and so is not a person's.
#[must_use]
pub fn is_note(text: &str) -> bool {
    text.starts_with(MARK)
}
