//! Keys on their way through our own hands.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Text that is shown to nobody.
#[derive(Clone, Deserialize, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(super) struct HiddenText(String);

impl HiddenText {
    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for HiddenText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

impl From<&str> for HiddenText {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}
