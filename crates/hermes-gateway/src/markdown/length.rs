//! How long a text is, which depends on who counts.

/// What the length of a message is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LengthUnit {
    /// Unicode scalar values.
    Characters,
    /// As JavaScript and Telegram count.
    Utf16,
    /// Of UTF-8.
    Bytes,
}

impl LengthUnit {
    /// How long a text is.
    #[must_use]
    pub fn of(self, text: &str) -> usize {
        match self {
            Self::Characters => text.chars().count(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
            Self::Bytes => text.len(),
        }
    }
}
