//! How long a text is for a model.

/// Counts tokens. Other tokenizers than the estimate would each bring their tables along; none is part of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenCounter {
    /// Four characters are a token.
    #[default]
    Quarter,
}

impl TokenCounter {
    /// The names of the counters there are.
    pub const NAMES: &'static str = "chars/4";

    /// The counter of this name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        matches!(name.trim(), "" | "chars/4" | "chars").then_some(Self::Quarter)
    }

    /// Tokens of a text.
    #[must_use]
    pub fn count(self, text: &str) -> u64 {
        match self {
            Self::Quarter => text.chars().count() as u64 / 4,
        }
    }
}
