//! What is wrong in the settings, for people to read.

use std::fmt;

/// A setting that was not taken as written. Never fatal: the text says what was done instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginSettingProblem {
    /// Where it stands in the settings, such as `hooks.pre_tool_call[0].timeout`.
    pub place: String,
    /// What is wrong, and what happens instead.
    pub message: String,
}

impl PluginSettingProblem {
    pub(crate) fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }
}

impl fmt::Display for PluginSettingProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}
