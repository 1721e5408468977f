//! What a finding says.

use std::borrow::Cow;

/// What is done about a category: asked, or refused whoever says yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Someone has to agree first.
    Dangerous,
    /// Never run, whoever agrees.
    Floor,
}

/// A kind of danger. Approvals are remembered by its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Category {
    /// Stable and readable: what allowlists hold.
    pub key: &'static str,
    /// Whether somebody may say yes to it.
    pub severity: Severity,
    /// One sentence that people decide by.
    pub why: &'static str,
}

impl Category {
    /// A category that asks.
    pub(super) const fn asks(key: &'static str, why: &'static str) -> Self {
        Self { key, severity: Severity::Dangerous, why }
    }

    /// A category that is never allowed.
    pub(super) const fn never(key: &'static str, why: &'static str) -> Self {
        Self { key, severity: Severity::Floor, why }
    }
}

/// One danger of a command, with the words that show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandFinding {
    /// The key that rules and approvals name the category by.
    pub category: &'static str,
    /// How bad it is here: what happens inside a container or on another machine is never
    /// [`Severity::Floor`].
    pub severity: Severity,
    /// The words that caused it, as they stand in the text.
    pub words: String,
    /// One sentence that people decide by.
    pub why: &'static str,
}

/// Longest [`CommandFinding::words`], in characters.
pub const MAX_WORDS_CHARS: usize = 300;

impl CommandFinding {
    pub(super) fn new(category: Category, severity: Severity, words: &str) -> Self {
        let words = words.trim();
        let words = match words.char_indices().nth(MAX_WORDS_CHARS) {
            Some((at, _)) => Cow::Owned(format!("{}…", &words[..at])),
            None => Cow::Borrowed(words),
        };
        Self { category: category.key, severity, words: words.into_owned(), why: category.why }
    }
}

/// The text cannot be read as shell, or not within the budgets.
pub(super) const UNPARSABLE: Category = Category::asks(
    "unparsable command",
    "The command cannot be read as shell text, so nothing is known about what it does.",
);

/// Today's key for a key that was stored or typed.
#[must_use]
pub fn category_for(old_or_new_key: &str) -> Option<&'static str> {
    let key = old_or_new_key.trim();
    let same = |known: &str| known.eq_ignore_ascii_case(key);
    super::categories()
        .map(|category| category.key)
        .find(|known| same(known))
        .or_else(|| super::aliases::ALIASES.iter().find(|(old, _)| same(old)).map(|(_, new)| *new))
}
