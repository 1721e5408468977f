//! What can be wrong with a setting.

use hermes_tool::settings::{SettingProblem, Settings};
use thiserror::Error;

/// A setting that cannot be used. The message says where it stands and what is expected there.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TerminalSettingsError {
    /// A value of the wrong kind or out of range.
    #[error(transparent)]
    Unusable(#[from] SettingProblem),
    /// A value the backend cannot do without.
    #[error("the {backend} backend needs {key} in config.yaml, or the variable {variable}")]
    Missing {
        /// The backend.
        backend: &'static str,
        /// The key.
        key: String,
        /// The variable.
        variable: String,
    },
}

impl TerminalSettingsError {
    /// Nothing is written for a key of this section.
    pub(super) fn missing<S: Settings>(backend: &'static str, key: &str) -> Self {
        let found = S::keys().into_iter().find(|info| info.path == key);
        let variable = found.and_then(|info| info.variable).unwrap_or_default();
        Self::Missing { backend, key: key.to_owned(), variable }
    }
}
